import Type from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type { Adapter, DiscardVerdict, DraftName, Origins } from '../port/port.ts'
import { call } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { reasonOf, refusalOf } from './answers.ts'
import { youtubeAuthorization } from './authorization.ts'
import { Processing, VIDEO_ID, WORKING_TITLE } from './upload.ts'

const Videos = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ pattern: VIDEO_ID }),
      snippet: Type.Object({ title: Type.String() }),
      status: Type.Object({ privacyStatus: Type.String() }),
    }),
  ),
})

/** A private video that still has the title of its upload is removed (https://developers.google.com/youtube/v3/docs/videos/delete). */
export function leftoversAt({ api }: Origins): NonNullable<Adapter['leftovers']> {
  const videos = new URL('/youtube/v3/videos', api)
  return {
    named({ media, checkpoint }) {
      const uploaded = media.filter(({ kind }) => kind === 'video').map(({ remoteId }) => remoteId)
      const processed = Check(Processing, checkpoint) ? [checkpoint.videoId] : []
      return [...uploaded, ...processed].map((id): DraftName => `video:${id}`)
    },
    *discard({ authorization: stored, name }) {
      const authorization = bearer(youtubeAuthorization(stored))
      const id = name.replace(/^video:/, '')
      const shown = yield* call(get(withQuery(videos, { part: 'snippet,status', id }), authorization))
      const found = readBody(shown, Videos)
      if (found === null) return stopped(shown)
      const video = found.items.find((one) => one.id === id)
      if (video === undefined) return { is: 'gone' }
      const { snippet, status } = video
      if (status.privacyStatus !== 'private' || snippet.title !== WORKING_TITLE) return { is: 'used' }
      const removed = yield* call({ method: 'DELETE', url: withQuery(videos, { id }), authorization })
      if (removed.status === 204) return { is: 'removed' }
      return reasonOf(removed) === 'videoNotFound' ? { is: 'gone' } : stopped(removed)
    },
  }
}

function stopped(response: HttpResponse): DiscardVerdict {
  const refusal = refusalOf(response)
  return refusal?.is === 'expired' || refusal?.is === 'reauthorize' ? refusal : { is: 'unavailable' }
}
