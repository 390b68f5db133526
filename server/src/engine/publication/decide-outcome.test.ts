import {
  destinationStatuses,
  destinationStatusNames,
  partStatusNames,
  postEventTypeNames,
  type DestinationStatus,
} from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { openWorld } from '../../../test/rigs/world.ts'
import { claimable, moves, settled, type MoveName } from '../destinations/destination-states.ts'
import {
  type AttemptContext,
  awaitPolling,
  decideOutcome,
  unlessParentIsNew,
  deferralMs,
  RETRY_WAITS_MS,
} from './decide-outcome.ts'
import { LOOKUP_WAITS_MS } from '../queue/waits.ts'
import type { Conclusion, WorkPart } from '../queue/work.ts'

const conclusions = {
  published: { is: 'published', remoteId: 'r9', url: 'https://example.com/9' },
  'rejected for good': { is: 'rejected', code: 'content_refused', detail: 'Too rude.' },
  'rejected, fixable': { is: 'rejected', code: 'permission_refused', detail: 'Not allowed.' },
  deferred: { is: 'deferred', code: 'rate_limited', afterMs: null },
  'deferred with a time': { is: 'deferred', code: 'rate_limited', afterMs: 40_000 },
  reauthorize: { is: 'reauthorize' },
  absent: { is: 'absent' },
  unknown: { is: 'unknown', detail: 'silence' },
} as const satisfies Record<string, Conclusion>

const contexts = {
  'only part': { out: 0, of: 1 },
  'first part': { out: 0, of: 3 },
  'middle part': { out: 1, of: 3 },
  'last part': { out: 2, of: 3 },
} as const

function contextAt(
  place: keyof typeof contexts,
  status: AttemptContext['status'],
  tries = 0,
): AttemptContext {
  const { out, of } = contexts[place]
  const parts = Array.from({ length: of }, (_, index): WorkPart => {
    const text = `part ${index}`
    if (index < out)
      return { index, firstComment: false, text, media: [], status: 'published', remoteId: `r${index}` }
    return {
      index,
      firstComment: false,
      text,
      media: [],
      status: index === out ? status : 'pending',
      remoteId: null,
    }
  })
  return { status, provider: 'sandbox-short', parts, partIndex: out, tries }
}

/** move, part, due in milliseconds, error, asks to reconnect */
type Row = readonly [MoveName | null, string, number | null, string | null, boolean]

const proven: Row = ['confirm', 'published', null, null, false]
const nextPart: Row = [null, 'published', null, null, false]
const queuesTheRest: Row = ['interrupt', 'published', 0, null, false]

const publishing: Record<keyof typeof conclusions, Record<keyof typeof contexts, Row>> = {
  published: { 'only part': proven, 'first part': nextPart, 'middle part': nextPart, 'last part': proven },
  'rejected for good': {
    'only part': ['reject', 'failed', null, 'content_refused', false],
    'first part': ['reject', 'failed', null, 'content_refused', false],
    'middle part': ['interrupt', 'failed', null, 'content_refused', false],
    'last part': ['interrupt', 'failed', null, 'content_refused', false],
  },
  'rejected, fixable': {
    'only part': ['reject', 'failed', null, 'permission_refused', false],
    'first part': ['reject', 'failed', null, 'permission_refused', false],
    'middle part': ['interrupt', 'failed', null, 'permission_refused', false],
    'last part': ['interrupt', 'failed', null, 'permission_refused', false],
  },
  deferred: {
    'only part': ['defer', 'pending', 15_000, 'rate_limited', false],
    'first part': ['defer', 'pending', 15_000, 'rate_limited', false],
    'middle part': ['interrupt', 'pending', 15_000, 'rate_limited', false],
    'last part': ['interrupt', 'pending', 15_000, 'rate_limited', false],
  },
  'deferred with a time': {
    'only part': ['defer', 'pending', 40_000, 'rate_limited', false],
    'first part': ['defer', 'pending', 40_000, 'rate_limited', false],
    'middle part': ['interrupt', 'pending', 40_000, 'rate_limited', false],
    'last part': ['interrupt', 'pending', 40_000, 'rate_limited', false],
  },
  reauthorize: {
    'only part': ['deauthorize', 'pending', null, 'reconnect_required', true],
    'first part': ['deauthorize', 'pending', null, 'reconnect_required', true],
    'middle part': ['interrupt', 'pending', null, 'reconnect_required', true],
    'last part': ['interrupt', 'pending', null, 'reconnect_required', true],
  },
  absent: {
    'only part': ['requeue', 'pending', 0, null, false],
    'first part': ['requeue', 'pending', 0, null, false],
    'middle part': ['interrupt', 'pending', 0, null, false],
    'last part': ['interrupt', 'pending', 0, null, false],
  },
  unknown: {
    'only part': ['lose', 'checking', 2_000, 'result_unproven', false],
    'first part': ['lose', 'checking', 2_000, 'result_unproven', false],
    'middle part': ['lose', 'checking', 2_000, 'result_unproven', false],
    'last part': ['lose', 'checking', 2_000, 'result_unproven', false],
  },
}

/** Out of doubt the same is concluded, but there is no lease to go on under, and `checking` is not left for a wait. */
const checking: typeof publishing = {
  ...publishing,
  published: {
    'only part': proven,
    'first part': queuesTheRest,
    'middle part': queuesTheRest,
    'last part': proven,
  },
  deferred: {
    ...publishing.deferred,
    'only part': ['requeue', 'pending', 15_000, null, false],
    'first part': ['requeue', 'pending', 15_000, null, false],
  },
  'deferred with a time': {
    ...publishing['deferred with a time'],
    'only part': ['requeue', 'pending', 40_000, null, false],
    'first part': ['requeue', 'pending', 40_000, null, false],
  },
  reauthorize: {
    ...publishing.reauthorize,
    'only part': ['requeue', 'pending', 0, null, true],
    'first part': ['requeue', 'pending', 0, null, true],
  },
}

const places = Object.keys(contexts) as (keyof typeof contexts)[]
const cases = Object.entries({ publishing, checking }).flatMap(([status, table]) =>
  (Object.keys(conclusions) as (keyof typeof conclusions)[]).flatMap((conclusion) =>
    places.map((place) => ({
      status: status as AttemptContext['status'],
      conclusion,
      place,
      expected: table[conclusion][place],
    })),
  ),
)

test.each(cases)('$status, $place, $conclusion', ({ status, conclusion, place, expected }) => {
  const outcome = decideOutcome(contextAt(place, status), conclusions[conclusion], 0)

  const { move, part, dueInMs, error, disconnects } = outcome
  expect([move, part, dueInMs, error?.code ?? null, disconnects]).toEqual(expected)
  const out = conclusion === 'published'
  expect(outcome).toMatchObject({
    remoteId: out ? 'r9' : null,
    releaseUrl: out ? 'https://example.com/9' : null,
  })
})

test('the move of every outcome begins where the destination stands', () => {
  const impossible = cases.filter(({ status, conclusion, place }) => {
    const { move } = decideOutcome(contextAt(place, status), conclusions[conclusion], 0)
    return move !== null && !(moves[move].from as readonly string[]).includes(status)
  })
  // A doubt ends by proof alone: the engine never settles one with another.
  expect(new Set(impossible.map(({ status, conclusion }) => `${status} ${conclusion}`))).toEqual(
    new Set(['checking unknown']),
  )
})

test('an error is retryable where the same content may succeed, and never in doubt, whatever is out', () => {
  for (const place of ['only part', 'last part'] as const) {
    const retryable = Object.values(conclusions).flatMap((conclusion) => {
      const { error } = decideOutcome(contextAt(place, 'publishing'), conclusion, 0)
      return error?.retryable === true ? [conclusion.is === 'deferred' ? conclusion.is : error.code] : []
    })
    expect(new Set(retryable)).toEqual(new Set(['permission_refused', 'deferred', 'reconnect_required']))
  }
  expect(awaitPolling('sandbox-short', 'provider_disabled').error.retryable).toBe(false)
  expect(awaitPolling('sandbox-short', 'secret_unreadable').error.retryable).toBe(false)
})

test('a provider is never asked before the time it named', () => {
  for (const jitter of [0, 0.5, 0.999]) {
    const asked = { code: 'rate_limited', afterMs: 40_000 } as const
    expect(deferralMs(asked, 0, jitter)).toBeGreaterThanOrEqual(40_000)
    expect(deferralMs(asked, 0, jitter)).toBeLessThanOrEqual(44_000)
  }
})

test('waits grow, the last one repeats, and jitter only adds', () => {
  const paused = { code: 'rate_limited', afterMs: null } as const
  const waits = Array.from({ length: 12 }, (_, tries) => deferralMs(paused, tries, 0))
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits.at(-1)).toBe(RETRY_WAITS_MS.at(-1))
  expect(deferralMs(paused, 3, 0.5)).toBeGreaterThan(deferralMs(paused, 3, 0))
  expect(LOOKUP_WAITS_MS).toEqual([...LOOKUP_WAITS_MS].sort((a, b) => a - b))
})

test('a network that did not answer is tried again within a minute, however often it has failed', () => {
  for (const code of ['not_reached', 'provider_unavailable'] as const) {
    const waits = Array.from({ length: 12 }, (_, tries) => deferralMs({ code, afterMs: null }, tries, 0.999))
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000)
  }
})

/* ---- the tables, as tables ---- */

const table = Object.entries(moves) as [
  MoveName,
  { from: readonly DestinationStatus[]; to: DestinationStatus },
][]

test('every status that is not settled has a way out, and settled ones are left by a command alone', () => {
  const waysOut = (status: DestinationStatus) =>
    table.filter(([, { from, to }]) => from.includes(status) && to !== status).map(([name]) => name)
  const stuck = destinationStatusNames.filter((status) => waysOut(status).length === 0)

  expect(stuck.toSorted()).toEqual(['cancelled', 'expired', 'published'])
  expect(waysOut('failed')).toEqual(['withdraw', 'retry'])
  expect(settled.toSorted()).toEqual(['cancelled', 'expired', 'failed', 'published'])
})

test('every status but the first is reached by some move', () => {
  const reached = new Set<string>(['draft', ...table.map(([, { to }]) => to)])
  expect([...reached].sort()).toEqual(destinationStatusNames.toSorted())
})

test('only what was being published, or is in doubt, is ever published, failed or put off', () => {
  const earned: readonly DestinationStatus[] = [
    'published',
    'partially_published',
    'failed',
    'delayed',
    'reconnect_required',
  ]
  // What is held is not put off, and what a command resumes stays what it is: nothing was tried.
  const sources = table
    .filter(
      ([name, { to }]) => !['hold', 'resume', 'postpone', 'leave'].includes(name) && earned.includes(to),
    )
    .flatMap(([, { from }]) => from)

  expect([...new Set(sources)].toSorted()).toEqual(['checking', 'publishing'])
  expect(moves.lose.from).toEqual(['publishing'])
})

test('nothing is cancelled, retried or expired out of a doubt or a call under way', () => {
  for (const verb of ['cancel', 'retry', 'expire', 'schedule', 'reschedule', 'claim', 'reconnect'] as const) {
    expect(moves[verb].from).not.toContain('checking')
    expect(moves[verb].from).not.toContain('publishing')
  }
})

test('the database knows the same statuses, verdicts and events as the tables', async () => {
  await using world = await openWorld()
  const rows = await world.db<{ on: string; rule: string }[]>`
    select case when conrelid = 0 then contypid::regtype::text else conrelid::regclass || ' ' || conname end as on, pg_get_constraintdef(oid) as rule
    from   pg_constraint
    where  contype = 'c'`
  const listed = (name: string) =>
    [...(rows.find(({ on }) => on === name)?.rule.matchAll(/'([^']+)'::text/g) ?? [])]
      .map(([, word]) => String(word))
      .toSorted()

  expect(listed('destination_status')).toEqual(destinationStatusNames.toSorted())
  expect(listed('part_status')).toEqual(partStatusNames.toSorted())
  const verdicts: Conclusion['is'][] = [
    'published',
    'rejected',
    'deferred',
    'reauthorize',
    'unknown',
    'absent',
  ]
  expect(listed('attempt attempt_verdict_check')).toEqual(verdicts.sort())
  const events = destinationStatusNames.flatMap((status) => destinationStatuses[status].event ?? [])
  const ofPosts: readonly string[] = postEventTypeNames
  expect(listed('event_type')).toEqual([...events, ...ofPosts].toSorted())
})

test('the partial indexes of the queue list the statuses of the moves that they serve', async () => {
  await using world = await openWorld()
  const rows = await world.db<{ name: string; rule: string }[]>`
    select indexname as name, indexdef as rule from pg_indexes where tablename = 'destination'`
  const listed = (name: string) => {
    const rule = rows.find((row) => row.name === name)?.rule.split(' WHERE ')[1] ?? ''
    return [...rule.matchAll(/'([^']+)'::text/g)].map(([, word]) => String(word)).toSorted()
  }
  expect(listed('destination_head')).toEqual([...claimable].sort())
  expect(listed('destination_expires_at')).toEqual([...moves.expire.from].sort())
  expect(listed('destination_scheduled')).toEqual([...moves.hold.from])

  expect(listed('destination_checking')).toEqual(['checking'])
})

describe('a parent that its network calls missing', () => {
  const missing = { is: 'rejected', code: 'parent_missing', detail: 'Gone.' } as const
  const partsOut = (publishedMsAgo: number | null): WorkPart[] =>
    [0, 1, 2].map((index) => ({
      index,
      firstComment: index === 2,
      text: 'x',
      media: [],
      status: index < 2 ? 'published' : 'pending',
      remoteId: null,
      // Both the reply and the comment answer to the first part, which is a minute older.
      publishedMsAgo: publishedMsAgo === null ? null : publishedMsAgo + (index === 0 ? 60_000 : 0),
    }))

  test.each([
    [1, 0, 'deferred'],
    [1, 539_999, 'deferred'],
    [1, 540_000, 'rejected'],
    [2, 539_999, 'deferred'],
    [2, 540_000, 'rejected'],
    [0, 0, 'rejected'],
  ])('of part %i, %i ms after it was published, is %s', (partIndex, agoMs, is) => {
    expect(unlessParentIsNew(partsOut(agoMs), partIndex, missing).is).toBe(is)
  })

  test('is missing where it is not known when it was published, as is all else that is refused', () => {
    expect(unlessParentIsNew(partsOut(null), 1, missing)).toBe(missing)
    const refused = { ...missing, code: 'content_refused' } as const
    expect(unlessParentIsNew(partsOut(0), 1, refused)).toBe(refused)
  })
})
