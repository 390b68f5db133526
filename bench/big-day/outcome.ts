import type { Db } from '../../server/src/platform/postgres/db.ts'
import type { Span } from './play.ts'
import { type Plan, postsOfMinute } from './plan.ts'

/** What became of the posts, as the database says, beside what the networks have. */
export type Outcome = {
  published: number
  /** On a network more than once. */
  twice: number
  /** Neither on a network nor in a status that says why. */
  lost: number
  /** `published`, and on no network. */
  falselyPublished: number
  /** Still `checking`, or still waiting. */
  open: number
  /** Those that a person has to act on, by status. */
  actionable: ReadonlyMap<string, number>
}

const OPEN = new Set(['scheduled', 'publishing', 'delayed', 'checking'])
const ACTIONABLE = new Set(['reconnect_required', 'failed', 'expired'])
const ROWS_AT_ONCE = 100_000

export async function readOutcome(
  db: Db,
  range: { from: number; to: number },
  stored: Uint8Array,
): Promise<Outcome> {
  const actionable = new Map<string, number>()
  const outcome = { published: 0, twice: 0, lost: 0, falselyPublished: 0, open: 0, actionable }
  for (let from = range.from; from < range.to; from += ROWS_AT_ONCE) {
    const rows = await db<{ n: number; status: string | null }[]>`
      select p.n, d.status
      from   bench.post p
      left   join destination d on d.id = p.id
      where  p.n >= ${from} and p.n < ${Math.min(range.to, from + ROWS_AT_ONCE)}`
    for (const { n, status } of rows) {
      const times = stored[n] ?? 0
      if (times > 1) outcome.twice += 1
      if (status === 'published') {
        outcome.published += 1
        if (times === 0) outcome.falselyPublished += 1
      } else if (status !== null && OPEN.has(status)) outcome.open += 1
      else if (status !== null && ACTIONABLE.has(status))
        actionable.set(status, (actionable.get(status) ?? 0) + 1)
      else outcome.lost += 1
    }
  }
  return outcome
}

/** The posts of these minutes. */
export function postsOf(plan: Plan, { from, to }: Span): { from: number; to: number } {
  return { from: postsOfMinute(plan, from).from, to: postsOfMinute(plan, to).from }
}
