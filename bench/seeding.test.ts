import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeKeyring } from '../server/src/platform/sealing/sealing.ts'
import { anApproval, aPost, aWorkspace } from '../server/test/rigs/fixtures.ts'
import { openWorld } from '../server/test/rigs/world.ts'
import { forgetEndpoints, forgetPosts, seedEndpoint } from './seeding.ts'

/* Between two measurements, the tables are those of a new database: whichever there are by now. */

test('posts are forgotten with all that says something of one, and endpoints with all that is owed to them', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const { postId } = await aPost(db, workspaceId, { states: ['draft'] })
  await anApproval(db, workspaceId, postId)
  await seedEndpoint(db, makeKeyring([randomBytes(32)]), {
    workspaceId,
    url: 'https://example.com/',
    eventTypes: ['post.published'],
  })
  await forgetPosts(db)
  await forgetEndpoints(db)

  const left: string[] = []
  const tables = await db<{ name: string }[]>`
    select distinct c.table_name as name
    from   information_schema.columns c
    join   pg_class t on t.oid = c.table_name::regclass and t.relkind in ('r', 'p')
    where  c.table_schema = 'public' and c.column_name in ('post_id', 'destination_id', 'approval_id', 'endpoint_id')`
  expect(tables.length).toBeGreaterThan(10)
  for (const { name } of [...tables, { name: 'post' }, { name: 'endpoint' }])
    if ((await db`select from ${db(name)} limit 1`).length > 0) left.push(name)
  expect(left).toEqual([])
})
