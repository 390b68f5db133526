import { ProblemError } from '../../api/problem.ts'
import { listNames } from '../../lib/list-names.ts'
import { dateOf } from '../../lib/zone-clock.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { showDate } from './rule.ts'
import { words } from './words.ts'

/** Days on which a change of the clocks leaves the time out or shows it twice. */
export function clockDays(error: unknown, zone: string): string[] {
  if (!(error instanceof ProblemError)) return []
  const days = (error.problem.errors ?? []).flatMap((one) => {
    const { code, candidates } = one as { code: string; candidates?: readonly string[] }
    // Where the clocks are put forward at midnight, the earlier instant is of the day before.
    const later = code.endsWith('_local_time') ? candidates?.at(-1) : undefined
    return later === undefined ? [] : [dateOf(new Date(later), zone)]
  })
  return [...new Set(days)]
}

type ClockProblemProps = { error: unknown; zone: string; onLeaveOut: (days: string[]) => void }

/** Names the days whose clocks change, and offers to leave them out. */
export function ClockProblem({ error, zone, onLeaveOut }: ClockProblemProps) {
  const days = clockDays(error, zone)
  if (days.length === 0) return null
  const named = listNames(days.map(showDate), days.length)
  return (
    <Notice tone="amber" live>
      <p>{words.repeat.clock(named)}</p>
      <Button onClick={() => onLeaveOut(days)}>{words.repeat.leaveOut(named)}</Button>
    </Notice>
  )
}
