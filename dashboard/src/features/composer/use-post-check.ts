import type { PostCheck } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import { OfflineError, pauseOf } from '../../api/problem.ts'
import { usePaused } from '../../lib/use-paused.ts'
import { useSession } from '../../session.tsx'
import { type Draft, isBlank, noTimes, planOf } from './draft.ts'
import { publishTimes } from './publish-times.ts'

const CHECK_MS = 400
const AGAIN_MS = 3_000

/** What the server said of a draft, and of which: what stands there now may have gone on. */
export type Checked = { readonly draft: Draft; readonly check: PostCheck }

type PostChecking = {
  /** The latest answer; undefined before the first, and while nothing can be checked. */
  checked: Checked | undefined
  /** `away`: no answer comes. It is asked again until one does. */
  state: 'rest' | 'checking' | 'away'
}

/**
 * The server's own check of what stands there now; a moment after the typing pauses. What has no time yet is checked as a draft.
 * `postId` is the post that is edited.
 */
export function usePostCheck(draft: Draft, zone: string, postId: string | null): PostChecking {
  const { workspaceId } = useSession().workspace
  const settled = usePaused(draft, CHECK_MS)
  const plan = useMemo(() => {
    const times = publishTimes(settled, zone)
    const checked = times === null ? { ...settled, time: { state: 'draft' } as const } : settled
    return { ...planOf(checked, times ?? noTimes), ...(postId === null ? {} : { postId }) }
  }, [settled, zone, postId])
  const complete = settled.channelIds.length > 0 && !isBlank(settled)
  const query = useQuery({
    queryKey: ['appCheckPost', workspaceId, plan],
    queryFn: async ({ signal }): Promise<Checked> => {
      const check = await call('appCheckPost', { params: { workspaceId }, body: plan }, { signal })
      return { draft: settled, check }
    },
    enabled: complete,
    placeholderData: (previous) => previous,
    // What is typed meanwhile is checked once the server is back.
    retry: (_tries, error) => error instanceof OfflineError || pauseOf(error) !== null,
    retryDelay: (_tries, error) => pauseOf(error) ?? AGAIN_MS,
  })
  const isAway = complete && query.failureReason instanceof OfflineError
  const isBehind = complete && (query.isFetching || settled !== draft)
  return {
    checked: complete ? query.data : undefined,
    state: isAway ? 'away' : isBehind ? 'checking' : 'rest',
  }
}
