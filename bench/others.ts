import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { installPackages } from '../tools/installed-packages.ts'

/*
 * Programs of others, installed when a bench first needs one. Their types are not there when the sources are checked: here stands
 * the little of them that is used.
 */

type Request = { method?: string; path?: string; headers?: Record<string, string>; body?: string }
type Load = {
  url: string
  connections: number
  /** Seconds. */
  duration?: number
  /** Requests in all, instead of a duration. */
  amount?: number
  /** How often it samples, and looks whether it is done, in milliseconds. */
  sampleInt?: number
  /** Sent in turn by each connection; `setupRequest` may build each one before it is sent. */
  requests: { method: string; setupRequest: (request: Request) => Request }[]
}
type Measured = {
  '2xx': number
  non2xx: number
  errors: number
  /** Seconds. */
  duration: number
}

type Queue = { readonly pgPool: Pool; readonly logger: object }
type Runner = { stop: () => Promise<void> }
type GraphileWorker = {
  Logger: new (makeLog: () => () => void) => object
  makeWorkerUtils: (queue: Queue) => Promise<{
    migrate: () => Promise<void>
    addJobs: (jobs: { identifier: string; payload: object; runAt: Date }[]) => Promise<unknown>
    release: () => Promise<void>
  }>
  run: (
    options: Queue & {
      concurrency: number
      noHandleSignals: boolean
      taskList: Record<string, (payload: unknown) => Promise<void>>
    },
  ) => Promise<Runner>
}

type Boss = {
  start: () => Promise<unknown>
  createQueue: (name: string) => Promise<void>
  insert: (queue: string, jobs: { data: object; startAfter: Date }[]) => Promise<unknown>
  work: (
    queue: string,
    options: { batchSize: number; localConcurrency: number; pollingIntervalSeconds: number },
    perform: (batch: { data: { text: string } }[]) => Promise<void>,
  ) => Promise<string>
  stop: () => Promise<void>
}
type BossPlace = { host: string; port: number; database: string; user: string }

type Others = {
  autocannon: (load: Load) => Promise<Measured>
  'graphile-worker': GraphileWorker
  'pg-boss': { PgBoss: new (place: BossPlace) => Boss }
}

export async function loadOther<Name extends keyof Others>(name: Name): Promise<Others[Name]> {
  const folder = await installPackages(join(import.meta.dirname, 'others'))
  return createRequire(join(folder, 'package.json'))(name) as Others[Name]
}
