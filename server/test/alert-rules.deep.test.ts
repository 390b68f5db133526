import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { alertCases, BREAKS, counted, HEALTHY, posts, type Series } from './rigs/alert-cases.ts'
import { alertsOf, promtool, RULES, testRules } from './rigs/promtool.ts'

/*
 * The rules of docs/monitoring, minute by minute: when each fires and when it ends, and that none does while something else is
 * the cause.
 */

const alerts = alertsOf(readFileSync(RULES, 'utf8'))

beforeAll(() => promtool('--version'), 240_000)

test('each rule has a case of its own', () => {
  expect(Object.keys(alertCases).toSorted()).toEqual(alerts.toSorted())
})

test('each rule fires as soon as it says, and ends as soon as it says', async () => {
  const checks = Object.entries(alertCases).map(([alert, one]) => {
    const { series, brokenFor, fires, clears, step = 1 } = one
    const begins = BREAKS + fires
    const ends = BREAKS + brokenFor + clears
    const at: [number, boolean][] = [
      [begins - step, false],
      [begins, true],
      [ends - step, true],
      [ends, false],
    ]
    const expected = at.map(([minute, isFiring]) => ({ minute, alert, isFiring }))
    return { name: alert, step, series: { ...HEALTHY, ...series }, expected }
  })
  for (const step of new Set(checks.map((check) => check.step)))
    expect(await testRules(checks.filter((check) => check.step === step))).toBe('')
}, 120_000)

const DURING = BREAKS + 40
const late = (minute: number) => (minute >= BREAKS ? 120 : 0)

/** Nothing but these fires while that is so. */
const causes: Readonly<Record<string, { readonly series: Series; readonly fires: readonly string[] }>> = {
  'a server that is not ready: its callers wait for connections because of that': {
    series: {
      postrider_ready: (minute) => (minute >= BREAKS ? 0 : 1),
      'postrider_database_pool_waiting{pool="api"}': counted(9),
    },
    fires: ['PostriderNotReady'],
  },
  'a database that is locked for a while: its callers wait for connections because of that': {
    series: {
      'postrider_database_waits_total{cause="lock"}': (minute) => Math.max(0, minute - BREAKS + 1),
      'postrider_database_pool_waiting{pool="api"}': counted(9),
    },
    fires: ['PostriderDatabaseSlow'],
  },
  'statements that met another transaction, and were done again': {
    series: {
      'postrider_database_waits_total{cause="deadlock"}': (minute) => Math.max(0, minute - BREAKS + 1),
    },
    fires: [],
  },
  'no publisher: what is due is late because of that': {
    series: {
      'postrider_role_alive{role="publisher"}': (minute) => (minute >= BREAKS ? 0 : 1),
      postrider_destination_due_age_seconds: late,
    },
    fires: ['PostriderRoleDead'],
  },
  'no dispatcher and no sender of mail: what they send is late because of that': {
    series: {
      'postrider_role_alive{role="webhooks"}': (minute) => (minute >= BREAKS ? 0 : 1),
      'postrider_role_alive{role="mail"}': (minute) => (minute >= BREAKS ? 0 : 1),
      'postrider_webhook_due_age_seconds{endpoints="answering"}': late,
      postrider_mail_age_seconds: (minute) => (minute >= BREAKS ? 2_000 : 0),
    },
    fires: ['PostriderRoleDead'],
  },
  'a disk that is full: that it fills is no news': {
    series: {
      'postrider_disk_free_bytes{holds="media and database"}': (minute) => (minute >= BREAKS ? 0 : 50),
      'postrider_disk_size_bytes{holds="media and database"}': () => 100,
      postrider_media_takes_files: (minute) => (minute >= BREAKS ? 0 : 1),
      postrider_ready: (minute) => (minute >= BREAKS ? 0 : 1),
    },
    fires: ['PostriderNotReady'],
  },
  'four deliveries that were given up': {
    series: {
      'postrider_webhook_attempts_total{move="exhaust",error="timeout"}': (minute) =>
        minute >= BREAKS ? 4 : 0,
    },
    fires: [],
  },
  'an endpoint that fails: its deliveries are given up because of that': {
    series: {
      'postrider_webhook_attempts_total{move="exhaust",error="timeout"}': counted(9),
      'postrider_webhook_endpoints{state="failing"}': (minute) => (minute >= BREAKS ? 1 : 0),
    },
    fires: ['PostriderEndpointFailing'],
  },
  'a network that fails for all: not once more for each workspace': {
    series: { ...posts('one', { burst: 300 }), ...posts('other', { burst: 300 }) },
    fires: ['PostriderNetworkFailing'],
  },
  'a workspace that fails at one network, and at another one not': {
    series: { ...posts('one', { burst: 300 }), ...posts('one', { provider: 'mastodon' }) },
    fires: ['PostriderWorkspaceFailing'],
  },
  'a network that loses as many as ever': {
    series: { ...posts('one', { usually: 4 }), ...posts('other', { usually: 4 }) },
    fires: [],
  },
  'posts that expire, since publishing is late': {
    series: {
      ...posts('one', { burst: 300 }),
      ...posts('other', { burst: 300 }),
      postrider_destination_due_age_seconds: late,
    },
    fires: ['PostriderPublishingLate'],
  },
  'failures that a process counts with its first scrape': {
    series: {
      'postrider_posts_ended_total{workspace="one",provider="x",result="failed"}': (minute) =>
        minute >= BREAKS ? 9 : undefined,
    },
    fires: ['PostriderWorkspaceFailing'],
  },
  'a disk that is full in three hours': {
    series: {
      'postrider_disk_free_bytes{holds="media"}': (minute) => 90 - Math.max(0, minute - BREAKS) / 1.5,
      'postrider_disk_size_bytes{holds="media"}': () => 100,
    },
    fires: ['PostriderDiskFilling'],
  },
  'an upload that takes a twentieth of a disk': {
    series: {
      'postrider_disk_free_bytes{holds="media"}': (minute) => (minute >= BREAKS ? 85 : 90),
      'postrider_disk_size_bytes{holds="media"}': () => 100,
    },
    fires: [],
  },
}

test('none fires while something else is the cause', async () => {
  const checks = Object.entries(causes).map(([name, { series, fires }]) => ({
    name,
    step: 1,
    series: { ...HEALTHY, ...series },
    expected: alerts.map((alert) => ({ minute: DURING, alert, isFiring: fires.includes(alert) })),
  }))
  expect(await testRules(checks)).toBe('')
}, 120_000)
