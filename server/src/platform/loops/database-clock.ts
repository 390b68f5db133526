import type { Db } from '../postgres/db.ts'
import { runPeriodically } from './run-periodically.ts'

export type DatabaseClock = {
  readonly now: () => Date
  readonly stop: () => Promise<void>
}

/** The clock of this machine may be set meanwhile, and the steady one stand still while it sleeps. */
const READ_EVERY_MS = 60_000

/** Tells the time of the database without asking for it each time: what posts are dated with must not go by a wrong clock of this process. */
export async function openDatabaseClock(db: Db): Promise<DatabaseClock> {
  let offsetMs = await readOffset(db)
  const reading = runPeriodically(
    async () => {
      offsetMs = await readOffset(db)
    },
    READ_EVERY_MS,
    // Without the database, it runs on.
    () => undefined,
  )
  return { now: () => new Date(offsetMs + performance.now()), stop: reading.stop }
}

/** By how much the database's time is ahead of the steady clock of this process, as of the middle of the question. */
async function readOffset(db: Db): Promise<number> {
  const askedMs = performance.now()
  const [{ atMs }] = await db<[{ atMs: number }]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as "atMs"`
  return atMs - (askedMs + performance.now()) / 2
}
