import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../../test/rigs/world.ts'
import { MIGRATIONS } from '../platform/database.ts'
import { migrate } from '../platform/migrate.ts'

const [acme, beta] = ['01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000b1']
const id = (n: number) => `01900000-0000-7000-8000-00000000000${n}`

test('members of the schema before become people with a role, each address one person, and keep what is theirs', async () => {
  await using world = await openWorld()
  const { db } = world
  await db`drop schema public cascade`
  await db`create schema public`
  const before = await mkdtemp(join(tmpdir(), 'postrider-migrations-'))
  try {
    const files = (await readdir(MIGRATIONS)).filter((name) => name < '0006')
    for (const name of files) await cp(join(MIGRATIONS, name), join(before, name))
    await migrate(db, before)
  } finally {
    await rm(before, { recursive: true })
  }
  await db`insert into workspace (id, name) values (${acme}, 'Acme'), (${beta}, 'Beta')`
  await db`
    insert into member (workspace_id, id, name, email, role)
    values (${acme}, ${id(1)}, 'Ada', 'ada@example.com', 'owner'), (${acme}, ${id(2)}, 'Bob', 'bob@example.com', 'member'),
           (${acme}, ${id(3)}, 'Bob again', 'BOB@example.com', 'owner'), (${beta}, ${id(4)}, 'Bob', 'bob@example.com', 'member')`
  for (const [n, memberId] of [id(2), id(3)].entries()) {
    await db`
      insert into agent_key (workspace_id, id, member_id, name, hint, secret_hash, permissions)
      values (${acme}, gen_random_uuid(), ${memberId}, 'key', 'pr_', ${Buffer.alloc(32, n)}, '{}')`
  }

  await migrate(db, MIGRATIONS)

  const members = await db<{ role: string; id: string; email: string; name: string }[]>`
    select m.role, m.id, p.email, p.name from member m join person p on p.id = m.person_id order by m.workspace_id, m.id`
  expect([...members]).toEqual([
    { id: id(1), role: 'owner', name: 'Ada', email: 'ada@example.com' },
    { id: id(3), role: 'owner', name: 'Bob again', email: 'bob@example.com' },
    { id: id(4), role: 'editor', name: 'Bob again', email: 'bob@example.com' },
  ])
  const keys = await db<{ memberId: string }[]>`select member_id as "memberId" from agent_key`
  expect(keys.map(({ memberId }) => memberId)).toEqual([id(3), id(3)])
})
