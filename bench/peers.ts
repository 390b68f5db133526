import pg from 'pg'
import { Agent, request } from 'undici'
import { loadOther } from './others.ts'

/*
 * Job queues on PostgreSQL that make the same call for each job, and no more: no channel that takes one at a time, no
 * evidence, no event. Each is measured from the time its jobs are due to the answer of the last call.
 */

export type Place = { readonly host: string; readonly database: string }

type Jobs = {
  readonly networkUrl: string
  readonly count: number
  readonly concurrency: number
  /** Called when all jobs are in the database, and before one is made. */
  readonly onSeeded: () => void
}

/** Jobs per second of graphile-worker: its usual settings, with as many places as the engine has. */
export async function runGraphileWorker(place: Place, jobs: Jobs): Promise<number> {
  const { Logger, makeWorkerUtils, run } = await loadOther('graphile-worker')
  const pgPool = new pg.Pool({ ...place, user: 'postrider', max: 10 })
  pgPool.on('error', () => undefined)
  pgPool.on('connect', (client) => void client.on('error', () => undefined))
  const logger = new Logger(() => () => undefined)
  const calls = countCalls(jobs)
  const queue = await makeWorkerUtils({ pgPool, logger })
  await queue.migrate()
  const dueAt = soon()
  const identifier = 'publish'
  await queue.addJobs(texts(jobs).map((text) => ({ identifier, payload: { text }, runAt: dueAt })))
  jobs.onSeeded()
  const runner = await run({
    pgPool,
    logger,
    concurrency: jobs.concurrency,
    noHandleSignals: true,
    taskList: { publish: (payload) => calls.make((payload as { text: string }).text) },
  })
  const rate = await calls.perSecondSince(dueAt)
  await runner.stop()
  await queue.release()
  await pgPool.end()
  return rate
}

/**
 * Jobs per second of pg-boss, which asks for jobs at intervals, at most twice a second: so four workers take batches of
 * 500, and make the calls of a batch at once.
 */
export async function runPgBoss(place: Place, jobs: Jobs): Promise<number> {
  const { PgBoss } = await loadOther('pg-boss')
  const boss = new PgBoss({ ...place, port: 5432, user: 'postrider' })
  const calls = countCalls(jobs)
  await boss.start()
  await boss.createQueue('publish')
  const dueAt = soon()
  await boss.insert(
    'publish',
    texts(jobs).map((text) => ({ data: { text }, startAfter: dueAt })),
  )
  jobs.onSeeded()
  const options = { batchSize: 500, localConcurrency: 4, pollingIntervalSeconds: 0.5 }
  await boss.work('publish', options, async (batch) => {
    await Promise.all(batch.map(({ data }) => calls.make(data.text)))
  })
  const rate = await calls.perSecondSince(dueAt)
  await boss.stop()
  return rate
}

function texts({ count }: Jobs): string[] {
  return Array.from({ length: count }, (_, n) => `peer ${n}`)
}

/** Far enough ahead that all are there when the first is due. */
export function soon(): Date {
  return new Date(Date.now() + 1_500)
}

function countCalls({ networkUrl, count }: Jobs) {
  const agent = new Agent({ connections: null, pipelining: 1 })
  const all = Promise.withResolvers<number>()
  let answered = 0
  return {
    async make(text: string): Promise<void> {
      const { statusCode, body } = await request(`${networkUrl}/api/v1/posts`, {
        method: 'POST',
        dispatcher: agent,
        body: JSON.stringify({ text }),
        headers: { authorization: 'Bearer peer', 'content-type': 'application/json' },
      })
      await body.json()
      if (statusCode !== 201) throw new Error(`The network answered ${statusCode}.`)
      answered += 1
      if (answered === count) all.resolve(Date.now())
    },
    async perSecondSince(dueAt: Date): Promise<number> {
      const seconds = ((await all.promise) - dueAt.getTime()) / 1_000
      await agent.close()
      return count / seconds
    },
  }
}
