import { expect } from 'vitest'
import type { Db } from '../../src/platform/postgres/db.ts'
import { childrenOf } from '../../src/platform/embedded-postgres/postmaster.ts'

/** The time of all that has been accepted comes. */
export async function makeDue(db: Db): Promise<void> {
  await persistently(async () => {
    await db`update destination set publish_at = now(), due_at = now() where status = 'scheduled' and due_at > now()`
    await db.notify('postrider_due', '')
  })
}

/** PostgreSQL drops every connection when a backend crashes, and recovers. */
export async function killBackend(db: Db): Promise<void> {
  await persistently(async () => {
    const [victim] = await db<[{ pid: number }]>`
      select pid from pg_stat_activity
      where  backend_type = 'client backend' and application_name like 'postrider %' and application_name <> 'postrider keeper'
      order  by random() limit 1`
    process.kill(victim.pid, 'SIGKILL')
  })
}

/** Processes whose death ends all others, and begins a recovery. */
export const SERVER_PROCESSES = ['checkpointer', 'walwriter', 'background writer'] as const

type Postmaster = () => Promise<number | null>

export async function killServerProcess(postmaster: Postmaster, name: string): Promise<void> {
  await expect
    .poll(async () => killed((await postmaster()) ?? 0, name), { timeout: 30_000, interval: 1 })
    .toBe(true)
}

/**
 * Kills the process that recovers what the death of another one has broken. A recovery may be over before it is seen, and
 * is begun anew then.
 */
export async function killRecovery(postmaster: Postmaster): Promise<void> {
  const recovering = async () => {
    await killServerProcess(postmaster, 'background writer')
    const pid = (await postmaster()) ?? 0
    const endMs = performance.now() + 2_000
    while (performance.now() < endMs) if (killed(pid, 'startup')) return true
    return false
  }
  await expect.poll(recovering, { timeout: 60_000 }).toBe(true)
}

/** Whether there was such a process, and it was killed. */
function killed(postmaster: number, name: string): boolean {
  const victim = childrenOf(postmaster).find(({ title }) => title.startsWith(`postgres: ${name}`))
  if (victim === undefined) return false
  process.kill(victim.pid, 'SIGKILL')
  return true
}

/** A blow may have hit the test's own connections, or come while the database still recovers from the one before. */
export async function persistently(act: () => Promise<void>): Promise<void> {
  const failures = async () =>
    act().then(
      () => null,
      (error: unknown) => String(error),
    )
  await expect.poll(failures, { timeout: 30_000 }).toBeNull()
}

export async function isReady(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/readyz`)
  await response.body?.cancel()
  return response.ok
}
