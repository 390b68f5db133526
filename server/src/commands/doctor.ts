import { lookup } from 'node:dns/promises'
import { statfs } from 'node:fs/promises'
import type { Command } from 'commander'
import { openGrant } from '../channels/grant.ts'
import type { Config } from '../config/config.ts'
import { type Database, MIGRATIONS, openDatabase } from '../platform/database.ts'
import type { Db } from '../platform/db.ts'
import { schemaStatus } from '../platform/migrate.ts'
import { type Keyring, openKeyring, SealBroken } from '../platform/sealing.ts'
import { workers } from '../platform/worker-store.ts'
import { isSandboxReachable } from '../sandbox/sandbox-accounts.ts'
import { sandboxUrlOf } from '../sandbox/sandbox-process.ts'
import type { CommandLine } from './command-line.ts'
import { explainFault } from './explain-fault.ts'
import {
  type Finding,
  judgeClock,
  judgeDisk,
  judgeSchema,
  judgeSeals,
  judgeWorkers,
  ok,
  warn,
  fail,
} from './findings.ts'
import { table } from './output.ts'

/** `postrider doctor` */
export function addDoctorCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('doctor')
    .description('look whether everything that the server needs is in order')
    .action(async (_options: object, command: Command) => {
      const findings = await examine(await config())
      const rows = findings.map(({ name, status, detail, fix }) => [status, name, `${detail}. ${fix}`.trim()])
      output(command).answer(findings, table(['', 'WHAT', 'FOUND'], rows))
      if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1
    })
}

async function examine(config: Config): Promise<Finding[]> {
  const [inside, outside] = await Promise.all([examineDatabase(config), examineNetworks(config)])
  return [...inside, ...outside]
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  let database: Database
  try {
    database = await openDatabase(config, {
      applicationName: 'postrider doctor',
      connections: 2,
      creates: false,
    })
  } catch (error) {
    return [fail('database', 'cannot be opened', explainFault(error))]
  }
  const { db, dataDir, embedded } = database
  try {
    const findings = [await examineServer(db, embedded), await examineClock(db), await examineDisk(dataDir)]
    const schema = await schemaStatus(db, MIGRATIONS)
    findings.push(judgeSchema(schema))
    if (schema !== 'current') return findings
    return [...findings, await examineSeals(config, database), judgeWorkers(await workers(db))]
  } catch (error) {
    return [fail('database', 'does not answer as it should', explainFault(error))]
  } finally {
    await database.close()
  }
}

async function examineServer(db: Db, embedded: boolean): Promise<Finding> {
  const [row] = await db<{ version: number }[]>`select current_setting('server_version_num')::int as version`
  const major = Math.floor((row?.version ?? 0) / 10_000)
  const detail = `PostgreSQL ${major}, ${embedded ? 'embedded' : 'at DATABASE_URL'}`
  const fix = `Use PostgreSQL ${OLDEST_POSTGRES} or newer.`
  return major >= OLDEST_POSTGRES ? ok('database', detail) : fail('database', detail, fix)
}

/** The oldest release of PostgreSQL that its makers still maintain. */
const OLDEST_POSTGRES = 14

async function examineClock(db: Db): Promise<Finding> {
  const askedMs = Date.now()
  const [row] = await db<{ now: Date }[]>`select clock_timestamp() as now`
  const halfwayMs = (askedMs + Date.now()) / 2
  return judgeClock((row?.now.getTime() ?? 0) - halfwayMs)
}

async function examineDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir)
  return judgeDisk(bavail * bsize, dataDir)
}

async function examineSeals(config: Config, { db, dataDir }: Database): Promise<Finding> {
  const keyring = await openKeyring({ secretKeys: config.secretKeys, dataDir })
  const sealed = await db<{ channelId: string; grantSealed: Buffer }[]>`
    select id as "channelId", grant_sealed as "grantSealed" from channel where enabled`
  const broken = sealed.filter(({ channelId, grantSealed }) => !opens(keyring, channelId, grantSealed))
  return judgeSeals({ all: sealed.length, broken: broken.length })
}

function opens(keyring: Keyring, channelId: string, sealed: Buffer): boolean {
  try {
    openGrant(keyring, channelId, sealed)
    return true
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}

async function examineNetworks(config: Config): Promise<Finding[]> {
  return Promise.all([examineSandbox(config), examineServerAnswer(config), examineOutside()])
}

async function examineSandbox({ sandbox }: Config): Promise<Finding> {
  if (!sandbox.on) return ok('sandbox network', 'switched off')
  const url = sandboxUrlOf(sandbox)
  if (await isSandboxReachable(url)) return ok('sandbox network', `answers at ${url}`)
  return warn('sandbox network', `does not answer at ${url}`, 'Start the server, which starts it too.')
}

async function examineServerAnswer({ http }: Config): Promise<Finding> {
  const url = `${http.baseUrl}/readyz`
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) }).catch(() => null)
  if (answer === null) return warn('API', `does not answer at ${http.baseUrl}`, 'Start the server.')
  await answer.body?.cancel()
  if (answer.status === 200) return ok('API', `ready at ${http.baseUrl}`)
  return warn(
    'API',
    `answers at ${url} with HTTP status ${answer.status}`,
    'Look at that address, and at the log.',
  )
}

/** Providers are out there; the sandbox network is not, so that a machine without a way out is no failure. */
async function examineOutside(): Promise<Finding> {
  const name = 'internet'
  const fix = 'Needed for real providers only: check DNS, firewall and proxy.'
  try {
    await lookup('example.com')
  } catch {
    return warn(name, 'names cannot be looked up', fix)
  }
  const signal = AbortSignal.timeout(5_000)
  const answer = await fetch('https://example.com/', { method: 'HEAD', signal }).catch(() => null)
  return answer === null ? warn(name, 'no way out over HTTPS', fix) : ok(name, 'reachable over HTTPS')
}
