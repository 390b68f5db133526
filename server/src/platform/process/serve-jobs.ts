import { writeFileSync } from 'node:fs'
import { TERMINAL_SIGNALS } from './stop-signals.ts'
import type { JobEnd, JobRequest, WorkerMessage } from './worker-pool.ts'

/**
 * What the program of a worker does: runs jobs on what strangers sent, one at a time, and ends with the process that started it. It is
 * given no environment, so there is nothing in it to steal, and the kernel kills it first when memory runs out.
 */
export function serveJobs(run: (job: never) => Promise<JobEnd>): void {
  process.on('disconnect', () => process.exit(0))
  // The parent decides what they mean. SIGTERM, which programs send that free memory, ends a worker.
  for (const signal of TERMINAL_SIGNALS) process.on(signal, () => undefined)

  if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')

  process.on('message', ({ id, job }: JobRequest) => {
    void run(job as never).then((end) => send({ id, end }))
  })
  send({ ready: true })
}

function send(message: WorkerMessage): void {
  process.send?.(message)
}
