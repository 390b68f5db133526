import { expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aChannel, anAttempt, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'

test.each([
  ['--name', 'Acme\nInc', 'holds a line break (U+000A)'],
  ['--owner-name', '\u202eAda', 'changes the direction of writing (U+202E)'],
])('workspace create refuses a %s that is no line, before it opens a database', async (option, text, why) => {
  const named = { '--name': 'Acme', '--owner-name': 'Ada', '--owner-email': 'ada@localhost', [option]: text }
  const { exitCode, errors } = await commandLineWith({})(
    'workspace',
    'create',
    ...Object.entries(named).flat(),
  )
  expect(exitCode).toBe(2)
  expect(errors).toContain(`${option} `)
  expect(errors).toContain(why)
})

test('workspace usage counts posts, calls and bytes of each workspace in a time, as CSV', async () => {
  await using world = await openWorld()
  const { db } = world
  const busy = await aWorkspace(db)
  const idle = await aWorkspace(db)
  await db`update workspace set name = '=Busy, "Inc"' where id = ${busy.workspaceId}`
  await db`update workspace set name = 'Idle' where id = ${idle.workspaceId}`
  const channelIds = [await aChannel(db, busy.workspaceId)]
  const { destinationIds } = await aPost(db, busy.workspaceId, { states: ['publishing'], channelIds })
  await anAttempt(db, busy.workspaceId, destinationIds[0]!, 'rejected')
  const { postId: old } = await aPost(db, busy.workspaceId, { states: ['draft'], channelIds })
  await db`update post set created_at = '2020-01-01' where id = ${old}`
  for (const storageKey of ['a', 'a', 'b'])
    await db`
      insert into media_item (workspace_id, id, kind, content_type, size_bytes, sha256, storage_key)
      values (${busy.workspaceId}, ${uuidv7()}, 'image', 'image/png', 100, ${Buffer.alloc(32)}, ${storageKey})`

  const run = commandLineWith({ DATABASE_URL: world.databaseUrl })
  const time = ['--from', '2026-01-01T00:00Z', '--to', '2100-01-01T00:00Z']
  const { exitCode, said } = await run('workspace', 'usage', ...time)
  expect(exitCode).toBe(0)
  expect(said.trim().split('\n')).toEqual([
    'workspaceId,name,posts,calls,uploadedBytes,storedBytes',
    `${busy.workspaceId},"'=Busy, ""Inc""",1,1,300,200`,
    `${idle.workspaceId},"Idle",0,0,0,0`,
  ])
  const told = await run('workspace', 'usage', ...time, '--json')
  expect(JSON.parse(told.said)).toMatchObject([
    { posts: 1, calls: 1 },
    { posts: 0, storedBytes: 0 },
  ])
  const empty = await run('workspace', 'usage', '--from', '2026-01-01T00:00Z', '--to', '2026-01-01T00:00Z')
  expect(empty.exitCode).toBe(2)
})
