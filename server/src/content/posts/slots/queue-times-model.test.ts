import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aChannel, anActor, anApi, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../../test/rigs/world.ts'
import { fromMinutes } from '../../../networks/channels/posting-times.ts'
import { openDb } from '../../../platform/postgres/db.ts'
import { findTimeZone, meaningOf } from '../../../platform/text/time-zone.ts'
import { providers } from '../../../networks/providers/registry.ts'
import { previewPostingTimes, setPostingTimes } from './change-posting-times.ts'

/*
 * Random commands on the queues of two channels, beside the plainest description of what a queue is. The database is told what time it
 * is: its clock stands still, and jumps.
 */

const RUNS = Number(process.env['QUEUE_RUNS'] ?? 12)
const seed = process.env['QUEUE_SEED']
const DAY = 86_400_000

type SlotRequest = 'next' | 'first' | number
/** A row whose time is a place in the queue, or that of a posting time, which it does not hold. */
type ImportRow = { readonly time: SlotRequest; readonly channels: readonly number[] }
type Command =
  | { is: 'queue'; queueRequest: SlotRequest; channels: readonly number[]; isKilled: boolean }
  | { is: 'import'; rows: readonly ImportRow[]; isKilled: boolean }
  | { is: 'plain'; slot: number; channel: number }
  | { is: 'refused'; queueRequest: SlotRequest; channel: number }
  | { is: 'cancel'; post: number }
  | { is: 'shift'; post: number; minutes: number }
  | { is: 'requeue'; post: number; queueRequest: 'next' | 'first' }
  | { is: 'times'; channel: number; minutes: readonly number[]; moves: boolean }
  | { is: 'zone'; zone: string }
  | { is: 'clock'; hours: number }
  | { is: 'end'; post: number; status: 'published' | 'failed' | 'expired' }

const queueRequest = fc.constantFrom<SlotRequest>('next', 'first', 0, 1, 4)
const channels = fc.constantFrom([0], [1], [0, 1], [1, 0])
const channel = fc.constantFrom(0, 1)
const post = fc.nat(40)
const weekly = fc.uniqueArray(
  fc.oneof(fc.integer({ min: 0, max: 10_079 }), fc.integer({ min: 6 * 1_440, max: 6 * 1_440 + 240 })),
  { minLength: 1, maxLength: 12 },
)
const zones = [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Africa/Casablanca',
  'Pacific/Apia',
]
const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('queue' as const),
      queueRequest,
      channels,
      isKilled: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('import' as const),
      rows: fc.array(fc.record({ time: queueRequest, channels }), { minLength: 1, maxLength: 9 }),
      isKilled: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('plain' as const), slot: fc.nat(6), channel }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('refused' as const), queueRequest, channel }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('cancel' as const), post }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('shift' as const),
      post,
      minutes: fc.constantFrom(1, 60, 1_440, 10_080),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('requeue' as const),
      post,
      queueRequest: fc.constantFrom('next' as const, 'first' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('times' as const),
      channel,
      minutes: weekly,
      moves: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('zone' as const), zone: fc.constantFrom(...zones) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('clock' as const),
      hours: fc.constantFrom(-30, 1, 7, 24, 24 * 8, 24 * 150),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('end' as const),
      post,
      status: fc.constantFrom('published' as const, 'failed' as const, 'expired' as const),
    }),
  },
)

/** What is planned, as somebody with a sheet of paper keeps it. */
type Planned = { postId: string; channel: number; at: number; queued: boolean; status: string }

class Paper {
  now: number
  zone = 'Europe/Berlin'
  readonly times: number[][] = [[], []]
  planned: Planned[] = []
  constructor(now: number) {
    this.now = now
  }

  /** The posting times after an instant: those of each week, by the rules for clocks that change. */
  *slots(channel: number, after: number): Generator<number> {
    const zone = findTimeZone(this.zone) ?? 'UTC'
    for (let from = Math.floor(after / DAY) * DAY; ; from += 14 * DAY) {
      const found = new Set<number>()
      for (let day = from - 3 * DAY; day < from + 17 * DAY; day += DAY) {
        const weekday = (new Date(day).getUTCDay() + 6) % 7
        for (const minute of this.times[channel]!) {
          if (Math.floor(minute / 1_440) !== weekday) continue
          const meaning = meaningOf(day + (minute % 1_440) * 60_000, zone)
          const at =
            meaning.is === 'instant'
              ? meaning.at
              : meaning.candidates[meaning.is === 'missing' ? meaning.candidates.length - 1 : 0]!
          found.add(at.getTime())
        }
      }
      const sorted = [...found].toSorted((a, b) => a - b)
      for (const at of sorted) if (at >= from && at < from + 14 * DAY && at > after) yield at
    }
  }

  holds({ queued, status }: Planned): boolean {
    return queued && !['cancelled', 'failed', 'expired'].includes(status)
  }

  isTaken(channel: number, at: number, except: readonly Planned[]): boolean {
    return this.planned.some(
      (one) =>
        one.channel === channel &&
        one.at === at &&
        !except.includes(one) &&
        (this.holds(one) || one.status === 'scheduled'),
    )
  }

  free(channel: number, after: number, except: readonly Planned[] = []): number {
    for (const at of this.slots(channel, after)) if (!this.isTaken(channel, at, except)) return at
    throw new Error('there are no posting times')
  }

  place(channel: number, wished: 'next' | 'first', except: readonly Planned[] = []): number {
    if (wished === 'first') return this.free(channel, this.now, except)
    const held = this.planned.filter(
      (one) => one.channel === channel && this.holds(one) && !except.includes(one),
    )
    return this.free(channel, Math.max(this.now, ...held.map(({ at }) => at)), except)
  }

  nth(channel: number, n: number): number {
    return this.slots(channel, this.now).drop(n).next().value ?? 0
  }

  /** In their order, to the earliest posting times that nothing else has. */
  move(channel: number): void {
    const queue = this.planned
      .filter(
        (one) => one.channel === channel && one.queued && one.status === 'scheduled' && one.at > this.now,
      )
      .toSorted((a, b) => a.at - b.at)
    const others = this.planned.filter((one) => !queue.includes(one))
    const slots = this.slots(channel, this.now)
    for (const one of queue) {
      let at = slots.next().value ?? 0
      while (
        others.some(
          (other) =>
            other.channel === channel &&
            other.at === at &&
            (this.holds(other) || other.status === 'scheduled'),
        )
      )
        at = slots.next().value ?? 0
      one.at = at
    }
  }
}

test(`${RUNS} walks of random commands on two queues end as on paper`, { timeout: 3_600_000 }, async () => {
  await using world = await openWorld()
  const name = 'database' in world.connection ? world.connection.database : ''
  await world.db.script(`
    create table public.test_clock (at timestamptz not null);
    insert into public.test_clock values ('2027-03-22T10:00:00Z');
    create function public.clock_timestamp() returns timestamptz language sql stable as 'select at from public.test_clock';
    create function public.now() returns timestamptz language sql stable as 'select at from public.test_clock';`)
  await world.db`alter database ${world.db(name)} set search_path = public, pg_catalog`
  const db = openDb({ ...world.connection, applicationName: 'queue model' })
  await using api = await anApi(db)

  async function walk(walked: readonly Command[]): Promise<void> {
    const paper = new Paper(Date.parse('2027-03-22T10:00:00Z'))
    const setClock = () => world.db`update test_clock set at = ${new Date(paper.now)}`
    await setClock()
    const workspace = await aWorkspace(db)
    const { workspaceId } = workspace
    const ids = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
    const person = { ...anActor, type: 'person' as const, name: 'Ada', credentialId: null }
    const options = { providers, baseUrl: 'https://postrider.test' }
    const setZone = () => db`update workspace set time_zone = ${paper.zone} where id = ${workspaceId}`
    const setTimes = async (channel: number, minutes: readonly number[], moves: boolean) => {
      const key = { workspaceId, channelId: ids[channel]! }
      const postingTimes = fromMinutes(minutes.toSorted((a, b) => a - b))
      const shown = moves ? await previewPostingTimes(db, key, postingTimes) : null
      if (shown !== null && !('moves' in shown)) throw new Error('it was refused')
      const token = shown?.movesToken ?? null
      const body = { postingTimes, ...(token === null ? {} : { movesToken: token }) }
      const set = await db.begin((tx) => setPostingTimes(tx, key, body, person, options))
      expect(set).toMatchObject({ postingTimes })
      paper.times[channel] = [...minutes]
      if (moves) paper.move(channel)
    }
    await setZone()
    await setTimes(0, [540, 1_980, 3_420, 8_640 + 130, 8_640 + 150], false)
    await setTimes(1, [545, 6_000], false)

    const postOf = (n: number) => {
      const scheduled = [
        ...new Set(paper.planned.filter(({ status }) => status === 'scheduled').map(({ postId }) => postId)),
      ]
      return scheduled.length === 0 ? null : scheduled[n % scheduled.length]!
    }
    const partsOf = (postId: string) =>
      paper.planned.filter((one) => one.postId === postId && one.status === 'scheduled')
    const wished = (queueRequest: SlotRequest, channel: number) =>
      typeof queueRequest === 'number'
        ? new Date(paper.nth(channel, queueRequest)).toISOString()
        : queueRequest
    const create = (body: object, isKilled = false) =>
      send('/posts', { idempotencyKey: uuidv7(), state: 'scheduled', text: uuidv7(), ...body }, isKilled)
    const send = async (path: string, body: object, isKilled: boolean) => {
      const whole = { confirmed: true, ...body }
      const ask = () => api.call(workspace, 'POST', path, whole, null)
      if (isKilled) {
        const made = ask()
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 8))
        await world.db`
          select pg_terminate_backend(pid) from pg_stat_activity
          where  application_name = 'queue model' and datname = current_database()`
        // Nobody hears what became of it.
        await made.catch(() => undefined)
        // Connections that were cut are found out, and replaced.
        for (let cut = true; cut;) {
          const asked = Array.from({ length: 10 }, () => db`select 1`.then(() => true))
          cut = (await Promise.allSettled(asked)).some(({ status }) => status === 'rejected')
        }
      }
      return ask()
    }

    for (const command of walked) {
      switch (command.is) {
        case 'queue': {
          const { channels, queueRequest } = command
          const queue = wished(queueRequest, channels[0]!)
          const answer = await create(
            { publishAt: { queue }, channelIds: channels.map((one) => ids[one]) },
            command.isKilled,
          )
          const isNamed = typeof queueRequest === 'number'
          const fits = channels.every(
            (one) =>
              !isNamed ||
              (paper.slots(one, Date.parse(queue) - 1).next().value === Date.parse(queue) &&
                !paper.isTaken(one, Date.parse(queue), [])),
          )
          expect({ command, status: answer.status }).toEqual({ command, status: fits ? 201 : 422 })
          if (!fits) break
          const places = channels.map((one) => (isNamed ? Date.parse(queue) : paper.place(one, queueRequest)))
          const { postId, destinations } = answer.body
          for (const [n, one] of channels.entries()) {
            const got = destinations.find((each: { channelId: string }) => each.channelId === ids[one])
            expect({ command, at: got.publishAt }).toEqual({
              command,
              at: new Date(places[n]!).toISOString(),
            })
            paper.planned.push({ postId, channel: one, at: places[n]!, queued: true, status: 'scheduled' })
          }
          break
        }
        case 'import': {
          const rows = command.rows.map(({ time, channels }, n) => ({
            id: `row-${n}`,
            channels: channels.map((one) => ids[one]),
            text: uuidv7(),
            publishAt: wished(time, channels[0]!),
          }))
          const file = JSON.stringify({ plan: uuidv7(), posts: rows })
          const { status } = await send('/posts/import', { format: 'plan', file }, command.isKilled)
          expect({ command, status }).toEqual({ command, status: 200 })
          for (const [n, { time, channels }] of command.rows.entries()) {
            const [made] = await db<{ postId: string }[]>`
              select post_id as "postId" from destination d
              join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id
              where  d.workspace_id = ${workspaceId} and t.text = ${rows[n]!.text} limit 1`
            const places = channels.map((one) =>
              typeof time === 'number' ? paper.nth(channels[0]!, time) : paper.place(one, time),
            )
            for (const [place, one] of channels.entries())
              paper.planned.push({
                postId: made!.postId,
                channel: one,
                at: places[place]!,
                queued: typeof time !== 'number',
                status: 'scheduled',
              })
          }
          break
        }
        case 'plain': {
          const at = paper.nth(command.channel, command.slot)
          const answer = await create({
            publishAt: new Date(at).toISOString(),
            channelIds: [ids[command.channel]],
          })
          expect(answer.status).toBe(201)
          const { postId } = answer.body
          paper.planned.push({ postId, channel: command.channel, at, queued: false, status: 'scheduled' })
          break
        }
        case 'refused': {
          const { channel, queueRequest } = command
          const body = { publishAt: { queue: wished(queueRequest, channel) }, text: 'x'.repeat(999) }
          expect((await create({ ...body, channelIds: [ids[channel]] })).status).toBe(422)
          break
        }
        case 'cancel': {
          const postId = postOf(command.post)
          if (postId === null) break
          const { editToken } = await api.read(workspace, postId)
          expect((await api.command(workspace, postId, 'cancel', { editToken })).status).toBe(200)
          for (const one of partsOf(postId)) one.status = 'cancelled'
          break
        }
        case 'shift': {
          const postId = postOf(command.post)
          if (postId === null) break
          const { editToken } = await api.read(workspace, postId)
          const shift = `PT${command.minutes}M`
          const answer = await api.command(workspace, postId, 'reschedule', { editToken, shift })
          const to = partsOf(postId).map(({ at }) => at + command.minutes * 60_000)
          expect(answer.status).toBe(to.every((at) => at > paper.now) ? 200 : 422)
          if (answer.status !== 200) break
          for (const one of partsOf(postId))
            Object.assign(one, { at: one.at + command.minutes * 60_000, queued: false })
          break
        }
        case 'requeue': {
          const postId = postOf(command.post)
          if (postId === null) break
          const { editToken } = await api.read(workspace, postId)
          const body = { editToken, publishAt: { queue: command.queueRequest } }
          expect((await api.command(workspace, postId, 'reschedule', body)).status).toBe(200)
          const parts = partsOf(postId)
          const to = parts.map((one) => paper.place(one.channel, command.queueRequest, [one]))
          for (const [n, one] of parts.entries()) Object.assign(one, { at: to[n], queued: true })
          break
        }
        case 'times':
          await setTimes(command.channel, command.minutes, command.moves)
          break
        case 'zone':
          paper.zone = command.zone
          await setZone()
          break
        case 'clock':
          paper.now += command.hours * 3_600_000
          await setClock()
          break
        case 'end': {
          // What has begun is over: it was due.
          const due = paper.planned.filter(({ status, at }) => status === 'scheduled' && at <= paper.now)
          const one = due[command.post % Math.max(1, due.length)]
          if (one === undefined) break
          one.status = command.status
          await db`
            update destination set status = ${command.status},
                   published_at = case when ${command.status === 'published'} then publish_at end
            where  workspace_id = ${workspaceId} and post_id = ${one.postId} and channel_id = ${ids[one.channel]!}`
          break
        }
      }
      const stored = await db<
        { postId: string; channelId: string; at: Date; queued: boolean; status: string }[]
      >`
        select post_id as "postId", channel_id as "channelId", publish_at as at, queued, status from destination
        where  workspace_id = ${workspaceId}`
      const lines = (all: readonly Planned[]) =>
        all
          .map(
            ({ postId, channel, at, queued, status }) =>
              `${postId} ${channel} ${new Date(at).toISOString()} ${queued} ${status}`,
          )
          .toSorted()
      const inRows = stored.map((row) => ({
        ...row,
        channel: ids.indexOf(row.channelId),
        at: row.at.getTime(),
      }))
      expect({ command, lines: lines(inRows) }).toEqual({ command, lines: lines(paper.planned) })
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(commands, { minLength: 5, maxLength: 40 }), walk), {
    numRuns: RUNS,
    endOnFailure: true,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  })
  await db.end()
})
