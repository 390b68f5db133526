import type { Db } from '../../platform/postgres/db.ts'
import { runPeriodically } from '../../platform/loops/run-periodically.ts'
import type { Lease } from './work.ts'
import type { WorkerIdentity } from '../../platform/postgres/worker-store.ts'
import { heartbeat } from './heartbeat-store.ts'

export type HeartbeatOptions = {
  /** A pool of one connection that is kept, for the heartbeat alone: nothing may delay it. */
  readonly session: Db
  readonly worker: WorkerIdentity
  readonly leaseMs: number
  readonly heartbeatEveryMs: number
  /** The leases to renew. */
  readonly leases: () => readonly Lease[]
  readonly onError: (error: unknown) => void
}

export type RunningHeartbeat = {
  /** Whether there may be something to take over: not where the last heartbeat found that no worker holds a lease. */
  readonly mayBeOrphans: () => boolean
  readonly stop: () => Promise<void>
}

/** Sends heartbeats of the worker, and renews its leases. The first one is stored when this resolves. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<RunningHeartbeat> {
  const { session, worker, leaseMs, heartbeatEveryMs, leases, onError } = options
  let leased = true
  const send = async () => {
    // Until it is answered, and where it never is, nothing is known.
    leased = true
    leased = (await heartbeat(session, worker, leases(), leaseMs)).leased
  }
  await send()
  const { stop } = runPeriodically(send, Math.min(heartbeatEveryMs, leaseMs / 6), onError)
  return { mayBeOrphans: () => leased, stop }
}
