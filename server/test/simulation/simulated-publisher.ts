import { publishWork } from '../../src/engine/publication/publish-destination.ts'
import { resolveDoubt } from '../../src/engine/publication/resolve-doubt.ts'
import type { Engine } from '../../src/engine/publication/engine-port.ts'
import type { Lease, Work } from '../../src/engine/queue/work.ts'
import { heartbeat } from './memory-store.ts'
import { engineOf } from './simulated-engine.ts'
import { type Task, type Worker, type Simulation, trace, perform, settleTasks } from './scheduler.ts'

/*
 * What the loops of publisher.ts do, each time the history lets one of them run.
 */

function start(
  sim: Simulation,
  worker: Worker,
  name: string,
  lease: Lease | null,
  run: (engine: Engine, task: Task) => Promise<void>,
) {
  const life = worker.life
  const task: Task = {
    worker,
    name: `worker ${worker.number}${life === 0 ? '' : `.${life}`} ${name}`,
    running: true,
    over: false,
    lease,
  }
  worker.tasks.push(task)
  run(engineOf(sim, task), task)
    .catch((fault: unknown) => trace(sim, () => `${task.name}: fault: ${String(fault)}`))
    .finally(() => {
      task.over = true
      task.running = false
      worker.tasks = worker.tasks.filter((one) => one !== task)
    })
  return settleTasks(task)
}

export function startClaim(sim: Simulation, worker: Worker): Promise<void> {
  return start(sim, worker, 'claim', null, async (engine, task) => {
    await begin(sim, worker, task, await engine.store.claim(8))
    if (sim.db.outages.every(({ probeAt }) => probeAt > sim.db.now)) return
    const probes = await engine.store.claimProbes(8)
    if (probes.length > 0) sim.count('probe')
    await begin(sim, worker, task, probes)
  })
}

/** Each of the publisher's other loops, once. */
export const loops = {
  heartbeat: (sim, worker) =>
    start(sim, worker, 'heartbeat', null, async (_engine, task) => {
      const leases = worker.tasks.flatMap(({ lease }) => (lease === null ? [] : [lease]))
      await perform(sim, task, 'store', 'renews', () => heartbeat(sim.db, worker.identity, leases))
    }),
  orphans: (sim, worker) =>
    start(sim, worker, 'orphans', null, async (engine, task) =>
      begin(sim, worker, task, await engine.store.claimOrphans(64)),
    ),
  polls: (sim, worker) =>
    start(sim, worker, 'polls', null, async (engine, task) =>
      begin(sim, worker, task, await engine.store.claimProcessing(64)),
    ),
  holds: (sim, worker) =>
    start(sim, worker, 'holds', null, async (engine) => void (await engine.store.announceHolds(500))),
  expiry: (sim, worker) =>
    start(sim, worker, 'expiry', null, async (engine) => void (await engine.store.expire(500))),
  doubts: (sim, worker) =>
    start(sim, worker, 'doubts', null, async (engine, task) => {
      const askedAt = sim.flaws.has('suspension before a repeat not looked at') ? Infinity : engine.clock()
      for (const doubt of await engine.store.claimDoubts(16)) {
        await startBeside(sim, worker, task, `doubt ${doubt.destinationId}`, null, (own) =>
          resolveDoubt(own, doubt, askedAt),
        )
      }
    }),
} satisfies Record<string, (sim: Simulation, worker: Worker) => Promise<void>>

async function begin(sim: Simulation, worker: Worker, task: Task, works: readonly Work[]): Promise<void> {
  for (const work of works) {
    const { workspaceId, destinationId, fence } = work
    const name = `${destinationId}${work.orphan ? ' (orphan)' : ''} fence ${fence}`
    await startBeside(sim, worker, task, name, { workspaceId, destinationId, fence }, (engine) =>
      publishWork(engine, work),
    )
  }
}

/** Starts a task from within another, and goes on once the new one waits. */
function startBeside(
  sim: Simulation,
  worker: Worker,
  task: Task,
  name: string,
  lease: Lease | null,
  run: (engine: Engine) => Promise<void>,
): Promise<void> {
  task.running = true
  return start(sim, worker, name, lease, run)
}
