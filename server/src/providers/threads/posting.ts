import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../answers.ts'
import type { HttpResponse, Json } from '../calls.ts'
import type {
  Exchange,
  MediaAddress,
  Origins,
  PartWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Refusal,
  Verdict,
} from '../port.ts'
import { call, type Procedure, type Steps, wait } from '../procedure.ts'
import { AWAY, rateLimited, rejected, unknown } from '../verdicts.ts'
import { faultOf, FULL_MS, isMissing, read, refusalOf, write } from './answers.ts'
import { threadsAuthorization, type ThreadsAuthorization } from './authorization.ts'
import { readQuota } from './quota.ts'

/*
 * A post is made in two steps (https://developers.facebook.com/documentation/threads/posts): a container, which nobody sees and which ends
 * after 24 hours, and its publication. Each item of a carousel has a container of its own before.
 */

const Made = Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) })
/** https://developers.facebook.com/documentation/threads/troubleshooting */
const Container = Type.Object({
  status: Type.Enum(['EXPIRED', 'ERROR', 'FINISHED', 'IN_PROGRESS', 'PUBLISHED']),
  error_message: Type.Optional(Type.String()),
})
export type Container = Static<typeof Container>

/** What is known before the call, and says later what became of it. */
export const Prepared = Type.Object({ container: Type.String({ minLength: 1 }) })

/** How far the containers of a part came. */
const Progress = Type.Object({
  items: Type.Array(Type.String()),
  container: Type.Union([Type.String(), Type.Null()]),
})
type Progress = Static<typeof Progress>

const BEGINNING: Progress = { items: [], container: null }
/** How long Threads is left to work on a container; it wants to be asked seldom. */
const POLL_MS = 5_000
const VIDEO_POLL_MS = 20_000

const REPLY_CONTROL: Readonly<Record<string, string>> = {
  everyone: 'everyone',
  following: 'accounts_you_follow',
  mentioned: 'mentioned_only',
  followers: 'followers_only',
}

/** Makes the container of a part, or takes that of an earlier call of this very intent, which was taken for absent. */
export function prepareAt({ api }: Origins): Procedure<PrepareWork, PrepareVerdict> {
  return function* prepare(work) {
    const access = threadsAuthorization(work.authorization)
    const begun = Check(Progress, work.checkpoint)
      ? work.checkpoint
      : yield* formerContainer(api, access, work)
    if ('is' in begun) return begun
    const full = begun === BEGINNING ? yield* refuseFull(api, access, work) : null
    if (full !== null) return full
    const made = yield* makeContainer(api, access, work, begun)
    if (typeof made !== 'string') return made
    const refusal = yield* awaitContainer(api, access, made, work, { items: [], container: made })
    return refusal ?? { is: 'prepared', prepared: { container: made } }
  }
}

/** The container of an earlier call, unless nothing can come of it any more. */
function* formerContainer(
  api: string,
  access: ThreadsAuthorization,
  { former }: PrepareWork,
): Steps<Progress | Refusal> {
  if (!Check(Prepared, former)) return BEGINNING
  const { container } = former
  const shown = yield* readContainer(api, access, container)
  if ('response' in shown) return isMissing(faultOf(shown.response)) ? BEGINNING : refusedBy(shown.response)
  return shown.status === 'EXPIRED' || shown.status === 'ERROR' ? BEGINNING : { items: [], container }
}

/** That the profile has no more posts or replies left for these 24 hours. */
function* refuseFull(
  api: string,
  access: ThreadsAuthorization,
  { parent }: PrepareWork,
): Steps<Refusal | null> {
  const { response, quota } = yield* readQuota(api, access, parent === null ? 'post' : 'reply')
  if (quota === null) return refusedBy(response)
  return quota.used < quota.total ? null : rateLimited(FULL_MS)
}

function* makeContainer(
  api: string,
  access: ThreadsAuthorization,
  work: PrepareWork,
  { items: made, container }: Progress,
): Steps<string | Refusal> {
  if (container !== null) return container
  const { mediaAddresses: media } = work
  const items = [...made]
  if (media.length > 1) {
    for (const item of media.slice(items.length)) {
      const id = yield* create(api, access, { is_carousel_item: 'true', ...itemForm(item) })
      if (typeof id !== 'string') return id
      items.push(id)
    }
    for (const id of items) {
      const refusal = yield* awaitContainer(api, access, id, work, { items, container: null })
      if (refusal !== null) return refusal
    }
  }
  return yield* create(api, access, { ...kindOf(media, items), ...textForm(work) })
}

type Form = Readonly<Record<string, string>>

function kindOf(media: readonly MediaAddress[], items: readonly string[]): Form {
  const [only] = media
  if (only === undefined) return { media_type: 'TEXT' }
  return media.length === 1 ? itemForm(only) : { media_type: 'CAROUSEL', children: items.join(',') }
}

function itemForm({ kind, url, altText }: MediaAddress): Form {
  const alt = altText === null ? {} : { alt_text: altText }
  return kind === 'video'
    ? { media_type: 'VIDEO', video_url: url, ...alt }
    : { media_type: 'IMAGE', image_url: url, ...alt }
}

function textForm({ text, parent, settings, mediaAddresses }: PrepareWork): Form {
  const own: Form = text === '' ? {} : { text }
  if (parent !== null) return { ...own, reply_to_id: parent.remoteId }
  const { replies, topic, link } = settings
  return {
    ...own,
    ...(typeof replies === 'string' ? { reply_control: REPLY_CONTROL[replies] ?? 'everyone' } : {}),
    ...(typeof topic === 'string' ? { topic_tag: topic } : {}),
    ...(typeof link === 'string' && mediaAddresses.length === 0 ? { link_attachment: link } : {}),
  }
}

function* create(api: string, access: ThreadsAuthorization, form: Form): Steps<string | Refusal> {
  const response = yield* call(write(api, access, `${access.userId}/threads`, form))
  return readBody(response, Made)?.id ?? refusedBy(response)
}

/** Waits until a container is ready; null once it is, or was published already. */
function* awaitContainer(
  api: string,
  access: ThreadsAuthorization,
  id: string,
  { mediaAddresses }: PrepareWork,
  progress: Progress,
): Steps<Refusal | null> {
  const pollMs = mediaAddresses.some(({ kind }) => kind === 'video') ? VIDEO_POLL_MS : POLL_MS
  for (;;) {
    const shown = yield* readContainer(api, access, id)
    if ('response' in shown) return refusedBy(shown.response)
    switch (shown.status) {
      case 'FINISHED':
      case 'PUBLISHED':
        return null
      case 'IN_PROGRESS':
        yield* wait(pollMs, progress)
        break
      case 'EXPIRED':
        return AWAY
      case 'ERROR':
        return failed(shown.error_message ?? '')
      default:
        shown.status satisfies never
    }
  }
}

/** What a container is at; or the answer that does not tell. */
export function* readContainer(
  api: string,
  access: ThreadsAuthorization,
  id: string,
): Steps<Container | { readonly response: HttpResponse }> {
  const response = yield* call(read(api, access, id, { fields: 'status,error_message' }))
  return readBody(response, Container) ?? { response }
}

/** The messages that the documentation names; a file that could not be fetched may be had with the next try. */
function failed(message: string): Refusal {
  if (message.startsWith('FAILED_DOWNLOADING')) return { ...AWAY, code: 'media_unavailable' }
  const [, what] = /^(?:INVALID|FAILED_PROCESSING)_([A-Z_]+)$/.exec(message) ?? []
  return what === undefined
    ? rejected('processing_failed', 'Threads could not process the post.')
    : rejected(
        'media_refused',
        `Threads can't process the file (${message}). Export it as its guidelines say, and upload the result.`,
      )
}

/** Nothing is public by a container: what is not understood is tried again. */
function refusedBy(response: HttpResponse): Refusal {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const fault = faultOf(response)
  if (fault?.code !== 100) return AWAY
  return isMissing(fault)
    ? rejected('parent_missing', 'The post that this one replies to is not on Threads any more.')
    : rejected('content_refused', 'Threads refuses the post as it is.')
}

/** https://developers.facebook.com/documentation/threads/posts#step-2--publish-a-threads-media-container */
export function publishAt({ api }: Origins): Exchange<PublishWork, Verdict> {
  return {
    request(work) {
      const access = threadsAuthorization(work.authorization)
      return write(api, access, `${access.userId}/threads_publish`, { creation_id: containerOf(work) })
    },
    judge(response) {
      const made = readBody(response, Made)
      if (made !== null) return { is: 'published', remoteId: made.id, url: null }
      return refusalOf(response) ?? unknown(response, 'the post was published')
    },
  }
}

export function containerOf({ prepared }: { readonly prepared: Json } & PartWork): string {
  return Check(Prepared, prepared) ? prepared.container : ''
}
