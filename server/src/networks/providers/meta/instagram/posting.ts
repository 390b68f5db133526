import Type, { type Static } from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import {
  containerStatuses,
  PreparedContainer,
  prepareContainer,
  refuseUsed,
  type Container,
  type ContainerForm,
  type Containers,
} from '../meta-containers.ts'
import { faultOf, type GraphFault, isMissing, isNoCall, read, write } from '../meta-graph.ts'
import type {
  Exchange,
  MediaAddress,
  Origins,
  PartWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Verdict,
} from '../../port/port.ts'
import { call, type Procedure, type Steps } from '../../port/procedure.ts'
import { storedAs } from '../../shared/stored-as.ts'
import { notOffered, rejected, unknown } from '../../port/verdicts.ts'
import { instagramAuthorization, type InstagramAuthorization } from './authorization.ts'
import { readQuota } from './quota.ts'
import { failed, REFUSED_AS_IS, refusalOf, refusedContainer } from './refusals.ts'

/*
 * A post is made in two steps (https://developers.facebook.com/documentation/instagram-platform/content-publishing): a container and its
 * publication. A comment has no such key (https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments).
 */

const Prepared = Type.Union([PreparedContainer, Type.Object({ as: Type.Literal('comment') })])
type Prepared = Static<typeof Prepared>
export const preparedOf = storedAs(Prepared, 'What is prepared of an Instagram post')

const Made = Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) })
/** https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-container */
const Shown = Type.Object({
  status_code: Type.Enum(containerStatuses),
  status: Type.Optional(Type.String()),
})

export function prepareAt({ api }: Origins): Procedure<PrepareWork, PrepareVerdict> {
  return function* prepare(work) {
    if (work.kind === 'first_comment') return { is: 'prepared', prepared: { as: 'comment' } }
    return yield* prepareContainer(containersOf(api, work), work)
  }
}

function containersOf(api: string, work: PrepareWork): Containers {
  const access = instagramAuthorization(work.authorization)
  const [only] = work.mediaAddresses
  return {
    *refuseFull() {
      const { response, quota } = yield* readQuota(api, access)
      return refuseUsed(quota, refusalOf(response))
    },
    *create(form) {
      const response = yield* call(write(api, access, `${access.userId}/media`, form))
      return readBody(response, Made)?.id ?? refusedContainer(response)
    },
    look: (id) => readContainer(api, access, id),
    refusedBy: refusedContainer,
    isMissing: (response) => isMissing(faultOf(response)),
    failed,
    itemForm,
    postForm: (items) =>
      items.length === 0
        ? { ...(only === undefined ? {} : singleForm(only, work)) }
        : { media_type: 'CAROUSEL', children: items.join(','), ...captionOf(work) },
  }
}

function captionOf({ text }: PartWork): ContainerForm {
  return text === '' ? {} : { caption: text }
}

function itemForm(item: MediaAddress): ContainerForm {
  return item.kind === 'video' ? { media_type: 'VIDEO', video_url: item.url } : imageForm(item)
}

function imageForm({ url, altText }: MediaAddress): ContainerForm {
  return { image_url: url, ...(altText === null || altText === '' ? {} : { alt_text: altText }) }
}

/** Alt texts are of images in the feed alone; a single video is a reel. */
function singleForm(media: MediaAddress, work: PartWork): ContainerForm {
  const { kind, url } = media
  const { story, shareToFeed } = work.settings
  if (story === true) {
    return { media_type: 'STORIES', ...(kind === 'video' ? { video_url: url } : { image_url: url }) }
  }
  if (kind !== 'video') return { ...imageForm(media), ...captionOf(work) }
  const feed = typeof shareToFeed === 'boolean' ? { share_to_feed: String(shareToFeed) } : {}
  return { media_type: 'REELS', video_url: url, ...feed, ...captionOf(work) }
}

/** What a container is at; or the answer that does not tell. */
export function* readContainer(
  api: string,
  access: InstagramAuthorization,
  id: string,
): Steps<Container | { readonly response: HttpResponse }> {
  const response = yield* call(lookAt(api, access, id))
  const shown = readBody(response, Shown)
  return shown === null ? { response } : { status: shown.status_code, fault: shown.status ?? '' }
}

function lookAt(api: string, access: InstagramAuthorization, id: string): HttpRequest {
  return read(api, access, id, { fields: 'status_code,status' })
}

/** It has been said of comments that were made (https://github.com/facebookarchive/php-graph-sdk/issues/216, 2014-08-25). */
const SAID_OF_MADE = /^unsupported post request/i

/** What is wrong with a parameter is found before anything is made. */
const OF_PARAMETER = /^\(#100\) (?:Param |The parameter |Invalid parameter)/

/** Whether there is no such call. One that publishes carries the id of its container alone: of another parameter nothing can be wrong. */
function isRefusedCall(fault: GraphFault | null, isComment: boolean): boolean {
  if (fault === null) return false
  if (isComment) return isNoCall(fault) && !SAID_OF_MADE.test(fault.message)
  return isNoCall(fault) || (fault.code === 100 && fault.error_subcode === undefined)
}

/** Publishes the container, or comments on the post. */
export function publishAt({ api }: Origins): Exchange<PublishWork, Verdict> {
  return {
    request(work) {
      const access = instagramAuthorization(work.authorization)
      const prepared = preparedOf(work.prepared)
      return 'as' in prepared
        ? write(api, access, `${work.root?.remoteId ?? ''}/comments`, { message: work.text })
        : write(api, access, `${access.userId}/media_publish`, { creation_id: prepared.container })
    },
    judge(response, work) {
      const made = readBody(response, Made)
      if (made !== null) return { is: 'published', remoteId: made.id, url: null }
      const refusal = refusalOf(response)
      if (refusal !== null) return refusal
      const isComment = 'as' in preparedOf(work.prepared)
      const fault = faultOf(response)
      if (isComment && isMissing(fault))
        return rejected('parent_missing', 'The post to comment on no longer exists.')
      if (isRefusedCall(fault, isComment)) return notOffered('Instagram')
      if (isComment && fault?.code === 100 && OF_PARAMETER.test(fault.message)) return REFUSED_AS_IS
      return unknown(response, isComment ? 'the comment was made' : 'the post was published')
    },
  }
}
