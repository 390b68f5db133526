import type { PostPlan, Series } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/client.ts'
import { OfflineError, pauseOf } from '../../api/problem.ts'
import { readChosen } from '../../lib/chosen-time.ts'
import { usePaused } from '../../lib/use-paused.ts'
import { localOf } from '../../lib/zone-clock.ts'
import { useSession } from '../../session.tsx'
import { ruleOf } from '../series/rule.ts'
import { type Draft, isBlank, noTimes, planOf } from './draft.ts'

/** The first time of a draft by the clocks of its zone; null while none is chosen. */
export function firstOf({ time }: Draft, zone: string): { local: string; timeZone: string } | null {
  if (time.state !== 'scheduled') return null
  const reading = readChosen(time, zone)
  return reading.is === 'time' ? { local: localOf(reading.at, reading.zone), timeZone: reading.zone } : null
}

/** The draft as a series; null where it is none, or something of its rule is missing. */
export function seriesPlanOf(draft: Draft, zone: string) {
  const startsAt = firstOf(draft, zone)
  if (draft.repeat === undefined || startsAt === null) return null
  const rule = ruleOf(draft.repeat, startsAt.local)
  if (rule === null) return null
  const plan = Object.entries(planOf(draft, noTimes)).filter(([name]) => name !== 'state')
  const content = Object.fromEntries(plan) as Omit<PostPlan, 'state' | 'publishAt' | 'spreadMinutes'>
  return { rule, startsAt, except: [...draft.repeat.except], ...content }
}

const CHECK_MS = 400

/** The server's own check of a series, a moment after the typing pauses. */
export function useSeriesCheck(
  draft: Draft,
  zone: string,
): { checked: Series | undefined; error: Error | null } {
  const { workspaceId } = useSession().workspace
  const settled = usePaused(draft, CHECK_MS)
  const plan = useMemo(() => seriesPlanOf(settled, zone), [settled, zone])
  const query = useQuery({
    queryKey: ['appCreateSeries', workspaceId, plan],
    queryFn: ({ signal }) => {
      if (plan === null) throw new Error('there is nothing to check')
      const body = { ...plan, confirmed: true, dryRun: true, idempotencyKey: crypto.randomUUID() } as const
      return call('appCreateSeries', { params: { workspaceId }, body }, { signal })
    },
    enabled: plan !== null && settled.channelIds.length > 0 && !isBlank(settled),
    retry: (_tries, error) => error instanceof OfflineError || pauseOf(error) !== null,
  })
  return { checked: query.data, error: query.error }
}
