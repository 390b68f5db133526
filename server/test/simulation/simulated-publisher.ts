import type { Engine } from '../../src/publication/engine.ts'
import { publishWork } from '../../src/publication/publish-destination.ts'
import { resolveDoubt } from '../../src/publication/resolve-doubt.ts'
import type { Lease, Work } from '../../src/publication/engine-port.ts'
import { renew } from './memory-store.ts'
import { engineOf } from './simulated-engine.ts'
import { type Task, type Worker, type Simulation, tell, perform, settleTasks } from './stage.ts'

/*
 * What a publisher does, in the order of publisher.ts, each time the history lets it look for work.
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
    .catch((fault: unknown) => tell(sim, () => `${task.name}: fault: ${String(fault)}`))
    .finally(() => {
      task.over = true
      task.running = false
      worker.tasks = worker.tasks.filter((one) => one !== task)
    })
  return settleTasks(task)
}

export function startClaim(sim: Simulation, worker: Worker): Promise<void> {
  return start(sim, worker, 'claim', null, async (engine, task) => {
    const works = await engine.store.claim(8)
    await begin(sim, worker, task, works)
  })
}

export function startSweep(sim: Simulation, worker: Worker): Promise<void> {
  return start(sim, worker, 'sweep', null, async (engine, task) => {
    const leases = worker.tasks.flatMap(({ lease }) => (lease === null ? [] : [lease]))
    await perform(sim, task, 'store', 'renews', () => renew(sim.db, worker.identity, leases))
    if (engine.stopping.aborted) return
    await begin(sim, worker, task, await engine.store.claimOrphans(64))
    await engine.store.expire(500)
    const askedAt = sim.flaws.has('sleep before a repeat not looked at') ? Infinity : engine.clock()
    for (const doubt of await engine.store.claimDoubts(16)) {
      await startBeside(sim, worker, task, `doubt ${doubt.destinationId}`, null, (own) =>
        resolveDoubt(own, doubt, askedAt),
      )
    }
  })
}

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
