import { randomBytes } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cursors } from '../src/edge/operations/cursor.ts'
import { MIGRATIONS } from '../src/platform/embedded-postgres/database.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { listPosts } from '../src/content/listing/list-posts.ts'
import { aPost, aWorkspace } from './rigs/fixtures.ts'
import { openEmptyWorld } from './rigs/world.ts'

/** Functions that came with PostgreSQL 16, 17 and 18 (postgresql.org/docs/release). */
const NEWER = [
  'any_value',
  'array_sample',
  'array_shuffle',
  'date_add',
  'date_subtract',
  'pg_input_is_valid',
  'random_normal',
  'system_user',
  'to_bin',
  'to_oct',
  'unicode_assigned',
  'uuid_extract_timestamp',
  'uuid_extract_version',
  'array_reverse',
  'array_sort',
  'casefold',
  'crc32',
  'crc32c',
  'uuidv4',
  'uuidv7',
]

/** Takes from a database what PostgreSQL 15 lacks. */
function age(db: Db): Promise<unknown> {
  return db.script(`
    do $$ declare newer regprocedure; begin
      for newer in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname = any('{${NEWER.join(',')}}')
      loop execute format('alter routine %s rename to newer_%s', newer, (select proname from pg_proc where oid = newer)); end loop;
    end $$`)
}

test('a PostgreSQL without the functions of 16 and later is migrated, and lists posts by their times', async () => {
  await using world = await openEmptyWorld()
  const { db } = world
  await age(db)
  await migrate(db, MIGRATIONS)
  const { workspaceId } = await aWorkspace(db)
  const day = 24 * 3_600_000
  const publishAt = new Date(Date.now() - 2 * day)
  const { postId } = await aPost(db, workspaceId, { states: ['scheduled'], publishAt })
  await aPost(db, workspaceId, { states: ['scheduled'] })
  const to = new Date(Date.now() - day).toISOString()
  const page = await listPosts(db, workspaceId, { to }, cursors(randomBytes(32)))
  expect(page).toMatchObject({ items: [{ postId }], nextCursor: null })
})

/** Those of which JavaScript has functions of the same name. */
const AMBIGUOUS = ['crc32', 'uuidv4', 'uuidv7']

test('no migration and no statement calls a function that PostgreSQL 15 lacks', async () => {
  const called = new RegExp(`\\b(${NEWER.filter((name) => !AMBIGUOUS.includes(name)).join('|')}) ?\\(`, 'g')
  const found: string[] = []
  const server = join(MIGRATIONS, '..')
  for await (const name of glob(['migrations/*.sql', 'src/**/*.ts'], { cwd: server })) {
    const text = await readFile(join(server, name), 'utf8')
    found.push(...[...text.matchAll(called)].map(([, one]) => `${name}: ${one}`))
  }
  expect(found).toEqual([])
})
