import {
  type Answer,
  type changeTemplate as change,
  type Content,
  type createTemplate as create,
  type deleteTemplate as remove,
  type Input,
  MOST_TEMPLATES,
  type RefusalCode,
  type Template,
} from '@postrider/contract'
import { brokenFieldAt, fieldsOfTexts } from '@postrider/contract/names'
import { findChannels } from '../../networks/channels/channel-store.ts'
import { findGroups } from '../../networks/channels/group-store.ts'
import { newToken } from '../../engine/destinations/tokens.ts'
import { findMediaToCarry } from '../../media/media-store.ts'
import type { ActDetails } from '../../edge/operations/act.ts'
import { refuseBeyond } from '../../edge/operations/credential-limits.ts'
import { readLabels } from '../../edge/operations/read-labels.ts'
import { isRefusal, refuse, type Refusal, type RefusalFacts } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { storedName } from '../../platform/text/name-key.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import {
  countTemplates,
  findTemplate,
  insertTemplate,
  lockTemplates,
  mediaIdsOf,
  removeTemplate,
  type TemplateKey,
  type TemplateRow,
  type TemplateState,
  updateTemplate,
} from './template-store.ts'
import { textsOf, viewTemplate } from './views.ts'

type Say = (details: ActDetails) => void
type Given = Input<typeof create>['body']
type Unfit = Refusal<'validation_failed' | 'already_exists' | 'credential_limit'>

/** How many fields the values of one request can fill. */
const MOST_FIELDS = 100

export async function createTemplate(
  tx: Tx,
  caller: Caller,
  body: Given,
  say: Say,
): Promise<Template | Refusal<RefusalCode<typeof create>>> {
  const { workspaceId } = caller
  await lockTemplates(tx, workspaceId)
  const state = await readState(tx, caller, body, null)
  if (isRefusal(state)) return state
  const templateId = uuidv7()
  const at = await insertTemplate(tx, { workspaceId, templateId }, state)
  say({ after: { name: state.name } })
  return viewTemplate({ templateId, ...state, createdAt: at, updatedAt: at })
}

export async function changeTemplate(
  tx: Tx,
  caller: Caller,
  key: TemplateKey,
  { editToken, ...body }: Input<typeof change>['body'],
  say: Say,
): Promise<Template | Refusal<RefusalCode<typeof change>>> {
  const before = await lockToWrite(tx, caller, key)
  if (isRefusal(before)) return before
  if (before.editToken !== editToken) {
    const detail =
      'The template has changed since this token was read. Read it again, then retry with its new token.'
    return refuse('stale_edit_token', detail, { changedAt: before.updatedAt.toISOString() })
  }
  const state = await readState(tx, caller, body, before)
  if (isRefusal(state)) return state
  const updatedAt = await updateTemplate(tx, key, state)
  const changed = (['name', 'content', 'channelIds', 'labels'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(state[field]),
  )
  say({ before: { name: before.name }, after: { name: state.name, changed } })
  return viewTemplate({ ...before, ...state, updatedAt })
}

export async function deleteTemplate(
  tx: Tx,
  caller: Caller,
  key: TemplateKey,
  say: Say,
): Promise<Answer<typeof remove> | Refusal<RefusalCode<typeof remove>>> {
  const before = await lockToWrite(tx, caller, key)
  if (isRefusal(before)) return before
  say({ before: { name: before.name } })
  const deletedAt = await removeTemplate(tx, key)
  return { templateId: key.templateId, deletedAt: deletedAt.toISOString() }
}

export function refuseTemplateId(): Refusal<'not_found'> {
  return refuse('not_found', 'Template not found in this workspace.')
}

/** The template as it was, kept from others until the end of the transaction, for a caller who may change it. */
async function lockToWrite(
  tx: Tx,
  caller: Caller,
  key: TemplateKey,
): Promise<TemplateRow | Refusal<'not_found' | 'credential_limit'>> {
  await lockTemplates(tx, key.workspaceId)
  const before = await findTemplate(tx, key, caller.credential.limits)
  if (before === null) return refuseTemplateId()
  const groups = await findGroups(tx, key.workspaceId, before.channelIds)
  const channelIds = before.channelIds.flatMap((id) => groups.get(id)?.channelIds ?? [id])
  return refuseForeign(caller, { channelIds, labels: before.labels }) ?? before
}

/** The template that is asked for, with all that it names there. */
async function readState(
  tx: Tx,
  caller: Caller,
  { name: sent, channelIds = [], labels: named, confirmed: _, ...given }: Given,
  before: TemplateRow | null,
): Promise<TemplateState | Unfit> {
  const { workspaceId } = caller
  const content: Content = given
  const [name, labels] = [storedName(sent), readLabels(named)]
  const [{ count, isTaken }, { channels }, groups, media] = await Promise.all([
    countTemplates(tx, workspaceId, { name, exceptId: before?.templateId ?? null }),
    findChannels(tx, workspaceId, channelIds),
    findGroups(tx, workspaceId, channelIds),
    findMediaToCarry(tx, workspaceId, mediaIdsOf(content)),
  ])
  const meant = channelIds.flatMap((id) => groups.get(id)?.channelIds ?? [id])
  const foreign = refuseForeign(caller, { channelIds: meant, labels })
  if (foreign !== null) return foreign
  const errors = [
    ...brokenFields(content),
    ...channelIds.flatMap((id, index) =>
      channels.has(id) || groups.has(id)
        ? []
        : error(`/channelIds/${index}`, 'channel_unknown', `The workspace has no channel ${id}.`),
    ),
    ...mediaPlaces(content).flatMap(({ id, pointer }) =>
      media.has(id) ? [] : error(pointer, 'media_unknown', `The workspace has no media item ${id}.`),
    ),
  ]
  if (errors.length > 0) return refuse('validation_failed', errors[0]?.detail ?? '', { errors })
  if (isTaken)
    return refuse('already_exists', `There is a template called “${name}” already. Choose another name.`, {
      errors: error('/name', 'already_exists', 'Another template has this name.'),
    })
  if (before === null && count >= MOST_TEMPLATES) {
    const detail = `A workspace has ${MOST_TEMPLATES} templates at most. Delete one first.`
    return refuse('validation_failed', detail, { errors: error('', 'out_of_range', detail) })
  }
  return { name, content, channelIds, labels, editToken: newToken() }
}

type Errors = NonNullable<RefusalFacts['errors']>

function error(pointer: string, code: string, detail: string): Errors {
  return [{ pointer, code, detail }]
}

/** Braces that begin no field would be published as they stand. */
function brokenFields(content: Content): Errors {
  const texts = textsOf(content)
  const broken = texts.flatMap(({ text, pointer }) => {
    const at = brokenFieldAt(text)
    if (at < 0) return []
    const detail = `\`${text.slice(at, at + 20)}\` begins no field. A field is \`{{name}}\`, of letters, digits, \`_\`, \`-\`, \`.\` and spaces. \`constructor\`, \`prototype\` and \`__proto__\` are none.`
    return error(pointer, 'malformed', detail)
  })
  const { length } = fieldsOfTexts(texts.map(({ text }) => text))
  const detail = `The template has ${length} fields. It can have at most ${MOST_FIELDS}.`
  return length > MOST_FIELDS ? [...broken, ...error('/text', 'out_of_range', detail)] : broken
}

function mediaPlaces({ mediaIds = [], thread = [] }: Content): { id: string; pointer: string }[] {
  return [
    { mediaIds, at: '' },
    ...thread.map((part, index) => ({ ...part, at: `/thread/${index}` })),
  ].flatMap((part) =>
    (part.mediaIds ?? []).map((id, place) => ({ id, pointer: `${part.at}/mediaIds/${place}` })),
  )
}

/** A narrowed credential writes what is for its own channels alone: others use what is for any. */
function refuseForeign(
  { credential: { limits } }: Caller,
  { channelIds, labels }: { readonly channelIds: readonly string[]; readonly labels: readonly string[] },
): Refusal<'credential_limit'> | null {
  if (limits.channelIds !== null && channelIds.length === 0) {
    const detail =
      'This credential is limited to some channels, and so are the templates that it writes. Name some of them in `channelIds`.'
    return refuse('credential_limit', detail, { limit: 'channelIds' })
  }
  return refuseBeyond(limits, { channelIds, labels })
}
