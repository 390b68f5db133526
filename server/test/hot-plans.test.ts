import { findSlots, takenAfter, takenOf } from '../src/engine/destinations/queue-slot-store.ts'
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillWorkspace } from '../../bench/scale/fill-workspace.ts'
import { agentKeys } from '../src/people/keys/authenticate.ts'
import { createKey } from '../src/people/keys/key-store.ts'
import { hashSecret } from '../src/platform/sealing/bearer-secret.ts'
import { findTokenHolder } from '../src/people/apps/app-grant-store.ts'
import { feedEnd, latestEvents, readFeed } from '../src/engine/outbox/event-feed-store.ts'
import { findChannels } from '../src/networks/channels/channel-store.ts'
import { type Db, openDb, type Tx } from '../src/platform/postgres/db.ts'
import { claimKey } from '../src/edge/operations/idempotency.ts'
import { findAuthors, findFirst } from '../src/content/listing/calendar-overview-store.ts'
import { localDays } from '../src/content/listing/local-days.ts'
import { findLabelResults, listLabels } from '../src/content/listing/label-results-store.ts'
import { listCalendar, listSummaries, type ListFilter } from '../src/content/listing/post-list-store.ts'
import { mailNotices } from '../src/attention/notices/mail-notices.ts'
import { noteTroubles, pruneNotices } from '../src/attention/notices/notice-store.ts'
import { findPost } from '../src/content/posts/post-store.ts'
import { rewriteSearch } from '../src/content/posts/search-store.ts'
import { claimDue, claimProbes } from '../src/engine/queue/claim-store.ts'
import { claimDoubts } from '../src/engine/queue/doubt-store.ts'
import { nextDoubtInMs, nextDue, nextPollInMs } from '../src/engine/queue/due-store.ts'
import { cancelCommanded, replaceContent, setTime } from '../src/engine/destinations/destination-store.ts'
import { expire } from '../src/engine/destinations/expire-store.ts'
import { claimOrphans, claimProcessing } from '../src/engine/queue/takeover-store.ts'
import { aChannel, aPost, aWorkspace } from './rigs/fixtures.ts'
import { plantMany } from './rigs/plant-many.ts'
import { readsOf } from './rigs/query-plan.ts'
import { openWorld, type World } from './rigs/world.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { versionEnds } from '../src/networks/channels/version-ends.ts'

/*
 * The plans of the statements that run all the time, in a database with many rows of everything: which index each of them
 * uses, and that it reads no more rows than it has to.
 */

const ends = versionEnds(providers)
const POSTS = 5_000
const MINUTE_MS = 60_000
const ORIGIN = 'https://away.example'
const RESOURCE = 'https://postrider.example'
const SECRET = randomBytes(32).toString('base64url')
const WORKER = '01900000-0000-7000-8000-000000000001'

const everything: ListFilter = {
  seen: null,
  status: 'all',
  channelId: null,
  from: null,
  to: null,
  reviewStatus: null,
  author: null,
  createdById: null,
  labels: null,
  updatedSince: null,
  reference: null,
  postIds: null,
  folded: null,
  before: null,
}

let world: World
let workspaceId: string
let key: string
let channelId: string
let middle: { postId: string; at: Date; seq: string; eventId: string }
/** Before most of the posts, and after more of them than a range may have to be read whole. */
let early: Date
/** When the first post was made. */
let oldest: Date
const later = new Date(Date.now() + 3_600_000)

beforeAll(async () => {
  world = await openWorld()
  const { db } = world
  const owner = await aWorkspace(db)
  workspaceId = owner.workspaceId
  channelId = await aChannel(db, workspaceId)
  await aChannel(db, workspaceId)
  await fillWorkspace(db, workspaceId, POSTS)
  await db`
    insert into post_label (workspace_id, label_key, post_id, label)
    select workspace_id, key, id, key
    from   post, unnest(array['of all', 'of few']) key
    where  workspace_id = ${workspaceId} and (key = 'of all' or id in (select id from post order by id limit 3))`
  await seedCredentials(db, owner)
  const created = await createKey(db, workspaceId, {
    memberId: owner.memberId,
    name: 'of the test',
    permissions: [],
    expiresAt: null,
  })
  key = created.key
  await seedQueue(db, (await aWorkspace(db)).workspaceId)
  await seedNotices(db, owner)
  await db`analyze`
  const [found] = await db<(typeof middle)[]>`
    select p.id as "postId", p.created_at as at, e.seq::text as seq, e.id as "eventId"
    from   (select * from post where workspace_id = ${workspaceId} order by id offset ${POSTS / 2} limit 1) p
    join   outbox_event e on e.workspace_id = p.workspace_id and e.post_id = p.id
    order  by e.seq
    limit  1`
  middle = found!
  const [first] = await db<
    { at: Date }[]
  >`select min(publish_at) as at from destination where workspace_id = ${workspaceId}`
  oldest = first!.at
  early = new Date(middle.at.getTime() - (POSTS / 4) * MINUTE_MS)
}, 120_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Many keys, grants with tokens and records of idempotency. */
async function seedCredentials(db: Db, owner: { workspaceId: string; memberId: string }): Promise<void> {
  await db`
    insert into agent_key (workspace_id, id, member_id, name, hint, secret_hash, permissions)
    select ${owner.workspaceId}, gen_random_uuid(), ${owner.memberId}, 'one of many', 'hint', sha256(n::text::bytea), '{}'
    from   generate_series(1, 3000) n`
  await db`
    insert into oauth_grant (workspace_id, id, member_id, grant_hash, client_id, client_name, client_origin, permissions)
    select ${owner.workspaceId}, gen_random_uuid(), ${owner.memberId}, sha256(n::text::bytea), 'c', 'Client', 'origin', '{}'
    from   generate_series(1, 3000) n`
  await db`
    insert into oauth_artifact (model, id_hash, payload, grant_hash, expires_at)
    select 'AccessToken', case when n = 17 then ${createHash('sha256').update(SECRET).digest()} else sha256(n::text::bytea) end,
           jsonb_build_object('aud', ${RESOURCE}::text), sha256(n::text::bytea), now() + interval '1 hour'
    from   generate_series(1, 3000) n`
  await db`
    insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
    select ${owner.workspaceId}, 'createPost', 'key ' || n, '', 200, '{}' from generate_series(1, 3000) n`
}

/** Many channels with what is due, what is being published and what is in doubt; little of it is to be looked at now. */
async function seedQueue(db: Db, ofWorkspace: string): Promise<void> {
  await plantMany(db, ofWorkspace, { channels: 100, each: 10, later: 5, settled: 5 })
  await db`
    update channel c
    set    provider_origin = ${ORIGIN}
    from   (select id from channel where workspace_id = ${ofWorkspace} order by id desc limit 10) away
    where  c.id = away.id`
  await db`
    insert into network_outage (origin, workspace_id, probe_at)
    values (${ORIGIN}, null, now() - interval '1 second'), ('https://other.example', null, now() + interval '1 hour')`
  await db`
    with last as (
      select distinct on (channel_id) id, row_number() over (order by channel_id) as n
      from   destination
      where  workspace_id = ${ofWorkspace} and status = 'published'
      order  by channel_id
      limit  50
    )
    update destination d
    set    status = 'publishing', fence = 1, published_at = null, leased_by = case when n % 2 = 0 then ${WORKER}::uuid end,
           lease_until = case when n % 2 = 0 then now() + case when n <= 6 then interval '-1 second' else interval '1 hour' end end,
           due_at = now() + case when n <= 5 then interval '-1 second' else interval '1 hour' end
    from   last
    where  d.id = last.id`
  await db`
    with doubtful as (
      select id, row_number() over (order by id) as n
      from   destination
      where  workspace_id = ${ofWorkspace} and status = 'published'
      limit  300
    )
    update destination d
    set    status = 'checking', published_at = null,
           due_at = now() + case when n <= 3 then interval '-1 second' else interval '1 hour' end
    from   doubtful
    where  d.id = doubtful.id`
}

/** Many notices that were told, and much of everything else that members are told of, little of which needs attention. */
async function seedNotices(db: Db, owner: { workspaceId: string; memberId: string }): Promise<void> {
  await db`
    insert into notice (workspace_id, kind, subject_id, mark, tell_at, seq)
    select workspace_id, 'posts_failed', id, extract(epoch from status_since)::text, now(), row_number() over (order by id)
    from   (select * from destination where workspace_id = ${owner.workspaceId} order by id limit 3000) d`
  await db`
    insert into notice_reader (workspace_id, member_id, told_to) values (${owner.workspaceId}, ${owner.memberId}, 3000)`
  await db`update person set email = 'owner@example.com', password_hash = 'x' where id = (select person_id from member where id = ${owner.memberId})`
  await db`
    insert into endpoint (workspace_id, id, url, event_types, failing_since, status, disabled_reason)
    select ${owner.workspaceId}, gen_random_uuid(), 'https://hooks.example/' || n, '{post.failed}', case when n <= 3 then now() end,
           case when n between 4 and 6 then 'disabled' else 'active' end, case when n between 4 and 6 then 'failing' end
    from   generate_series(1, 3000) n`
  await db`
    insert into series (workspace_id, id, status, reason, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type, maker_id,
                        maker_name, changed_at, changed_by_type)
    select ${owner.workspaceId}, gen_random_uuid(), case when n <= 3 then 'paused' else 'active' end,
           case when n <= 3 then 'Its agent key was revoked.' end, '[{"content": {"text": "Every Monday"}}]', '{}', '{}', '{}', 'x',
           'person', gen_random_uuid(), 'Ada', now(), 'service'
    from   generate_series(1, 3000) n`
  await db`
    insert into series_occurrence (workspace_id, series_id, date, publish_at, status, reason)
    select workspace_id, id, current_date, now(), case when n <= 3 then 'waiting' else 'skipped' end,
           case when n <= 3 then 'A channel is gone.' end
    from   (select *, row_number() over (order by status, id) as n from series where workspace_id = ${owner.workspaceId}) s`
  await db`update notice_position set last_seq = 3000`
  // Noted before the tests, so that what they note is what is new.
  await noteTroubles(db, ends)
}

const claims = {
  workerId: WORKER,
  leaseMs: 60_000,
  perWorkspace: 64,
  openAuthorization: () => null,
}

type Case = {
  run: (db: Db) => Promise<unknown>
  indexes: string[]
  /** Rows of tables and of indexes. */
  atMost: number
}

/** A page of 20 and the one behind it, with the destinations and requests of each post. */
const PAGE = 300
/** What is counted of a condition that many rows meet. */
const COUNT = 2_001
/** The posts of a search that are read before the index is asked. */
const WALK = 1_100

const list = (filter: () => Partial<ListFilter>, indexes: string[], atMost = PAGE): Case => ({
  run: (db) => listSummaries(db, workspaceId, { ...everything, ...filter() }, 21),
  indexes,
  atMost,
})
const search = (
  folded: string,
  indexes: string[],
  atMost: number,
  more: () => Partial<ListFilter> = () => ({}),
) => list(() => ({ folded, ...more() }), indexes, atMost)
/** How many posts a day has. */
const DAY = 24 * 60
const sixHours = () => ({ from: middle.at, to: new Date(middle.at.getTime() + 360 * MINUTE_MS) })
const calendar = (more: { status?: 'failed' }, indexes: string[], atMost: number): Case => ({
  run: (db) => listCalendar(db, workspaceId, { ...everything, includeDrafts: false, ...sixHours(), ...more }),
  indexes,
  atMost,
})

/** Of the first day with posts, and of the one before, on which there are none. */
const firstDay = () => {
  const from = oldest.toISOString().slice(0, 10)
  return { from, days: 1, clock: localDays('UTC', from, { before: 1, days: 1 }), includeDrafts: false }
}
const overview = (by: 'day' | 'hour', more: Partial<ListFilter> = {}): Case['run'] => {
  const { seen, status, channelId: channel, labels, author } = { ...everything, ...more }
  const filter = { seen, status, channelId: channel, labels, author }
  return (db) => findFirst(db, workspaceId, { ...firstDay(), ...filter, by, most: 3 })
}

/** No index spares anything of these. */
const HAVE_FEW_ROWS = new Set([
  'notice_position',
  'network_outage',
  'network_failure',
  'publication',
  'worker',
])

const requests: Record<string, Case> = {
  'the end of a queue': {
    run: (db) => findSlots(db, { workspaceId }, [channelId]),
    indexes: ['destination_queued', 'destination_scheduled'],
    atMost: 60,
  },
  'what is taken of posting times': {
    run: (db) => takenOf(db, { workspaceId }, channelId, [later, new Date(later.getTime() + 3_600_000)]),
    indexes: ['destination_queued', 'destination_scheduled'],
    atMost: 60,
  },
  'all that is taken after a posting time': {
    run: (db) => takenAfter(db, { workspaceId }, channelId, later),
    indexes: ['destination_queued', 'destination_scheduled'],
    atMost: 3 * (POSTS / 20),
  },
  'one post': {
    run: (db) => findPost(db, workspaceId, middle.postId),
    indexes: ['post_pkey'],
    atMost: 20,
  },
  posts: list(() => ({}), ['post_pkey']),
  'posts, a page in the middle': list(() => ({ before: middle.postId }), ['post_pkey']),
  'posts, status of most': list(() => ({ status: 'published' }), ['destination_status']),
  'posts, status of most, a page in the middle': list(
    () => ({ status: 'published', before: middle.postId }),
    ['destination_status'],
  ),
  'posts, status of three': list(() => ({ status: 'failed' }), ['destination_status']),
  'posts, status of none': list(() => ({ status: 'delayed' }), ['destination_status']),
  'posts, label of all': list(() => ({ labels: ['of all'] }), ['post_label_pkey']),
  'posts, label of all, a page in the middle': list(
    () => ({ labels: ['of all'], before: middle.postId }),
    ['post_label_pkey'],
  ),
  'posts, label of few and status of most': list(
    () => ({ labels: ['of few'], status: 'published' }),
    ['post_label_pkey'],
  ),
  'posts, label of few and of all': list(() => ({ labels: ['of all', 'of few'] }), ['post_label_pkey']),
  labels: {
    run: (db) => listLabels(db, workspaceId, { channelIds: null, labels: null }),
    indexes: ['post_label_pkey'],
    atMost: 20,
  },
  'results of a label of few': {
    run: (db) => findLabelResults(db, workspaceId, 'of few', { channelIds: null, labels: null }),
    indexes: ['post_label_pkey'],
    atMost: 40,
  },
  'results of a label of few in a range': {
    run: (db) => {
      const { from, to } = sixHours()
      const range = { from, to, before: { from: new Date(from.getTime() - 6 * 3_600_000), to: from } }
      return findLabelResults(db, workspaceId, 'of few', { channelIds: null, labels: null }, range)
    },
    indexes: ['post_label_pkey'],
    atMost: 40,
  },
  'posts, channel': list(() => ({ channelId }), ['destination_channel_status'], 2 * PAGE),
  'posts, channels that are seen': list(
    () => ({ seen: [channelId] }),
    ['destination_channel_status'],
    2 * PAGE,
  ),
  'posts, channel and status': list(() => ({ channelId, status: 'failed' }), ['destination_channel_status']),
  'posts, range': list(sixHours, ['destination_publish_at', 'destination_published_at'], 7 * 360),
  'posts, range and author': list(
    () => ({ ...sixHours(), author: 'scale' }),
    ['destination_publish_at', 'destination_published_at'],
    7 * 360,
  ),
  'posts, everything to come': list(() => ({ from: new Date() }), ['destination_publish_at'], 4 * PAGE),
  'posts, nothing to come': list(() => ({ from: new Date('2100-01-01') }), ['destination_publish_at'], 5),
  'posts, everything to come, status of three': list(
    () => ({ from: new Date(), status: 'failed' }),
    ['destination_status'],
  ),
  'posts, everything before the early ones': list(
    () => ({ to: early }),
    ['destination_publish_at', 'destination_before_id', 'destination_of_post'],
    COUNT + 4 * PAGE,
  ),
  'posts, everything before the early ones, status of three': list(
    () => ({ to: early, status: 'failed' }),
    ['destination_status'],
  ),
  'posts, a wide range and author of none': list(
    () => ({ from: new Date(0), to: middle.at, author: 'nobody' }),
    ['post_author'],
    COUNT + PAGE,
  ),
  'posts, a wide range and status of three': list(
    () => ({ from: new Date(0), to: middle.at, status: 'failed' }),
    ['destination_status'],
  ),
  'posts, author of all and status of three': list(
    () => ({ author: 'scale', status: 'failed' }),
    ['destination_status'],
  ),
  'posts, author of none and status of most': list(
    () => ({ author: 'nobody', status: 'published' }),
    ['post_author'],
    COUNT + 5,
  ),
  'posts, waiting for approval and channel': list(
    () => ({ reviewStatus: 'pending', channelId }),
    ['approval_status'],
    COUNT + PAGE,
  ),
  'posts, author of all': list(() => ({ author: 'scale' }), []),
  'posts, author of none': list(() => ({ author: 'nobody' }), ['post_author']),
  'posts, waiting for approval': list(() => ({ reviewStatus: 'pending' }), []),
  'posts, approved': list(() => ({ reviewStatus: 'approved' }), ['approval_status']),
  'posts, rejected': list(() => ({ reviewStatus: 'rejected' }), ['approval_status'], 2 * PAGE),
  'search, in all': search('common', ['post_search_pkey'], PAGE),
  'search, in one': search('needle17x', ['post_search_pkey', 'post_search_blocks'], WALK),
  'search, in none': search('zebrafish', ['post_search_pkey', 'post_search_blocks'], WALK),
  'search, one character, in none': search('ж', ['post_search_pkey', 'post_search_blocks'], WALK),
  'search, in all of a status of three': search('common', ['destination_status'], PAGE, () => ({
    status: 'failed',
  })),
  'search, in all of a range': search('common', ['destination_publish_at'], 7 * 360, sixHours),
  calendar: calendar({}, ['destination_publish_at', 'destination_published_at', 'post_pkey'], 5 * 360),
  'calendar, status of none': calendar({ status: 'failed' }, [], 3 * 360),
  // As many rows as the day has minutes are found, and of those that are shown the rest is read.
  'calendar, first of a day': {
    run: overview('day'),
    indexes: ['destination_publish_at', 'destination_published_at', 'post_pkey'],
    atMost: 3 * DAY + 50,
  },
  'calendar, first of each hour': {
    run: overview('hour'),
    indexes: ['destination_publish_at', 'destination_published_at', 'post_pkey'],
    atMost: 3 * DAY + 24 * 50,
  },
  'calendar, first of each hour of an author of none': {
    run: overview('hour', { author: 'nobody' }),
    indexes: ['destination_publish_at', 'destination_published_at'],
    atMost: 5 * DAY,
  },
  'calendar, authors of a day': {
    run: (db) => findAuthors(db, workspaceId, firstDay()),
    indexes: ['destination_publish_at', 'destination_published_at', 'post_pkey'],
    atMost: 5 * DAY,
  },
  'events from the beginning': {
    run: (db) => readFeed(db, workspaceId, null, 20),
    indexes: ['outbox_event_of_workspace'],
    atMost: 50,
  },
  'events from the middle': {
    run: (db) => readFeed(db, workspaceId, middle, 20),
    indexes: ['outbox_event_of_workspace'],
    atMost: 50,
  },
  'the end of the events': {
    run: (db) => feedEnd(db, workspaceId),
    indexes: ['outbox_event_of_workspace'],
    atMost: 5,
  },
  'the latest events': {
    run: (db) => latestEvents(db, workspaceId, { before: null, limit: 20 }),
    indexes: ['outbox_event_of_workspace'],
    atMost: 20,
  },
  'an agent key': {
    run: async (db) => expect(await agentKeys.find(db, key)).toMatchObject({ workspaceId }),
    indexes: ['agent_key_secret_hash_key'],
    atMost: 5,
  },
  'an access token': {
    run: async (db) =>
      expect(await findTokenHolder(db, hashSecret(SECRET), RESOURCE)).toMatchObject({
        workspaceId,
        clientName: 'Client',
      }),
    indexes: ['oauth_artifact_pkey', 'oauth_grant_grant_hash_key'],
    atMost: 10,
  },
  'an idempotency key': {
    run: (db) =>
      db.begin((tx) =>
        claimKey(tx, {
          workspaceId,
          operation: 'createPost',
          key: 'key 17',
          fingerprint: Buffer.alloc(0),
        }),
      ),
    indexes: ['idempotency_record_pkey'],
    atMost: 1,
  },
}

const work: Record<string, Case> = {
  claim: {
    run: (db) => claimDue(db, claims)(64),
    indexes: ['channel_queue_time', 'destination_head'],
    atMost: 4_000,
  },
  probes: {
    run: async (db) => {
      await db`update network_outage set probe_at = now() - interval '1 second' where origin = ${ORIGIN}`
      await claimProbes(db, claims, 10)
    },
    indexes: ['channel_of_network', 'destination_head'],
    atMost: 200,
  },
  orphans: { run: (db) => claimOrphans(db, claims, 10), indexes: ['destination_pkey'], atMost: 200 },
  processing: {
    run: (db) => claimProcessing(db, claims, 10),
    indexes: [],
    atMost: 200,
  },
  doubts: { run: (db) => claimDoubts(db, claims, 10), indexes: ['destination_checking'], atMost: 100 },
  expiry: { run: (db) => expire(db, 10), indexes: ['destination_expires_at'], atMost: 100 },
  'notices, nothing new': {
    run: (db) => noteTroubles(db, ends),
    indexes: ['notice_to_tell'],
    atMost: 5,
  },
  'notices, new events, and what has none': {
    run: async (db) => {
      await db`update notice_position set event_seq = event_seq - 500, looked_at = '-infinity'`
      await noteTroubles(db, ends)
    },
    indexes: [
      'outbox_event_pkey',
      'channel_disconnected',
      'channel_authorization_ends',
      'series_occurrence_waiting',
      'series_paused',
      'endpoint_failing',
      'endpoint_stopped',
    ],
    atMost: 600,
  },
  'notices, a mail': {
    run: async (db) => {
      await db`update notice_reader set told_to = 2990, mail_at = now() where workspace_id = ${workspaceId}`
      await mailNotices({
        db,
        mail: { baseUrl: RESOURCE, enqueue: async () => {} },
        ends,
        onFault: (fault) => expect.unreachable(String(fault)),
      })
    },
    indexes: ['notice_reader_mail_at', 'notice_told', 'destination_pkey'],
    atMost: 150,
  },
  'notices, those that are over': {
    run: (db) => db.begin((tx) => pruneNotices(tx, 1_000, ends)),
    indexes: ['notice_age'],
    atMost: 5,
  },
  'next due': { run: nextDue, indexes: ['channel_queue_time'], atMost: 6 },
  'next poll': { run: nextPollInMs, indexes: [], atMost: 100 },
  'next doubt': { run: nextDoubtInMs, indexes: ['destination_checking'], atMost: 20 },
}

test.each(Object.entries({ ...requests, ...work }))('%s', async (_case, { run, indexes, atMost }) => {
  const { rows, indexes: used, whole } = await readsOf(world, run)
  expect([...used]).toEqual(expect.arrayContaining(indexes))
  expect([...whole].filter((table) => !HAVE_FEW_ROWS.has(table))).toEqual([])
  expect(rows).toBeLessThanOrEqual(atMost)
})

/** Of values that many rows have, few, and none. */
const filters = (): Partial<ListFilter>[] => [
  {},
  { before: middle.postId },
  { status: 'failed' },
  { author: 'scale' },
  { channelId, status: 'delayed' },
  { from: new Date('2100-01-01') },
  { from: later, to: new Date(later.getTime() + 30 * MINUTE_MS), status: 'failed' },
  { from: middle.at, author: 'nobody' },
  { from: middle.at, reviewStatus: 'approved' },
  { to: early },
  { status: 'published', author: 'nobody', seen: [channelId] },
  { createdById: workspaceId, updatedSince: later },
  { reference: 'none*' },
  { reviewStatus: 'pending' },
  { labels: ['of few'], from: middle.at },
  { folded: 'common', status: 'delayed' },
]

/** So often PostgreSQL plans a statement anew before it decides whether to keep a plan. */
const PLANNED_ANEW = 5

test('what is read and written most often is planned once for each connection', async () => {
  const { db } = world
  const planted = await aPost(db, workspaceId, {
    channelIds: [channelId],
    states: ['scheduled'],
    publishAt: later,
  })
  const destinationId = planted.destinationIds[0]!
  const target = { workspaceId, postId: planted.postId, channelId }
  const token = async (tx: Tx) => {
    const [row] = await tx<[{ token: string }]>`
      select control_token as token from destination where workspace_id = ${workspaceId} and id = ${destinationId}`
    return { ...target, controlToken: row.token }
  }
  const author = { type: 'agent_key', name: 'k', credentialId: null } as const
  const parts = [{ text: 'Other', folded: 'other', mediaIds: [], firstComment: false }]
  const statements: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => findPost(tx, workspaceId, middle.postId),
    (tx) => findChannels(tx, workspaceId, [channelId]),
    (tx) => agentKeys.find(tx, key),
    (tx) => findSlots(tx, { workspaceId }, [channelId]),
    (tx) => takenOf(tx, { workspaceId }, channelId, [later]),
    (tx) => takenAfter(tx, { workspaceId }, channelId, later),
    ...filters().map(
      (filter) => (tx: Tx) => listSummaries(tx, workspaceId, { ...everything, ...filter }, 21),
    ),
    (tx) =>
      tx`with ${replaceContent(tx, workspaceId, [{ destinationId, content: null, settings: {}, parts }])} select`,
    (tx) => rewriteSearch(tx, target),
    async (tx) => setTime(tx, 'reschedule', await token(tx), { at: later, queued: false }, author),
    async (tx) => cancelCommanded(tx, await token(tx), author),
  ]
  const connection = openDb({ ...world.connection, applicationName: 'one', max: 1, byIndex: true })
  for (const statement of statements)
    for (let run = 0; run <= PLANNED_ANEW; run++) await connection.begin(statement)
  const replanned = await connection<{ statement: string }[]>`
    select statement from pg_prepared_statements where custom_plans > ${PLANNED_ANEW}`
  await connection.end()
  expect(replanned).toEqual([])
})
