import type { DestinationStatus } from '@postrider/contract'
import { expect, test } from 'vitest'
import {
  aChannel,
  anApi,
  type AnApi,
  anApproval,
  aPost,
  aWorkspace,
  type AWorkspace,
} from '../../../test/rigs/fixtures.ts'
import { hoursAhead } from '../../../test/rigs/file-world.ts'
import { longReads } from '../../../test/rigs/rows-read.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { decideApproval } from '../../attention/reviews/decide-approval.ts'
import { type Db, openDb } from '../../platform/postgres/db.ts'

/*
 * What a request reads of a workspace with many posts on one channel that nobody has analyzed, over a connection that
 * planned its statements while there were few: PostgreSQL keeps such plans until the next autoanalyze. And that it keeps
 * them: to plan a statement of a trigger takes longer than to run it.
 */

const MANY = 1_000
/** Of one table or index; the posts before the many ones are no more. */
const FEW = 150
/** How many autoanalyze waits for. */
const UNTIL_ANALYZED = 50
/** A statement is planned with each of its first five runs. */
const RUNS_UNTIL_PLANNED = 6

/** How often a request is made until one of its calls plans nothing. */
const CALLS = 20

test.for<[string, (db: Db) => PromiseLike<unknown>]>([
  ['was never analyzed', () => Promise.resolve()],
  ['was analyzed while it had few posts', (db) => db`vacuum analyze`],
])(
  'requests read few rows among many posts, and plan nothing again, in a database that %s',
  async ([, whileFew]) => {
    await using world = await openWorld()
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const channelId = await aChannel(world.db, workspaceId)
    const place: Place = { world, workspace, channelId }
    const plans: string[] = []
    const note = (notice: string) => void (notice.includes('PLANNER STATISTICS') && plans.push(notice))
    await using planned = await connect(world, note)
    await seedPosts(world.db, workspaceId, channelId, UNTIL_ANALYZED)
    await whileFew(world.db)
    for (let run = 0; run < RUNS_UNTIL_PLANNED; run++) {
      for (const prepare of Object.values(requestsOf(place, planned))) await (await prepare())()
    }
    await seedPosts(world.db, workspaceId, channelId, MANY)

    await planned.db.script('set log_planner_stats = on; set client_min_messages = log')
    expect(await findWaste(place, planned, plans)).toEqual([])
    await using fresh = await connect(world)
    expect(await findWaste(place, fresh)).toEqual([])
  },
)

type Place = { world: World; workspace: AWorkspace; channelId: string }
type Connected = { db: Db; api: AnApi }

async function connect(world: World, onNotice: (notice: string) => void = () => undefined) {
  const db = openDb({ ...world.connection, applicationName: 'one', max: 1, byIndex: true, onNotice })
  const api = await anApi(db)
  return {
    db,
    api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await db.end()
    },
  }
}

/** Requests by name, each with what has to be there before it. */
function requestsOf({ world, workspace, channelId }: Place, { db, api }: Connected) {
  const { workspaceId, memberId } = workspace
  const publishAt = hoursAhead(2)
  const content = { text: 'other words' }
  const aPostIn = (status: DestinationStatus) =>
    aPost(world.db, workspaceId, { channelIds: [channelId], states: [status] })

  function command(verb: string, status: DestinationStatus, more: object, by = 'controlToken') {
    return async () => {
      const { postId } = await aPostIn(status)
      const { editToken, destinations } = await api.read(workspace, postId)
      const token =
        by === 'editToken' ? { editToken } : { channelId, controlToken: destinations[0]?.controlToken }
      return async () =>
        expect(await api.command(workspace, postId, verb, { ...token, ...more })).toMatchObject({
          status: 200,
        })
    }
  }
  return {
    create: async () => () =>
      api.call(workspace, 'POST', '/posts', {
        confirmed: true,
        idempotencyKey: crypto.randomUUID(),
        state: 'scheduled',
        text: 'a post',
        channelIds: [channelId],
        publishAt,
      }),
    read: async () => {
      const { postId } = await aPostIn('scheduled')
      return () => api.read(workspace, postId)
    },
    page: async () => () => api.call(workspace, 'GET', '/posts?limit=20'),
    'page of a status': async () => () => api.call(workspace, 'GET', '/posts?limit=20&status=scheduled'),
    'page of a range': async () => () =>
      api.call(workspace, 'GET', `/posts?limit=20&from=${hoursAhead(1)}&to=${hoursAhead(20)}`),
    edit: command('edit', 'scheduled', { content }, 'editToken'),
    reschedule: command('reschedule', 'scheduled', { publishAt }),
    cancel: command('cancel', 'scheduled', {}),
    'cancel of all': command('cancel', 'scheduled', {}, 'editToken'),
    retry: command('retry', 'failed', { publishAt }),
    'retry with other content': command('retry', 'failed', { publishAt, content }),
    approve: async () => {
      const { postId } = await aPostIn('draft')
      const approvalId = await anApproval(world.db, workspaceId, postId)
      const decision = { verdict: 'approve', memberId, memberName: 'Ada', note: null } as const
      return () => db.begin((tx) => decideApproval(tx, { workspaceId, approvalId, ...decision }))
    },
  }
}

/** Requests that read more than a few rows of a table or an index, or add to the plans. */
async function findWaste(
  place: Place,
  connected: Connected,
  plans: readonly string[] = [],
): Promise<string[]> {
  const found: string[] = []
  for (const [name, prepare] of Object.entries(requestsOf(place, connected))) {
    const request = await prepare()
    let added = 0
    const act = async () => void (added = await countAdded(plans, request))
    const long = await longReads(connected.db, { most: FEW, act })
    found.push(...long.map((read) => `${name}: ${read}`))
    // Now and then is no fault: a connection that has missed changes of the catalog, by migrations of other tests, drops its
    // plans. What is planned at each call is planned at all of these.
    for (let tries = 1; added > 0 && tries < CALLS; tries++) added = await countAdded(plans, await prepare())
    if (added > 0) found.push(`${name}: ${added} plans`)
  }
  return found
}

async function countAdded(plans: readonly string[], request: () => Promise<unknown>): Promise<number> {
  const before = plans.length
  await request()
  return plans.length - before
}

async function seedPosts(db: Db, workspaceId: string, channelId: string, count: number): Promise<void> {
  await db`
    with posted as (
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
      select ${workspaceId}, gen_random_uuid(), '{"text": "one of many"}', n, 'agent_key', 'test key'
      from   generate_series(1, ${count}) n
      returning id
    ),
    placed as (
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                               expires_at)
      select ${workspaceId}, gen_random_uuid(), id, ${channelId}, 'sandbox-short', 'scheduled', id, now() + interval '1 day',
             now() + interval '1 day', now() + interval '2 days'
      from   posted
      returning id, post_id
    ),
    asked as (
      insert into approval (workspace_id, id, post_id, content_digest, status, expires_at)
      select ${workspaceId}, gen_random_uuid(), id, '', 'superseded', now() from posted
    ),
    tried as (
      insert into attempt (workspace_id, id, destination_id, part_index, fence, verdict, settled_at)
      select ${workspaceId}, gen_random_uuid(), id, 0, 0, 'rejected', now() from placed
    )
    insert into part (workspace_id, destination_id, index, text, folded)
    select ${workspaceId}, id, 0, 'one of many', 'one of many' from placed`
}
