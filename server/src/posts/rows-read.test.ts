import { expect, test } from 'vitest'
import { anApi, anApproval, aChannel, aPost, aWorkspace } from '../../test/fixtures.ts'
import { hoursAhead } from '../../test/file-world.ts'
import { keepFromAutoanalyze, longReads } from '../../test/rows-read.ts'
import { openWorld } from '../../test/world.ts'
import { decideApproval } from '../approvals/decide-approval.ts'
import { type Db, openDb } from '../platform/db.ts'

/*
 * What a request reads of a workspace with many posts on one channel that nobody has analyzed, over a connection that
 * planned its statements while there were few: PostgreSQL keeps such plans until the next autoanalyze.
 */

const MANY = 1_000
/** Of one table or index; the posts before the many ones are no more. */
const FEW = 150
/** How many autoanalyze waits for. */
const UNTIL_ANALYZED = 50
/** A statement is planned anew for its first five runs. */
const RUNS_UNTIL_PLANNED = 6

test.for<[string, (db: Db) => PromiseLike<unknown>]>([
  ['was never analyzed', () => Promise.resolve()],
  ['was analyzed while it had few posts', (db) => db`vacuum analyze`],
])('each request reads few rows among many posts in a database that %s', async ([, whileFew]) => {
  await using world = await openWorld()
  await keepFromAutoanalyze(world.db)
  const workspace = await aWorkspace(world.db)
  const { workspaceId, memberId } = workspace
  const channelIds = [await aChannel(world.db, workspaceId)]

  /** What reads more than a few rows of a table or an index. */
  async function findLongReads(db: Db): Promise<string[]> {
    await using api = await anApi(db)
    const create = () =>
      api.call(workspace, 'POST', '/posts', {
        ...{ confirmed: true, idempotencyKey: crypto.randomUUID(), state: 'scheduled', text: 'a post' },
        ...{ channelIds, publishAt: hoursAhead(1) },
      })
    const aPostIn = (status: 'draft' | 'scheduled' | 'failed') =>
      aPost(world.db, workspaceId, { channelIds, states: [status] })
    const found: string[] = []
    const count = async (name: string, act: () => Promise<unknown>) => {
      const long = await longReads(db, { most: FEW, act })
      found.push(...long.map((read) => `${name}: ${read}`))
    }
    async function countCommand(name: string, verb: string, status: 'scheduled' | 'failed', more: object) {
      const { postId } = await aPostIn(status)
      const { editToken, destinations } = await api.read(workspace, postId)
      const named =
        verb === 'edit' || name === 'cancel all'
          ? { editToken }
          : { channelId: channelIds[0], controlToken: destinations[0]?.controlToken }
      await count(name, async () =>
        expect(await api.command(workspace, postId, verb, { ...named, ...more })).toMatchObject({
          status: 200,
        }),
      )
    }
    await count('create', create)
    const { postId } = await aPostIn('scheduled')
    await count('read', () => api.read(workspace, postId))
    const publishAt = hoursAhead(2)
    const content = { text: 'other words' }
    await countCommand('edit', 'edit', 'scheduled', { content })
    await countCommand('reschedule', 'reschedule', 'scheduled', { publishAt })
    await countCommand('cancel', 'cancel', 'scheduled', {})
    await countCommand('cancel all', 'cancel', 'scheduled', {})
    await countCommand('retry', 'retry', 'failed', { publishAt })
    await countCommand('retry with other content', 'retry', 'failed', { publishAt, content })
    const draft = await aPostIn('draft')
    const approvalId = await anApproval(world.db, workspaceId, draft.postId)
    const decision = { verdict: 'approve', memberId, memberName: 'Ada', note: null } as const
    await count('approve', () =>
      db.begin((tx) => decideApproval(tx, { workspaceId, approvalId, ...decision })),
    )
    return found
  }

  await using connections = new AsyncDisposableStack()
  const connect = () => {
    const db = openDb({ ...world.connection, applicationName: 'one connection', max: 1, byIndex: true })
    connections.defer(() => db.end())
    return db
  }
  const planned = connect()
  await seedPosts(world.db, workspaceId, channelIds[0]!, UNTIL_ANALYZED)
  await whileFew(world.db)
  for (let run = 0; run < RUNS_UNTIL_PLANNED; run++) await findLongReads(planned)
  await seedPosts(world.db, workspaceId, channelIds[0]!, MANY)

  for (const db of [planned, connect()]) {
    expect.soft(await findLongReads(db)).toEqual([])
  }
})

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
