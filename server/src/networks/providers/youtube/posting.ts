import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type {
  Exchange,
  LookupResult,
  LookupWork,
  Origins,
  PartWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Verdict,
} from '../port/port.ts'
import { call, type Procedure } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { AWAY, gone, MEDIA_GONE, rejected, unknown, unreadable } from '../port/verdicts.ts'
import { isRefused, reasonOf, refusalOf } from './answers.ts'
import { youtubeAuthorization } from './authorization.ts'
import { titleOf } from './title.ts'

/** https://developers.google.com/youtube/v3/docs/videos */
const Video = Type.Object({
  id: Type.String({ minLength: 1 }),
  snippet: Type.Object({ title: Type.String() }),
  status: Type.Object({ privacyStatus: Type.Enum(['public', 'unlisted', 'private']) }),
})
const Videos = Type.Object({ items: Type.Array(Video) })
const PlaylistItems = Type.Object({ items: Type.Array(Type.Object({ id: Type.String() })) })
const PlaylistItem = Type.Object({ id: Type.String({ minLength: 1 }) })

type VideoSettings = {
  readonly title?: string
  readonly privacy?: 'public' | 'unlisted' | 'private'
  readonly madeForKids?: boolean
  readonly alteredContent?: boolean
  readonly category?: string
  readonly tags?: readonly string[]
  readonly playlistId?: string
}

function settingsOf({ settings }: Pick<PartWork, 'settings'>): VideoSettings {
  return settings
}

/** The video that the part shows: it is uploaded, and private. */
function videoOf({ media }: Pick<PartWork, 'media'>): string {
  return media.find(({ kind }) => kind === 'video')?.remoteId ?? ''
}

/**
 * Adds the video to its playlist while it is private, where it is not in it already: an item that is inserted twice is there
 * twice (https://developers.google.com/youtube/v3/docs/playlistItems/insert).
 */
export function prepareAt({ api }: Origins): Procedure<PrepareWork, PrepareVerdict> {
  return function* prepare(work) {
    const authorization = bearer(youtubeAuthorization(work.authorization))
    const { playlistId } = settingsOf(work)
    const videoId = videoOf(work)
    if (videoId === '') return rejected('media_refused', 'A post on YouTube needs a video.')
    if (playlistId === undefined) return { is: 'prepared', prepared: null }
    const url = new URL('/youtube/v3/playlistItems', api)
    const listed = yield* call(get(withQuery(url, { part: 'id', playlistId, videoId }), authorization))
    const found = readBody(listed, PlaylistItems)
    if (found === null) return refusedPlaylist(listed)
    if (found.items.length > 0) return { is: 'prepared', prepared: null }
    const json = { snippet: { playlistId, resourceId: { kind: 'youtube#video', videoId } } }
    const added = yield* call({
      method: 'POST',
      url: withQuery(url, { part: 'snippet' }),
      authorization,
      json,
    })
    return readBody(added, PlaylistItem) === null
      ? refusedPlaylist(added)
      : { is: 'prepared', prepared: null }
  }
}

function refusedPlaylist(response: Parameters<typeof refusalOf>[0]) {
  const reason = reasonOf(response)
  const noPlaylist = [
    'playlistNotFound',
    'playlistIdRequired',
    'playlistOperationUnsupported',
    'playlistItemsNotAccessible',
  ]
  if (reason !== null && noPlaylist.includes(reason)) {
    return rejected(
      'content_refused',
      'The channel has no playlist with this `playlistId` that videos can be added to.',
    )
  }
  if (reason === 'videoNotFound') return MEDIA_GONE
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  return response.status === 400 && isRefused(response)
    ? rejected('content_refused', 'YouTube refuses to add the video to this playlist.')
    : AWAY
}

/** https://developers.google.com/youtube/v3/docs/videos/update: it sets both parts as a whole. */
export function publishAt({ api }: Origins): Exchange<PublishWork, Verdict> {
  return {
    request: (work) => {
      const {
        title,
        privacy = 'public',
        madeForKids = false,
        alteredContent = false,
        category = '22',
        tags,
      } = settingsOf(work)
      return {
        method: 'PUT',
        url: withQuery(new URL('/youtube/v3/videos', api), { part: 'snippet,status' }),
        authorization: bearer(youtubeAuthorization(work.authorization)),
        json: {
          id: videoOf(work),
          snippet: {
            title: titleOf(work.text, title),
            description: work.text,
            categoryId: category,
            ...(tags === undefined || tags.length === 0 ? {} : { tags }),
          },
          status: {
            privacyStatus: privacy,
            selfDeclaredMadeForKids: madeForKids,
            containsSyntheticMedia: alteredContent,
          },
        },
      }
    },
    judge(response, work) {
      const { privacy = 'public' } = settingsOf(work)
      const shown = readBody(response, Video)
      if (shown !== null && shown.id === videoOf(work)) {
        if (shown.status.privacyStatus === privacy)
          return { is: 'published', remoteId: shown.id, url: addressOf(shown.id) }
        if (shown.status.privacyStatus === 'private') return KEPT_PRIVATE
        return unknown(response, 'the video was published')
      }
      const reason = reasonOf(response)
      if (reason === 'videoNotFound') return MEDIA_GONE
      const refusal = refusalOf(response)
      if (refusal !== null) return refusal
      // Some have no `errors`, and so no reason.
      if (response.status === 400 && isRefused(response)) {
        return rejected(
          'content_refused',
          REFUSED[reason ?? ''] ?? 'YouTube refuses the details of the video.',
        )
      }
      return unknown(response, 'the video was published')
    },
  }
}

/** https://developers.google.com/youtube/v3/docs/videos/update#errors */
const REFUSED: Readonly<Record<string, string>> = {
  invalidTitle: 'YouTube refuses the title of the video.',
  invalidDescription: 'YouTube refuses the text of the video.',
  invalidTags: 'YouTube refuses the tags of the video.',
  invalidCategoryId: 'YouTube refuses the category of the video.',
}

const KEPT_PRIVATE = {
  ...rejected(
    'permission_refused',
    "YouTube keeps the video private, as it does for apps that Google hasn't audited. It is uploaded: make it public in YouTube Studio.",
  ),
  keepsDraft: true,
} as const

/** The address of a video. */
export function addressOf(id: string): string {
  return `https://www.youtube.com/watch?v=${id}`
}

/** Reads the video itself, which is private until the call has made it what it is to be. */
export function lookupAt({ api }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const { privacy = 'public', title } = settingsOf(work)
    const id = videoOf(work)
    const url = withQuery(new URL('/youtube/v3/videos', api), { part: 'snippet,status', id })
    const response = yield* call(get(url, bearer(youtubeAuthorization(work.authorization))))
    const body = readBody(response, Videos)
    if (body === null) return unreadable(response, refusalOf(response))
    const video = body.items.find((one) => one.id === id)
    if (video === undefined) return gone('The video is no longer on YouTube.')
    const isPrivate = video.status.privacyStatus === 'private'
    const isOut = isPrivate
      ? privacy === 'private' && video.snippet.title === titleOf(work.text, title)
      : true
    if (isOut) return { is: 'found', remoteId: id, url: addressOf(id), exact: true }
    return { is: 'absent', seen: 'by key', keepsKeys: true }
  }
}
