import { type Series, noLimits, type CredentialLimits, permissionNames } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import {
  aChannel,
  aGroup,
  aPicture,
  aPost,
  aWorkspace,
  type AWorkspace,
  untilBlocked,
} from '../../../test/rigs/fixtures.ts'
import { storeOn } from '../../../test/rigs/publishing-store.ts'
import { removeChannel } from '../../networks/channels/channel-store.ts'
import { searchMedia } from '../posts/media-use-store.ts'
import { recordAct } from '../../people/audit/audit-store.ts'
import { providers } from '../../networks/providers/registry.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { agentKeys, holderBy } from '../../people/keys/authenticate.ts'
import { createKey } from '../../people/keys/key-store.ts'
import { stopKey } from '../../app/stop-credential.ts'
import { makeOccurrences, type OccurrenceParts } from './make-occurrences.ts'
import { seriesCaller } from './series-caller.ts'
import { pauseRestoredSeries } from './restored-series-store.ts'
import { findDueSeries } from './series-store.ts'
import { findTroubledSeries } from './troubled-series-store.ts'

/* Series over the API: what is made of them and when, what a change of one does to what is made, and what is refused. */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world
const DAY = 86_400_000

const callers = new Map<string, Caller | null>()
const parts: OccurrenceParts = {
  db,
  providers,
  recordAct,
  baseUrl: 'https://postrider.test',
  holderOf: async (_, { id }) => callers.get(id) ?? null,
  onFault: (fault) => {
    throw fault
  },
}

/** Makes what is due of a workspace's series, and of no other's. */
async function make({ workspaceId }: { workspaceId: string }) {
  await db`update series set look_at = null where workspace_id <> ${workspaceId}`
  return makeOccurrences(parts)
}

const HALF_AN_HOUR = 1_800_000
const IN_A_DAY = Date.now() + 25 * 3_600_000
/** Its first occurrence is in 25 hours, so that six of a daily one are within seven days; and not in the last half hour of its day. */
const FIRST = IN_A_DAY % DAY < DAY - HALF_AN_HOUR ? IN_A_DAY : IN_A_DAY - HALF_AN_HOUR
/** The day of the nth occurrence, from 1 on, by the clocks of UTC. */
const dayAhead = (nth: number) => new Date(FIRST + (nth - 1) * DAY).toISOString().slice(0, 10)
const AT = new Date(FIRST).toISOString().slice(11, 16)
const OTHER = new Date(FIRST + HALF_AN_HOUR).toISOString().slice(11, 16)
const timeOf = ({ publishAt }: { publishAt: Date | string }) =>
  new Date(publishAt).toISOString().slice(11, 16)

async function aPlace(provider = 'sandbox-short') {
  const workspace = await aWorkspace(db)
  const { workspaceId, caller } = workspace
  callers.set(caller.credential.id, caller)
  const channelId = await aChannel(db, workspaceId, { provider })
  const call = async (path: string, body?: object, as: AWorkspace = workspace) =>
    api.call(
      as,
      body === undefined ? 'GET' : 'POST',
      path,
      body === undefined ? undefined : { confirmed: true, ...body },
    )
  const create = (more: object = {}, as?: AWorkspace) =>
    call(
      '/series',
      {
        idempotencyKey: crypto.randomUUID(),
        rule: 'FREQ=DAILY;COUNT=10',
        channelIds: [channelId],
        text: 'A tip',
        startsAt: { local: `${dayAhead(1)}T${AT}`, timeZone: 'UTC' },
        ...more,
      },
      as,
    )
  const read = async (id: string): Promise<Series> => (await call(`/series/${id}`)).body
  const change = async (name: string, series: { seriesId: string }, body: object) => {
    const { editToken } = await read(series.seriesId)
    return call(`/series/${series.seriesId}/${name}`, { editToken, ...body })
  }
  const made = async (more?: object) => {
    const series = (await create(more)).body as Series
    await make(workspace)
    return read(series.seriesId)
  }
  const posts = () => db<{ publishAt: Date; text: string; status: string }[]>`
    select d.publish_at as "publishAt", p.text, d.status
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id and p.index = 0
    where  d.workspace_id = ${workspaceId}
    order  by d.publish_at, d.id`
  return { workspace, workspaceId, caller, channelId, call, create, read, change, made, posts }
}

const statusesOf = ({ occurrences }: Pick<Series, 'occurrences'>) => occurrences.map(({ status }) => status)
const scheduled = <Row extends { status: string }>(rows: readonly Row[]) =>
  rows.filter(({ status }) => status === 'scheduled')

describe('a series', () => {
  test('is made seven days ahead, each occurrence once, as a post of its own', async () => {
    const { workspace, made, posts } = await aPlace()
    const series = await made({
      labels: ['Tips'],
      contents: [{ text: 'One' }, { text: 'Two' }, { text: 'Three' }],
      text: undefined,
    })
    expect(statusesOf(series)).toEqual([...Array(6).fill('made'), ...Array(4).fill('planned')])
    expect((await posts()).map(({ text }) => text)).toEqual(['One', 'Two', 'Three', 'One', 'Two', 'Three'])
    expect((await posts()).map(({ publishAt }) => publishAt.toISOString())).toEqual(
      [1, 2, 3, 4, 5, 6].map((days) => `${dayAhead(days)}T${AT}:00.000Z`),
    )
    const [first] = series.occurrences
    expect(await api.read(workspace, first!.postId!)).toMatchObject({
      seriesId: series.seriesId,
      labels: ['Tips'],
    })
    expect(await make(workspace)).toBe(0)
    await db`update series set look_at = now()`
    expect(await make(workspace)).toBe(0)
  })

  test('keeps link tags out where it was created so', async () => {
    const { create, read } = await aPlace()
    const { seriesId } = (await create({ tagLinks: false })).body
    expect(await read(seriesId)).toMatchObject({ tagLinks: false })
  })

  test('has an audit entry for each post, of its maker', async () => {
    const { workspaceId, made } = await aPlace()
    const { occurrences } = await made({ rule: 'FREQ=DAILY;COUNT=2' })
    const entries = await db`
      select subject ->> 'postId' as "postId", actor_name as name from audit_entry
      where  workspace_id = ${workspaceId} and action = 'createPost' order by seq`
    expect(entries).toEqual(occurrences.map(({ postId }) => ({ postId, name: 'test key' })))
  })

  test('that two processes make at once is made once', async () => {
    const { workspace, create, posts } = await aPlace()
    await create({ rule: 'FREQ=DAILY;COUNT=5' })
    await db`update series set look_at = null where workspace_id <> ${workspace.workspaceId}`
    const made = await Promise.all([1, 2, 3, 4].map(() => makeOccurrences(parts)))
    expect(made.reduce((sum, each) => sum + each, 0)).toBe(5)
    expect(await posts()).toHaveLength(5)
  })

  test('ends when its last post is due', async () => {
    const { workspace, made, read } = await aPlace()
    const { seriesId, status } = await made({ rule: 'FREQ=DAILY;COUNT=1' })
    expect(status).toBe('active')
    await db`
      update series_occurrence set publish_at = publish_at - interval '2 days' where series_id = ${seriesId}`
    await db`update series set look_at = now() where id = ${seriesId}`
    await make(workspace)
    expect(await read(seriesId)).toMatchObject({ status: 'ended', reason: null, nextAt: null })
  })
})

const inFebruary = { startsAt: { local: '2027-02-01T09:00', timeZone: 'UTC' } }

describe('what is refused, with its place, and makes nothing', () => {
  test.each<[string, object, string, string]>([
    ['a rule that never ends', { rule: 'FREQ=DAILY' }, '/rule', 'rule_without_end'],
    ['two ends', { rule: 'FREQ=DAILY;COUNT=2;UNTIL=20300101' }, '/rule', 'not_allowed'],
    ['more than 1,000 occurrences', { rule: 'FREQ=DAILY;UNTIL=20400101' }, '/rule', 'out_of_range'],
    ['a rule without an occurrence', { rule: 'FREQ=DAILY;UNTIL=20200101' }, '/rule', 'no_occurrence'],
    [
      'a day that never is',
      { rule: 'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30;COUNT=2', ...inFebruary },
      '/rule',
      'no_occurrence',
    ],
    [
      'a rule that goes on for millennia',
      { rule: 'FREQ=MONTHLY;INTERVAL=999;COUNT=200' },
      '/rule',
      'out_of_range',
    ],
    [
      'a start at the end of time',
      { startsAt: { local: '9999-12-31T09:00', timeZone: 'UTC' } },
      '/rule',
      'out_of_range',
    ],
    ['an exception in a year that never was', { except: ['0000-01-01'] }, '/except/0', 'malformed'],
    ['an hourly rule', { rule: 'FREQ=HOURLY;COUNT=2' }, '/rule', 'malformed'],
    ['a part that is not taken', { rule: 'FREQ=DAILY;COUNT=2;BYHOUR=9' }, '/rule', 'not_allowed'],
    ['no frequency', { rule: 'COUNT=2' }, '/rule', 'required'],
    ['the first Monday of a week', { rule: 'FREQ=WEEKLY;BYDAY=1MO;COUNT=2' }, '/rule', 'not_allowed'],
    [
      'a zone that is none',
      { startsAt: { local: '2027-01-04T09:00', timeZone: 'Mars/Base' } },
      '/startsAt/timeZone',
      'unknown_time_zone',
    ],
    [
      'a start that is none',
      { startsAt: { local: '2027-02-30T09:00', timeZone: 'UTC' } },
      '/startsAt/local',
      'malformed',
    ],
    ['an exception that is none', { except: ['2027-02-30'] }, '/except/0', 'malformed'],
    ['an exception where nothing is', { except: ['2020-01-01'] }, '/except/0', 'no_occurrence'],
    ['contents beside text', { contents: [{ text: 'x' }] }, '/text', 'not_allowed'],
    ['nothing to post', { text: undefined }, '/text', 'required'],
  ])('%s', async (_, more, pointer, code) => {
    const { workspace, create } = await aPlace()
    const answer = await changingNothing(workspace, () => create(more))
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ pointer, code }] },
    })
  })

  test.each([
    [
      'Europe/Berlin',
      '2027-03-26T02:30',
      'missing',
      ['2027-03-28T00:30:00.000Z', '2027-03-28T01:30:00.000Z'],
    ],
    [
      'Europe/Berlin',
      '2027-10-29T02:30',
      'ambiguous',
      ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'],
    ],
    [
      'Australia/Lord_Howe',
      '2027-10-01T02:15',
      'missing',
      ['2027-10-02T15:15:00.000Z', '2027-10-02T15:45:00.000Z'],
    ],
  ])(
    'a time that clocks in %s remove or double, unless its day is left out',
    async (timeZone, local, kind, candidates) => {
      const { workspace, create } = await aPlace()
      const startsAt = { startsAt: { local, timeZone }, rule: 'FREQ=DAILY;COUNT=5' }
      const answer = await changingNothing(workspace, () => create(startsAt))
      const pointer = '/startsAt/local'
      expect(answer).toMatchObject({
        status: 400,
        body: { errors: [{ pointer, code: `${kind}_local_time`, candidates }] },
      })
      const day =
        kind === 'missing' ? (timeZone === 'Europe/Berlin' ? '2027-03-28' : '2027-10-03') : '2027-10-31'
      expect(answer.body.detail).toContain(`On ${day}, ${local.slice(11)}`)
      expect((await create({ ...startsAt, except: [day] })).status).toBe(201)
    },
  )

  test('a series that is over', async () => {
    const { workspace, create } = await aPlace()
    const startsAt = { local: '2020-01-01T09:00', timeZone: 'UTC' }
    expect(await changingNothing(workspace, () => create({ startsAt }))).toMatchObject({
      status: 422,
      body: { code: 'publish_time_in_past' },
    })
  })

  test('a content that a channel does not take, with the place of its turn', async () => {
    const { workspace, create } = await aPlace()
    const contents = [{ text: 'fits' }, { text: 'x'.repeat(281) }]
    const answer = await changingNothing(workspace, () => create({ text: undefined, contents }))
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'post_not_publishable',
        issues: [{ code: 'text_too_long', pointer: '/contents/1/text' }],
      },
    })
  })
})

test('reading from a day in a year that never was is refused', async () => {
  const { create, call } = await aPlace()
  const { seriesId } = (await create()).body
  for (const from of ['0000-01-01', '2027-02-30'])
    expect(await call(`/series/${seriesId}?from=${from}`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '?from', code: 'malformed' }] },
    })
  expect((await call(`/series/${seriesId}?from=0001-01-01`)).body.occurrences).toHaveLength(10)
})

test('reading from a later day says what the next occurrence is, without those that are skipped', async () => {
  const { create, call, change } = await aPlace()
  const series = (await create()).body
  await change('skip', series, { date: dayAhead(1) })
  const later = (await call(`/series/${series.seriesId}?from=${dayAhead(4)}`)).body
  expect(later.nextAt).toBe(`${dayAhead(2)}T${AT}:00.000Z`)
  expect(later.occurrences.map(({ date }: { date: string }) => date)).toEqual(
    [4, 5, 6, 7, 8, 9, 10].map(dayAhead),
  )
})

test('of a long series a hundred occurrences are shown, those of its past left out', async () => {
  const { create, call } = await aPlace()
  const startsAt = { local: `${dayAhead(-300)}T${AT}`, timeZone: 'UTC' }
  const series = (await create({ rule: 'FREQ=DAILY;COUNT=1000', startsAt })).body
  const all = (await call(`/series/${series.seriesId}?from=${dayAhead(-300)}`)).body
  for (const { occurrences } of [series, all]) {
    expect(occurrences).toHaveLength(100)
    expect(occurrences[0].date <= dayAhead(1) && occurrences[0].date >= dayAhead(0)).toBe(true)
  }
  expect(all.nextAt).toBe(series.nextAt)
})

test('a list says of each what reading it says, and only the beginning of its text', async () => {
  const { channelId, create, change, call, read } = await aPlace()
  const text = '🙂'.repeat(140)
  const ids = [
    (await create({ text })).body,
    (await create({ text: undefined, contents: [{ text: 'One' }, { text }] })).body,
    (await create({ text: undefined, channelIds: undefined, targets: [{ channelId, text: 'Own' }] })).body,
  ]
  await change('edit', ids[0], { from: dayAhead(8), text: 'Later' })
  await change('edit', ids[1], {
    only: dayAhead(1),
    publishAt: `${dayAhead(2)}T${OTHER}:00Z`,
    text: 'For once',
  })
  await change('skip', ids[2], { date: dayAhead(1) })
  const { items } = (await call('/series')).body
  const { seriesId } = ids[0]
  expect(items.map(({ text }: { text: string }) => text)).toEqual(['Own', 'One', 'Later'])
  for (const item of items) {
    expect(item.channelIds).toEqual([channelId])
    const { editToken, latestChange, nextAt, rule, startsAt } = await read(item.seriesId)
    expect(item).toMatchObject({ editToken, latestChange, nextAt, rule, startsAt })
  }
  await change('edit', { seriesId }, { from: dayAhead(9), text })
  expect((await call('/series')).body.items.at(-1).text).toBe(text)
})

describe('a network that refuses equal texts', () => {
  test('is told about before, for what is said more than once', async () => {
    const { create } = await aPlace('x')
    const dry = await create({ dryRun: true })
    expect(dry).toMatchObject({
      status: 200,
      body: { issues: [{ code: 'text_repeated', severity: 'warning', pointer: '/text' }] },
    })
    const turning = { text: undefined, rule: 'FREQ=DAILY;COUNT=3', contents: [{ text: 'a' }, { text: 'b' }] }
    expect((await create(turning)).body.issues).toMatchObject([{ pointer: '/contents/0/text' }])
    expect((await create({ ...turning, rule: 'FREQ=DAILY;COUNT=2' })).body.issues).toEqual([])
  })

  test('is told about before, for what another post says within a day of an occurrence', async () => {
    const { workspace, workspaceId, channelId, create, change } = await aPlace('x')
    const other = (hoursAfterSecond: number) =>
      aPost(db, workspaceId, {
        states: ['scheduled'],
        texts: ['b'],
        channelIds: [channelId],
        publishAt: new Date(FIRST + DAY + hoursAfterSecond * 3_600_000),
      })
    const plan = { text: undefined, rule: 'FREQ=DAILY;COUNT=2', contents: [{ text: 'a' }, { text: 'b' }] }
    await other(25)
    expect((await create({ ...plan, dryRun: true })).body.issues).toEqual([])
    const series = (await create(plan)).body
    await make(workspace)
    // Its own posts are no repetition of it.
    expect((await change('edit', series, plan)).body.issues).toEqual([])
    await make(workspace)
    await other(23)
    const repeated = {
      code: 'text_repeated',
      severity: 'warning',
      channelId,
      message: expect.stringContaining(new Date(FIRST + DAY + 23 * 3_600_000).toISOString()),
    }
    expect((await change('edit', series, plan)).body.issues).toMatchObject([
      { ...repeated, pointer: '/contents/1/text' },
    ])
    expect((await create({ ...plan, dryRun: true })).body.issues).toMatchObject([
      { ...repeated, pointer: '/contents/1/text' },
    ])
    const own = { only: dayAhead(2), text: 'b' }
    expect((await change('edit', (await create(plan)).body, own)).body.issues).toMatchObject([
      { ...repeated, pointer: '/text' },
    ])
    // From the day on that it changes.
    const later = { from: dayAhead(2), text: 'a' }
    expect((await change('edit', (await create(plan)).body, later)).body.issues).toEqual([])
  })

  test('others are not', async () => {
    const { workspaceId, channelId, create } = await aPlace()
    await aPost(db, workspaceId, {
      states: ['scheduled'],
      texts: ['A tip'],
      channelIds: [channelId],
      publishAt: new Date(FIRST),
    })
    expect((await create()).body.issues).toEqual([])
  })
})

describe('an edit', () => {
  test('of all makes again what was made and not changed since', async () => {
    const { workspace, made, change, posts } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=3' })
    const [, second] = series.occurrences
    const post = await api.read(workspace, second!.postId!)
    await api.command(workspace, post.postId, 'edit', {
      editToken: post.editToken,
      content: { text: 'By hand' },
    })
    const edited = await change('edit', series, { text: 'Better' })
    expect(edited).toMatchObject({
      status: 200,
      body: {
        effects: [
          { date: dayAhead(1), effect: 'cancelled' },
          { date: dayAhead(2), effect: 'kept', postId: post.postId },
          { date: dayAhead(3), effect: 'cancelled' },
        ],
      },
    })
    await make(workspace)
    expect(scheduled(await posts()).map(({ text }) => text)).toEqual(['Better', 'By hand', 'Better'])
  })

  test('of this and later ones leaves those before as they are', async () => {
    const { workspace, made, change, posts, read } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=4' })
    await change('edit', series, {
      from: dayAhead(3),
      text: 'Later',
      startsAt: { local: `${dayAhead(1)}T${OTHER}`, timeZone: 'UTC' },
    })
    await make(workspace)
    expect(scheduled(await posts()).map(({ text, publishAt }) => [text, timeOf({ publishAt })])).toEqual([
      ['A tip', AT],
      ['A tip', AT],
      ['Later', OTHER],
      ['Later', OTHER],
    ])
    expect((await read(series.seriesId)).occurrences.map(({ publishAt }) => timeOf({ publishAt }))).toEqual([
      AT,
      AT,
      OTHER,
      OTHER,
    ])
  })

  test('of one changes its text and its time, and stays when all are edited', async () => {
    const { workspace, create, change, posts } = await aPlace()
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=3' })).body
    const one = await change('edit', series, {
      only: dayAhead(2),
      text: 'For once',
      publishAt: `${dayAhead(2)}T${OTHER}:00Z`,
    })
    expect(one.body.occurrences[1]).toMatchObject({
      changed: true,
      text: 'For once',
      publishAt: `${dayAhead(2)}T${OTHER}:00.000Z`,
    })
    await change('edit', series, { text: 'All' })
    await make(workspace)
    expect((await posts()).map(({ text, publishAt }) => [text, timeOf({ publishAt })])).toEqual([
      ['All', AT],
      ['For once', OTHER],
      ['All', AT],
    ])
  })

  test('of one is read with its whole content, and others without', async () => {
    const { workspace, channelId, call, made, change, read } = await aPlace()
    const other = await aChannel(db, workspace.workspaceId, { provider: 'sandbox-professional' })
    const text = 'A tip of many words. '.repeat(20)
    const series = await made({
      channelIds: undefined,
      text: undefined,
      targets: [
        { channelId: other, text: `${text}And its end.` },
        { channelId, text: 'A tip' },
      ],
    })
    const own = [
      { channelId: other, text: `${text}And another end.` },
      { channelId, text: 'Another tip' },
    ]
    const only = series.occurrences[8]!.date
    await change('edit', series, { only, targets: own })
    const [occurrence, ...none] = (await call(`/series/${series.seriesId}?only=${only}`)).body.occurrences
    expect(none).toEqual([])
    expect(occurrence).toMatchObject({ date: only, changed: true, content: { targets: own } })
    expect(occurrence.text).toHaveLength(280)
    const madeOne = series.occurrences[0]!.date
    const read1 = (await call(`/series/${series.seriesId}?only=${madeOne}`)).body.occurrences
    expect(read1).toEqual([expect.not.objectContaining({ content: expect.anything() })])
    expect((await read(series.seriesId)).occurrences.every((one) => !('content' in one))).toBe(true)
    expect(await call(`/series/${series.seriesId}?only=2027-02-30`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '?only' }] },
    })
  })

  test('names days that it leaves out already, also where another rule does not have them', async () => {
    const { create, change } = await aPlace()
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=20', except: [dayAhead(2), dayAhead(3)] })).body
    const except = [dayAhead(2), dayAhead(3), dayAhead(5)]
    const changed = await change('edit', series, { rule: 'FREQ=DAILY;INTERVAL=2;COUNT=10', except })
    expect(changed.body.except).toEqual([dayAhead(3), dayAhead(5)])
    expect(await change('edit', series, { except: [dayAhead(4)] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/except/0', code: 'no_occurrence' }] },
    })
  })

  test('of all warns of one whose own content no longer fits', async () => {
    const { workspaceId, create, change } = await aPlace()
    const professional = await aChannel(db, workspaceId, { provider: 'sandbox-professional' })
    const series = (await create({ channelIds: [professional], rule: 'FREQ=DAILY;COUNT=20' })).body
    const channelId = await aChannel(db, workspaceId, { provider: 'sandbox-short' })
    await change('edit', series, { only: dayAhead(9), text: 'x'.repeat(300) })
    await change('edit', series, { only: dayAhead(10), text: 'short' })
    await change('edit', series, { only: dayAhead(11), text: 'y'.repeat(300) })
    await change('skip', series, { date: dayAhead(11) })
    const unfit = (nth: number) => ({
      code: 'occurrence_unfit',
      severity: 'warning',
      message: expect.stringContaining(`The occurrence on ${dayAhead(nth)} has content of its own`),
    })
    const edited = await change('edit', series, { channelIds: [channelId] })
    expect(edited.body.issues).toMatchObject([unfit(9)])
    const targets = [{ channelId, text: 'Own' }]
    const other = await change('edit', series, { from: dayAhead(10), targets })
    expect(other.body.issues).toMatchObject([unfit(10)])
    const none = await change('edit', series, { from: dayAhead(12), text: 'Later', channelIds: [channelId] })
    expect(none.body.issues).toEqual([])
  })

  test('of one keeps the file that it carries from being deleted, until it no longer does', async () => {
    const { workspace, workspaceId, create, change } = await aPlace()
    const mediaId = await aPicture(db, workspaceId)
    const series = (await create()).body
    await change('edit', series, { only: dayAhead(9), mediaIds: [mediaId] })
    await change('edit', series, { text: 'All' })
    const unused = () => searchMedia(db, { workspaceId, words: '', kind: null, used: false, before: null }, 9)
    expect(await unused()).toEqual([])
    const remove = () => api.call(workspace, 'DELETE', `/media/${mediaId}`)
    expect(await changingNothing(workspace, remove)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    })
    await change('edit', series, { only: dayAhead(9), mediaIds: [] })
    expect(await unused()).toHaveLength(1)
    expect((await remove()).status).toBe(200)
  })

  test('of one that is a post already says which', async () => {
    const { workspace, made, change } = await aPlace()
    const series = await made()
    const answer = await changingNothing(workspace, () =>
      change('edit', series, { only: dayAhead(1), text: 'No' }),
    )
    expect(answer).toMatchObject({ status: 409, body: { code: 'invalid_state', currentStatus: 'made' } })
    expect(answer.body.detail).toContain(series.occurrences[0]!.postId)
  })

  test('never makes a second post on a day that has one', async () => {
    const { workspace, made, change, posts } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=2' })
    await db`
      update destination set status = 'published', published_at = now(), due_at = null
      where  post_id = ${series.occurrences[0]!.postId}`
    await change('edit', series, { startsAt: { local: `${dayAhead(1)}T${OTHER}`, timeZone: 'UTC' } })
    await make(workspace)
    expect((await posts()).map(({ status, publishAt }) => [status, timeOf({ publishAt })])).toEqual([
      ['published', AT],
      ['cancelled', AT],
      ['scheduled', OTHER],
    ])
  })

  test('of later days keeps what it is before them, however often it is changed', async () => {
    const { workspace, create, change, read } = await aPlace()
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=60' })).body
    for (let nth = 1; nth < 20; nth++)
      expect((await change('edit', series, { from: dayAhead(nth * 2), text: `From ${nth}` })).status).toBe(
        200,
      )
    const more = () => change('edit', series, { from: dayAhead(50), text: 'One more' })
    expect(await changingNothing(workspace, more)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/from', code: 'too_many' }] },
    })
    const { occurrences } = await read(series.seriesId)
    expect(occurrences).toHaveLength(60)
    expect(occurrences[0]!.text).toBe('A tip')
    // Those whose days are over are let go.
    await db`update series set definitions = (
      select jsonb_agg(d || jsonb_build_object('from', (d ->> 'from')::date - 10)) from jsonb_array_elements(definitions) d)
      where  id = ${series.seriesId}`
    expect((await more()).status).toBe(200)
  })

  test('with another token, or of a day that it has not, is refused', async () => {
    const { workspace, create, call, change } = await aPlace()
    const series = (await create()).body
    const stale = () => call(`/series/${series.seriesId}/edit`, { editToken: 'other', text: 'No' })
    expect(await changingNothing(workspace, stale)).toMatchObject({
      status: 409,
      body: { code: 'stale_edit_token', changed: [] },
    })
    for (const body of [
      { only: '2020-01-01', text: 'No' },
      { from: '2020-01-01', text: 'No' },
      { only: dayAhead(1), rule: 'FREQ=DAILY;COUNT=1' },
    ])
      expect((await changingNothing(workspace, () => change('edit', series, body))).status).toBe(400)
  })
})

test('of changes that come at once with one token, one is made', async () => {
  const { made, call, posts } = await aPlace()
  const { seriesId, editToken, occurrences } = await made({ rule: 'FREQ=DAILY;COUNT=2' })
  const { date } = occurrences[1]!
  const changes = [
    ['edit', { text: 'Another tip' }],
    ['status', { status: 'paused' }],
    ['skip', { date }],
  ] as const
  const holder = await db.reserve()
  await holder`begin`
  await holder`select from series where id = ${seriesId} for update`
  const answers = changes.map(([name, body]) => call(`/series/${seriesId}/${name}`, { editToken, ...body }))
  await untilBlocked(db, changes.length)
  await holder`commit`
  holder.release()
  const codes: string[] = (await Promise.all(answers)).map(({ status, body }) =>
    status === 200 ? '' : body.code,
  )
  expect(codes.toSorted()).toEqual(['', 'stale_edit_token', 'stale_edit_token'])
  expect(await posts()).not.toEqual([])
})

describe('skipping', () => {
  test('cancels the post, and taking it up again makes another', async () => {
    const { workspace, made, change, posts, read } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=2' })
    expect(await change('skip', series, { date: dayAhead(1) })).toMatchObject({
      status: 200,
      body: {
        effects: [{ date: dayAhead(1), effect: 'cancelled' }],
        occurrences: [{ status: 'skipped' }, { status: 'made' }],
      },
    })
    await make(workspace)
    expect(scheduled(await posts())).toHaveLength(1)
    await change('skip', series, { date: dayAhead(1), skip: false })
    await make(workspace)
    expect(statusesOf(await read(series.seriesId))).toEqual(['made', 'made'])
    expect(scheduled(await posts())).toHaveLength(2)
  })

  test('is refused for what has begun to be published', async () => {
    const { workspace, made, change } = await aPlace()
    const series = await made()
    await db`update destination set due_at = now() - interval '1 minute', publish_at = now() - interval '1 minute' where post_id = ${series.occurrences[0]!.postId}`
    await storeOn(db).claim(1_000)
    const answer = await changingNothing(workspace, () => change('skip', series, { date: dayAhead(1) }))
    expect(answer).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  })
})

describe('a post that is out on one channel, and planned on another', () => {
  async function halfOut() {
    const place = await aPlace()
    const { channelId, workspaceId, made } = place
    const other = await aChannel(db, workspaceId)
    const series = await made({ rule: 'FREQ=DAILY;COUNT=2', channelIds: [channelId, other] })
    const { postId, date } = series.occurrences[0]!
    await db`
      update destination set status = 'published', fence = 1, published_at = now(), due_at = null
      where  post_id = ${postId} and channel_id = ${channelId}`
    return { ...place, series, date, postId: postId! }
  }

  test('is not skipped', async () => {
    const { workspace, change, series, date } = await halfOut()
    const answer = await changingNothing(workspace, () => change('skip', series, { date }))
    expect(answer).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  })

  test('is cancelled in part by a pause, which says so, and is not made again', async () => {
    const { workspace, change, series, date, postId, posts } = await halfOut()
    const paused = await change('status', series, { status: 'paused' })
    expect(paused.body.effects[0]).toEqual({
      date,
      postId,
      effect: 'cancelled',
      reason: expect.stringMatching(/^On its other channels/),
    })
    await change('status', series, { status: 'active' })
    await make(workspace)
    expect((await posts()).map(({ status }) => status).toSorted()).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'published',
      'scheduled',
      'scheduled',
    ])
  })
})

describe('a pause', () => {
  test('cancels what is planned, and resuming makes again what is still to come', async () => {
    const { workspace, made, change, posts, read } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=3' })
    expect(await change('status', series, { status: 'paused' })).toMatchObject({
      body: { status: 'paused', reason: 'Paused by test key.', nextAt: null },
    })
    expect(scheduled(await posts())).toEqual([])
    await make(workspace)
    expect(scheduled(await posts())).toEqual([])
    await change('status', series, { status: 'active' })
    await make(workspace)
    expect(scheduled(await posts())).toHaveLength(3)
    expect(await read(series.seriesId)).toMatchObject({ status: 'active', reason: null })
  })

  test('has what was due meanwhile missed, and said so', async () => {
    const { workspace, create, change, posts } = await aPlace()
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=4' })).body
    await change('status', series, { status: 'paused' })
    await shiftSeries(series.seriesId, 3)
    const resumed = await change('status', series, { status: 'active' })
    expect(
      resumed.body.occurrences.map(({ status, reason }: { status: string; reason: string }) => [
        status,
        reason,
      ]),
    ).toEqual([
      ['missed', 'Paused by test key.'],
      ['missed', 'Paused by test key.'],
      ['planned', null],
      ['planned', null],
    ])
    await make(workspace)
    expect(await posts()).toHaveLength(2)
  })

  test('that ends it is final', async () => {
    const { made, change, posts } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=3' })
    await change('status', series, { status: 'ended' })
    expect(scheduled(await posts())).toEqual([])
    for (const [name, body] of [
      ['status', { status: 'active' }],
      ['edit', { text: 'No' }],
    ] as const)
      expect(await change(name, series, body)).toMatchObject({
        status: 409,
        body: { code: 'invalid_state', currentStatus: 'ended' },
      })
  })
})

/** Has a series and what is made of it be so many days older. */
async function shiftSeries(seriesId: string, days: number) {
  const [row] = await db<
    { definitions: { startsAt: { local: string } }[] }[]
  >`select definitions from series where id = ${seriesId}`
  const earlier = (text: string) => {
    const length = text.length
    return new Date(
      Date.parse(`${text.slice(0, 10)}${length > 10 ? text.slice(10, 16) : 'T00:00'}Z`) - days * DAY,
    )
      .toISOString()
      .slice(0, Math.min(length, 16))
  }
  const definitions = row!.definitions.map((one: any) => ({
    ...one,
    from: earlier(one.from),
    madeFrom: new Date(Date.parse(one.madeFrom) - days * DAY).toISOString(),
    startsAt: { ...one.startsAt, local: earlier(one.startsAt.local) },
  }))
  await db`update series set definitions = ${db.json(definitions)} where id = ${seriesId}`
}

describe('what cannot be made', () => {
  test('on one of its channels waits for it until a day before, and is then made for the others, which it says', async () => {
    const { workspace, workspaceId, channelId, create, read } = await aPlace()
    const disabled = await aChannel(db, workspaceId, { displayName: 'Closed' })
    const removed = await aChannel(db, workspaceId, { displayName: 'Gone' })
    const oldGroup = await aGroup(db, workspaceId, [channelId])
    const group = await aGroup(db, workspaceId, [disabled, channelId])
    // The first is 23 hours ahead, the second 47.
    const startsAt = {
      local: new Date(Date.now() + 23 * 3_600_000).toISOString().slice(0, 19),
      timeZone: 'UTC',
    }
    const options = { rule: 'FREQ=DAILY;COUNT=2', startsAt }
    const targets = [disabled, channelId].map((id) => ({ channelId: id, text: 'Own' }))
    const some = (await create({ ...options, channelIds: [group, removed, oldGroup] })).body
    const own = (await create({ ...options, channelIds: undefined, text: undefined, targets })).body
    const all = (await create({ ...options, channelIds: [disabled] })).body
    await db`update channel set enabled = false where id = ${disabled}`
    await db.begin((tx) => removeChannel(tx, { workspaceId, channelId: removed }))
    await db`delete from channel_group where id = ${oldGroup}`
    expect(await make(workspace)).toBe(2)

    const [first, second] = (await read(some.seriesId)).occurrences
    const noGroup = 'Created without a channel group: empty or removed.'
    expect(first).toMatchObject({ status: 'made', channels: [{ channelId }] })
    expect(first!.reason).toBe(`Created without Closed, Gone: disabled or removed. ${noGroup}`)
    expect(second).toMatchObject({ status: 'waiting', reason: expect.stringContaining('disabled') })
    const [one] = (await read(own.seriesId)).occurrences
    expect(one).toMatchObject({
      status: 'made',
      reason: 'Created without Closed: disabled or removed.',
      channels: [{ channelId }],
    })
    expect(statusesOf(await read(all.seriesId))).toEqual(['waiting', 'waiting'])

    await db`update channel set enabled = true where id = ${disabled}`
    await db`update series set look_at = now() where workspace_id = ${workspaceId}`
    expect(await make(workspace)).toBe(3)
    const { occurrences } = await read(own.seriesId)
    expect(occurrences).toMatchObject([{ channels: [{ channelId }] }, { status: 'made', reason: null }])
    expect(occurrences[1]!.channels.map((one) => one.channelId)).toEqual([disabled, channelId])
    expect(statusesOf(await read(some.seriesId))).toEqual(['made', 'waiting'])
  })

  test('waits with the reason, is made once that is over, late if need be, and missed past its deadline', async () => {
    const { workspace, channelId, create, read, posts } = await aPlace()
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=3' })).body
    await db`update channel set enabled = false where id = ${channelId}`
    await make(workspace)
    expect((await read(series.seriesId)).occurrences[0]).toMatchObject({
      status: 'waiting',
      reason: expect.stringContaining('disabled'),
    })
    expect(await posts()).toEqual([])
    // The first is 25 hours late, the second 1 hour, and so still within the time that is allowed.
    const first = new Date(Date.now() - 25 * 3_600_000).toISOString().slice(0, 16)
    const days = (Date.parse(dayAhead(1)) - Date.parse(first.slice(0, 10))) / DAY
    await shiftSeries(series.seriesId, days)
    await db`update series_occurrence set date = date - ${days}::int where series_id = ${series.seriesId}`
    await db`update series set definitions = jsonb_set(definitions, '{0,startsAt,local}', ${db.json(first)}) where id = ${series.seriesId}`
    await db`update channel set enabled = true where id = ${channelId}`
    await db`update series set look_at = now() where id = ${series.seriesId}`
    await make(workspace)
    const { occurrences } = await read(series.seriesId)
    expect(occurrences.map(({ status }) => status)).toEqual(['missed', 'made', 'made'])
    expect(occurrences[0]!.reason).toContain('disabled')
    const [late] = await posts()
    expect(late!.publishAt.getTime()).toBeGreaterThan(Date.now() - 60_000)
  })
})

describe('the maker', () => {
  test('who is gone has it paused, and nothing made; who resumes it posts in their name', async () => {
    const { workspace, caller, create, read, posts } = await aPlace()
    const series = (await create()).body
    callers.set(caller.credential.id, null)
    await make(workspace)
    expect(await read(series.seriesId)).toMatchObject({
      status: 'paused',
      reason: expect.stringContaining('“test key”'),
    })
    expect(await posts()).toEqual([])
    const other = {
      ...workspace,
      caller: { ...caller, credential: { ...caller.credential, id: crypto.randomUUID(), name: 'other key' } },
    }
    callers.set(other.caller.credential.id, other.caller)
    const { editToken } = await read(series.seriesId)
    await api.call(other, 'POST', `/series/${series.seriesId}/status`, {
      confirmed: true,
      editToken,
      status: 'active',
    })
    await make(workspace)
    expect(await read(series.seriesId)).toMatchObject({ status: 'active', postsBy: { name: 'other key' } })
    expect(
      await db`select distinct created_by_name as name from post where workspace_id = ${workspace.workspaceId}`,
    ).toEqual([{ name: 'other key' }])
  })

  test('who edits it takes it over, with the approval that their posts need', async () => {
    const { workspace, caller, made, read } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=1' })
    const approval = { all: true, withinMinutes: null, firstPosts: null }
    const held = {
      ...workspace,
      caller: {
        ...caller,
        credential: { ...caller.credential, id: crypto.randomUUID(), name: 'held key', approval },
      },
    }
    callers.set(held.caller.credential.id, held.caller)
    await api.call(held, 'POST', `/series/${series.seriesId}/edit`, {
      confirmed: true,
      editToken: series.editToken,
      text: 'By an agent',
    })
    await make(workspace)
    const [occurrence] = (await read(series.seriesId)).occurrences
    expect(await api.read(workspace, occurrence!.postId!)).toMatchObject({
      reviewStatus: 'pending',
      destinations: [{ status: 'draft' }],
    })
  })

  test('who is limited creates and changes no series beyond the limits, and sees none', async () => {
    const { workspace, workspaceId, caller, create, call, channelId } = await aPlace()
    const limited = (limits: Partial<CredentialLimits>): AWorkspace => ({
      ...workspace,
      caller: {
        ...caller,
        credential: { ...caller.credential, id: crypto.randomUUID(), limits: { ...noLimits, ...limits } },
      },
    })
    const other = await aChannel(db, workspaceId)
    const group = await aGroup(db, workspaceId, [channelId, other])
    const series = (await create({ channelIds: [group], labels: ['Spring'] })).body
    for (const limits of [
      { draftsOnly: true },
      { channelIds: [channelId] },
      { label: 'Autumn' },
      { publishWithinHours: 48 },
    ])
      expect(
        await changingNothing(workspace, () => create({ channelIds: [group] }, limited(limits))),
      ).toMatchObject({ status: 403, body: { code: 'credential_limit' } })
    const sees = async (limits: Partial<CredentialLimits>) => [
      (await call(`/series/${series.seriesId}`, undefined, limited(limits))).status,
      (await call('/series', undefined, limited(limits))).body.items.length,
    ]
    expect(await sees({ channelIds: [channelId] })).toEqual([200, 1])
    expect(await sees({ channelIds: [crypto.randomUUID()] })).toEqual([404, 0])
    expect(await sees({ label: 'spring' })).toEqual([200, 1])
    expect(await sees({ label: 'Autumn' })).toEqual([404, 0])
    const pause = (limits: Partial<CredentialLimits>) =>
      call(
        `/series/${series.seriesId}/status`,
        { editToken: series.editToken, status: 'paused' },
        limited(limits),
      )
    expect((await pause({ channelIds: [channelId] })).status).toBe(403)
    expect((await pause({ draftsOnly: true })).status).toBe(403)
    expect((await pause({ channelIds: [channelId, other] })).status).toBe(200)
  })

  test('who is limited changes no series that has other channels or labels ahead, or posts of others', async () => {
    const { workspace, workspaceId, caller, create, change, call, channelId, read } = await aPlace()
    const other = await aChannel(db, workspaceId)
    const pause = async (series: Series, limits: Partial<CredentialLimits>) => {
      const credential = { ...caller.credential, limits: { ...noLimits, ...limits } }
      const { editToken } = await read(series.seriesId)
      const body = { editToken, status: 'paused' }
      return call(`/series/${series.seriesId}/status`, body, {
        ...workspace,
        caller: { ...caller, credential },
      })
    }
    const refused = { status: 403, body: { code: 'credential_limit' } }
    const own = { channelIds: [channelId] }

    const before = (await create({ channelIds: [other] })).body
    await change('edit', before, { from: dayAhead(3), channelIds: [channelId] })
    expect(await changingNothing(workspace, () => pause(before, own))).toMatchObject(refused)

    const once = (await create({ labels: ['Spring'] })).body
    await change('edit', once, { only: dayAhead(9), channelIds: [other] })
    expect(await changingNothing(workspace, () => pause(once, own))).toMatchObject(refused)
    await change('skip', once, { date: dayAhead(9) })
    await change('edit', once, { from: dayAhead(1), labels: ['Autumn'] })
    await make(workspace)
    expect((await pause(once, { label: 'Spring' })).status).toBe(404)
    const { postId } = (await read(once.seriesId)).occurrences[0]!
    await db`update post set labels = '{Winter}' where id = ${postId}`
    expect(await changingNothing(workspace, () => pause(once, { label: 'Autumn' }))).toMatchObject(refused)
    await db`update destination set status = 'cancelled', due_at = null where post_id = ${postId}`
    expect((await pause(once, { label: 'Autumn' })).status).toBe(200)
  })

  test('needs the permission to write', async () => {
    const { workspace, caller, create, read } = await aPlace()
    const series = (await create()).body
    const permissions = permissionNames.filter((name) => name !== 'posts:write')
    callers.set(caller.credential.id, { ...caller, credential: { ...caller.credential, permissions } })
    await make(workspace)
    expect((await read(series.seriesId)).status).toBe('paused')
  })
})

describe('an occurrence waits', () => {
  async function twoDue(status: string) {
    const place = await aPlace()
    const series = await place.made({ rule: 'FREQ=DAILY;COUNT=3' })
    const [first, second] = series.occurrences
    // The first ended so yesterday, the second is due.
    await db`
      update destination set status = ${status}, fence = 1, publish_at = now() - interval '1 day', due_at = null
      where  post_id = ${first!.postId}`
    await db`
      update destination set publish_at = now() - interval '1 minute', due_at = now() - interval '1 minute'
      where  post_id = ${second!.postId}`
    const claimed = async () =>
      (await storeOn(db).claim(1_000))
        .filter(({ workspaceId }) => workspaceId === place.workspaceId)
        .map(({ postId }) => postId)
    return { ...place, series, first: first!.postId!, second: second!.postId!, claimed }
  }

  test.each(['checking', 'reconnect_required'])(
    'while the one before it on the channel is %s, and says so',
    async (status) => {
      const { workspace, series, first, second, claimed, read } = await twoDue(status)
      expect(await claimed()).toEqual([])
      const reason = expect.stringMatching(/^Waits until/)
      expect((await api.read(workspace, second)).destinations).toMatchObject([
        { status: 'scheduled', waitReason: reason },
      ])
      expect((await read(series.seriesId)).occurrences[1]!.channels).toMatchObject([
        { status: 'scheduled', waitReason: reason },
      ])
      await db`update destination set status = 'failed' where post_id = ${first}`
      expect(await claimed()).toEqual([second])
    },
  )

  test.each(['cancelled', 'expired'])('until that is %s', async (status) => {
    const { first, second, claimed } = await twoDue('reconnect_required')
    expect(await claimed()).toEqual([])
    expect(await claimed()).toEqual([])
    await db`update destination set status = ${status} where post_id = ${first}`
    expect(await claimed()).toEqual([second])
  })

  test('and holds up no other post of the channel', async () => {
    const { workspace, channelId, second, claimed } = await twoDue('checking')
    const other = await api.call(workspace, 'POST', '/posts', {
      confirmed: true,
      idempotencyKey: 'other',
      state: 'scheduled',
      channelIds: [channelId],
      text: 'Other',
      publishAt: new Date(Date.now() + 60_000).toISOString(),
    })
    await db`update destination set due_at = now() where post_id = ${other.body.postId}`
    expect(await claimed()).toEqual([other.body.postId])
    expect(await storeOn(db).claim(1_000)).toEqual([])
    expect((await api.read(workspace, second)).destinations[0]!.status).toBe('scheduled')
  })

  test('until its deadline', async () => {
    const { workspace, second } = await twoDue('checking')
    await db`update destination set expires_at = now() where post_id = ${second}`
    await storeOn(db).expire(1_000)
    expect((await api.read(workspace, second)).destinations).toMatchObject([
      { status: 'expired', error: { code: 'allowed_time_over' } },
    ])
  })

  test('not for posts of other series, or of other channels', async () => {
    const { workspace, workspaceId, first, create, read, claimed } = await twoDue('checking')
    await db`update destination set publish_at = now() - interval '3 days' where post_id = ${first}`
    const elsewhere = await aChannel(db, workspaceId)
    for (const more of [{}, { channelIds: [elsewhere] }]) {
      const { seriesId } = (await create({ rule: 'FREQ=DAILY;COUNT=1', ...more })).body
      await make(workspace)
      const [only] = (await read(seriesId)).occurrences
      await db`update destination set due_at = now() where post_id = ${only!.postId}`
      expect(await claimed()).toEqual([only!.postId])
      await db`update destination set status = 'failed', lease_until = null where post_id = ${only!.postId}`
    }
  })
})

describe('the limits of a key', () => {
  test('count the posts of its series one by one', async () => {
    const { workspace, create, read, posts } = await aPlace()
    const { caller } = workspace
    const limits: CredentialLimits = { ...noLimits, postsPerDay: 2 }
    const limited = { ...workspace, caller: { ...caller, credential: { ...caller.credential, limits } } }
    callers.set(caller.credential.id, limited.caller)
    const { seriesId } = (await create({ rule: 'FREQ=DAILY;COUNT=5' }, limited)).body
    expect(await make(workspace)).toBe(2)
    expect(await posts()).toHaveLength(2)
    expect(statusesOf(await read(seriesId))).toEqual(['made', 'made', 'waiting', 'waiting', 'waiting'])
  })
})

test('a series that has ended goes on with an occurrence that was missed and gets a time to come', async () => {
  const { workspace, create, read, change, posts } = await aPlace()
  const series = (await create({ rule: 'FREQ=DAILY;COUNT=2' })).body
  await shiftSeries(series.seriesId, 5)
  await db`update series set look_at = now() where id = ${series.seriesId}`
  expect(await make(workspace)).toBe(0)
  const ended = await read(series.seriesId)
  expect(ended).toMatchObject({ status: 'ended', reason: null })
  const publishAt = `${dayAhead(3)}T${AT}:00.000Z`
  const only = new Date(FIRST - 4 * DAY).toISOString().slice(0, 10)
  expect((await change('edit', series, { only, publishAt })).body).toMatchObject({ status: 'active' })
  expect(await make(workspace)).toBe(1)
  expect((await posts()).map((post) => post.publishAt.toISOString())).toEqual([publishAt])
})

describe('a first comment', () => {
  test('of a series is taken from it, or from one occurrence, and an own time is given back', async () => {
    const { workspace, create, read, change } = await aPlace()
    const far = { startsAt: { local: `${dayAhead(20)}T${AT}`, timeZone: 'UTC' }, rule: 'FREQ=DAILY;COUNT=3' }
    const { seriesId } = (await create({ ...far, firstComment: { text: 'More below' } })).body
    const series = { seriesId }
    const one = { only: dayAhead(20), firstComment: null, publishAt: `${dayAhead(20)}T00:01:00Z` }
    expect((await change('edit', series, one)).status).toBe(200)
    const stored = () => db`select date::text, change from series_occurrence where series_id = ${seriesId}`
    expect(await stored()).toMatchObject([{ change: { content: { firstComment: null } } }])
    await change('edit', series, { only: dayAhead(20), publishAt: null })
    expect((await read(seriesId)).occurrences[0]).toMatchObject({
      publishAt: `${dayAhead(20)}T${AT}:00.000Z`,
    })
    await db`update series set look_at = null where workspace_id <> ${workspace.workspaceId}`
    expect((await change('edit', series, { firstComment: null })).status).toBe(200)
    const after = await read(seriesId)
    expect(after).toMatchObject({ text: 'A tip' })
    expect(after).not.toHaveProperty('firstComment')
  })
})

describe('an occurrence whose draft was not approved', () => {
  test('can be skipped, which cancels the draft', async () => {
    const { workspaceId, made, change, posts } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=2' })
    await db`
      update destination set status = 'draft'
      where  workspace_id = ${workspaceId} and post_id = ${series.occurrences[0]!.postId}`
    expect((await change('skip', series, { date: dayAhead(1) })).body).toMatchObject({
      occurrences: [{ status: 'skipped' }, { status: 'made' }],
      effects: [{ effect: 'cancelled' }],
    })
    expect((await posts())[0]).toMatchObject({ status: 'cancelled' })
  })
})

describe('a restored backup', () => {
  test('makes no occurrence until a person resumes the series, and none that was due since', async () => {
    const { workspace, workspaceId, made, change, posts, read } = await aPlace()
    const series = await made({ rule: 'FREQ=DAILY;COUNT=5' })
    await db.begin((tx) => pauseRestoredSeries(tx))
    const reason = expect.stringMatching(/^Restored from a backup/)
    expect(await read(series.seriesId)).toMatchObject({ status: 'paused', reason })
    // What the old server made and published since the backup is not known here.
    await db`delete from series_occurrence where series_id = ${series.seriesId}`
    await shiftSeries(series.seriesId, 3)
    expect(await make(workspace)).toBe(0)
    await db`delete from part where workspace_id = ${workspaceId}`
    await db`delete from destination where workspace_id = ${workspaceId}`
    const resumed = await change('status', series, { status: 'active' })
    expect(statusesOf(resumed.body)).toEqual(['missed', 'missed', 'planned', 'planned', 'planned'])
    expect(resumed.body.occurrences[0]).toMatchObject({ reason })
    await make(workspace)
    expect(await posts()).toHaveLength(3)
  })
})

describe('a key that is stopped', () => {
  test('leaves nothing of its series to be published, and none is made any more', async () => {
    const { workspaceId, workspace, create, read, posts } = await aPlace()
    const { memberId } = workspace
    const options = { memberId, name: 'robot', permissions: permissionNames, expiresAt: null }
    const { keyId } = await createKey(db, workspaceId, options)
    const holder = seriesCaller(holderBy([agentKeys]))
    const caller = await holder(db, { type: 'agent_key', id: keyId, name: 'robot' }, workspaceId)
    const robot = { ...workspace, caller: caller! }
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=9' }, robot)).body
    await db`update series set look_at = null where workspace_id <> ${workspaceId}`
    expect(await makeOccurrences({ ...parts, holderOf: holder })).toBe(6)
    await db.begin((tx) => stopKey(tx, workspaceId, keyId, { type: 'person', name: 'Ada' }))
    expect(scheduled(await posts())).toEqual([])
    await db`update series set look_at = now() where id = ${series.seriesId}`
    expect(await makeOccurrences({ ...parts, holderOf: holder })).toBe(0)
    expect(await read(series.seriesId)).toMatchObject({
      status: 'paused',
      reason: expect.stringContaining('“robot”'),
    })
    expect(scheduled(await posts())).toEqual([])
  })

  test('has its days made again once a person resumes the series, but for those that were cancelled before', async () => {
    const { workspace, workspaceId, create, read, posts, change } = await aPlace()
    const options = {
      memberId: workspace.memberId,
      name: 'robot',
      permissions: permissionNames,
      expiresAt: null,
    }
    const { keyId } = await createKey(db, workspaceId, options)
    const holder = seriesCaller(holderBy([agentKeys]))
    const caller = await holder(db, { type: 'agent_key', id: keyId, name: 'robot' }, workspaceId)
    callers.set(caller!.credential.id, caller)
    const series = (await create({ rule: 'FREQ=DAILY;COUNT=5' }, { ...workspace, caller: caller! })).body
    await make(workspace)
    const [first] = (await read(series.seriesId)).occurrences
    const { destinations } = await api.read(workspace, first!.postId!)
    const { channelId, controlToken } = destinations[0]!
    const cancel = { confirmed: true, channelId, controlToken }
    expect((await api.call(workspace, 'POST', `/posts/${first!.postId}/cancel`, cancel)).status).toBe(200)
    await db.begin((tx) => stopKey(tx, workspaceId, keyId, { type: 'person', name: 'Ada' }))
    callers.set(caller!.credential.id, null)
    expect(await make(workspace)).toBe(0)
    expect(await read(series.seriesId)).toMatchObject({ status: 'paused' })
    expect((await change('status', series, { status: 'active' })).status).toBe(200)
    expect(await make(workspace)).toBe(4)
    expect((await posts()).map(({ status }) => status).toSorted()).toEqual([
      ...Array(5).fill('cancelled'),
      ...Array(4).fill('scheduled'),
    ])
  })

  test('a person who made a series posts for as long as they may', async () => {
    const { workspaceId, memberId } = (await aPlace()).workspace
    const holder = seriesCaller(holderBy([agentKeys]))
    const maker = { type: 'person', id: memberId, name: 'Ada' } as const
    expect((await holder(db, maker, workspaceId))?.credential.permissions).toContain('posts:write')
    await db`update member set role = 'viewer' where workspace_id = ${workspaceId} and id = ${memberId}`
    expect((await holder(db, maker, workspaceId))?.credential.permissions).not.toContain('posts:write')
    await db`update member set removed_at = now() where workspace_id = ${workspaceId} and id = ${memberId}`
    expect(await holder(db, maker, workspaceId)).toBeNull()
  })
})

test('a workspace with many series that are due delays no other', async () => {
  const [busy, quiet] = [await aPlace(), await aPlace()]
  for (let n = 0; n < 3; n++) await busy.create()
  const { body: only } = await quiet.create()
  const workspaceIds = [busy, quiet].map(({ workspace }) => workspace.workspaceId)
  await db`update series set look_at = case when workspace_id = any(${workspaceIds}::uuid[]) then now() - interval '1 hour' end`
  await db`update series set look_at = now() where id = ${only.seriesId}`
  const due = await findDueSeries(db, 2)
  expect(due.map(({ workspaceId }) => workspaceId)).toEqual(workspaceIds)
  expect(await findDueSeries(db, 20)).toHaveLength(4)
})

test('a series that ends or pauses by itself has one entry in the audit log, in the name of the service', async () => {
  const { workspace, create } = await aPlace()
  const { workspaceId } = workspace
  const { body: paused } = await create()
  await db`update series set maker_id = gen_random_uuid() where id = ${paused.seriesId}`
  await make(workspace)
  const { body: ended } = await create({ rule: 'FREQ=DAILY;COUNT=1' })
  await make(workspace)
  await db`update series_occurrence set publish_at = now() - interval '1 day' where series_id = ${ended.seriesId}`
  await db`update series set look_at = now() where id = ${ended.seriesId}`
  await make(workspace)
  const acts = await db`
    select subject ->> 'seriesId' as "seriesId", actor_type as by, before, after from audit_entry
    where  workspace_id = ${workspaceId} and action = 'setSeriesStatus' order by seq`
  expect(acts).toMatchObject([
    { seriesId: paused.seriesId, by: 'service', before: { status: 'active' }, after: { status: 'paused' } },
    { seriesId: ended.seriesId, by: 'service', before: { status: 'active' }, after: { status: 'ended' } },
  ])
})

test('a series whose posts are refused, or that the service has paused, needs a person', async () => {
  const { workspace, channelId, create, read, change } = await aPlace()
  const [refused, paused, byHand, fine] = [await create(), await create(), await create(), await create()]
  const { workspaceId } = workspace
  expect(await findTroubledSeries(db, workspaceId)).toEqual([])
  await change('status', byHand.body, { status: 'paused' })
  await db`
    update series set maker_id = gen_random_uuid() where workspace_id = ${workspaceId} and id = ${paused.body.seriesId}`
  await db`update channel set enabled = false where workspace_id = ${workspaceId} and id = ${channelId}`
  await db`update series set look_at = null where id in (${byHand.body.seriesId}, ${fine.body.seriesId})`
  await make(workspace)
  const { reason } = await read(paused.body.seriesId)
  const [first] = (await read(refused.body.seriesId)).occurrences
  expect(reason).not.toBeNull()
  expect(first?.reason).not.toBeNull()
  expect(await findTroubledSeries(db, workspaceId)).toEqual([
    {
      seriesId: refused.body.seriesId,
      text: 'A tip',
      problem: 'waiting',
      reason: first?.reason,
      nextAt: new Date(first?.publishAt ?? ''),
    },
    { seriesId: paused.body.seriesId, text: 'A tip', problem: 'paused', reason, nextAt: null },
  ])
  expect(await findTroubledSeries(db, (await aWorkspace(db)).workspaceId)).toEqual([])
})
