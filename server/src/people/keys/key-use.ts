import type { Caller } from '../../edge/operations/route.ts'
import { runPeriodically } from '../../platform/loops/run-periodically.ts'
import type { KeyUse } from './key-store.ts'

export type KeyUseRecorder = {
  /** Notes that the caller's key was just used. Costs no I/O and cannot fail. */
  note(caller: Caller): void
  /** Writes what was noted and ends the timer. */
  stop(): Promise<void>
}

/**
 * Keeps the last use of each key in memory and writes it from time to time, so that no request waits for it or fails
 * by it. A crash loses at most one interval of last-used times, and nothing else. `onError` hears of a failed write;
 * what was to be written is tried again at the next turn.
 */
export function recordKeyUse(
  write: (uses: KeyUse[]) => Promise<void>,
  onError: (error: unknown) => void,
  intervalMs = 5_000,
): KeyUseRecorder {
  let noted = new Map<string, { workspaceId: string; usedAtMs: number }>()

  async function flush(): Promise<void> {
    if (noted.size === 0) return
    const batch = noted
    noted = new Map()
    const nowMs = performance.now()
    const uses = [...batch].map(([keyId, { workspaceId, usedAtMs }]) => ({
      workspaceId,
      keyId,
      agoMs: Math.round(nowMs - usedAtMs),
    }))
    try {
      await write(uses)
    } catch (error) {
      noted = new Map([...batch, ...noted])
      onError(error)
    }
  }

  const writing = runPeriodically(flush, intervalMs, onError)

  return {
    note({ workspaceId, credential }) {
      if (credential.type === 'agent_key') {
        noted.set(credential.id, { workspaceId, usedAtMs: performance.now() })
      }
    },
    async stop() {
      await writing.stop()
      await flush()
    },
  }
}
