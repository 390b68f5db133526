import type {
  DraftVariant,
  generatePostDrafts as operation,
  Input,
  PostDrafts,
  RefusalCode,
} from '@postrider/contract'
import { findChannels } from '../../networks/channels/channel-store.ts'
import { findMedia, type MediaRow } from '../../media/media-store.ts'
import type { MediaParts } from '../../media/upload-media.ts'
import { refuseBeyond } from '../../edge/operations/credential-limits.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import { allowNextCall, askWithinBudget, estimateInput } from './ask-within-budget.ts'
import type { GenerateText } from './model-client.ts'
import type { TokenBudget } from './budget.ts'
import { readDestinations } from './draft-destinations.ts'
import { type DraftTask, firstMessage, SYSTEM } from './draft-prompt.ts'
import {
  type Generation,
  type GenerationOptions,
  type Completed,
  type Prepared,
  type Failed,
  failedBy,
  type Work,
} from './generate-once.ts'
import { type Draft, longestPart, textsOf } from './check-answer.ts'
import type { ModelRef } from '../../platform/config/ai-access.ts'
import { type Catalog, chooseModel, modelIdOf } from './model-catalog.ts'
import { loadImages } from './load-images.ts'
import { MAX_REPAIRS, writeDrafts } from './write-drafts.ts'

export type DraftOptions = GenerationOptions & {
  readonly providers: Providers
  readonly catalog: Catalog
  readonly ask: GenerateText
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
  /** How many tokens the first call may write. */
  readonly firstOutput: number
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
    run: (plan, generation) => run(options, plan, generation),
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
  const foreign = refuseForeign(caller, body)
  if (foreign !== null) return foreign
  const media = await readMedia(tx, caller, body.mediaIds ?? [])
  if (isRefusal(media)) return media
  const found = await findChannels(tx, workspaceId, channelIdsOf(body))
  const destinations = readDestinations(body.destinations, found, providers, {
    threaded: body.result === 'thread',
  })
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
  const input = estimateInput([SYSTEM, firstMessage(task).content], shown.length)
  const allowed = await allowNextCall(tx, budget, workspaceId, input)
  if (isRefusal(allowed)) return allowed
  const plan = { task, model, firstOutput: allowed, shown }
  return { plan, model: modelIdOf(model), reserved: { tokens: input + allowed, images: 0 } }
}

/** Why a caller may have nothing written about this. Who may not read media learns nothing of it through a model either. */
export function refuseForeign(
  { credential }: Pick<Caller, 'credential'>,
  body: Body,
): Refusal<'missing_permission' | 'credential_limit'> | null {
  if ((body.mediaIds ?? []).length > 0 && !credential.permissions.includes('media:read')) {
    return refuse(
      'missing_permission',
      'This credential lacks `media:read`, which drafts about media need. Use one that has it, or leave `mediaIds` out.',
      { requiredPermission: 'media:read', grantedPermissions: credential.permissions },
    )
  }
  return refuseBeyond(credential.limits, { channelIds: channelIdsOf(body) })
}

function channelIdsOf({ destinations }: Body): string[] {
  return destinations.flatMap(({ id }) => (id === undefined ? [] : [id]))
}

/** The media in the order of the request. */
async function readMedia(
  tx: Tx,
  { workspaceId }: Pick<Caller, 'workspaceId'>,
  mediaIds: readonly string[],
): Promise<MediaRow[] | Refusal<'not_found'>> {
  if (mediaIds.length === 0) return []
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

async function run(
  options: DraftOptions,
  { task, model, firstOutput, shown }: Plan,
  generation: Generation,
): Promise<Completed<PostDrafts> | Failed<Code>> {
  const { askText, usage } = askWithinBudget(options, { model, firstOutput }, generation)
  const pictures = await loadImages(options.media, shown)
  const written = await writeDrafts(task, askText, pictures)
  const modelId = modelIdOf(model)
  if ('stop' in written) return { outcome: 'budget', refusal: written.stop }
  if ('failure' in written) return failedBy(written.failure, modelId)
  if ('faults' in written) return { outcome: 'unfit', refusal: unfit(written.faults, modelId) }
  const variants = written.drafts.map(viewDraft)
  return { store: async () => ({ generationId: generation.generationId, model: modelId, variants, usage }) }
}

function unfit([first = '', ...others]: readonly string[], modelId: string): Refusal<'ai_failed'> {
  const more = others.length > 0 ? ` And ${others.length} more fault${others.length === 1 ? '' : 's'}.` : ''
  return refuse(
    'ai_failed',
    `What ${modelId} wrote can't be used, even after ${MAX_REPAIRS} repairs. ${first}${more} Nothing was stored, and nothing is ever cut to fit. Ask for less, or try again.`,
  )
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
