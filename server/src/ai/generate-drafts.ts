import type {
  DraftVariant,
  generatePostDrafts as operation,
  Input,
  PostDrafts,
  RefusalCode,
} from '@postrider/contract'
import { findChannels } from '../channels/channel-store.ts'
import { findMedia, type MediaRow } from '../media/media-store.ts'
import type { MediaParts } from '../media/upload-media.ts'
import type { Tx } from '../platform/db.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import type { Caller } from '../platform/route.ts'
import type { Providers } from '../providers/port.ts'
import {
  type Ask,
  estimateTokens,
  type Failure,
  failureSentence,
  type Message,
  PICTURE_TOKENS,
} from './asking.ts'
import { allowOutput, type TokenBudget } from './budget.ts'
import { readDestinations } from './draft-destinations.ts'
import { ANSWER_SCHEMA, type DraftTask, firstMessage, SYSTEM } from './draft-prompt.ts'
import type { Generation, GenerationOptions, Prepared, Work } from './generate-once.ts'
import { lockBudget, readDayUse, recordCall, reserveTokens } from './generation-store.ts'
import { type Draft, longestPart, textsOf } from './judge-answer.ts'
import { type Catalog, chooseModel, modelIdOf, type ModelRef } from './model-catalog.ts'
import { showPictures } from './show-pictures.ts'
import { MOST_REPAIRS, writeDrafts } from './write-drafts.ts'

export type DraftOptions = GenerationOptions & {
  readonly providers: Providers
  readonly catalog: Catalog
  readonly ask: Ask
  readonly budget: TokenBudget
  readonly media: MediaParts
  /** Whether a model can be shown images. */
  readonly sees: (model: ModelRef) => boolean
}

type Body = Input<typeof operation>['body']
type Code = RefusalCode<typeof operation>
type Plan = {
  readonly task: DraftTask
  readonly model: ModelRef
  readonly maxOutputTokens: number
  /** The media that the model is shown. */
  readonly shown: readonly MediaRow[]
}

/** The work of one request for drafts, for `generateOnce`. */
export function draftWork(
  options: DraftOptions,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  body: Body,
): Work<Plan, PostDrafts, Code> {
  return {
    prepare: (tx) => prepare(tx, options, caller, body),
    carryOut: (plan, generation) => carryOut(options, plan, generation),
  }
}

async function prepare(
  tx: Tx,
  { providers, catalog, budget, sees }: DraftOptions,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  body: Body,
): Promise<Prepared<Plan> | Refusal<Code>> {
  const { workspaceId } = caller
  const wrong = refuseBody(body)
  if (wrong !== null) return wrong
  const media = await readMedia(tx, caller, body.mediaIds ?? [])
  if (isRefusal(media)) return media
  const ids = body.destinations.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const { channels } = await findChannels(tx, workspaceId, ids)
  const destinations = readDestinations(body.destinations, channels, providers, body.result === 'thread')
  if (isRefusal(destinations)) return destinations
  const model = chooseModel(catalog, body.modelId)
  if (isRefusal(model)) return model

  const task: DraftTask = {
    result: body.result,
    mode: body.mode ?? 'shared',
    language: body.language,
    tone: body.tone,
    audience: body.audience ?? null,
    brief: body.brief,
    currentText: body.currentText ?? null,
    destinations,
    media: media.map(({ kind, altText }) => ({ kind, altText })),
  }
  const shown = sees(model) ? media.filter(({ kind }) => kind === 'image') : []
  const input = estimateTokens(SYSTEM, firstMessage(task).content) + shown.length * PICTURE_TOKENS
  const allowed = await allowNextCall(tx, budget, workspaceId, input)
  if (isRefusal(allowed)) return allowed
  const plan = { task, model, maxOutputTokens: allowed, shown }
  return { plan, model: modelIdOf(model), reserved: { tokens: input + allowed, images: 0 } }
}

/** The media in the order of the request. Whoever may not read media learns nothing of it through a model either. */
async function readMedia(
  tx: Tx,
  { workspaceId, credential }: Pick<Caller, 'workspaceId' | 'credential'>,
  mediaIds: readonly string[],
): Promise<MediaRow[] | Refusal<'not_found' | 'missing_permission'>> {
  if (mediaIds.length === 0) return []
  if (!credential.permissions.includes('media:read')) {
    return refuse(
      'missing_permission',
      'This credential lacks `media:read`, which drafts about media need. Have it granted, or leave `mediaIds` out.',
      { requiredPermission: 'media:read', grantedPermissions: credential.permissions },
    )
  }
  const found = await findMedia(tx, workspaceId, mediaIds)
  const missing = mediaIds.find((id) => !found.has(id))
  if (missing !== undefined) {
    return refuse('not_found', `There is no media item ${missing} in this workspace. Upload it first.`)
  }
  return mediaIds.flatMap((id) => found.get(id) ?? [])
}

/** What the schema cannot say. */
function refuseBody({ language, result, currentText }: Body): Refusal<'validation_failed'> | null {
  if (!isLanguageTag(language)) {
    return invalid(
      '/language',
      'malformed',
      '`language` is no language tag (BCP 47), such as `en`, `de-AT` or `zh-Hant`.',
    )
  }
  const needsText = result === 'rewrite' || result === 'shorten' || result === 'expand'
  if (!needsText || currentText !== undefined) return null
  return invalid(
    '/currentText',
    'required',
    `\`currentText\` is missing: \`${result}\` needs a text to work on.`,
  )
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    // Thrown for whatever is no well-formed tag.
    return false
  }
}

function invalid(pointer: string, code: string, detail: string): Refusal<'validation_failed'> {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}

async function allowNextCall(tx: Tx, budget: TokenBudget, workspaceId: string, inputTokens: number) {
  await lockBudget(tx, workspaceId)
  return allowOutput(budget, await readDayUse(tx, workspaceId), inputTokens)
}

async function carryOut(
  { db, log, ask, budget, providers, media }: DraftOptions,
  { task, model, maxOutputTokens, shown }: Plan,
  generation: Generation,
): ReturnType<Work<Plan, PostDrafts, Code>['carryOut']> {
  const { workspaceId, generationId, signal } = generation
  const usage = { calls: 0, inputTokens: 0, outputTokens: 0 }
  const begun = performance.now()

  /** Room for the next call: the first one's is reserved already. */
  async function makeRoom(inputTokens: number): Promise<number | Refusal<'rate_limited'>> {
    if (usage.calls === 0) return maxOutputTokens
    return db.begin(async (tx) => {
      const allowed = await allowNextCall(tx, budget, workspaceId, inputTokens)
      if (typeof allowed === 'number') await reserveTokens(tx, generation, inputTokens + allowed)
      return allowed
    })
  }

  async function askCounted(system: string, messages: readonly Message[]) {
    const input =
      estimateTokens(system, ...messages.map(({ content }) => content)) + shown.length * PICTURE_TOKENS
    const room = await makeRoom(input)
    if (typeof room !== 'number') return { stop: room }
    const reply = await ask({ model, system, messages, schema: ANSWER_SCHEMA, maxOutputTokens: room }, signal)
    const answered = reply.is === 'answered'
    // What a call without an answer has cost nobody tells; its question at least was read, where it got so far.
    const guess = {
      inputTokens: answered || reply.mayHaveRun ? input : 0,
      outputTokens: answered ? estimateTokens(reply.text) : 0,
    }
    const used = reply.usage ?? guess
    usage.calls += 1
    usage.inputTokens += used.inputTokens
    usage.outputTokens += used.outputTokens
    await recordCall(db, generation, used)
    return answered ? { text: reply.text } : { failure: reply.failure }
  }

  const pictures = await showPictures(media, shown)
  const written = await writeDrafts(task, providers, askCounted, pictures)
  const modelId = modelIdOf(model)
  const facts = {
    generationId,
    workspaceId,
    model: modelId,
    ...usage,
    durationMs: Math.round(performance.now() - begun),
  }
  if ('drafts' in written) {
    log.info({ ...facts, outcome: 'succeeded' }, 'generation')
    const answer = { generationId, model: modelId, variants: written.drafts.map(viewDraft), usage }
    return { store: async () => answer }
  }
  const { word, refusal, said } = refusalOf(written, modelId)
  log.warn({ ...facts, outcome: word, ...(said === undefined ? {} : { said }) }, 'generation')
  return { word, refusal }
}

type Refused = { word: string; refusal: Refusal<Code>; said?: string | undefined }

function refusalOf(
  written: { failure: Failure } | { faults: readonly string[] } | { stop: Refusal<'rate_limited'> },
  modelId: string,
): Refused {
  if ('stop' in written) return { word: 'budget', refusal: written.stop }
  if ('failure' in written) {
    const { code, retryAfterSeconds, said } = written.failure
    const facts = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
    return {
      word: code,
      refusal: refuse('ai_failed', failureSentence(written.failure, modelId), facts),
      said,
    }
  }
  const [first = ''] = written.faults
  const more = written.faults.length - 1
  const others = more > 0 ? ` And ${more} more fault${more === 1 ? '' : 's'}.` : ''
  const detail = `What ${modelId} wrote does not do, even after ${MOST_REPAIRS} repairs. ${first}${others} Nothing was stored, and nothing is ever cut to fit. Ask for less, or try again.`
  return { word: 'unfit', refusal: refuse('ai_failed', detail) }
}

function viewDraft(draft: Draft): DraftVariant {
  const [text = '', ...follow] = textsOf(draft.content)
  const destinations = draft.destinations.map((destination) => ({
    id: destination.channelId,
    provider: destination.provider,
    characters: longestPart(draft, destination),
    maxCharacters: destination.maxCharacters,
  }))
  const tightest = destinations.reduce((least, one) => (roomIn(one) < roomIn(least) ? one : least))
  return {
    destinations,
    text,
    ...(follow.length === 0 ? {} : { thread: follow.map((part) => ({ text: part })) }),
    characters: tightest.characters,
    maxCharacters: tightest.maxCharacters,
  }
}

function roomIn({ characters, maxCharacters }: { characters: number; maxCharacters: number }): number {
  return maxCharacters - characters
}
