import type { PostCheck } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { instantsOf } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { type Draft, isBlank, planOf } from './draft.ts'

const CHECK_MS = 400

/** When the draft is to go out; null while no time is chosen, or one that does not exist. */
export function publishTime({ time }: Draft, zone: string): Date | null {
  return time.state === 'scheduled' ? (instantsOf(time.local, zone)[0] ?? null) : null
}

/** The server's own check of what stands there now; a moment after the typing pauses. */
export function usePostCheck(
  draft: Draft,
  zone: string,
): { check: PostCheck | undefined; checking: boolean } {
  const { workspaceId } = useSession().workspace
  const settled = usePaused(draft, CHECK_MS)
  const plan = useMemo(() => planOf(settled, publishTime(settled, zone)), [settled, zone])
  const timed = plan.state !== 'scheduled' || plan.publishAt !== undefined
  const complete = settled.channelIds.length > 0 && !isBlank(settled) && timed
  const query = useQuery({
    queryKey: ['appCheckPost', workspaceId, plan],
    queryFn: ({ signal }) => call('appCheckPost', { params: { workspaceId }, body: plan }, { signal }),
    enabled: complete,
    placeholderData: (previous) => previous,
  })
  return { check: complete ? query.data : undefined, checking: query.isFetching }
}

function usePaused<Value>(value: Value, ms: number): Value {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return paused
}
