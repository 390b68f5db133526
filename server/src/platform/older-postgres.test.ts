import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { aPost, aWorkspace } from '../../test/fixtures.ts'
import { openEmptyWorld } from '../../test/world.ts'
import { listPosts } from '../posts/list-posts.ts'
import { cursors } from './cursor.ts'
import { MIGRATIONS } from './database.ts'
import type { Db } from './db.ts'
import { migrate } from './migrate.ts'

/** Functions that came with PostgreSQL 16, 17 and 18 (postgresql.org/docs/release). */
const NEWER = [
  ...['any_value', 'array_sample', 'array_shuffle', 'date_add', 'date_subtract', 'pg_input_is_valid'],
  ...['random_normal', 'system_user', 'to_bin', 'to_oct', 'unicode_assigned', 'uuid_extract_timestamp'],
  ...[
    'uuid_extract_version',
    'array_reverse',
    'array_sort',
    'casefold',
    'crc32',
    'crc32c',
    'uuidv4',
    'uuidv7',
  ],
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
  const ids = [
    ...['019a7e1d-282d-72be-b7ad-3ae1478cc211', '03bb2cc3-d800-7fff-bfff-ffffffffffff'],
    ...['00000000-0000-7000-8000-000000000000', 'c9b1d2f0-6d1c-4c5e-9d3b-0a5f3c1d2e4f'],
  ]
  expect(
    await db`
      select id from unnest(${ids}::uuid[]) id
      where  uuid_extract_timestamp(id) is distinct from newer_uuid_extract_timestamp(id)`,
  ).toEqual([])

  const { workspaceId } = await aWorkspace(db)
  const day = 24 * 3_600_000
  const publishAt = new Date(Date.now() - 2 * day)
  const { postId } = await aPost(db, workspaceId, { states: ['scheduled'], publishAt })
  await aPost(db, workspaceId, { states: ['scheduled'] })
  const to = new Date(Date.now() - day).toISOString()
  const page = await listPosts(db, workspaceId, { to }, cursors(randomBytes(32)))
  expect(page).toMatchObject({ items: [{ postId }], nextCursor: null })
})
