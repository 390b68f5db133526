import Type from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import {
  containerOf,
  containerStatuses,
  prepareContainer,
  refuseUsed,
  type Container,
  type ContainerForm,
  type Containers,
} from '../meta-containers.ts'
import type {
  Exchange,
  MediaAddress,
  Origins,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Refusal,
  Verdict,
} from '../../port/port.ts'
import { call, type Procedure, type Steps } from '../../port/procedure.ts'
import { AWAY, MEDIA_GONE, NOT_SHOWN_YET, notOffered, rejected, unknown } from '../../port/verdicts.ts'
import { isNoCall } from '../meta-graph.ts'
import { faultOf, isMissing, read, refusalOf, write } from './answers.ts'
import { threadsAuthorization, type ThreadsAuthorization } from './authorization.ts'
import { readQuota } from './quota.ts'

/* Containers and their publication: https://developers.facebook.com/documentation/threads/posts */

const Made = Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) })
/** https://developers.facebook.com/documentation/threads/troubleshooting */
const Shown = Type.Object({
  status: Type.Enum(containerStatuses),
  error_message: Type.Optional(Type.String()),
})

const REPLY_CONTROL: Readonly<Record<string, string>> = {
  everyone: 'everyone',
  following: 'accounts_you_follow',
  mentioned: 'mentioned_only',
  followers: 'followers_only',
}

export function prepareAt({ api }: Origins): Procedure<PrepareWork, PrepareVerdict> {
  return (work) => prepareContainer(containersOf(api, work), work)
}

function containersOf(api: string, work: PrepareWork): Containers {
  const access = threadsAuthorization(work.authorization)
  const { mediaAddresses: media } = work
  return {
    *refuseFull() {
      const { response, quota } = yield* readQuota(api, access, work.parent === null ? 'post' : 'reply')
      return refuseUsed(quota, refusalOf(response))
    },
    *create(form) {
      const response = yield* call(write(api, access, `${access.userId}/threads`, form))
      return readBody(response, Made)?.id ?? refusedBy(response)
    },
    look: (id) => readContainer(api, access, id),
    refusedBy,
    failed,
    itemForm,
    isMissing: (response) => isMissing(faultOf(response)),
    postForm: (items) => ({ ...kindOf(media, items), ...textForm(work) }),
  }
}

function kindOf(media: readonly MediaAddress[], items: readonly string[]): ContainerForm {
  const [only] = media
  if (only === undefined) return { media_type: 'TEXT' }
  return media.length === 1 ? itemForm(only) : { media_type: 'CAROUSEL', children: items.join(',') }
}

function itemForm({ kind, url, altText }: MediaAddress): ContainerForm {
  const alt = altText === null ? {} : { alt_text: altText }
  return kind === 'video'
    ? { media_type: 'VIDEO', video_url: url, ...alt }
    : { media_type: 'IMAGE', image_url: url, ...alt }
}

function textForm({ text, parent, settings, mediaAddresses }: PrepareWork): ContainerForm {
  const own: ContainerForm = text === '' ? {} : { text }
  if (parent !== null) return { ...own, reply_to_id: parent.remoteId }
  const { replies, topic, link } = settings
  return {
    ...own,
    ...(typeof replies === 'string' ? { reply_control: REPLY_CONTROL[replies] ?? 'everyone' } : {}),
    ...(typeof topic === 'string' ? { topic_tag: topic } : {}),
    ...(typeof link === 'string' && mediaAddresses.length === 0 ? { link_attachment: link } : {}),
  }
}

/** What a container is at; or the answer that does not tell. */
export function* readContainer(
  api: string,
  access: ThreadsAuthorization,
  id: string,
): Steps<Container | { readonly response: HttpResponse }> {
  const response = yield* call(lookAt(api, access, id))
  const shown = readBody(response, Shown)
  return shown === null ? { response } : { status: shown.status, fault: shown.error_message ?? '' }
}

function lookAt(api: string, access: ThreadsAuthorization, id: string): HttpRequest {
  return read(api, access, id, { fields: 'status,error_message' })
}

/** The messages that the documentation names; a file that could not be fetched may be had with the next try. */
function failed(message: string): Refusal {
  if (message.startsWith('FAILED_DOWNLOADING')) return MEDIA_GONE
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
  if (fault !== null && isNoCall(fault)) return notOffered('Threads')
  if (fault?.error_subcode === NOT_FETCHED) return MEDIA_GONE
  if (fault?.code !== 100 || fault.error_subcode === CHILDREN_GONE) return AWAY
  if (isMissing(fault) || /\breply_to_id is not a valid\b/i.test(fault.message))
    return rejected('parent_missing', 'The post that this one replies to is not on Threads any more.')
  // A server that fails says what is wrong with a parameter, or nothing of the post.
  if (response.status >= 500 && !fault.message.startsWith('Param ')) return AWAY
  return rejected('content_refused', 'Threads refuses the post as it is.')
}

/** A file that could not be had (https://github.com/gitroomhq/postiz-app/issues/1364, 2026-04-30). */
const NOT_FETCHED = 2_207_052
/**
 * Containers of a carousel that Threads does not have, or not yet
 * (https://github.com/deepakness/social-sent/blob/61e382ef2edde9dedbef56b45e28ccdb66b11583/src/lib/domain/threads-error.ts, 2026-11-29).
 */
const CHILDREN_GONE = 4_279_004

/**
 * "Media Not Found", also of a container that was shown as finished: the publishing servers do not have it yet. Seen in
 * https://github.com/trypostit/trypost/pull/280 (2026-08-13) and https://github.com/nopara73/LongevityWorldCup/pull/466 (2026-05-05).
 */
function isNotReady(fault: ReturnType<typeof faultOf>): boolean {
  return fault?.code === 24 && fault.error_subcode === 4_279_009
}

function isParameter({ code, error_subcode: subcode }: NonNullable<ReturnType<typeof faultOf>>): boolean {
  return code === 100 && subcode === undefined
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
      // It has refused with such a status what it had published.
      if (response.status >= 500) return unknown(response, 'the post was published')
      const fault = faultOf(response)
      if (isNotReady(fault)) return NOT_SHOWN_YET
      // It carries the id of its container alone: of another parameter nothing can be wrong.
      if (fault !== null && (isNoCall(fault) || isParameter(fault))) return notOffered('Threads')
      return refusalOf(response) ?? unknown(response, 'the post was published')
    },
  }
}
