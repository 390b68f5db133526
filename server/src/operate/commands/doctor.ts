import { lookup } from 'node:dns/promises'
import { stat, statfs } from 'node:fs/promises'
import type { Command } from 'commander'
import { countConnections } from '../../networks/channels/channel-store.ts'
import type { Config } from '../../platform/config/config.ts'
import { findSmtpFault } from '../../people/mail/smtp.ts'
import { checkStoredFiles } from '../../media/check-stored-files.ts'
import { openStorage, openTransit } from '../../media/open-media.ts'
import { lookAtRoom } from '../../media/watch-room.ts'
import { listSuspendedKeys } from '../../people/keys/key-store.ts'
import { listSuspendedMembers } from '../../people/members/member-store.ts'
import { openOidcClient } from '../../people/sign-in/issuer/issuer-client.ts'
import { issuerReturnUrl } from '../../platform/outbound/site.ts'
import { type Database, MIGRATIONS, openDatabase } from '../../platform/embedded-postgres/database.ts'
import type { Db } from '../../platform/postgres/db.ts'
import {
  type DatabaseFacts,
  explainUnsuitable,
  readDatabaseFacts,
  readServerSettings,
} from '../../platform/postgres/database-facts.ts'
import { checkSchema } from '../../platform/postgres/migrate.ts'
import { explainLostSessions } from '../../platform/embedded-postgres/explain-lost-sessions.ts'
import { judgeSituation } from '../monitoring/judge-situation.ts'
import { readSituation } from '../monitoring/situation-store.ts'
import { judgeRoom } from '../../platform/postgres/room.ts'
import { literalOf } from '../../platform/outbound/outbound-guard.ts'
import { unreachableAt } from '../../platform/outbound/reachable-address.ts'
import { readKeyring, secretKeyFile } from '../../platform/sealing/secret-keys.ts'
import { workers } from '../../platform/postgres/worker-store.ts'
import { takesWrites } from '../../platform/postgres/write-probe.ts'
import { countHeld } from '../../content/listing/destination-list-store.ts'
import { isSandboxReachable, sandboxUrlOf } from '../../accounts/sandbox/sandbox-process.ts'
import { findDamaged, keysInUse } from '../secrets/open-secrets.ts'
import type { CommandLine } from './command-line.ts'
import { explainFault } from './explain-fault.ts'
import {
  type Finding,
  judgeChannels,
  judgeClock,
  judgeConnections,
  judgeDisk,
  judgeFetching,
  judgeHeld,
  judgeSuspended,
  judgeMedia,
  judgeReplication,
  judgeSchema,
  judgeSecretKeys,
  judgeWorkers,
  judgeWrites,
  ok,
  warn,
  fail,
} from './doctor-findings.ts'
import { type Columns, table } from './output.ts'

/** `postrider doctor …`; without a second word it is about the server. */
export function addDoctorCommands(program: Command, commandLine: CommandLine): void {
  const doctor = program.command('doctor').description('what is wrong, and how to fix it')
  addServer(doctor, commandLine)
  addNetworks(doctor, commandLine)
}

function addServer(doctor: Command, { config, output }: CommandLine): void {
  doctor
    .command('server', { isDefault: true })
    .description(
      'check everything the server needs, with a fix for each problem (`doctor` alone does the same)',
    )
    .action(async (_options: object, command: Command) => {
      const findings = await examine(await config())
      const columns: Columns<Finding> = {
        '': ({ status }) => status,
        WHAT: ({ name }) => name,
        FOUND: ({ detail, fix }) => `${detail}. ${fix}`.trim(),
      }
      output(command).answer(findings, table(columns, findings))
      if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1
    })
}

function addNetworks(doctor: Command, { config, output }: CommandLine): void {
  doctor
    .command('networks')
    .description(
      'ask the network of each connected account, in all workspaces, whether its access, scopes, quota, limits, version and clock are as needed. Changes nothing there or here',
    )
    .action(async (_options: object, command: Command) => {
      // Loaded only here: networks take long to load.
      const { checkAccounts, textOfAccounts } = await import('./doctor-networks.ts')
      const accounts = await checkAccounts(await config())
      output(command).answer(accounts, textOfAccounts(accounts))
      if (accounts.some(({ status }) => status === 'fail')) process.exitCode = 1
    })
}

/** Background work (3), the heartbeat, two listeners, and two for commands. */
const OTHER_CONNECTIONS = 8

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
    const server = await guarded('database', () => examineServer(database))
    const disk = await guarded('disk', () => examineDisk(dataDir))
    // Without an answer to the first question, all others would be told the same.
    if (server.some(({ name, status }) => name === 'database' && status === 'fail'))
      return [...server, ...disk]
    const schema = await guarded('schema', async () => judgeSchema(await checkSchema(db, MIGRATIONS)))
    const findings = [
      ...server,
      ...disk,
      ...(await guarded('writes', () => examineWrites(db))),
      ...(embedded ? [] : await guarded('server', () => examineOwnServer(config, database))),
      ...schema,
    ]
    if (schema.some(({ status }) => status === 'fail')) return findings
    return [
      ...findings,
      ...(await guarded('secret keys', () => examineSecrets(config, database))),
      ...(await examineMedia(config, database)),
      ...(await guarded('channels', async () => judgeChannels(await countConnections(db)))),
      ...(await guarded('restore', () => examineRestored(db))),
      ...(await guarded('publisher', async () => judgeWorkers(await workers(db)))),
      ...(await guarded('work', () => examineWork(config, database))),
    ]
  } finally {
    await database.close()
  }
}

/** A look that fails is told in its place, and hides nothing of what the others find. */
async function guarded(
  name: string,
  look: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    return [fail(name, 'could not be looked at', explainFault(error))]
  }
}

async function examineServer({ db, embedded }: Database): Promise<Finding[]> {
  const askedMs = Date.now()
  const facts = await readDatabaseFacts(db)
  const halfwayMs = (askedMs + Date.now()) / 2
  return [judgeServer(facts, { embedded }), judgeClock(facts.now.getTime() - halfwayMs)]
}

async function examineRestored(db: Db): Promise<Finding[]> {
  const held = (await countHeld(db)).reduce((sum, each) => sum + each.held, 0)
  const [members, keys] = [await listSuspendedMembers(db), await listSuspendedKeys(db)]
  return [...judgeHeld(held), ...judgeSuspended(members.length, keys.length)]
}

/** Whether everything is done that is due. */
async function examineWork({ mail }: Config, { db, embedded }: Database): Promise<Finding[]> {
  const verdicts = judgeSituation(await readSituation(db), { sendsMail: mail !== null, embedded })
  // The publisher is known better than by its age alone.
  const others = verdicts.filter(({ name }) => name !== 'publisher')
  return others.map(({ name, detail, fix }) => (fix === null ? ok(name, detail) : warn(name, detail, fix)))
}

function judgeServer(facts: DatabaseFacts, { embedded }: Pick<Database, 'embedded'>): Finding {
  const detail = `PostgreSQL ${facts.version}, ${embedded ? 'embedded' : 'at DATABASE_URL'}`
  const unsuitable = explainUnsuitable(facts)
  return unsuitable === null ? ok('database', detail) : fail('database', detail, unsuitable)
}

/** What a PostgreSQL of one's own can be set to, and the embedded one is not. */
async function examineOwnServer(config: Config, database: Database): Promise<Finding[]> {
  const lost = await explainLostSessions(database, config)
  const { connections, ...replication } = await readServerSettings(database.db)
  const { pools, listenUrl } = config.database
  // A pooler has limits of its own; past it go only those that need a session.
  const ofRoles = listenUrl === null ? config.roles.reduce((sum, role) => sum + pools[role], 0) : 0
  const needed = ofRoles + OTHER_CONNECTIONS
  return [
    lost === null
      ? ok('sessions', 'kept by the database')
      : fail('sessions', 'not kept by the database', lost),
    judgeReplication(replication),
    judgeConnections(needed, connections),
  ]
}

async function examineWrites(db: Db): Promise<Finding> {
  const begunMs = performance.now()
  const taken = await db.begin(takesWrites)
  return judgeWrites(taken ? performance.now() - begunMs : null)
}

async function examineDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir)
  return judgeDisk(bavail * bsize, dataDir)
}

async function examineSecrets(config: Config, { db, dataDir }: Database): Promise<Finding> {
  const source = { secretKeys: config.secretKeys, dataDir }
  const keyring = await readKeyring(source)
  const where = source.secretKeys === null ? secretKeyFile(source) : 'SECRET_KEYS'
  const damaged = keyring === null ? [] : await findDamaged(db, keyring)
  const isOpen = source.secretKeys === null && keyring !== null && ((await stat(where)).mode & 0o007) !== 0
  return judgeSecretKeys(where, keyring?.keyIds ?? [], await keysInUse(db), damaged, isOpen)
}

async function examineMedia({ media }: Config, { db, dataDir }: Database): Promise<Finding[]> {
  const name = 'media'
  const place = media.s3 === null ? dataDir : 'the store that S3_… names'
  try {
    await using opened = new AsyncDisposableStack()
    const storage = opened.adopt(await openStorage(dataDir, media), ({ close }) => close())
    const found = judgeMedia(await checkStoredFiles(db, storage))
    const room = await lookAtRoom({ storage, tempFiles: await openTransit(dataDir) })
    const wrong = judgeRoom(room)
    if (wrong === null) return found
    const judge = room.fault === null ? warn : fail
    return [...found, judge('media room', wrong.detail, wrong.fix)]
  } catch (error) {
    const fix = 'Check DATA_DIR, or the settings S3_… and the store that they name.'
    return [fail(name, `${place} cannot be read: ${explainFault(error)}`, fix)]
  }
}

async function examineNetworks(config: Config): Promise<Finding[]> {
  const found = await Promise.all([
    examineSandbox(config),
    examineServerAnswer(config),
    examineFetching(config),
    examineMail(config),
    examineProvider(config),
    examineOutside(),
  ])
  return found.flat()
}

/** Whether networks that fetch media themselves can reach this server, as far as this machine can tell. */
async function examineFetching(config: Config): Promise<Finding[]> {
  const { baseUrl } = config.http
  const { enabledProviders } = await import('../../networks/enabled-providers.ts')
  const fetching = [...enabledProviders(config).values()].filter(({ fetchesMedia }) => fetchesMedia === true)
  const names = fetching.map(({ displayName }) => displayName)
  const unreachable = unreachableAt(baseUrl, config.outbound)
  const { hostname } = new URL(baseUrl)
  const looksUp = names.length > 0 && unreachable === null && literalOf(hostname) === null
  const found = looksUp ? await lookup(hostname, { all: true }).catch(() => null) : []
  return judgeFetching(names, baseUrl, {
    unreachable,
    addresses: found?.map(({ address }) => address) ?? null,
  })
}

async function examineSandbox({ sandbox }: Config): Promise<Finding> {
  if (!sandbox.on) return ok('sandbox network', 'disabled')
  const url = sandboxUrlOf(sandbox)
  if (await isSandboxReachable(url)) return ok('sandbox network', `answers at ${url}`)
  return warn('sandbox network', `does not answer at ${url}`, 'Start the server, which starts it too.')
}

async function examineServerAnswer({ http }: Config): Promise<Finding> {
  // Not /readyz, which a proxy should keep from the public.
  const url = `${http.baseUrl}/healthz`
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) }).catch(() => null)
  if (answer === null) return warn('API', `does not answer at ${http.baseUrl}`, 'Start the server.')
  await answer.body?.cancel()
  if (answer.status === 200) return ok('API', `answers at ${http.baseUrl}`)
  return warn(
    'API',
    `answers at ${url} with HTTP status ${answer.status}`,
    'Look at that address, and at the log.',
  )
}

async function examineMail({ mail }: Config): Promise<Finding> {
  if (mail === null) return ok('mail', 'none is sent: SMTP_URL and MAIL_FROM are not set')
  const fault = await findSmtpFault(mail)
  const server = new URL(mail.url.reveal()).host
  if (fault === null) return ok('mail', `${server} takes mail from ${mail.from}`)
  return fail('mail', `${server} takes no mail: ${fault}`, 'Check SMTP_URL, and that server.')
}

async function examineProvider({ oidc, http }: Config): Promise<Finding> {
  const name = 'identity provider'
  if (oidc === null) return ok(name, 'none: people sign in here only')
  const faults: unknown[] = []
  const client = openOidcClient(oidc, issuerReturnUrl(http.baseUrl), (fault) => faults.push(fault))
  await client.begin('doctor')
  if (faults.length === 0) return ok(name, `${oidc.name} at ${oidc.issuer}`)
  const fix = 'Check OIDC_ISSUER: it must be what the provider itself says.'
  return fail(name, `${oidc.issuer} does not answer as it should: ${reasonOf(faults[0])}`, fix)
}

/** What a library threw, and the cause that it gives, which says more. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  const { message, cause } = fault
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message
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
