import { type Series } from '@postrider/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aChannel, anApi, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { recordAct } from '../../people/audit/audit-store.ts'
import { type Db, openDb } from '../../platform/postgres/db.ts'
import { findTimeZone, meaningOf } from '../../platform/text/time-zone.ts'
import { providers } from '../../networks/providers/registry.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { AHEAD_MS, makeOccurrences, type OccurrenceParts } from './make-occurrences.ts'

/*
 * Random commands on series in zones whose clocks change oddly, beside the plainest description of what a series is: a calendar with
 * one note for each day. The database is told what time it is: its clock stands still, and jumps. Makers die at any statement, and
 * two of them work at once.
 */

const RUNS = Number(process.env['SERIES_RUNS'] ?? 8)
const seed = process.env['SERIES_SEED']
const DAY = 86_400_000
const BEGIN = Date.parse('2027-03-20T10:00:00Z')
const ALLOWED_MS = DAY

type Command =
  | { is: 'clock'; hours: number }
  | { is: 'make'; makers: number; diesAfter: number }
  | { is: 'skip'; day: number; skip: boolean }
  | { is: 'edit'; from: number }
  | { is: 'only'; day: number }
  | { is: 'status'; status: 'active' | 'paused' }

const day = fc.nat(30)
const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant('clock' as const), hours: fc.constantFrom(1, 7, 24, 50, 200) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('make' as const),
      makers: fc.constantFrom(1, 2),
      diesAfter: fc.constantFrom(0, 3, 6, 9, 14, 99),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('skip' as const), day, skip: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('edit' as const), from: day }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('only' as const), day }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('status' as const),
      status: fc.constantFrom('active' as const, 'paused' as const),
    }),
  },
)

const rules = [
  { rule: 'FREQ=DAILY;COUNT=30', has: () => true, count: 30 },
  { rule: 'FREQ=DAILY;INTERVAL=3;COUNT=12', has: (n: number) => n % 3 === 0, count: 12 },
  {
    rule: 'FREQ=WEEKLY;BYDAY=MO,SA;COUNT=14',
    has: (_: number, date: Date) => [1, 6].includes(date.getUTCDay()),
    count: 14,
  },
  {
    rule: 'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=6',
    has: (_: number, date: Date) => new Date(date.getTime() + DAY).getUTCDate() === 1,
    count: 6,
  },
] as const
const zones = [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'America/Santiago',
  'UTC',
] as const
const options = fc.record({
  rule: fc.constantFrom(...rules),
  zone: fc.constantFrom(...zones),
  hour: fc.constantFrom(0, 9, 12, 23),
})

/** A day on paper. */
type Note = { at: number; status: 'planned' | 'made' | 'missed' | 'skipped'; text: string }

/** The days of a rule, counted by hand, at an hour of their zone. */
function daysOnPaper(
  { rule, zone, hour }: { rule: (typeof rules)[number]; zone: string; hour: number },
  first: string,
): Map<string, Note> {
  const notes = new Map<string, Note>()
  for (let n = 0; notes.size < rule.count; n++) {
    const at = new Date(Date.parse(`${first}T00:00:00Z`) + n * DAY)
    if (!rule.has(n, at)) continue
    const meaning = meaningOf(at.getTime() + hour * 3_600_000, findTimeZone(zone)!)
    if (meaning.is !== 'instant') continue
    notes.set(at.toISOString().slice(0, 10), { at: meaning.at.getTime(), status: 'planned', text: 'First' })
  }
  return notes
}

/** What was found once, walked first. */
const examples: [Command[], { rule: (typeof rules)[number]; zone: string; hour: number }][] = [
  [
    [
      { is: 'make', makers: 1, diesAfter: 99 },
      { is: 'clock', hours: 50 },
      { is: 'clock', hours: 1 },
      // Its first occurrence has been due for an hour.
      { is: 'edit', from: 0 },
      { is: 'make', makers: 1, diesAfter: 99 },
    ],
    { rule: rules[0], zone: 'UTC', hour: 12 },
  ],
]

class Died extends Error {}

/** A database whose process is gone after so many statements: what is open then is rolled back. */
function dyingAfter(db: Db, statements: number): Db {
  let left = statements
  return new Proxy(db, {
    get: (target, name) =>
      name === 'begin'
        ? (run: (tx: never) => Promise<unknown>) =>
            target.begin(async (tx) => {
              const counted = new Proxy(tx, {
                apply: (statement, self, given) => {
                  if (left-- <= 0) throw new Died()
                  return Reflect.apply(statement as never, self, given) as unknown
                },
              })
              return run(counted as never)
            })
        : (Reflect.get(target, name) as unknown),
  })
}

test(`${RUNS} walks of random commands on a series end as on paper`, { timeout: 3_600_000 }, async () => {
  await using world = await openWorld()
  const name = 'database' in world.connection ? world.connection.database : ''
  await world.db.script(`
    create table public.test_clock (at timestamptz not null);
    insert into public.test_clock values ('2027-03-20T10:00:00Z');
    create function public.clock_timestamp() returns timestamptz language sql stable as 'select at from public.test_clock';
    create function public.now() returns timestamptz language sql stable as 'select at from public.test_clock';`)
  await world.db`alter database ${world.db(name)} set search_path = public, pg_catalog`
  const db = openDb({ ...world.connection, applicationName: 'series model' })
  await using api = await anApi(db)

  async function walk(
    walked: readonly Command[],
    wished: { rule: (typeof rules)[number]; zone: string; hour: number },
  ): Promise<void> {
    let now = BEGIN
    const setClock = () => world.db`update test_clock set at = ${new Date(now)}`
    await setClock()
    const workspace = await aWorkspace(db)
    const { workspaceId, caller } = workspace
    const channelId = await aChannel(db, workspaceId)
    const parts = (on: Db): OccurrenceParts => ({
      db: on,
      providers,
      recordAct,
      baseUrl: 'https://postrider.test',
      holderOf: async (): Promise<Caller> => caller,
      onFault: (fault) => {
        if (!(fault instanceof Died)) throw fault
      },
    })
    const paper = daysOnPaper(wished, '2027-03-22')
    const { rule, zone, hour } = wished
    // Days on which the clocks leave the hour out, or show it twice, are refused; the hours above are none of those.
    const startsAt = { local: `2027-03-22T${String(hour).padStart(2, '0')}:00`, timeZone: zone }
    const created = await api.call(workspace, 'POST', '/series', {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
      rule: rule.rule,
      startsAt,
      channelIds: [channelId],
      text: 'First',
    })
    if (created.status === 400) {
      expect(created.body.errors[0].code).toMatch(/_local_time$/)
      return
    }
    expect(created.status).toBe(201)
    const { seriesId } = created.body as Series
    const dates = [...paper.keys()]
    const dayOf = (n: number) => dates[n % dates.length]!
    const today = () =>
      new Intl.DateTimeFormat('en-CA', {
        timeZone: zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      }).format(now)
    let paused = false
    let texts = 0

    /** What makers do, on paper: what is within seven days is made, and what is past its deadline is missed. */
    const makeOnPaper = () => {
      if (paused) return
      for (const note of paper.values()) {
        if (note.status !== 'planned' || note.at > now + AHEAD_MS) continue
        note.status = note.at + ALLOWED_MS <= now ? 'missed' : 'made'
      }
    }
    const call = async (path: string, body: object) => {
      const { editToken } = (await api.call(workspace, 'GET', `/series/${seriesId}`)).body
      return api.call(workspace, 'POST', `/series/${seriesId}/${path}`, {
        confirmed: true,
        editToken,
        ...body,
      })
    }
    const make = async () => {
      await makeOccurrences(parts(db))
      makeOnPaper()
    }

    for (const command of walked) {
      switch (command.is) {
        case 'clock':
          // Makers run all the time, but for a night or a week without a server.
          now += command.hours * 3_600_000
          await setClock()
          break
        case 'make': {
          const dying = Array.from({ length: command.makers }, () =>
            makeOccurrences(parts(dyingAfter(db, command.diesAfter))),
          )
          await Promise.allSettled(dying)
          await db`update series set look_at = least(look_at, now()) where look_at is not null`
          await make()
          break
        }
        case 'skip': {
          const date = dayOf(command.day)
          const note = paper.get(date)!
          const answer = await call('skip', { date, skip: command.skip })
          if (answer.status !== 200) {
            expect({ command, code: answer.body.code }).toEqual({ command, code: 'invalid_state' })
            break
          }
          if (command.skip) note.status = 'skipped'
          else if (note.status === 'skipped') note.status = 'planned'
          break
        }
        case 'edit': {
          const date = dayOf(command.from)
          const text = `Edit ${++texts}`
          const answer = await call('edit', { from: date, text })
          if (answer.status !== 200) {
            expect(
              date < today() || [...paper.values()].every((one) => one.at <= now || one.status === 'skipped'),
            ).toBe(true)
            break
          }
          for (const [at, note] of paper) {
            if (at < date) continue
            if (note.status === 'made' || note.status === 'planned')
              Object.assign(note, {
                status: note.at > now || note.status === 'made' ? 'planned' : 'gone',
                text: note.text === 'Own' ? 'Own' : text,
              })
          }
          break
        }
        case 'only': {
          const date = dayOf(command.day)
          const note = paper.get(date)!
          const answer = await call('edit', { only: date, text: 'Own' })
          const fits = note.at > now && note.status !== 'made'
          if (fits) expect(answer.status).toBe(200)
          if (answer.status === 200) Object.assign(note, { text: 'Own', status: 'planned' })
          break
        }
        case 'status': {
          const answer = await call('status', { status: command.status })
          if (answer.status !== 200) break
          if (command.status === 'paused' && !paused) {
            for (const note of paper.values()) if (note.status === 'made') note.status = 'planned'
          }
          if (command.status === 'active' && paused) {
            for (const note of paper.values())
              if (note.status === 'planned' && note.at <= now) note.status = 'missed'
          }
          paused = command.status === 'paused'
          break
        }
      }
      await compare(command)
    }

    /** Each day has at most one post that can be published; and when makers have run, exactly one where paper has one. */
    async function compare(command: Command) {
      const live = await db<{ date: string; text: string; at: Date; count: number }[]>`
        select o.date::text, min(p.text) as text, min(d.publish_at) as at, count(*)::int as count
        from   series_occurrence o
        join   destination d on d.workspace_id = o.workspace_id and d.post_id = o.post_id and d.status = 'scheduled'
        join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
        where  o.workspace_id = ${workspaceId}
        group  by o.date order by o.date`
      const [{ all }] = await db<[{ all: number }]>`
        select count(*)::int as all from destination where workspace_id = ${workspaceId} and status = 'scheduled'`
      expect({ command, all, twice: live.filter(({ count }) => count > 1) }).toEqual({
        command,
        all: live.length,
        twice: [],
      })
      if (command.is !== 'make') return
      const expected = [...paper]
        .filter(([, { status }]) => status === 'made')
        .map(([date, { text }]) => ({ date, text }))
      expect({ command, live: live.map(({ date, text }) => ({ date, text })) }).toEqual({
        command,
        live: expected,
      })
    }
  }

  try {
    await fc.assert(fc.asyncProperty(fc.array(commands, { minLength: 4, maxLength: 25 }), options, walk), {
      numRuns: RUNS,
      ...(seed === undefined ? { examples } : {}),
      ...(seed === undefined ? {} : { seed: Number(seed) }),
      endOnFailure: process.env['SERIES_SHRINK'] === undefined,
    })
  } finally {
    await db.end()
  }
})
