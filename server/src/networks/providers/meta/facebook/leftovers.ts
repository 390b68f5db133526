import Type from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../../shared/answers.ts'
import type { HttpResponse } from '../../port/calls.ts'
import { accessOf, faultOf, graphUrl, isMissing, read } from '../meta-graph.ts'
import type { Adapter, DiscardVerdict, DraftName, Origins } from '../../port/port.ts'
import { call } from '../../port/procedure.ts'
import { facebookAuthorization } from './authorization.ts'
import { fieldsOf, handled, isBeingPublished, Prepared, shownBy } from './posting.ts'
import { refusalOf } from './refusals.ts'
import { begunBy, VideoDetails } from './upload.ts'

/** `page_story_id` is of published photos alone (https://developers.facebook.com/docs/graph-api/reference/photo). */
const Photo = Type.Object({ id: Type.String(), page_story_id: Type.Optional(Type.String()) })
const Done = Type.Object({ success: Type.Literal(true) })

/** Drafts, and what goes up unpublished. */
export function leftoversAt({ api }: Origins): NonNullable<Adapter['leftovers']> {
  return {
    named: ({ media, prepared, checkpoint }) => [
      ...media.map(({ kind, remoteId, details }): DraftName => {
        if (kind !== 'video') return `photo:${remoteId}`
        return `${Check(VideoDetails, details) ? details.as : 'video'}:${remoteId}`
      }),
      ...[begunBy(checkpoint)].filter((name) => name !== null),
      ...(Check(Prepared, prepared) && prepared.as === 'post' ? [`post:${prepared.id}` as const] : []),
    ],
    *discard({ authorization: stored, name }) {
      const authorization = facebookAuthorization(stored)
      const id = name.slice(name.indexOf(':') + 1)
      const isPhoto = name.startsWith('photo:')
      const fields = isPhoto ? 'id,page_story_id' : fieldsOf(handled(name))
      const shown = yield* call(read(api, authorization, id, { fields }))
      const state = isPhoto ? photoState(shown) : hiddenState(shown, name)
      if (state === 'used') return { is: 'used' }
      if (state === 'unclear') return isMissing(faultOf(shown)) ? { is: 'gone' } : stopped(shown)
      const removed = yield* call({
        method: 'DELETE',
        url: graphUrl(api, id),
        authorization: accessOf(authorization),
      })
      if (readBody(removed, Done) !== null) return { is: 'removed' }
      return isMissing(faultOf(removed)) ? { is: 'gone' } : stopped(removed)
    },
  }
}

type State = 'unseen' | 'used' | 'unclear'

function photoState(response: HttpResponse): State {
  const photo = readBody(response, Photo)
  if (photo === null) return 'unclear'
  return photo.page_story_id === undefined ? 'unseen' : 'used'
}

function hiddenState(response: HttpResponse, name: DraftName): State {
  const shown = shownBy(response, handled(name))
  if (shown === null) return 'unclear'
  const isOut = shown === 'out' || (shown === 'hidden' && isBeingPublished(response))
  return isOut ? 'used' : 'unseen'
}

function stopped(response: HttpResponse): DiscardVerdict {
  return { is: refusalOf(response)?.is === 'reauthorize' ? 'reauthorize' : 'unavailable' }
}
