import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useLeftAlone } from './left-alone.ts'

/** Channels, series and endpoints tell nothing by the stream of changes. */
const LOOK_MS = 60_000

type TroubledPost = app.Attention['posts'][number]

export const keyOfPost = ({ postId, channelId, since }: TroubledPost) => `${postId} ${channelId} ${since}`

export const keyOfSecond = ({ attemptId }: app.Attention['secondPosts'][number]) => `second ${attemptId}`

/** What needs a person, without what they have decided to leave as it is. */
export function useAttention(workspaceId: string) {
  const query = useQuery({ ...read('readAttention', { params: { workspaceId } }), refetchInterval: LOOK_MS })
  const left = useLeftAlone()
  const { posts = [], secondPosts = [], channels = [], series = [], endpoints = [] } = query.data ?? {}
  const shown = posts.filter((post) => !left.has(keyOfPost(post)))
  const shownSecond = secondPosts.filter((post) => !left.has(keyOfSecond(post)))
  return {
    query,
    channels,
    series,
    endpoints,
    posts: shown,
    secondPosts: shownSecond,
    count: shown.length + shownSecond.length + channels.length + series.length + endpoints.length,
  }
}
