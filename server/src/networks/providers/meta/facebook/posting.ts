import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { withoutEnd } from '../../shared/address-end.ts'
import { readBody } from '../../shared/answers.ts'
import type { HttpResponse } from '../../port/calls.ts'
import type {
  Exchange,
  LookupResult,
  LookupWork,
  Origins,
  PartWork,
  PollVerdict,
  PollWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Verdict,
} from '../../port/port.ts'
import { call, type Procedure, type Steps } from '../../port/procedure.ts'
import { storedAs } from '../../shared/stored-as.ts'
import { recognise } from '../../shared/text-lookup.ts'
import {
  AWAY,
  gone,
  MEDIA_GONE,
  notOffered,
  rejected,
  unavailable,
  unknown,
  unreadable,
} from '../../port/verdicts.ts'
import { facebookAuthorization } from './authorization.ts'
import { faultOf, isMissing, isNoCall, read, write } from '../meta-graph.ts'
import { refusalOf } from './refusals.ts'
import { VideoDetails } from './upload.ts'

/*
 * A post is made as a draft (`published=false`), which nobody sees, and shown by its id (`is_published=true`): so what became of
 * a call is read from the post itself. A video is shown in the same way, and a reel is an upload that is finished by its id.
 * A comment has no such key. https://developers.facebook.com/docs/graph-api/reference/page/feed, .../reference/page-post,
 * .../reference/video, https://developers.facebook.com/docs/video-api/guides/reels-publishing
 */

export const PostId = Type.String({ pattern: '^[0-9]+_[0-9]+$' })
const VideoId = Type.String({ pattern: '^[0-9]+$' })
const Draft = Type.Object({ as: Type.Literal('post'), id: PostId })
export const Prepared = Type.Union([
  Draft,
  Type.Object({ as: Type.Enum(['video', 'reel']), id: VideoId }),
  Type.Object({ as: Type.Literal('comment') }),
])
type Prepared = Static<typeof Prepared>
const preparedOf = storedAs(Prepared, 'What is prepared of a Facebook post')

const Made = Type.Object({ id: PostId })
const Comment = Type.Object({ id: PostId, permalink_url: Type.Optional(Type.String()) })
/** `permalink_url` of a video is a path. */
const Post = Type.Object({
  id: PostId,
  is_published: Type.Boolean(),
  permalink_url: Type.Optional(Type.String()),
})
const Video = Type.Object({
  id: VideoId,
  published: Type.Boolean(),
  permalink_url: Type.Optional(Type.String()),
})
const Phase = Type.Optional(Type.Object({ status: Type.String() }))
const Reel = Type.Object({
  id: VideoId,
  status: Type.Object({
    video_status: Type.Optional(Type.String()),
    processing_phase: Phase,
    publishing_phase: Phase,
  }),
})
const Done = Type.Object({ success: Type.Literal(true) })

const POST_FIELDS = 'id,is_published,permalink_url'
const VIDEO_FIELDS = 'id,published,permalink_url'
const REEL_FIELDS = 'id,status'

const LINK = /https?:\/\/[^\s<>"]+/i

/** Makes the draft of a post. One that was made for an earlier call of the same intent is taken again. */
export function prepareAt({ api }: Origins): Procedure<PrepareWork, PrepareVerdict> {
  return function* prepare(work) {
    if (work.kind !== 'post') return { is: 'prepared', prepared: { as: 'comment' } }
    const video = work.media.find(({ kind }) => kind === 'video')
    if (video !== undefined) {
      const as = Check(VideoDetails, video.details) ? video.details.as : 'video'
      // Edited since: what was uploaded as a video cannot be a reel.
      if ((as === 'reel') !== (work.settings['reel'] === true)) return MEDIA_GONE
      return { is: 'prepared', prepared: { as, id: video.remoteId } }
    }
    const authorization = facebookAuthorization(work.authorization)
    if (Check(Draft, work.former)) {
      const { former } = work
      const response = yield* call(read(api, authorization, former.id, { fields: POST_FIELDS }))
      if (readBody(response, Post)?.id === former.id) return { is: 'prepared', prepared: former }
      if (!isMissing(faultOf(response))) return refusalOf(response) ?? AWAY
    }
    const response = yield* call(write(api, authorization, `${authorization.pageId}/feed`, draftOf(work)))
    const made = readBody(response, Made)
    return made === null ? refusedDraft(response) : { is: 'prepared', prepared: { as: 'post', id: made.id } }
  }
}

function draftOf({ text, media, settings }: PartWork): Record<string, string> {
  const link = media.length > 0 ? null : linkOf(text, settings)
  const photos = media.map(
    ({ remoteId }, place) => [`attached_media[${place}]`, JSON.stringify({ media_fbid: remoteId })] as const,
  )
  return {
    ...(text === '' ? {} : { message: text }),
    ...(link === null ? {} : { link }),
    ...Object.fromEntries(photos),
    published: 'false',
    unpublished_content_type: 'DRAFT',
  }
}

function linkOf(text: string, { link, linkCard }: PartWork['settings']): string | null {
  if (typeof link === 'string') return link
  if (linkCard === false) return null
  const [found = ''] = LINK.exec(text) ?? []
  return URL.parse(withoutEnd(found))?.href ?? null
}

function refusedDraft(response: HttpResponse) {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const fault = faultOf(response)
  if (fault === null || fault.code === 1 || fault.code === 2) return AWAY
  if (isNoCall(fault)) return notOffered('Facebook')
  // Photos that no post has taken are removed within a day.
  if (/media_fbid|attached_media/i.test(fault.message)) return MEDIA_GONE
  return rejected('content_refused', 'Facebook refuses the post as invalid.')
}

/** Shows what was prepared, or comments on it. */
export function publishAt({ api, site }: Origins): Exchange<PublishWork, Verdict> {
  return {
    request(work) {
      const authorization = facebookAuthorization(work.authorization)
      const prepared = preparedOf(work.prepared)
      switch (prepared.as) {
        case 'comment':
          return write(api, authorization, `${work.root?.remoteId ?? ''}/comments`, {
            message: work.text,
            fields: 'id,permalink_url',
          })
        case 'post':
          return write(api, authorization, prepared.id, { is_published: 'true', fields: POST_FIELDS })
        case 'video':
          return write(api, authorization, prepared.id, {
            description: work.text,
            published: 'true',
            fields: VIDEO_FIELDS,
          })
        case 'reel':
          return write(api, authorization, `${authorization.pageId}/video_reels`, {
            upload_phase: 'finish',
            video_id: prepared.id,
            video_state: 'PUBLISHED',
            description: work.text,
          })
      }
    },
    judge: (response, work) => judge(response, preparedOf(work.prepared), site),
  }
}

function judge(response: HttpResponse, prepared: Prepared, site: string): Verdict {
  const isComment = prepared.as === 'comment'
  const what = isComment ? 'the comment was made' : 'the post was published'
  if (prepared.as === 'comment') {
    const made = readBody(response, Comment)
    if (made !== null) {
      return { is: 'published', remoteId: made.id, url: addressOf(site, made.id, made.permalink_url) }
    }
  } else {
    const shown = shownBy(response, prepared)
    if (shown === 'out') return published(response, prepared, site)
    // It was taken, and the answer does not show it: it is read by its id.
    if (shown === null && readBody(response, Done) !== null)
      return { is: 'accepted', handle: `${prepared.as}:${prepared.id}` }
  }
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const fault = faultOf(response)
  if (fault !== null && isNoCall(fault) && !(isComment && SAID_OF_MADE.test(fault.message)))
    return notOffered('Facebook')
  if (fault?.code !== 100) return unknown(response, what)
  if (isComment && isMissing(fault))
    return rejected('parent_missing', 'The post to comment on no longer exists.')
  // Nothing else tells.
  if (isComment && SAID_OF_MADE.test(fault.message)) return unknown(response, what)
  if (isMissing(fault))
    return rejected('not_published', 'Facebook no longer has the draft of this post. Retry it.')
  return rejected('content_refused', 'Facebook refuses the post as invalid.')
}

/** It has been said of what was made (https://github.com/facebookarchive/php-graph-sdk/issues/216, 2014-08-25). */
const SAID_OF_MADE = /^unsupported post request/i

export type Visible = Exclude<Prepared, { as: 'comment' }>

/** What an answer shows of a thing by its id; null where it does not show it. */
export function shownBy(response: HttpResponse, { as, id }: Visible): 'out' | 'hidden' | 'failed' | null {
  if (as === 'reel') {
    const reel = readBody(response, Reel)
    if (reel === null || reel.id !== id) return null
    const { video_status: video, processing_phase: processing, publishing_phase: publishing } = reel.status
    if (publishing?.status === 'complete') return 'out'
    const over = video === 'error' || processing?.status === 'error' || publishing?.status === 'error'
    return over ? 'failed' : 'hidden'
  }
  if (as === 'video') {
    const video = readBody(response, Video)
    return video === null || video.id !== id ? null : video.published ? 'out' : 'hidden'
  }
  const post = readBody(response, Post)
  return post === null || post.id !== id ? null : post.is_published ? 'out' : 'hidden'
}

const Link = Type.Object({ permalink_url: Type.String() })

function published(response: HttpResponse, { as, id }: Visible, site: string) {
  const url =
    as === 'reel' ? `${site}/reel/${id}/` : addressOf(site, id, readBody(response, Link)?.permalink_url)
  return { is: 'published', remoteId: id, url } as const
}

/** The address that Facebook names, on its own site; a path under it; or the one by the id. */
function addressOf(site: string, id: string, named: string | undefined): string {
  const url = named === undefined ? null : URL.parse(named, site)
  return url?.origin === new URL(site).origin ? url.href : `${site}/${id}`
}

/** Looks at what was accepted, until it is out. */
export function pollAt({ api, site }: Origins): Exchange<PollWork, PollVerdict> {
  return {
    request({ authorization, handle }) {
      const prepared = handled(handle)
      return read(api, facebookAuthorization(authorization), prepared.id, { fields: fieldsOf(prepared) })
    },
    judge(response, { handle }) {
      const prepared = handled(handle)
      const shown = shownBy(response, prepared)
      if (shown === 'out') return published(response, prepared, site)
      if (shown === 'failed') return rejected('processing_failed', 'Facebook could not process this video.')
      if (shown === 'hidden') return { is: 'accepted', handle }
      if (isMissing(faultOf(response))) return { is: 'forgotten' }
      if (refusalOf(response)?.is === 'reauthorize') return { is: 'reauthorize' }
      return unknown(response, 'the post was published')
    },
  }
}

export function fieldsOf({ as }: Visible): string {
  return as === 'reel' ? REEL_FIELDS : as === 'video' ? VIDEO_FIELDS : POST_FIELDS
}

export function handled(handle: string): Visible {
  const [as = '', id = ''] = handle.split(':')
  return { as: as === 'video' || as === 'reel' ? as : 'post', id }
}

/** Reads the post itself; of a comment, those of its post. */
export function lookupAt({ api, site }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const authorization = facebookAuthorization(work.authorization)
    const prepared = preparedOf(work.prepared)
    if (prepared.as === 'comment') return yield* lookForComment(api, site, work)
    const response = yield* call(read(api, authorization, prepared.id, { fields: fieldsOf(prepared) }))
    const shown = shownBy(response, prepared)
    if (shown === 'out') {
      const { remoteId, url } = published(response, prepared, site)
      return { is: 'found', remoteId, url, exact: true }
    }
    if (shown === 'failed') return gone('Facebook could not process the reel.')
    if (shown === 'hidden') {
      if (prepared.as === 'reel' && isBeingPublished(response))
        return unavailable('Facebook is still processing the reel.')
      return { is: 'absent', seen: 'by key', keepsKeys: prepared.as !== 'reel' }
    }
    if (isMissing(faultOf(response))) return gone('The post is no longer on Facebook.')
    return unreadable(response, refusalOf(response))
  }
}

export function isBeingPublished(response: HttpResponse): boolean {
  const phase = readBody(response, Reel)?.status.publishing_phase?.status
  return phase !== undefined && phase !== 'not_started'
}

/** https://developers.facebook.com/docs/graph-api/reference/object/comments */
const Comments = Type.Object({
  data: Type.Array(
    Type.Object({
      id: PostId,
      message: Type.Optional(Type.String()),
      from: Type.Optional(Type.Object({ id: Type.String() })),
    }),
  ),
  paging: Type.Optional(Type.Object({ next: Type.Optional(Type.String()) })),
})

function* lookForComment(api: string, site: string, work: LookupWork): Steps<LookupResult> {
  const authorization = facebookAuthorization(work.authorization)
  const response = yield* call(
    read(api, authorization, `${work.root?.remoteId ?? ''}/comments`, {
      filter: 'stream',
      order: 'reverse_chronological',
      limit: '100',
      fields: 'id,message,from',
    }),
  )
  const body = readBody(response, Comments)
  if (body === null) return unreadable(response, refusalOf(response))
  const posts = body.data
    .filter(({ from }) => from === undefined || from.id === authorization.pageId)
    .map(({ id, message = '' }) => ({
      remoteId: id,
      text: message,
      mediaIds: [],
      inPlace: true,
      wasEdited: false,
    }))
  return recognise({ posts, complete: body.paging?.next === undefined }, work, {
    ours: [],
    canonical: (text) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim(),
    addressOf: (id) => addressOf(site, id, undefined),
    // Its documentation does not promise that a list has every comment.
    shows: { replies: false, settings: {} },
  })
}
