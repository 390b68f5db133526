import { noLimits } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { openEdge } from '../../../test/rigs/edge.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import {
  aChannel,
  announced,
  aPicture,
  type AWorkspace,
  aWorkspace,
  openTransaction,
  untilBlocked,
  wiredRoutes,
} from '../../../test/rigs/fixtures.ts'
import type { GivenPosts } from '../../../test/rigs/posts-process.ts'
import { killAtEachRoundTrip } from '../../../test/rigs/round-trip-kills.ts'
import { slotsBetween } from '../../networks/channels/posting-times.ts'
import { latestTime } from '../posts/create/plan-issues.ts'
import { holdImport } from './import-store.ts'

/* A file becomes posts: all of them once, or none. */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

async function aScene() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  await db`update channel set handle = 'ada' where id = ${channelId}`
  await db`update workspace set time_zone = 'Europe/Berlin' where id = ${workspaceId}`
  const body = (file: string, more: object = {}) => ({
    confirmed: true,
    format: 'csv',
    name: 'autumn',
    channelIds: [channelId],
    file,
    ...more,
  })
  const send = (file: string, more: object = {}, as: AWorkspace = workspace) =>
    api.call(as, 'POST', '/posts/import', body(file, more), null)
  const made = async () =>
    (await db`
      select p.reference, t.text, to_char(d.publish_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as at, p.labels
      from   post p
      join   destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
      join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id
      where  p.workspace_id = ${workspaceId}
      order  by p.reference, d.channel_id, t.index`) as unknown as {
      reference: string
      text: string
      at: string | null
      labels: string[]
    }[]
  return { workspace, workspaceId, channelId, body, send, made }
}
type Scene = Awaited<ReturnType<typeof aScene>>

const faultsOf = ({ body }: { body: any }): string[] =>
  body.errors.map((one: any) => `${one.line}:${one.column} ${one.detail}`)

const LINES = [
  'id,text,publishAt,labels,thread',
  'one,"Hello, world",2027-01-10T09:00,"Spring sale, news",',
  'two,"Two',
  'lines and ""quotes""",2027-07-10 9:00,,"First',
  '---',
  'second"',
  'three,A draft,,,',
]
const expected = [
  { reference: 'autumn/one', text: 'Hello, world', at: '2027-01-10T08:00', labels: ['Spring sale', 'news'] },
  { reference: 'autumn/three', text: 'A draft', at: null, labels: [] },
  { reference: 'autumn/two', text: 'Two\nlines and "quotes"', at: '2027-07-10T07:00', labels: [] },
  { reference: 'autumn/two', text: 'First', at: '2027-07-10T07:00', labels: [] },
  { reference: 'autumn/two', text: 'second', at: '2027-07-10T07:00', labels: [] },
]
/** The same with another delimiter, which no text of it has. */
const withDelimiter = (delimiter: string) => LINES.map((line) => line.replaceAll(/,(?! )/g, delimiter))

test.each<[string, string]>([
  ['RFC 4180', LINES.join('\r\n')],
  ['lines that end as on Unix, and an empty last one', `${LINES.join('\n')}\n\n`],
  [
    'semicolons and a byte order mark, as Excel writes it',
    `\ufeff${withDelimiter(';').join('\r\n')}\r\n;;;;\r\n`,
  ],
  ['a first line that names the delimiter', `sep=;\r\n${withDelimiter(';').join('\r\n')}`],
  ['tabs', withDelimiter('\t').join('\n')],
  [
    'columns in another order, otherwise written, and with ones that are read over',
    LINES.join('\n').replace('id,text,publishAt', 'ID,Text,Publish at').replace('thread', 'Thread'),
  ],
])('CSV with %s becomes posts', async (_, file) => {
  const scene = await aScene()
  const { status, body } = await scene.send(file)
  expect({ status, body }).toMatchObject({ status: 200, body: { created: 3 } })
  expect(body.posts.map(({ id, line, created }: any) => [id, line, created])).toEqual([
    ['one', 2 + (file.startsWith('sep=') ? 1 : 0), true],
    ['two', 3 + (file.startsWith('sep=') ? 1 : 0), true],
    ['three', 7 + (file.startsWith('sep=') ? 1 : 0), true],
  ])
  expect(await scene.made()).toEqual(expected)
})

test('a plan that has an id twice is refused with the line of the second', async () => {
  const { workspace, body } = await aScene()
  const file =
    'plan: twice\nposts:\n  - { id: a, text: One }\n  - { id: a, text: Two }\n  - { id: b, text: Three }\n'
  for (const dryRun of [true, false]) {
    const plan = { ...body(file, { format: 'plan', dryRun }), name: undefined }
    const answer = await changingNothing(workspace, () =>
      api.call(workspace, 'POST', '/posts/import', plan, null),
    )
    expect(answer).toMatchObject({ status: 422, body: { code: 'import_refused' } })
    expect(faultsOf(answer)).toEqual([expect.stringMatching(/^4:\d+ The ID a is also used at /)])
  }
})

test('a date as a German spreadsheet writes it is that day; one whose month could be its day is refused', async () => {
  const { send, made } = await aScene()
  expect((await send('id;text;publishAt\na;A;10.01.2027 9:00\n')).status).toBe(200)
  expect(await made()).toMatchObject([{ at: '2027-01-10T08:00' }])
  expect(faultsOf(await send('id;text;publishAt\nb;B;01/10/2027 9:00\n'))).toEqual([
    expect.stringMatching(
      /^2:3 Column `publishAt`: 01\/10\/2027 9:00 is not a time. Write it as 2027-01-10T09:00/,
    ),
  ])
})

test('one bad row of many: nothing is made, and its line, its column and what would fit are named', async () => {
  const { send, workspace } = await aScene()
  const rows = Array.from({ length: 200 }, (_, n) => `r${n},"Row\n${n}",2027-01-10T09:00`)
  rows[120] = `r120,${'x'.repeat(600)},2027-01-10T09:00`
  const answer = await changingNothing(workspace, () => send(['id,text,publishAt', ...rows].join('\n')))
  expect(answer).toMatchObject({ status: 422, body: { code: 'import_refused' } })
  expect(faultsOf(answer)).toEqual([
    expect.stringMatching(/^242:2 Column `text`: The post has 600 characters/),
  ])
})

test('each row keeps to the contract of a create', async () => {
  const { send, workspace, channelId } = await aScene()
  const many = Array.from({ length: 21 }, (_, n) => `l${n}`).join(', ')
  const rows = [`a,A,${'x'.repeat(51)}`, `b,B,"${many}"`, `c,${'y'.repeat(100_001)},`]
  const answer = await changingNothing(workspace, () => send(['id,text,labels', ...rows].join('\n')))
  expect(answer).toMatchObject({ status: 422, body: { code: 'import_refused' } })
  expect(faultsOf(answer)).toEqual([
    expect.stringMatching(/^2:3 .*at most 50 characters/),
    expect.stringMatching(/^3:3 .*at most 20 items/),
    expect.stringMatching(/^4:2 .*at most 100000 characters/),
  ])
  const plan = { plan: 'p', posts: [{ id: 'a', channels: [channelId], text: 'A', labels: ['Sp\nring'] }] }
  const inPlan = await changingNothing(workspace, () =>
    send(JSON.stringify(plan), { format: 'plan', name: undefined, channelIds: undefined }),
  )
  expect(faultsOf(inPlan)).toEqual([expect.stringContaining('holds a line break (U+000A)')])
})

test('a label that is no line is refused with its row', async () => {
  const { send, workspace } = await aScene()
  const answer = await changingNothing(workspace, () =>
    send('id,text,labels\na,A,Spring\nb,B,"Sp\u202ering"\n'),
  )
  expect(answer).toMatchObject({ status: 422, body: { code: 'import_refused' } })
  expect(faultsOf(answer)).toEqual([
    expect.stringMatching(/^3:3 .*changes the direction of writing \(U\+202E\)/),
  ])
})

test('all faults of all rows are told at once, in the order of the file', async () => {
  const { send, workspace, channelId } = await aScene()
  const file = [
    'id,text,channels,publishAt,postId',
    'a,A,nowhere,2027-01-10T09:00,',
    `b,${'y'.repeat(600)},,2027-03-28T02:30,`,
    `c,${'z'.repeat(600)},,2020-01-01T09:00,`,
    `d,D,,,${uuidv7()}`,
    'not an id,E,,,',
  ].join('\n')
  const faults = faultsOf(await changingNothing(workspace, () => send(file)))
  expect(faults).toEqual([
    expect.stringMatching(/^6:1 Column `id`: "not an id" does not fit: it is letters, digits/),
  ])
  const rest = faultsOf(await changingNothing(workspace, () => send(file.replace('not an id', 'e'))))
  expect(rest).toEqual([
    expect.stringMatching(
      /^2:3 Column `channels`: There is no channel nowhere\. There are sandbox-short:ada/,
    ),
    expect.stringMatching(
      /^3:4 Column `publishAt`: 2027-03-28T02:30 does not exist.*Write 2027-03-28T00:30:00.000Z or/,
    ),
    expect.stringMatching(/^4:2 Column `text`: The post has 600 characters/),
    expect.stringMatching(/^4:4 Column `publishAt`: .*is not in the future/),
    expect.stringMatching(/^5:5 Column `postId`: This workspace has no post/),
  ])
  expect(channelId).toBeTruthy()
})

test.each<[string, string, RegExp]>([
  ['nothing', ' ', /^1:1 There is no column `text`/],
  ['a column that is not known', 'id,texts\na,b', /^1:2 There is no column `texts`. Did you mean `text`\?/],
  ['a column twice', 'text,id,text\na,b,c', /^1:3 The column text appears twice/],
  ['a row with other cells', 'id,text\na,b\nc,d,e\n', /^3:3 This row has 3 cells, and the first line 2/],
  [
    'a quote that is not closed',
    'id,text\na,"x\ny\nb,z',
    /^2:2 A quote opens in this row and is never closed/,
  ],
  ['a quote in the middle', 'id,text\na,say "x"\n', /^2:2 This cell has a quote in the middle/],
  ['the same row twice', 'text\nA\nB\nA\n', /^4:1 Column `text`: This row is the same as line 2/],
])('CSV with %s is refused, with the place', async (_, file, fault) => {
  const { send, workspace } = await aScene()
  expect(faultsOf(await changingNothing(workspace, () => send(file)))).toEqual([expect.stringMatching(fault)])
})

test('rows of one id are one post, each with what its channels get', async () => {
  const { send, workspaceId, made } = await aScene()
  const other = await aChannel(db, workspaceId, { provider: 'sandbox-professional' })
  await db`update channel set handle = 'bob' where id = ${other}`
  const file = [
    'id,channels,text,publishAt',
    'a,ada,Short,2027-01-10T09:00',
    'a,bob,Longer,2027-01-10T10:00',
    'b,ada,Same,2027-01-11T09:00',
    'b,bob,Same,2027-01-11T09:00',
  ].join('\n')
  const { body } = await send(file)
  expect(body.posts.map(({ destinations }: any) => destinations.length)).toEqual([2, 2])
  expect((await made()).map(({ reference, text, at }) => [reference, text, at])).toEqual(
    expect.arrayContaining([
      ['autumn/a', 'Short', '2027-01-10T08:00'],
      ['autumn/a', 'Longer', '2027-01-10T09:00'],
      ['autumn/b', 'Same', '2027-01-11T08:00'],
    ]),
  )
  const [post] =
    await db`select content from post where workspace_id = ${workspaceId} and reference = 'autumn/b'`
  expect(post!.content).toEqual({ text: 'Same' })
  // The fault of a later row is told at that row.
  const bad = faultsOf(
    await send(file.replace('Longer', 'x'.repeat(9_000)).replaceAll(/\n(a|b),/g, '\nn$1,')),
  )
  expect(bad).toEqual([expect.stringMatching(/^3:3 Column `text`: The post has/)])
})

test('a file that is sent again makes nothing twice, with more rows only these, and without ids the rows are known by what they say', async () => {
  const { send, made } = await aScene()
  const rows = ['Hello,2027-01-10T09:00', 'Bye,2027-01-11T09:00']
  const file = (of: readonly string[]) => ['text,publishAt', ...of].join('\n')
  const first = await send(file(rows))
  const again = await send(file(['New,2027-01-09T09:00', ...rows]))
  expect(again.body.created).toBe(1)
  expect(again.body.posts.map(({ created, postId }: any) => [created, postId])).toEqual([
    [true, expect.any(String)],
    ...first.body.posts.map(({ postId }: any) => [false, postId]),
  ])
  expect((await send(file(rows))).body.created).toBe(0)
  expect(await made()).toHaveLength(3)
  // Another name is another import.
  expect((await send(file(rows), { name: 'winter' })).body.created).toBe(2)
})

test('a dry run says what would be made, and makes nothing', async () => {
  const { send, workspace } = await aScene()
  const answer = await changingNothing(workspace, () => send(LINES.join('\n'), { dryRun: true }))
  expect(answer).toMatchObject({ status: 200, body: { created: 3 } })
  expect(answer.body.posts[0]).toMatchObject({
    id: 'one',
    line: 2,
    reference: 'autumn/one',
    created: true,
    postId: null,
    text: 'Hello, world',
    destinations: [{ status: 'scheduled', publishAt: '2027-01-10T08:00:00.000Z' }],
  })
  expect((await send(LINES.join('\n'))).body.posts[0].postId).not.toBeNull()
})

test('a plan is imported as it stands, and is found by the command line afterwards', async () => {
  const { send, made } = await aScene()
  const plan =
    'plan: launch\nposts:\n  - { id: teaser, publishAt: 2027-01-10T09:00, text: Soon. }\n  - { id: it, text: Here., labels: [Launch] }\n'
  const whole = { format: 'plan', name: undefined }
  expect((await send(plan, whole)).body).toMatchObject({ created: 2 })
  expect(await made()).toEqual([
    { reference: 'launch/it', text: 'Here.', at: null, labels: ['Launch'] },
    { reference: 'launch/teaser', text: 'Soon.', at: '2027-01-10T08:00', labels: [] },
  ])
  expect(
    (await send(JSON.stringify({ plan: 'launch', posts: [{ id: 'it', text: 'Here.' }] }), whole)).body
      .created,
  ).toBe(0)
  expect(faultsOf(await send('plan: launch\npost: []', whole))).toEqual([
    expect.stringMatching(/^2:\d+ `post` is unknown here/),
  ])
  expect(await send(plan, { format: 'plan' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/name' }] },
  })
})

test('files that stand in it are named to be uploaded, and are taken by their ids then', async () => {
  const { send, workspace, workspaceId } = await aScene()
  const file =
    'id,text,media,alt\na,A,pictures/rider.jpg|https://example.com/x.png,A rider|\nb,B,pictures/rider.jpg,A rider\n'
  const refused = await changingNothing(workspace, () => send(file))
  expect(refused.body).toMatchObject({
    code: 'import_refused',
    errors: [
      {
        pointer: '/media/pictures~1rider.jpg',
        code: 'media_missing',
        line: 2,
        column: 3,
        altText: 'A rider',
      },
      { pointer: '/media/https:~1~1example.com~1x.png', code: 'media_missing' },
    ],
  })
  const [one, two] = [await aPicture(db, workspaceId), await aPicture(db, workspaceId)]
  const media = { 'pictures/rider.jpg': one, 'https://example.com/x.png': two }
  expect((await send(file, { media })).body.created).toBe(2)
  const parts = await db`select media_ids from part where workspace_id = ${workspaceId} order by text`
  expect(parts.map((part) => part.mediaIds ?? part.media_ids)).toEqual([[one, two], [one]])
})

test('rows take posting times of the queue one after the other, and a cell that would be a formula is read without its apostrophe', async () => {
  const { send, made, channelId } = await aScene()
  await db`update channel set posting_times = array[540, 1980] where id = ${channelId}`
  expect((await send("id,text,publishAt\na,'=1+1,next\nb,'@ada hello,next\n")).status).toBe(200)
  const [a, b] = await made()
  expect([a!.text, b!.text]).toEqual(['=1+1', '@ada hello'])
  expect(a!.at! < b!.at!).toBe(true)
})

const limited = ({ caller, ...workspace }: AWorkspace, limits: object): AWorkspace => ({
  ...workspace,
  caller: { ...caller, credential: { ...caller.credential, limits: { ...noLimits, ...limits } } },
})

test('limits of a key count all rows of a file', async () => {
  const { send, workspace } = await aScene()
  const refused = await changingNothing(workspace, () =>
    send('text\nA\nB\nC\n', {}, limited(workspace, { postsPerDay: 2 })),
  )
  expect(faultsOf(refused)).toEqual([expect.stringMatching(/^4:1 Column `text`: .*limited to 2 posts a day/)])
  expect((await send('text\nA\nB\n', {}, limited(workspace, { postsPerDay: 2 }))).body.created).toBe(2)
  const drafts = await changingNothing(workspace, () =>
    send('text,publishAt\nD,2027-01-10T09:00\n', {}, limited(workspace, { draftsOnly: true })),
  )
  expect(faultsOf(drafts)).toEqual([expect.stringMatching(/can only check posts and create drafts/)])
})

test('while another request imports under the name, it is refused, and makes what is left afterwards', async () => {
  const { send, workspaceId } = await aScene()
  const other = await openTransaction(db)
  await holdImport(other.tx, workspaceId, 'autumn')
  expect(await send('id,text\na,A\n')).toMatchObject({
    status: 409,
    body: { code: 'idempotency_in_progress' },
  })
  expect((await send('id,text\na,A\n', { name: 'winter' })).status).toBe(200)
  await other.rollback()
  expect((await send('id,text\na,A\n')).body.created).toBe(1)
})

test('a reference that another request takes meanwhile is taken once', async () => {
  const { send, workspaceId, made } = await aScene()
  await send('id,text\nz,Z\n')
  const other = await openTransaction(db)
  await other.tx`update post set reference = 'autumn/a' where workspace_id = ${workspaceId}`
  const first = send('id,text\nb,B\na,A\n')
  await untilBlocked(db)
  await other.commit()
  expect(await first).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } })
  expect((await send('id,text\nb,B\na,A\n')).body.created).toBe(1)
  expect((await made()).map(({ reference, text }) => [reference, text])).toEqual([
    ['autumn/a', 'Z'],
    ['autumn/b', 'B'],
  ])
})

test('a post for the same channel, and sooner, is created beside an import under way', async () => {
  const { workspace, channelId, send, workspaceId } = await aScene()
  await send('id,text\nz,Z\n')
  // Keeps the import at its last row.
  const other = await openTransaction(db)
  await other.tx`update post set reference = 'autumn/b' where workspace_id = ${workspaceId}`
  const importing = send('id,text,publishAt\na,A,2027-01-10T09:00\nb,B,2027-01-10T10:00\n')
  await untilBlocked(db)
  const post = { confirmed: true, channelIds: [channelId], text: 'C', publishAt: '2027-01-09T09:00:00Z' }
  expect(await api.call(workspace, 'POST', '/posts', { ...post, state: 'scheduled' })).toMatchObject({
    status: 201,
  })
  await other.rollback()
  expect((await importing).body.created).toBe(2)
  const [queued] = await db<
    { at: Date }[]
  >`select look_at as at from channel_queue where channel_id = ${channelId}`
  expect(queued).toEqual({ at: new Date('2027-01-09T09:00:00Z') })
})

describe('beside an import under way', () => {
  type Slots = { readonly slots: readonly string[] }
  const DAILY = Array.from({ length: 7 }, (_, day) => day * 1_440 + 540)
  /** A scene with posting times, and an import of it that waits before its last row, which has the id `last`, until it is let go. */
  async function begun(
    rows: readonly string[] | ((of: Slots) => readonly string[]),
    limits: object | ((of: Slots) => object) = {},
  ) {
    const scene = await aScene()
    const { workspaceId, channelId } = scene
    await db`update channel set posting_times = ${DAILY} where id = ${channelId}`
    const slots = slotsBetween(DAILY, 'Europe/Berlin', { after: new Date(), before: latestTime(new Date()) })
      .take(8)
      .map((at) => at.toISOString())
      .toArray()
    await scene.send('id,text\nz,Z\n')
    const workspace = limited(scene.workspace, typeof limits === 'function' ? limits({ slots }) : limits)
    const lines = typeof rows === 'function' ? rows({ slots }) : rows
    const other = await openTransaction(db)
    await other.tx`update post set reference = 'autumn/last' where workspace_id = ${workspaceId}`
    const importing = scene.send(['id,text,publishAt', ...lines].join('\n'), {}, workspace)
    await untilBlocked(db)
    /** A create that is answered while the import waits. */
    const create = async (publishAt: unknown) => {
      const post = { confirmed: true, channelIds: [channelId], text: uuidv7(), publishAt, state: 'scheduled' }
      let isAnswered = false
      const answered = api.call(workspace, 'POST', '/posts', post).finally(() => (isAnswered = true))
      const waits = await untilBlocked(db, 2, () => isAnswered)
      if (waits) await other.rollback()
      expect({ waits }).toEqual({ waits: false })
      return answered
    }
    const goOn = async () => {
      await other.rollback()
      return importing
    }
    const held = async () =>
      (await db<{ text: string; at: Date; queued: boolean; allowed: number }[]>`
        select t.text, d.publish_at as at, d.queued, extract(epoch from d.expires_at - d.due_at)::int as allowed
        from   destination d
        join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id
        where  d.workspace_id = ${workspaceId} and d.publish_at is not null
        order  by d.publish_at`) as readonly { text: string; at: Date; queued: boolean; allowed: number }[]
    return { ...scene, slots, create, goOn, held }
  }

  test('a create takes a posting time, and the rows that were planned with it take the next ones, in their order', async () => {
    const { slots, create, goOn, held, workspaceId, channelId } = await begun(({ slots }) => [
      'a,A,next',
      'b,B,first',
      `c,C,${slots[3]}`,
      'd,D,next',
      'last,E,next',
    ])
    const created = await create({ queue: 'next' })
    expect(created.body).toMatchObject({ destinations: [{ publishAt: slots[0], queued: true }] })
    const { status, body } = await goOn()
    expect({ status, created: body.created }).toEqual({ status: 200, created: 5 })
    // One of them is a time of the file.
    const expected = [1, 2, 3, 4, 5].map((n) => slots[n])
    expect(body.posts.map(({ destinations }: any) => destinations[0].publishAt)).toEqual(expected)
    const rows = await held()
    const [own, ...imported] = rows.filter(({ queued }) => queued)
    expect(own!.at.toISOString()).toBe(slots[0])
    expect(imported.map(({ text, at }) => [text, at.toISOString()])).toEqual(
      Object.entries({ A: 1, B: 2, D: 4, E: 5 }).map(([text, n]) => [text, slots[n]]),
    )
    // What follows from the time is as it would be for a post that was given it at once.
    expect([...new Set(rows.map(({ allowed }) => allowed))]).toHaveLength(1)
    const events = await announced(db, workspaceId)
    const announcedTimes = new Set(events.map(({ data }: any) => data.destination.publishAt))
    expect(announcedTimes).toEqual(new Set(rows.map(({ at }) => at.toISOString())))
    const [queued] = await db<
      { at: Date }[]
    >`select look_at as at from channel_queue where channel_id = ${channelId}`
    expect(queued!.at.toISOString() <= rows[0]!.at.toISOString()).toBe(true)
  })

  test('what no longer fits the limits of its credential is refused with its line, and nothing is imported', async () => {
    const hours = (slots: readonly string[]) => Math.floor((Date.parse(slots[2]!) - Date.now()) / 3_600_000)
    const { create, goOn, held } = await begun(['a,A,next', 'last,B,next'], ({ slots }) => ({
      publishWithinHours: hours(slots),
    }))
    expect((await create({ queue: 'next' })).status).toBe(201)
    const { status, body } = await goOn()
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'import_refused' })
    expect(faultsOf({ body })).toEqual([expect.stringMatching(/^3:2 .*can schedule at most \d+ hours ahead/)])
    expect(await held()).toHaveLength(1)
  })

  test('creates of a credential with so many posts a day are answered, and counted', async () => {
    // One is made before.
    const limits = { postsPerDay: 5 }
    const { create, goOn } = await begun(['a,A,', 'b,B,', 'last,C,'], limits)
    expect((await create('2027-01-10T09:00:00Z')).status).toBe(201)
    expect((await goOn()).body).toMatchObject({ created: 3 })
    const more = await begun(['a,A,', 'b,B,', 'last,C,'], limits)
    for (const n of [1, 2]) expect((await more.create(`2027-01-1${n}T09:00:00Z`)).status).toBe(201)
    const { status, body } = await more.goOn()
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'import_refused' })
    expect(faultsOf({ body })).toEqual([expect.stringMatching(/^4:2 .*limited to 5 posts a day/)])
  })
})

const FILE = 'id,text,publishAt\na,Killed one,2027-01-10T09:00\nb,Killed two,next\nc,Killed three,next\n'

test('killed at any moment and sent again, it makes each post once', { timeout: 120_000 }, async () => {
  const CASES = 24
  const scenes: Scene[] = []
  for (let n = 0; n < CASES; n++) scenes.push(await aScene())
  await db`update channel set posting_times = '{540}' where id = any(${scenes.map((scene) => scene.channelId)}::uuid[])`
  const given = scenes.map(({ workspace, body }) => ({
    given: { workspace, body: body(FILE) } satisfies GivenPosts,
  }))
  const roundTrips = await killAtEachRoundTrip(world, 'posts-process.ts', 'import', given)
  expect(roundTrips).toBeGreaterThan(4)
  let [whole, none] = [0, 0]
  for (const { send, made, workspaceId } of scenes) {
    const left = (await made()).length
    expect([0, 3]).toContain(left)
    if (left === 0) none += 1
    else whole += 1
    const { status, body } = await send(FILE)
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 3 - left } })
    expect((await made()).map(({ reference }) => reference)).toEqual(['autumn/a', 'autumn/b', 'autumn/c'])
    const held = await db`select queued from destination where workspace_id = ${workspaceId} and queued`
    expect(held).toHaveLength(2)
  }
  expect({ whole: whole > 0, none: none > 0 }).toEqual({ whole: true, none: true })
})

test('it counts as one write for each hundred posts begun: one within the limit is carried out, and the next writes wait', async () => {
  const { workspace, body, made } = await aScene()
  await using edge = await openEdge({
    db,
    ...wiredRoutes(db),
    authenticate: async () => workspace.caller,
    limits: { writesPerMinute: 4 },
  })
  const send = (rows: number, more: object = {}) =>
    edge.app.inject({
      method: 'POST',
      url: '/agent/v1/posts/import',
      headers: { authorization: 'Bearer any' },
      payload: body(`text\n${Array.from({ length: rows }, (_, n) => `Post ${n}`).join('\n')}`, more),
    })
  const left = ({ headers }: Awaited<ReturnType<typeof send>>) =>
    /"writes";r=(\d+)/.exec(String(headers['ratelimit']))?.[1]

  expect(left(await send(100, { dryRun: true }))).toBe('3')
  expect(left(await send(101, { dryRun: true }))).toBe('1')
  const larger = await send(201)
  expect([larger.statusCode, left(larger)]).toEqual([200, '0'])
  expect(await made()).toHaveLength(201)
  expect((await send(1)).statusCode).toBe(429)
})
