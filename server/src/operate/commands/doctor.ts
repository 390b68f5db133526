import { lookup } from 'node:dns/promises'
import { stat, statfs } from 'node:fs/promises'
import type { Command } from 'commander'
import { versionEnds } from '../../networks/channels/version-ends.ts'
import { frozenWorkspaces } from '../../networks/channels/freeze-store.ts'
import { countConnections } from '../../networks/channels/channel-store.ts'
import { type Config, ownUrl } from '../../platform/config/config.ts'
import { findSmtpFault } from '../../people/mail/smtp.ts'
import { checkStoredFiles } from '../../media/check-stored-files.ts'
import { openStorage, openTransit } from '../../media/open-media.ts'
import { lookAtRoom } from '../../media/watch-room.ts'
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
import { readBlockers } from '../../platform/postgres/read-blockers.ts'
import { explainLostSessions } from '../../platform/embedded-postgres/explain-lost-sessions.ts'
import { standsStill, type Subject, subjects } from '../monitoring/finding-table.ts'
import { judgeSituation } from '../monitoring/judge-situation.ts'
import { readSituation } from '../monitoring/situation-store.ts'
import { judgeRoom } from '../../platform/postgres/room.ts'
import { literalOf } from '../../platform/outbound/outbound-guard.ts'
import { unreachableAt } from '../../platform/outbound/reachable-address.ts'
import { readKeyring, secretKeyFile } from '../../platform/sealing/secret-keys.ts'
import { workers } from '../../platform/postgres/worker-store.ts'
import { codeIn, type Outside, OutsideFault } from '../../platform/process/outside-fault.ts'
import { release } from '../../platform/process/version.ts'
import { takesWrites } from '../../platform/postgres/write-probe.ts'
import { countHeld } from '../../content/listing/destination-list-store.ts'
import { isSandboxReachable, sandboxUrlOf } from '../../accounts/sandbox/sandbox-process.ts'
import { findDamaged, keysInUse } from '../secrets/open-secrets.ts'
import { readWaiting } from './access.ts'
import type { CommandLine } from './command-line.ts'
import { explainByCode, explainFault, explainOutside, unended } from './explain-fault.ts'
import {
  type Finding,
  findingOf,
  found,
  judgeChannels,
  judgeClock,
  judgeConnections,
  judgeDisk,
  judgeFetching,
  judgeHeld,
  judgeLocks,
  judgeFrozen,
  judgeSuspended,
  judgeVersions,
  judgeMedia,
  judgeReplication,
  judgeSchema,
  judgeSecretKeys,
  judgeWorkers,
  judgeWrites,
  lookFailed,
  ok,
  settleFirst,
  showFinding,
  type ShownFinding,
} from './doctor-findings.ts'
import { RECORD_OPTION, recordTo } from './record-option.ts'
import { type Columns, table } from './output.ts'
import { ours, type Said, say } from './said.ts'

/** `postrider doctor …`; without a second word it is about the server. */
export function addDoctorCommands(program: Command, commandLine: CommandLine): void {
  const doctor = program.command('doctor').description('what is wrong, and how to fix it')
  addServer(doctor, commandLine)
  addNetworks(doctor, commandLine)
}

type DoctorOptions = { readonly strict: boolean; readonly redacted: boolean }

function addServer(doctor: Command, { config, output }: CommandLine): void {
  doctor
    .command('server', { isDefault: true })
    .description(
      'check everything the server needs, with a fix for each problem (`doctor` alone does the same)',
    )
    .option('--strict', 'end with 1, too, where work stands still until somebody acts', false)
    .option(
      '--redacted',
      'for a report that others read: without hosts, folders, names, texts and keys',
      false,
    )
    .action(async ({ strict, redacted }: DoctorOptions, command: Command) => {
      const findings = await examine(await config())
      const columns: Columns<ShownFinding> = {
        '': ({ status }) => status,
        WHAT: ({ name }) => name,
        FOUND: ({ detail, fix }) => `${unended(detail)}. ${fix}`.trim(),
      }
      const shown = findings.map((finding) => showFinding(finding, redacted))
      output(command).answer(shown, table(columns, shown))
      if (findings.some(({ status, code }) => status === 'fail' || (strict && standsStill(code))))
        process.exitCode = 1
    })
}

function addNetworks(doctor: Command, { config, output }: CommandLine): void {
  doctor
    .command('networks')
    .description(
      'ask the network of each connected account, in all workspaces, whether its access, scopes, quota, limits, version and clock are as needed. Changes nothing there or here',
    )
    .option(...RECORD_OPTION)
    .action(async ({ record: file }: { record?: string }, command: Command) => {
      // Loaded only here: networks take long to load.
      const { checkAccounts, textOfAccounts } = await import('./doctor-networks.ts')
      await using opened = new AsyncDisposableStack()
      const record = await recordTo(file, opened)
      const accounts = await checkAccounts(await config(), record?.recorder ?? null)
      output(command).answer(accounts, textOfAccounts(accounts))
      if (accounts.some(({ status }) => status === 'fail')) process.exitCode = 1
    })
}

/** Background work (3), the heartbeat, two listeners, one that asks who is in the way, and two for commands. */
const OTHER_CONNECTIONS = 9

async function examine(config: Config): Promise<readonly Finding[]> {
  const [inside, outside] = await Promise.all([examineDatabase(config), examineNetworks(config)])
  return [ok('release', ours(release)), ...settleFirst([...inside, ...outside])]
}

/** One look may take so long: where much is locked, the others are to be told soon. */
const LOOK_MS = 10_000

async function examineDatabase(config: Config): Promise<Finding[]> {
  let database: Database
  try {
    database = await openDatabase(config, {
      applicationName: 'postrider doctor',
      connections: 2,
      creates: false,
      statementTimeoutMs: LOOK_MS,
    })
  } catch (error) {
    return [unreachable(error)]
  }
  const { db, dataDir, embedded } = database
  try {
    // A database of one's own is only now connected to.
    const server = await examineServer(database).catch((error: unknown) => [unreachable(error)])
    const disk = await guarded('disk', () => examineDisk(dataDir))
    // Without an answer to the first question, all others would be told the same.
    if (server.some(({ name, status }) => name === subjects.database && status === 'fail'))
      return [...server, ...disk]
    const locks = await guarded('locks', async () => judgeLocks(await readBlockers(db)))
    const schema = await guarded('schema', async () => judgeSchema(await checkSchema(db, MIGRATIONS)))
    const findings = [
      ...server,
      ...disk,
      ...locks,
      ...(await guarded('writes', () => examineWrites(db))),
      ...(embedded ? [] : await guarded('sessions', () => examineOwnServer(config, database))),
      ...schema,
    ]
    if (schema.some(({ status }) => status === 'fail')) return findings
    return [
      ...findings,
      ...(await guarded('secret_keys', () => examineSecrets(config, database))),
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
  subject: Subject,
  look: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await look()].flat()
  } catch (error) {
    return [lookFailed(subject, whyOf(error))]
  }
}

function unreachable(error: unknown): Finding {
  return found('database_unreachable', say`cannot be opened`, whyOf(error))
}

/** What a fault says may be of others: a report has our own words for it, or its code. */
function whyOf(error: unknown): Said {
  const text = explainFault(error)
  return { text, redacted: text === explainByCode(error) ? text : `Code: ${codeIn(error)}.` }
}

async function examineServer({ db, embedded }: Database): Promise<Finding[]> {
  const askedMs = Date.now()
  const facts = await readDatabaseFacts(db)
  const halfwayMs = (askedMs + Date.now()) / 2
  return [judgeServer(facts, { embedded }), judgeClock(facts.now.getTime() - halfwayMs)]
}

async function examineRestored(db: Db): Promise<Finding[]> {
  const held = (await countHeld(db)).reduce((sum, each) => sum + each.held, 0)
  const { members, keys } = await readWaiting(db)
  const frozen = await frozenWorkspaces(db)
  return [...judgeHeld(held), ...judgeSuspended(members.length, keys.length), ...judgeFrozen(frozen.size)]
}

/** Whether everything is done that is due. */
async function examineWork({ mail }: Config, { db, embedded }: Database): Promise<Finding[]> {
  const verdicts = judgeSituation(await readSituation(db), { sendsMail: mail !== null, embedded })
  // The publisher is known better than by its age alone.
  return verdicts.filter(({ subject }) => subject !== 'publisher').map(findingOf)
}

function judgeServer(facts: DatabaseFacts, { embedded }: Pick<Database, 'embedded'>): Finding {
  const detail = say`PostgreSQL ${facts.version}, ${ours(embedded ? 'embedded' : 'at DATABASE_URL')}`
  const unsuitable = explainUnsuitable(facts)
  return unsuitable === null ? ok('database', detail) : found('database_unsuitable', detail, ours(unsuitable))
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
      ? ok('sessions', say`kept by the database`)
      : found('sessions_lost', say`not kept by the database`, ours(lost)),
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
  const place = media.s3 === null ? say`${dataDir}` : say`the store that S3_… names`
  try {
    await using opened = new AsyncDisposableStack()
    const storage = opened.adopt(await openStorage(dataDir, media), ({ close }) => close())
    const files = judgeMedia(await checkStoredFiles(db, storage))
    const room = await lookAtRoom({ storage, tempFiles: await openTransit(dataDir) })
    const wrong = judgeRoom(room)
    if (wrong === null) return files
    const code = room.fault === null ? 'media_room_low' : 'media_room_no_files'
    return [...files, found(code, say`${wrong.detail}`, ours(wrong.fix))]
  } catch (error) {
    return [found('media_unreadable', say`${place} cannot be read (${ours(codeIn(error))})`, whyOf(error))]
  }
}

async function examineNetworks(config: Config): Promise<Finding[]> {
  const findings = await Promise.all([
    examineSandbox(config),
    examineServerAnswer(config),
    examineFetching(config),
    examineVersions(config),
    examineMail(config),
    examineProvider(config),
    examineOutside(),
  ])
  return findings.flat()
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
  const resolved = looksUp ? await lookup(hostname, { all: true }).catch(() => null) : []
  return judgeFetching(names, baseUrl, {
    unreachable,
    addresses: resolved?.map(({ address }) => address) ?? null,
  })
}

async function examineVersions(config: Config): Promise<Finding> {
  const { enabledProviders } = await import('../../networks/enabled-providers.ts')
  return judgeVersions(versionEnds(enabledProviders(config)), new Date())
}

async function examineSandbox({ sandbox }: Config): Promise<Finding> {
  if (!sandbox.on) return ok('sandbox_network', say`disabled`)
  const url = sandboxUrlOf(sandbox)
  if (await isSandboxReachable(url)) return ok('sandbox_network', say`answers at ${url}`)
  const fix = say`Start the server, which starts it too.`
  return found('sandbox_network_silent', say`does not answer at ${url}`, fix)
}

/**
 * At its own port, and where people open it: what lies in between may be at fault. Who asks may be on another machine, so that a port
 * that is silent says something only where the address is, too.
 */
async function examineServerAnswer({ http, roles }: Config): Promise<Finding[]> {
  const own = ownUrl(http.host, http.port)
  if (own === http.baseUrl || !roles.includes('api')) return [await examineAnswer(http.baseUrl, 'api')]
  const [inside, outside] = await Promise.all([
    examineAnswer(own, 'own_port'),
    examineAnswer(http.baseUrl, 'api'),
  ])
  return outside.status === 'ok' && inside.status !== 'ok' ? [outside] : [inside, outside]
}

async function examineAnswer(at: string, subject: 'api' | 'own_port'): Promise<Finding> {
  // Not /readyz, which a proxy should keep from the public.
  const url = `${at}/healthz`
  const answer = await ask(url, 'api')
  if (answer instanceof OutsideFault)
    return found(
      `${subject}_silent`,
      say`does not answer at ${at} (${ours(answer.code)})`,
      ours(explainOutside(answer) ?? 'Start the server, or look at what is in front of it.'),
    )
  if (answer === 200) return ok(subject, say`answers at ${at}`)
  return found(
    `${subject}_faulty`,
    say`answers at ${url} with HTTP status ${answer}`,
    say`Look at that address, and at the log.`,
  )
}

/** The HTTP status of the answer, or why there is none. */
async function ask(url: string, of: Outside, method = 'GET'): Promise<number | OutsideFault> {
  try {
    const answer = await fetch(url, { method, redirect: 'error', signal: AbortSignal.timeout(5_000) })
    await answer.body?.cancel()
    return answer.status
  } catch (fault) {
    return new OutsideFault(of, fault)
  }
}

async function examineMail({ mail }: Config): Promise<Finding> {
  if (mail === null) return ok('mail', say`none is sent: SMTP_URL and MAIL_FROM are not set`)
  const fault = await findSmtpFault(mail)
  const server = new URL(mail.url.reveal()).host
  if (fault === null) return ok('mail', say`${server} takes mail from ${mail.from}`)
  const fix = ours(explainOutside(fault) ?? 'Check SMTP_URL, and that server.')
  return found('mail_refused', say`${server} takes no mail: ${fault.message}`, fix)
}

async function examineProvider({ oidc, http }: Config): Promise<Finding> {
  if (oidc === null) return ok('identity_provider', say`none: people sign in here only`)
  const faults: unknown[] = []
  const client = openOidcClient(oidc, issuerReturnUrl(http.baseUrl), (fault) => faults.push(fault))
  await client.begin('doctor')
  if (faults.length === 0) return ok('identity_provider', say`${oidc.name} at ${oidc.issuer}`)
  const fault = new OutsideFault('issuer', faults[0])
  const fix = ours(explainOutside(fault) ?? 'Check OIDC_ISSUER: it must be what the provider itself says.')
  const detail = say`${oidc.issuer} does not answer as it should: ${fault.message}`
  return found('identity_provider_faulty', detail, fix)
}

function fixOf(fault: OutsideFault): Said {
  return ours(explainOutside(fault) ?? 'Needed for real providers only: check DNS, firewall and proxy.')
}

/** Providers are out there; the sandbox network is not, so that a machine without a way out is no failure. */
async function examineOutside(): Promise<Finding> {
  try {
    await lookup('example.com')
  } catch (error) {
    const fault = new OutsideFault('network', error)
    return found('internet_no_names', say`names cannot be looked up (${ours(fault.code)})`, fixOf(fault))
  }
  const answer = await ask('https://example.com/', 'network', 'HEAD')
  return answer instanceof OutsideFault
    ? found('internet_unreachable', say`no way out over HTTPS (${ours(answer.code)})`, fixOf(answer))
    : ok('internet', say`reachable over HTTPS`)
}
