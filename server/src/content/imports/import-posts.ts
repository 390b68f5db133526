import {
  type Answer,
  createPost as createPostOperation,
  type ImportedPost,
  type importPosts as operation,
  type Input,
  MOST_IMPORTED,
  type Post,
  type RefusalCode,
} from '@postrider/contract'
import {
  type Fault,
  inOrder,
  newPost as createOf,
  pathOf,
  type PlannedMedia,
  type PlannedPost,
  referenceOf,
} from '@postrider/contract/plan'
import { compileRequestCheck } from '../../edge/api/request/request-check.ts'
import { enabledChannels } from '../../networks/channels/channel-store.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import type { ActDetails } from '../../edge/operations/act.ts'
import { seesChannels } from '../../edge/operations/credential-limits.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller, PrepareContext } from '../../edge/operations/route.ts'
import { isUniqueViolation, sendingDeferred, type Tx } from '../../platform/postgres/db.ts'
import { createPost } from '../posts/create/create-post.ts'
import { ManyCreates } from '../posts/many-creates.ts'
import type { NewPost } from '../posts/post-store.ts'
import type { ViewOptions } from '../posts/views.ts'
import { firstCharacters } from '../../networks/providers/shared/characters.ts'
import { takeBreaks } from '../../platform/process/take-breaks.ts'
import type { FileReader, ReadImport } from './file-reader.ts'
import { findPostIds, findReferences, holdImport } from './import-store.ts'
import { MOST_FAULTS } from './told-file.ts'

type Body = Input<typeof operation>['body']
type Refused = Refusal<RefusalCode<typeof operation>>

const EXCERPT = 280

/**
 * Creates the posts of a file, all or none, in the transaction that is open. Each is a create with a reference of its own, which the
 * workspace has once and for good: what an earlier request has made is found by it and left as it is.
 */
export async function importPosts(
  tx: Tx,
  caller: Caller,
  body: Body,
  read: ReadImport,
  options: ViewOptions & { readonly say: (details: ActDetails) => void },
): Promise<Answer<typeof operation> | Refused> {
  const { plan, posts } = read
  if (plan !== '' && !(await holdImport(tx, caller.workspaceId, plan))) return inProgress()
  const known = await findKnown(tx, caller, plan, posts)
  const faults = [...read.faults, ...known.faults]
  const faulty = new Set(known.faults.map(({ id }) => id))
  const ids = mediaIdsBy(body.media ?? {})
  // That an id is there twice is a fault already: its first post is checked for more.
  const firstOf = new Map(posts.toReversed().map((post) => [post.id, post]))
  const left = posts.filter(
    (post) =>
      post.isSound && firstOf.get(post.id) === post && !known.posts.has(post.id) && !faulty.has(post.id),
  )
  const missing = left.flatMap((post) => mediaOf(post).filter((media) => ids(media) === null))
  // What lacks a file is checked without it: nothing is kept then.
  const pause = takeBreaks()
  const rows: { planned: PlannedPost; body: Parameters<typeof createPost>[2] }[] = []
  for (const planned of left) {
    if (faults.length >= MOST_FAULTS) break
    const reference = referenceOf(plan, planned.id, 1)
    const body = { confirmed: true as const, ...createOf(planned, ids), reference }
    const misshapen = refuseMisshapen(body)
    if (misshapen === null) rows.push({ planned, body })
    else faults.push(...faultsOf(misshapen, planned, true))
    await pause()
  }
  const among = new ManyCreates(tx, caller)
  const made = new Map<string, Post>()
  for (const { planned, body: create } of rows) {
    // Nothing is made then, and more of them than this are not named.
    if (faults.length >= MOST_FAULTS) break
    await pause()
    const post = await createRow(tx, caller, create, { ...options, among })
    if (post === null) return inProgress()
    if (isRefusal(post))
      faults.push(
        ...faultsOf(
          post,
          planned,
          mediaOf(planned).every((media) => ids(media) !== null),
        ),
      )
    else made.set(planned.id, post)
  }
  const allFaults = () => refuseFaults(faults, faults.length - read.faults.length + read.faultCount)
  if (faults.length > 0) return allFaults()
  if (missing.length > 0) return refuseMedia(missing)
  options.say({ after: { import: plan, created: made.size, posts: posts.length } })
  const viewed: ImportedPost[] = []
  for (const planned of posts) {
    viewed.push(viewImported(plan, planned, made.get(planned.id) ?? null, known, body))
    await pause()
  }
  // The last step: others wait for what it takes until the commit.
  const { moved, refused } = await among.claim()
  for (const { planned } of rows) {
    const refusal = refused.get(made.get(planned.id)?.postId ?? '')
    if (refusal !== undefined && faults.length < MOST_FAULTS) faults.push(...faultsOf(refusal, planned, true))
  }
  if (faults.length > 0) return allFaults()
  const movedById = new Map(moved.map((post) => [post.postId, post]))
  return {
    created: made.size,
    posts: viewed.map((one) => {
      const post = movedById.get(made.get(one.id)?.postId ?? '')
      return post === undefined ? one : { ...one, destinations: timesOf(post) }
    }),
  }
}

function timesOf({ destinations }: Pick<NewPost, 'destinations'>): ImportedPost['destinations'] {
  return destinations.map(({ channelId, status, publishAt }) => ({
    channelId,
    status,
    publishAt: publishAt?.toISOString() ?? null,
  }))
}

/** The file as a plan, read as what the caller sees, outside of any transaction. */
export async function readImport(
  { caller, db, gone }: PrepareContext,
  { format, file, name, channelIds = [], timeZone }: Body,
  reader: FileReader,
): Promise<ReadImport | Refused> {
  const { workspaceId, credential } = caller
  if (format === 'csv' && name === undefined)
    return refuseField(
      '/name',
      'required',
      '`name` is missing. It identifies the import and its posts permanently.',
    )
  if (format === 'plan' && name !== undefined)
    return refuseField('/name', 'not_allowed', '`name` is not allowed with a plan, which has its own name.')
  const [channels, workspace] = await Promise.all([
    enabledChannels(db, workspaceId),
    findWorkspace(db, workspaceId),
  ])
  const visible = channels.filter(({ channelId }) => seesChannels(credential.limits, [channelId]))
  const places = new Set(
    visible.flatMap(({ channelId, groups }) => [channelId, ...groups.map(({ groupId }) => groupId)]),
  )
  const unknown = channelIds.findIndex((id) => !places.has(id))
  if (unknown >= 0) {
    const detail = `No channel, and no channel group with channels, has the ID ${channelIds[unknown]}.`
    return refuseField(`/channelIds/${unknown}`, 'unknown', detail)
  }
  const named = visible.map(({ channelId, provider, handle, groups }) => ({
    channelId,
    provider,
    handle,
    groups: groups.map(({ groupId, name }) => ({ groupId, name })),
  }))
  const zone = timeZone ?? workspace?.timeZone ?? 'UTC'
  const job = {
    format,
    file,
    name: name ?? '',
    channelIds,
    channels: named,
    timeZone: zone,
    mostPosts: MOST_IMPORTED,
  }
  return reader.read(job, workspaceId, gone)
}

function refuseField(pointer: string, code: string, detail: string): Refusal<'validation_failed'> {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}

function inProgress(): Refusal<'idempotency_in_progress'> {
  return refuse(
    'idempotency_in_progress',
    'Another import with this name is running. Try again in a second. Its posts are not created twice.',
    { retryAfterSeconds: 1 },
  )
}

type Known = {
  /** The ids of posts that are there already, by their ids in the file; null where the caller may not learn it. */
  readonly posts: ReadonlyMap<string, string | null>
  readonly faults: readonly (Fault & { readonly id: string })[]
}

async function findKnown(
  tx: Tx,
  { workspaceId, credential: { limits } }: Caller,
  plan: string,
  posts: readonly PlannedPost[],
): Promise<Known> {
  const references = posts.map(({ id }) => referenceOf(plan, id, 1))
  const [byReference, byId] = await Promise.all([
    findReferences(tx, workspaceId, references),
    findPostIds(
      tx,
      workspaceId,
      posts.flatMap(({ postId, isSound }) => (postId === null || !isSound ? [] : [postId])),
    ),
  ])
  // Which post has a reference is told only to who sees every post.
  const seesAll = limits.channelIds === null && limits.label === null
  const known = new Map<string, string | null>()
  const faults: Known['faults'][number][] = []
  for (const { id, postId, isSound, placeOf } of posts) {
    const found =
      byReference.get(referenceOf(plan, id, 1)) ?? (postId !== null && byId.has(postId) ? postId : undefined)
    if (found !== undefined) known.set(id, seesAll ? found : null)
    else if (postId !== null && isSound) {
      const message = `This workspace has no post ${postId}. Leave \`postId\` empty to create one.`
      faults.push({ ...placeOf(['postId']), message, id })
    }
  }
  return { posts: known, faults }
}

/** What is wrong with a row as a request of its own, by the contract; null for nothing. */
function refuseMisshapen(body: object): Refusal | null {
  const request = { params: {}, query: {}, queryText: '', body, idempotencyHeader: 'row' }
  const checked = compileRequestCheck(createPostOperation)(request)
  return isRefusal(checked) ? checked : null
}

/** Null where another request has just made it. */
async function createRow(
  tx: Tx,
  caller: Caller,
  body: Parameters<typeof createPost>[2],
  options: ViewOptions & { readonly among: ManyCreates },
): Promise<Post | Refusal | null> {
  const { tx: own, send } = sendingDeferred(tx)
  try {
    const post = await createPost(own, caller, body, { ...options, isReferenceFree: true })
    if (!isRefusal(post)) await send()
    return post
  } catch (fault) {
    if (isUniqueViolation(fault, 'post_reference')) return null
    throw fault
  }
}

/** Of a text that is empty because its file is not uploaded yet. */
const NEEDS_MEDIA = 'text_empty'

function faultsOf({ detail, facts }: Refusal, planned: PlannedPost, isWhole: boolean): Fault[] {
  const issues = facts.issues?.filter(
    ({ severity, code }) => severity === 'error' && (isWhole || code !== NEEDS_MEDIA),
  )
  if (issues?.length === 0) return []
  const found = [
    ...(facts.errors ?? []).map((error) => ({ pointer: error.pointer, message: error.detail })),
    ...(issues ?? []).map(({ pointer, message, fix }) => ({ pointer, message: `${message} ${fix}` })),
  ]
  const all = found.length === 0 ? [{ pointer: '', message: detail }] : found
  return all.map(({ pointer, message }) => ({ ...planned.placeOf(pathOf(pointer, planned)), message }))
}

function refuseFaults(faults: readonly Fault[], count: number): Refusal<'import_refused'> {
  const ordered = inOrder(faults)
  const errors = ordered.slice(0, MOST_FAULTS).map(({ line, column, cell, message }) => ({
    pointer: '/file',
    code: 'refused',
    line,
    column,
    detail: cell === undefined ? message : `Column \`${cell}\`: ${message}`,
  }))
  const detail = `Nothing was imported. Problems in the file: ${count < MOST_FAULTS ? ordered.length : `${count} or more`}, the first in line ${ordered[0]?.line}.`
  return refuse('import_refused', detail, { errors })
}

function mediaOf({ targets }: PlannedPost): PlannedMedia[] {
  return targets.flatMap(({ parts }) => parts.flatMap(({ media }) => media))
}

function nameOf(media: PlannedMedia): string {
  return media.is === 'item' ? media.mediaId : media.is === 'url' ? media.url : media.path
}

function mediaIdsBy(named: Readonly<Record<string, string>>) {
  const ids = new Map(Object.entries(named))
  return (media: PlannedMedia): string | null =>
    media.is === 'item' ? media.mediaId : (ids.get(nameOf(media)) ?? null)
}

/** Each file once that has to be uploaded, so that the client can do so and send the import again. */
function refuseMedia(missing: readonly PlannedMedia[]): Refusal<'import_refused'> {
  const each = [...Map.groupBy(missing, nameOf).values()].flatMap(([first]) => first ?? [])
  const errors = each.map((media) => ({
    pointer: `/media/${nameOf(media).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    code: 'media_missing',
    detail: `Upload ${nameOf(media)}, then put its \`mediaId\` into \`media\`.`,
    line: media.place.line,
    column: media.place.column,
    ...(media.alt === null ? {} : { altText: media.alt }),
  }))
  const detail = `Nothing was imported. Files to upload first: ${each.length}.`
  return refuse('import_refused', detail, { errors })
}

function viewImported(
  plan: string,
  { id, ofPost, targets, placeOf }: PlannedPost,
  post: Post | null,
  known: Known,
  { dryRun = false }: Body,
): ImportedPost {
  const text = targets[0]?.parts[0]?.text ?? ''
  return {
    id,
    line: placeOf([]).line,
    reference: referenceOf(plan, id, 1),
    created: post !== null,
    postId: post === null ? (known.posts.get(id) ?? null) : dryRun ? null : post.postId,
    text: firstCharacters(text, EXCERPT),
    labels: [...(post?.labels ?? ofPost.labels ?? [])],
    reviewStatus: post?.reviewStatus ?? 'not_required',
    destinations: (post?.destinations ?? []).map(({ channelId, status, publishAt }) => ({
      channelId,
      status,
      publishAt,
    })),
  }
}
