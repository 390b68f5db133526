import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { childrenOf, endPostmaster } from './postmaster.ts'

/** Why a PostgreSQL takes no connection: it says that it does not yet (57P03), or is there and cannot, or is not there. */
export type Unopened = 'refusing' | 'busy' | 'absent'

/** Judges a PostgreSQL that takes no connections. */
export type Recovery = {
  /**
   * Whether it is seen to recover. To be asked after each try to connect; one whose recovery has stopped for good is ended
   * meanwhile.
   */
  progresses(unopened: Unopened): Promise<boolean>
  /** When it was last seen to recover, by `performance.now()`. */
  lastSeenAtWorkMs(): number
}

const LOOK_EVERY_MS = 500
/** Longer than PostgreSQL waits for the children that it ends after a crash, before it starts the recovery. */
const STUCK_MS = 10_000

/**
 * Only its startup process recovers. A postmaster that lost it during the recovery after a crash starts no other, and
 * answers 57P03 for ever: so one that does so for a while without a startup process is ended. How long that process
 * takes, or whether it gets on, does not matter: it may have hours of write-ahead log, or a slow disk.
 */
export function watchRecovery(
  cluster: string,
  log: (message: string, level?: 'info' | 'warn') => void,
): Recovery {
  let seenAtWorkMs = -Infinity
  let lookedAtMs = -Infinity
  let idle: { pid: number; sinceMs: number } | null = null

  async function look(nowMs: number): Promise<void> {
    const { pid, stopping } = await readLockFile(cluster)
    if (pid === null || stopping) {
      idle = null
    } else if (childrenOf(pid).some(({ title }) => title.startsWith('postgres: startup'))) {
      seenAtWorkMs = nowMs
      idle = null
    } else if (idle?.pid !== pid) {
      idle = { pid, sinceMs: nowMs }
    } else if (nowMs - idle.sinceMs > STUCK_MS) {
      idle = null
      log('PostgreSQL has lost the process that recovers it, and is ended', 'warn')
      await endPostmaster(pid, ['SIGQUIT', 'SIGKILL'])
    }
  }

  return {
    lastSeenAtWorkMs: () => seenAtWorkMs,
    async progresses(unopened) {
      if (unopened !== 'refusing') {
        idle = null
        return false
      }
      const nowMs = performance.now()
      if (nowMs - lookedAtMs > LOOK_EVERY_MS) {
        lookedAtMs = nowMs
        await look(nowMs)
      }
      return seenAtWorkMs >= lookedAtMs
    },
  }
}

/** The lock file names the process in its first line, and in its eighth what that is about. */
async function readLockFile(cluster: string): Promise<{ pid: number | null; stopping: boolean }> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return { pid: pid > 0 ? pid : null, stopping: text.split('\n')[7]?.trim() === 'stopping' }
}
