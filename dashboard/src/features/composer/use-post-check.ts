import type { PostCheck } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import { instantOf } from '../../lib/chosen-time.ts'
import { usePaused } from '../../lib/use-paused.ts'
import { useSession } from '../../session.tsx'
import { type Draft, isBlank, planOf } from './draft.ts'

const CHECK_MS = 400

/** When the draft is to be published; null while no time is chosen at which it can be. */
export function publishTime({ time }: Draft, zone: string, now = new Date()): Date | null {
  return time.state === 'scheduled' ? instantOf(time, zone, now) : null
}

/**
 * The server's own check of what stands there now; a moment after the typing pauses. What has no time yet is checked as a draft.
 * `postId` is the post that is edited.
 */
export function usePostCheck(
  draft: Draft,
  zone: string,
  postId: string | null,
): { check: PostCheck | undefined; checking: boolean } {
  const { workspaceId } = useSession().workspace
  const settled = usePaused(draft, CHECK_MS)
  const plan = useMemo(() => {
    const publishAt = publishTime(settled, zone)
    const isTimed = settled.time.state !== 'scheduled' || publishAt !== null
    const checked = isTimed ? settled : { ...settled, time: { state: 'draft' } as const }
    return { ...planOf(checked, publishAt), ...(postId === null ? {} : { postId }) }
  }, [settled, zone, postId])
  const complete = settled.channelIds.length > 0 && !isBlank(settled)
  const query = useQuery({
    queryKey: ['appCheckPost', workspaceId, plan],
    queryFn: ({ signal }) => call('appCheckPost', { params: { workspaceId }, body: plan }, { signal }),
    enabled: complete,
    placeholderData: (previous) => previous,
  })
  return { check: complete ? query.data : undefined, checking: query.isFetching }
}
