import { expect } from 'vitest'
import type { Db } from '../../src/platform/db.ts'
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

/** The startup process is killed in the recovery that the death of another one begins. */
export const SERVER_PROCESSES = [['checkpointer'], ['walwriter'], ['background writer', 'startup']] as const

export async function killServerProcess(
  postmaster: () => Promise<number | null>,
  name: string,
  withinMs = 30_000,
): Promise<void> {
  const kill = async () => {
    const running = childrenOf((await postmaster()) ?? 0)
    const victim = running.find(({ title }) => title.startsWith(`postgres: ${name}`))
    if (victim !== undefined) process.kill(victim.pid, 'SIGKILL')
    return victim !== undefined
  }
  await expect.poll(kill, { timeout: withinMs, interval: 1 }).toBe(true)
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
