import type { World } from './world.ts'

/** A time that the test sets, from which a clock then runs as all do. */
export type DatabaseClock = {
  readonly now: () => number
  readonly set: (at: number) => Promise<void>
}

/**
 * Has a database read its time from a clock of the test: on connections that are opened from now on, `now()` and `clock_timestamp()` are
 * functions that stand before those of PostgreSQL.
 */
export async function openDatabaseClock({ db, connection }: World, begin: number): Promise<DatabaseClock> {
  let ahead = begin - Date.now()
  await db.script(`
    create table public.test_clock (ahead interval not null);
    insert into public.test_clock values ('0');
    create function public.clock_timestamp() returns timestamptz language sql stable as
      'select pg_catalog.clock_timestamp() + ahead from public.test_clock';
    create function public.now() returns timestamptz language sql stable as
      'select pg_catalog.now() + ahead from public.test_clock';`)
  const name = 'database' in connection ? connection.database : ''
  await db`alter database ${db(name)} set search_path = public, pg_catalog`
  const clock: DatabaseClock = {
    now: () => Date.now() + ahead,
    async set(at) {
      ahead = at - Date.now()
      await db`update test_clock set ahead = ${ahead} * interval '1 ms'`
    },
  }
  await clock.set(begin)
  return clock
}
