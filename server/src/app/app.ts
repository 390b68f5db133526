import { join } from 'node:path'
import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Operation, uploadMedia } from '@postrider/contract'
import { openModels } from '../content/ai/ask-model.ts'
import { catalogOf, seesImages } from '../content/ai/model-catalog.ts'
import { allRoutes } from './all-routes.ts'
import { appRoutes } from './app-routes.ts'
import { agentApi, bearerCounts } from '../edge/api/operation/agent-api.ts'
import { resources, resourceUrl } from '../edge/api/documents/resources.ts'
import type { Authenticate } from '../edge/api/operation/gate.ts'
import { sharedCounts } from '../edge/api/http/rate-count-store.ts'
import { sharedRateLimit } from '../edge/api/http/rate-limits.ts'
import { buildApi } from '../edge/api/api.ts'
import { mountPublicMedia } from '../edge/api/http/mount-public-media.ts'
import { mountUploads } from '../edge/api/http/mount-uploads.ts'
import { mountDiscovery } from '../edge/api/documents/discovery.ts'
import { connectionLimits } from '../edge/api/http/connection-limits.ts'
import { findFreePort, listen, type Listening, NotListening } from '../edge/api/http/listen.ts'
import { workspaceOfApproval } from '../content/approvals/approval-store.ts'
import { workspaceOfChannel } from '../networks/channels/channel-store.ts'
import { workspaceOfPost } from '../content/posts/post-store.ts'
import { openPublicMedia } from '../engine/destinations/open-public-media.ts'
import { mailNotices, rewriteNotice } from '../attention/notices/mail-notices.ts'
import type { DueReader } from '../attention/notices/reader-store.ts'
import { rewriteInvitation } from '../people/members/mail-invitation.ts'
import { announceApprovals, rewriteRequests } from '../attention/reviews/announce-approvals.ts'
import { reviewPages } from '../attention/reviews/review-pages.ts'
import { recordAct } from '../people/audit/audit-store.ts'
import { type Config, ownUrl } from '../platform/config/config.ts'
import type { Role } from '../platform/config/settings.ts'
import { activityNotes } from '../platform/postgres/activity-store.ts'
import { openDatabaseClock } from '../platform/loops/database-clock.ts'
import { type IsTrouble, troubleReporter, withoutTroubles } from '../platform/loops/report-trouble.ts'
import { type Database, MIGRATIONS, openDatabase } from '../platform/embedded-postgres/database.ts'
import {
  type FirstStart,
  renewOwnerLink,
  seedDatabase,
  type Sandbox,
} from '../accounts/first-start/seed-database.ts'
import type { Addresses } from '../accounts/first-start/greeting.ts'
import { startHousekeeping, transactionTask } from '../operate/housekeeping/housekeeping.ts'
import { housekeepingTasks } from '../operate/housekeeping/retention-tasks.ts'
import { agentKeys, authenticateBy, type CredentialKind, holderBy } from '../people/keys/authenticate.ts'
import { startAuditStream, toFile, toStandardOutput } from '../people/audit/stream-audit.ts'
import { type KeyUseRecorder, recordKeyUse } from '../people/keys/key-use.ts'
import { recordGrantUses } from '../people/apps/app-grant-store.ts'
import { recordKeyUses } from '../people/keys/key-store.ts'
import { openFileReader } from '../content/imports/file-reader.ts'
import { claimed, type ClaimedStorage } from '../media/claim-storage.ts'
import { type AccountPictures, openAccountPictures } from '../media/account-pictures.ts'
import { openMedia, type Media } from '../media/open-media.ts'
import { publicAddresses } from '../media/public-addresses.ts'
import { uploadAddresses } from '../media/upload-addresses.ts'
import { mediaSource } from '../media/media-source.ts'
import { cursors } from '../edge/operations/cursor.ts'
import { codeOf, type Db, isDatabaseAway, type Sql } from '../platform/postgres/db.ts'
import { readCursorKey } from '../platform/sealing/installation-store.ts'
import type { Log } from '../platform/process/log.ts'
import type { Route } from '../edge/operations/route.ts'
import { openOutbound, type Outbound } from '../platform/outbound/outbound-http.ts'
import { createMetrics, type Metrics } from '../platform/process/metrics.ts'
import { Unready } from '../edge/operations/refusal.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { type Blocker, readBlockers } from '../platform/postgres/read-blockers.ts'
import { explainLostSessions } from '../platform/embedded-postgres/explain-lost-sessions.ts'
import { diskMetrics } from '../operate/monitoring/disk-metrics.ts'
import { type Monitoring, startMonitoring } from '../operate/monitoring/start-monitoring.ts'
import type { Keyring } from '../platform/sealing/sealing.ts'
import { startTracing } from '../platform/process/tracing.ts'
import { accessTokens } from '../people/apps/access-tokens.ts'
import { mountLive } from '../doors/live/mount-live.ts'
import { mountOAuth, type OAuthParts } from '../people/apps/mount-oauth.ts'
import { mountMcp } from '../doors/mcp/mount-mcp.ts'
import { type MailQueue, mailQueue } from '../people/mail/mail-store.ts'
import { startMailSender } from '../people/mail/send-mail.ts'
import { answerResetRequests } from '../people/sign-in/password/mail-reset.ts'
import { openOidcClient } from '../people/sign-in/issuer/issuer-client.ts'
import { peopleApi } from '../people/sign-in/session/people-api.ts'
import { sendNotFoundPage } from '../people/pages/mount-pages.ts'
import { peoplePages } from '../people/pages/people-pages.ts'
import { issuerReturnUrl } from '../platform/outbound/site.ts'
import type { Providers } from '../networks/providers/port/port.ts'
import { missingDashboard, serveDashboard } from '../doors/dashboard/serve-dashboard.ts'
import { serveDocs } from '../doors/dashboard/serve-docs.ts'
import { enabledProviders, providersWithoutApp } from '../networks/enabled-providers.ts'
import { versionEnds } from '../networks/channels/version-ends.ts'
import { startChannelMaintenance } from '../networks/channels/maintain-channels.ts'
import type { CallRecorder } from '../networks/providers/port/record-call.ts'
import { openConnect, type Connect } from '../accounts/connect/open-connect.ts'
import { mountConnect } from '../accounts/connect/routes.ts'
import { indexPosts } from '../content/posts/search-store.ts'
import { callTimes } from '../engine/publication/call-times.ts'
import { linkCardReader } from '../media/link-cards.ts'
import type { MediaSource, NetworkAccess } from '../engine/publication/engine-port.ts'
import { startPublishing } from '../engine/publication/start-publishing.ts'
import { decideApproval } from '../attention/reviews/decide-approval.ts'
import { undoDecision } from '../attention/reviews/undo-decision.ts'
import { startBulkRunLoop } from '../content/bulk/work-runs.ts'
import { startSeriesLoop } from '../content/series/make-occurrences.ts'
import { seriesCaller } from '../content/series/series-caller.ts'
import { watchReadiness } from '../edge/api/http/readiness.ts'
import type { Ailment, Readiness } from '../edge/api/http/status-routes.ts'
import { watchRoom } from '../media/watch-room.ts'
import { followSandbox } from '../accounts/sandbox/follow-sandbox.ts'
import { sandboxUrlOf, startSandboxProcess } from '../accounts/sandbox/sandbox-process.ts'
import { type LostSecrets, openSecrets } from '../operate/secrets/open-secrets.ts'
import { credentialStopper } from './stop-credential.ts'
import { targetRules } from '../platform/config/target-rules.ts'
import { ROOT } from '../platform/process/product-files.ts'
import { version } from '../platform/process/version.ts'
import { startWebhooks } from '../engine/webhooks/start-webhooks.ts'

/** Where `npm run build` puts it. */
const DASHBOARD = join(ROOT, 'dashboard/dist')

export type App = {
  addresses: Addresses
  /** What the first start made; null at every later one. */
  first: FirstStart | null
  /** The secret of the link with which a person becomes the owner; null once there is one. */
  ownerLink: string | null
  /** The version of the schema. */
  schema: number
  /** The folder of everything durable. */
  dataDir: string
  /** What a person has to be told. */
  notices: readonly string[]
  /**
   * Says for STOP_DELAY_SECONDS at /readyz that it is stopping. Then takes no new request and begins no new call, lets what is under way finish within STOP_SECONDS, then closes
   * everything in the reverse order of its start. What was not finished is taken up again from the rows.
   */
  stop(): Promise<void>
}

export type StartOptions = {
  acceptLostSecrets?: boolean
  /** Notes each call to a network. */
  recorder?: CallRecorder
  /** Gives the start up: it ends where it waits for the database, and where it does not end soon, all that it has begun is ended. */
  signal?: AbortSignal
  /** Hands over what is told at the start, before the server says that it is ready. */
  greet?: (up: Omit<App, 'stop'>) => Promise<void>
}

const STARTING = { status: 'not_ready', reason: 'The server is starting.' } as const
const STOPPING = { status: 'stopping', reason: 'The server is stopping.' } as const

/** The server cannot start; the message says why, and what to do. */
export class StartupError extends Error {
  override name = 'StartupError'
}

type Parts = {
  config: Config
  log: Log
  /** For work that no caller waits for; each role has a pool of its own. */
  db: Db
  openPool: Database['openPool']
  keyring: Keyring
  providers: Providers
  media: Media
  metrics: Metrics
  readiness: ReturnType<typeof watchReadiness>
  ailment: () => Ailment | null
  monitoring: Monitoring
  /** What the log sorts faults by, for those who count them. */
  isTrouble: IsTrouble
  /** Null without a sandbox network. */
  sandboxUrl: string | null
  /** Null where calls to networks are not recorded. */
  recorder: CallRecorder | null
}

/** What takes in work or begins it, as opposed to what the work needs. */
type Drainable = { drain(withinMs: number): Promise<void> }

/** After how long a generation of a process that died is known to be lost. */
const GENERATION_LEASE_MS = 15_000
const REGISTRATIONS_PER_MINUTE = 30
/** Of one connection. */
const CHECKS_PER_MINUTE = 6
const AUTHORIZATIONS_PER_MINUTE = 60
const DATABASE_WAIT_MS = 30_000
const BACKGROUND_CONNECTIONS = 3
/** How long a start that is given up may take to end by itself. */
const LEAVING_MS = 5_000
/** For the last statements of what was ended after STOP_SECONDS. */
const SETTLING_MS = 2_000

/** The other roles touch no media: they may run without the storage. */
function needsMedia({ roles }: Config): boolean {
  return roles.includes('api') || roles.includes('publisher')
}

async function claimMedia({ storage, claim }: ClaimedStorage, log: Log): Promise<void> {
  try {
    const wrong = await claim()
    if (wrong !== null) throw new StartupError(wrong)
  } catch (err) {
    if (!(err instanceof Unready)) throw err
    // It may come back, and is claimed then: until then uploads and media are not ready, and the rest works.
    log.error({ err, place: storage.location }, 'the media storage does not answer')
  }
}

/**
 * Starts everything that the roles of this process ask for. When a part of it fails, or it is given up, what had started is
 * stopped before this ends, an embedded PostgreSQL too.
 */
export async function startApp(config: Config, log: Log, options: StartOptions = {}): Promise<App> {
  const { signal = new AbortController().signal } = options
  await using started = new AsyncDisposableStack()
  if (config.otlpEndpoint !== null) started.defer((await startTracing({ serviceName: 'postrider' })).stop)
  const database = await openDatabase(config, {
    applicationName: 'postrider',
    connections: BACKGROUND_CONNECTIONS,
    creates: true,
    log: (message, level = 'info') => log[level](message),
    signal,
  })
  started.defer(() => database.close(signal.aborted ? 0 : undefined))
  signal.throwIfAborted()
  const isTrouble = troubleReporter(log, { blockers: blockersOf(database) })
  const base = { database, config, log: withoutTroubles(log, isTrouble), isTrouble }
  const starting = startWhenReachable(base, { ...options, signal })
  const app = await Promise.race([starting, givenUp(signal)])
  const ground = started.move()
  return {
    ...app,
    async stop() {
      await app.stop()
      await ground.disposeAsync()
    },
  }
}

/** On a connection of its own: those of the work may all wait. */
function blockersOf({ openPool }: Database): () => Promise<Blocker[]> {
  const pool = openPool({ applicationName: 'postrider locks', connections: 1, statementTimeoutMs: 2_000 })
  return () => readBlockers(pool)
}

/** Fails some time after the signal: what does not listen to it has its database taken away. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const give = () => setTimeout(() => reject(signal.reason as Error), LEAVING_MS).unref()
    signal.addEventListener('abort', give, { once: true })
  })
}

/** What everything else is started on. */
type Base = {
  readonly database: Database
  readonly config: Config
  readonly log: Log
  readonly isTrouble: IsTrouble
}

type Ground = Base & { readonly started: AsyncDisposableStack }

/** What /readyz says while the server starts, and while it stops; null in between. */
type Phase = { unready: Pick<Readiness, 'status' | 'reason'> | null }

type Starting = StartOptions & { readonly signal: AbortSignal }

/**
 * Starts on a database that may not be there yet, or go away during the start: then what had started is stopped, and it starts again.
 * After it went away first, that is tried for 30 seconds.
 */
async function startWhenReachable(base: Base, options: Starting): Promise<App> {
  const { database, config, log } = base
  let goneUntil: number | null = null
  for (;;) {
    const schema = await migrateWhenReachable(database, config, log, options.signal)
    await using started = new AsyncDisposableStack()
    try {
      const app = await startOn({ ...base, started }, schema, options)
      const running = started.move()
      return {
        ...app,
        async stop() {
          await app.stop()
          await running.disposeAsync()
        },
      }
    } catch (error) {
      goneUntil ??= performance.now() + DATABASE_WAIT_MS
      if (!isDatabaseAway(error) || performance.now() > goneUntil || options.signal.aborted) throw error
      log.warn({ code: codeOf(error) }, 'the database went away during the start, which begins again')
    }
    await delay(500, undefined, { signal: options.signal })
  }
}

async function startOn(
  ground: Ground,
  schema: number,
  { acceptLostSecrets = false, recorder, greet = () => Promise.resolve() }: Starting,
): Promise<App> {
  const { database, config, log, started } = ground
  const { db, dataDir } = database
  const phase: Phase = { unready: STARTING }
  const source = { secretKeys: config.secretKeys, dataDir }
  const { keyring, lost } = await openSecrets(db, source, { acceptLost: acceptLostSecrets })
  if (lost !== null) log.warn(lost, 'unreadable secrets were dropped')
  const { parts: opened, sandbox } = await openParts(ground, { keyring, schema, phase })
  const parts = { ...opened, recorder: recorder ?? null }

  const drainables: Drainable[] = []
  const drain = (withinMs: number) => drainAll(drainables.splice(0), withinMs, log)
  started.defer(() => drain(0))
  const api = await startRoles(parts, started, drainables)
  // Last, since the key it makes is told only once: whatever can fail has not failed by now.
  const first = api === null ? null : await seedDatabase({ db, keyring, sandbox })
  const ownerLink = first === null && api !== null ? await renewOwnerLink(db) : (first?.ownerLink ?? null)

  const up = {
    addresses: { api: api === null ? null : api.url, sandbox: sandbox?.url ?? null },
    first,
    ownerLink,
    schema,
    dataDir,
    notices: [
      database.notice,
      lost === null ? null : noticeOf(lost),
      api === null ? null : missingDashboard(DASHBOARD),
    ].filter((notice) => notice !== null),
  }
  await greet(up)
  phase.unready = null

  return {
    ...up,
    async stop() {
      phase.unready = STOPPING
      await delay(config.stopDelaySeconds * 1_000)
      const withinMs = config.stopSeconds * 1_000
      // What waits for a database that does not answer would not end before that does.
      await Promise.race([drain(withinMs), delay(withinMs + SETTLING_MS, undefined, { ref: false })])
    },
  }
}

/** Opens what the roles share. */
async function openParts(
  { database, config, log, isTrouble, started }: Ground,
  { keyring, schema, phase }: { keyring: Keyring; schema: number; phase: Phase },
): Promise<{ parts: Omit<Parts, 'recorder'>; sandbox: Sandbox | null }> {
  const { db, dataDir } = database
  const onRecovered = (key: string) =>
    log.warn({ key }, 'a media file was in the trash and is in use: it was brought back')
  const opened = await openMedia(dataDir, config.media, onRecovered)
  started.defer(opened.close)
  const { storage, claim } = claimed(db, opened.storage)
  const media = { ...opened, storage }
  if (needsMedia(config)) await claimMedia({ storage, claim }, log)
  const sandbox = await startSandbox(config, dataDir, log, started)
  const room = needsMedia(config) ? await watchRoom({ ...media, claim }) : null
  started.defer(async () => room?.stop())
  const readiness = watchReadiness(db)
  const metrics = createMetrics({ process: true, workspaces: config.metricsWorkspaces })
  const monitoring = startMonitoring({
    db,
    log,
    registry: metrics.registry,
    schema,
    pools: database.pools,
    installation: { sendsMail: config.mail !== null, embedded: database.embedded },
    isReady: async () => phase.unready === null && (await readiness()).status === 'ready',
    room: room?.room ?? null,
  })
  await diskMetrics(metrics.registry, [
    ...(needsMedia(config) ? [{ holds: 'media', folder: join(dataDir, 'media') }] : []),
    ...(database.embedded ? [{ holds: 'database', folder: join(dataDir, 'postgres') }] : []),
  ])
  if (sandbox !== null && config.roles.includes('api')) {
    await followSandbox(db, keyring, sandbox.url).then(
      (channels) => channels > 0 && log.info({ channels, url: sandbox.url }, 'the sandbox network has moved'),
      (err) => log.warn({ err }, 'could not check whether the sandbox network has moved'),
    )
  }
  const parts = {
    config,
    log,
    db,
    keyring,
    media,
    metrics,
    monitoring,
    openPool: database.openPool,
    providers: enabledProviders(config),
    readiness: async () => ({ ...(await readiness()), ...phase.unready }),
    ailment: () => ailmentOf(database),
    isTrouble,
    sandboxUrl: sandbox?.url ?? null,
  }
  return { parts, sandbox }
}

/** Starts what the roles of this process do, and notes in `drainables` what has to end before the rest; gives the API. */
async function startRoles(
  parts: Parts,
  started: AsyncDisposableStack,
  drainables: Drainable[],
): Promise<{ url: string } | null> {
  const { roles, http } = parts.config
  const has = (role: Role) => roles.includes(role)
  // First: a port that is taken is found before any work has begun.
  if (http.statusPort !== null) drainables.push(await startStatus(parts, http.statusPort))
  const api = has('api') ? await startApi(parts, started) : null
  if (api !== null) drainables.push(api)
  if (has('webhooks')) drainables.push(await startWebhooksRole(parts))
  if (has('publisher')) {
    const connect = connectOf(parts, http.baseUrl)
    started.defer(connect.close)
    const now = await databaseTime(parts, started)
    const source = mediaSourceOf(parts, now)
    const networks = networkAccess(parts, connect, { source, now }, started)
    drainables.push(await startPublisherRole(parts, source, networks), startMaintenance(parts, connect))
  }
  drainables.push(startHousekeepingOf(parts), startIndexing(parts))
  const { auditStream } = parts.config
  if (auditStream !== null) drainables.push(startAuditStreamTo(auditStream, parts))
  return api
}

async function databaseTime({ db }: Parts, started: AsyncDisposableStack): Promise<() => Date> {
  const { now, stop } = await openDatabaseClock(db)
  started.defer(stop)
  return now
}

/** What one of them cannot write any more, because the database is away, keeps no other from its end. */
async function drainAll(drainables: readonly Drainable[], withinMs: number, log: Log): Promise<void> {
  await Promise.all(
    drainables.map((each) =>
      each.drain(withinMs).catch((err: unknown) => log.warn({ err }, 'a part did not stop cleanly')),
    ),
  )
}

/** An embedded PostgreSQL is started again within moments, or needs a person: for a full disk, or files that are gone. */
const GONE_TOO_LONG_MS = 60_000

function ailmentOf({ goneForMs }: Database): Ailment | null {
  if (goneForMs() < GONE_TOO_LONG_MS) return null
  const seconds = Math.round(goneForMs() / 1_000)
  return {
    status: 'database_down',
    message: `The embedded PostgreSQL has been gone for ${seconds} seconds. DATA_DIR/postgres.log says why it does not start.`,
  }
}

function noticeOf({ keyIds, values }: LostSecrets): string {
  return (
    `Given up with the lost ${keyIds.length === 1 ? 'key' : 'keys'} ${keyIds.join(', ')}: ${values}. ` +
    'Channels: `postrider channel list` shows which have to be reconnected. Endpoints: `postrider webhook rotate`, then `postrider webhook enable`.'
  )
}

/** A database that is started together with the server may need a moment longer. */
async function migrateWhenReachable(
  database: Database,
  config: Config,
  log: Log,
  signal: AbortSignal,
): Promise<number> {
  const deadline = performance.now() + DATABASE_WAIT_MS
  const onLocked = (migration: string) =>
    log.warn({ migration }, 'a migration waits for tables that are in use')
  const onWait = () => log.info('another process brings the schema up to date')
  for (let warned = false; ; warned = true) {
    try {
      const lost = await explainLostSessions(database, config)
      if (lost !== null) throw new StartupError(lost)
      const { applied, version: schema } = await migrate(database.db, MIGRATIONS, { onLocked, onWait })
      if (applied.length > 0) log.info({ migrations: applied.length, schema }, 'migrated')
      return schema
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error
      if (!warned) log.warn({ code: codeOf(error) }, 'waiting for the database')
      await delay(500, undefined, { signal })
    }
  }
}

/** The process that serves the API also runs the sandbox network; the others only need to know where it is. */
async function startSandbox(
  { sandbox, roles }: Config,
  dataDir: string,
  log: Log,
  started: AsyncDisposableStack,
): Promise<Sandbox | null> {
  if (!sandbox.on) return null
  if (sandbox.url !== null) return { url: sandbox.url, own: false }
  if (!roles.includes('api')) return { url: sandboxUrlOf(sandbox), own: false }
  const network = await startSandboxProcess({
    host: sandbox.host,
    port: sandbox.port,
    dataDir: join(dataDir, 'sandbox'),
    onRestart: (facts) => log.warn(facts, 'the sandbox network ended and is started again'),
  })
  started.defer(network.stop)
  return { url: network.url, own: true }
}

/** What agents, people and pages share. */
type ApiParts = Awaited<ReturnType<typeof openApiParts>>

async function openApiParts(parts: Parts, started: AsyncDisposableStack) {
  const { config, log, keyring, providers } = parts
  const db = parts.openPool({
    applicationName: 'postrider api',
    byIndex: true,
    connections: config.database.pools.api,
    statementTimeoutMs: config.database.timeoutSeconds * 1_000,
  })
  const uses = recordKeyUse(
    async (batch) => {
      await recordKeyUses(parts.db, batch)
      await recordGrantUses(parts.db, batch)
    },
    (err) => log.warn({ err, doing: 'key use' }, 'the last use of keys could not be written'),
  )
  started.defer(uses.stop)
  const http = await settlePort(config.http)
  const { baseUrl } = http
  const connect = connectOf(parts, baseUrl)
  started.defer(connect.close)
  const mail = config.mail === null ? null : mailQueue(keyring, baseUrl)
  return {
    ...parts,
    db,
    started,
    uses,
    http,
    baseUrl,
    // By connections that no request holds: a limit is known also while all of these are busy.
    counts: sharedCounts(parts.db),
    connect,
    mail,
    pictures: await openPictures(parts, started),
    now: await databaseTime(parts, started),
    shared: { providers, baseUrl, cursors: cursors(await readCursorKey(db)) },
    people: { db, keyring, recordAct, baseUrl, mail, stopCredentials: credentialStopper(recordAct) },
  }
}

async function startApi(parts: Parts, started: AsyncDisposableStack): Promise<Drainable & { url: string }> {
  const api = await openApiParts(parts, started)
  const { config, db, log, metrics, http, baseUrl, connect, mail } = api
  const agents = openAgents(api)
  const server = buildApi({
    db,
    log,
    isTrouble: parts.isTrouble,
    metrics,
    recordAct,
    families: [agents.family, peopleFamily(api, agents.routes)],
    mounts: [...pageMounts(api), agents.mountTools, agents.mountAddresses, publicMediaMount(api)],
    sendNotFoundPage,
    readiness: parts.readiness,
    ailment: parts.ailment,
    warnings: parts.monitoring.warnings,
    config: {
      baseUrl,
      version,
      trustProxy: http.trustProxy,
      connections: connectionLimits(http),
      metrics: config.metrics ? 'open' : 'off',
    },
  })
  mountConnect(server, connect)
  await listenAt(server, http, 'PORT')
  const sender = mail === null ? null : startMailSenderOf(parts, mail)
  const series = startSeriesLoopOf(parts, baseUrl)
  const bulk = startBulkRunLoopOf(parts, baseUrl)
  return {
    url: baseUrl,
    drain: async (withinMs) =>
      void (await Promise.all([
        closeServer(server, withinMs),
        sender?.stop(withinMs),
        series.stop(withinMs),
        bulk.stop(withinMs),
      ])),
  }
}

/** Beside the API, whose limits and checks the posts of series pass, too. */
function startSeriesLoopOf({ db, log, providers }: Parts, baseUrl: string) {
  const holderOf = holderBy(credentialKinds(resourceUrl(baseUrl, resources.agentApi)))
  const series = startSeriesLoop(
    {
      db,
      providers,
      baseUrl,
      recordAct,
      holderOf: seriesCaller(holderOf),
      onFault: (err, { workspaceId, seriesId }) =>
        log.error(
          { err, doing: 'series', workspaceId, seriesId },
          'the posts of a series could not be made; it is tried again',
        ),
    },
    (err) => log.error({ err, doing: 'series' }, 'series could not be handled; they are tried again'),
  )
  return {
    stop: (withinMs: number) => Promise.race([series.stop(), delay(withinMs, undefined, { ref: false })]),
  }
}

/** Beside the API, whose commands it gives, too. */
function startBulkRunLoopOf({ db, log, providers }: Parts, baseUrl: string) {
  const bulk = startBulkRunLoop(
    {
      db,
      providers,
      baseUrl,
      decide: decideApproval,
      undecide: undoDecision,
      recordAct,
      onFault: (err, { workspaceId, runId }) =>
        log.error({ err, workspaceId, runId }, 'a post of a bulk run could not be changed'),
    },
    (err) => log.error({ err, doing: 'bulk runs' }, 'bulk runs could not be handled; they are tried again'),
  )
  return {
    stop: (withinMs: number) => Promise.race([bulk.stop(), delay(withinMs, undefined, { ref: false })]),
  }
}

/** The operations of agents, over HTTP and as tools of MCP. */
function openAgents({ config, db, log, keyring, media, started, uses, baseUrl, shared, counts }: ApiParts) {
  const { ai } = config
  const models = openModels(ai)
  started.defer(models.close)
  const catalog = catalogOf(ai, 'text', ai.textModels)
  const imageCatalog = catalogOf(ai, 'image', ai.imageModels)
  const outbound = openMediaFetch(config, started)
  const addresses = uploadAddresses(keyring, baseUrl)
  const imports = openFileReader()
  started.defer(imports.stop)
  const routes = allRoutes({
    ...shared,
    imports,
    media: { db, ...media, limits: config.media, log, outbound, addresses },
    webhooks: { keyring, rules: targetRules(config) },
    ai: {
      log,
      catalog,
      imageCatalog,
      ask: models.ask,
      draw: models.draw,
      sees: seesImages(ai),
      budget: ai,
      timeoutMs: ai.timeoutSeconds * 1_000,
      leaseMs: GENERATION_LEASE_MS,
    },
  })
  const bearers = bearerCounts(config.rateLimit, counts)
  const family = agentApi({
    db,
    routes,
    baseUrl,
    counts: bearers,
    settings: Object.fromEntries([...shared.providers].map(([name, { settings }]) => [name, settings])),
    authenticate: authenticator(uses, resourceUrl(baseUrl, resources.agentApi)),
  })
  const mountTools = (app: FastifyInstance) =>
    mountMcp(app, {
      db,
      recordAct,
      log,
      routes,
      counts: bearers,
      baseUrl,
      authenticate: authenticator(uses, resourceUrl(baseUrl, resources.mcp)),
      models: {
        'a model for texts': catalog.length > 0,
        'a model for images': imageCatalog.length > 0,
      },
    })
  const mountAddresses = (app: FastifyInstance) =>
    mountUploads(app, {
      db,
      recordAct,
      counts: bearers,
      baseUrl,
      route: routeOf(routes, uploadMedia),
      readPass: addresses.read,
      holderOf: holderBy(credentialKinds(resourceUrl(baseUrl, resources.agentApi))),
    })
  return { family, routes, mountTools, mountAddresses }
}

/** Media for networks that fetch it. */
function publicMediaMount({ db, keyring, media, baseUrl }: ApiParts) {
  const { read } = publicAddresses(keyring, baseUrl)
  return (app: FastifyInstance) =>
    mountPublicMedia(app, {
      read,
      baseUrl,
      open: (pass, gone) => openPublicMedia({ db, ...media }, pass, gone),
    })
}

/** The operations of people. */
function peopleFamily(
  {
    config,
    db,
    keyring,
    media,
    pictures,
    people,
    shared,
    connect,
    sandboxUrl,
    baseUrl,
    now,
    counts,
  }: ApiParts,
  agentRoutes: readonly Route[],
) {
  const { leaseSeconds, timeoutSeconds } = config.publishing
  const routes = appRoutes({
    ...people,
    ...shared,
    connect,
    checks: sharedRateLimit('connection checks', CHECKS_PER_MINUTE, counts),
    agentRoutes,
    sandboxUrl,
    media: { storage: media.storage, pictures },
    rules: targetRules(config),
    times: callTimes({ leaseMs: leaseSeconds * 1_000, callTimeoutMs: timeoutSeconds * 1_000 }),
  })
  const operator = { keyring, workspaceOf: workspaceOfAny }
  return peopleApi({ db, routes, baseUrl, operator, now, counts })
}

/** The workspace that has the approval request, channel or post of this id; null for none. */
async function workspaceOfAny(db: Db, id: string): Promise<string | null> {
  for (const holder of [workspaceOfApproval, workspaceOfChannel, workspaceOfPost]) {
    const workspaceId = await holder(db, id)
    if (workspaceId !== null) return workspaceId
  }
  return null
}

/** What is served beside the operations. */
function pageMounts(api: ApiParts): ((app: FastifyInstance) => void)[] {
  const { config, db, log, people, baseUrl } = api
  const onIssuerFault = (err: unknown) => log.warn({ err }, 'a sign-in at the identity provider failed')
  const oidc =
    config.oidc === null ? null : openOidcClient(config.oidc, issuerReturnUrl(baseUrl), onIssuerFault)
  const onFault = (err: unknown) =>
    log.warn({ err, doing: 'live' }, 'the dashboards could not be notified of changes')
  return [
    peoplePages({ ...people, oidc }, reviewPages({ db })),
    (app) => mountDiscovery(app, baseUrl),
    (app) => serveDashboard(app, { baseUrl, folder: DASHBOARD }),
    (app) => serveDocs(app, { folder: join(ROOT, 'docs-site/dist') }),
    (app) => mountLive(app, { db, baseUrl, onFault }),
    (app) => mountOAuth(app, oauthParts(api)),
  ]
}

/** What orchestrators and Prometheus ask, on a port of its own: processes without the API are asked, too. */
async function startStatus(parts: Parts, port: number): Promise<Drainable> {
  const { config, db, log, metrics, readiness, ailment, monitoring } = parts
  const { host } = config.http
  const { warnings } = monitoring
  const baseUrl = ownUrl(host, port)
  const server = buildApi({
    db,
    log,
    isTrouble: parts.isTrouble,
    metrics,
    readiness,
    warnings,
    ailment,
    recordAct,
    families: [],
    config: {
      baseUrl,
      version,
      trustProxy: false,
      metrics: config.metrics ? 'open' : 'off',
    },
  })
  await listenAt(server, { host, port, baseUrl }, 'STATUS_PORT')
  return { drain: (withinMs) => closeServer(server, withinMs) }
}

const MAIL_EVERY_MS = 5_000

/** Beside the API, which knows under which address people open it. */
function startMailSenderOf({ config, db, keyring, log, providers }: Parts, mail: MailQueue) {
  if (config.mail === null) return null
  const ends = versionEnds(providers)
  const onNoticeFault = (err: unknown, { workspaceId, memberId }: Partial<DueReader> = {}) =>
    log.error({ err, doing: 'notices', workspaceId, memberId }, 'a notice could not be written')
  return startMailSender({
    db,
    keyring,
    log,
    smtp: config.mail,
    everyMs: MAIL_EVERY_MS,
    sources: [
      () => announceApprovals({ db, mail }),
      () => answerResetRequests({ db, recordAct, mail }),
      () => mailNotices({ db, mail, ends, onFault: onNoticeFault }),
    ],
    rewrites: {
      attention: rewriteNotice(db, mail.baseUrl, ends),
      approval: rewriteRequests(db, mail.baseUrl),
      invitation: rewriteInvitation(db),
      // These are true for as long as they are worth sending.
      password_reset: null,
      email_change: null,
      notice: null,
    },
  })
}

/** Links are made before the server listens, so with PORT=0 the free port is found first. */
async function settlePort(http: Config['http']): Promise<Config['http']> {
  if (http.port !== 0) return http
  const port = await findFreePort(http).catch((error: unknown) => refuseToListen(error, 0, 'PORT'))
  return { ...http, port, baseUrl: http.baseUrlChosen ? http.baseUrl : ownUrl(http.host, port) }
}

function oauthParts({ config, db, log, baseUrl, started, counts }: ApiParts): OAuthParts {
  const outbound = openOutbound({
    connectMs: 5_000,
    totalMs: 10_000,
    bodyMaxBytes: 64 * 1_024,
    rules: targetRules(config),
    userAgent: 'Postrider/1',
  })
  started.defer(outbound.close)
  const limits = {
    registrations: sharedRateLimit('registrations', REGISTRATIONS_PER_MINUTE, counts),
    authorizations: sharedRateLimit('authorizations', AUTHORIZATIONS_PER_MINUTE, counts),
  }
  return { db, log, baseUrl, outbound, recordAct, limits, settings: config.oauth }
}

/** For the pictures of accounts, which people see. */
async function openPictures(
  { config, media }: Parts,
  started: AsyncDisposableStack,
): Promise<AccountPictures> {
  const outbound = openOutbound({ ...CARD_LIMITS, rules: targetRules(config) })
  started.defer(outbound.close)
  const pictures = await openAccountPictures({ ...media, outbound }, join(media.folder, 'pictures'))
  started.defer(pictures.close)
  return pictures
}

/** For files that callers name by their addresses. */
function openMediaFetch(config: Config, started: AsyncDisposableStack): Outbound {
  const outbound = openOutbound({
    connectMs: 5_000,
    totalMs: 120_000,
    bodyMaxBytes: 1,
    userAgent: 'Postrider/1',
    rules: targetRules(config),
  })
  started.defer(outbound.close)
  return outbound
}

function authenticator(uses: KeyUseRecorder, resource: string): Authenticate {
  const authenticate = authenticateBy(credentialKinds(resource))
  return async (sql: Sql, secret: string) => {
    const caller = await authenticate(sql, secret)
    if (caller !== null) uses.note(caller)
    return caller
  }
}

/** What opens the Agent API: keys, and the access tokens for one of its resources. */
function credentialKinds(resource: string): CredentialKind[] {
  return [agentKeys, accessTokens(resource)]
}

function routeOf(routes: readonly Route[], { id }: Operation): Route {
  const route = routes.find(({ operation }) => operation.id === id)
  if (route === undefined) throw new Error(`there is no route for ${id}`)
  return route
}

type PortSetting = 'PORT' | 'STATUS_PORT'

async function listenAt(server: FastifyInstance, at: Listening, setting: PortSetting): Promise<void> {
  try {
    await listen(server, at)
  } catch (error) {
    await server.close()
    refuseToListen(error, at.port, setting)
  }
}

/** Throws what was thrown, in words for a person where there are some. */
function refuseToListen(error: unknown, port: number, setting: PortSetting): never {
  if (!(error instanceof NotListening)) throw error
  const { host, cause } = error
  const code = codeOf(cause)
  if (code === 'EADDRINUSE') {
    throw new StartupError(
      `Another program listens on ${isIP(host) === 6 ? `[${host}]` : host}:${port}, perhaps another Postrider. Stop it, or set ${setting} to a free port.`,
    )
  }
  if (code === 'EACCES') {
    throw new StartupError(`This user may not listen on port ${port}. Set ${setting} to a port from 1024 up.`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    throw new StartupError(`${host} is not an address of this machine. Correct HOST.`)
  }
  throw cause
}

/** Idle connections are closed at once, busy ones when they are answered or the time is over. */
async function closeServer(server: FastifyInstance, withinMs: number): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), withinMs)
  try {
    await server.close()
  } finally {
    clearTimeout(timer)
  }
}

function connectOf(parts: Parts, baseUrl: string): Connect {
  const { config, db, keyring, providers, log } = parts
  const rules = providerRules(parts)
  const configuredClients = config.networkClients
  const withoutApp = providersWithoutApp(config)
  return openConnect({
    db,
    keyring,
    providers,
    log,
    recordAct,
    rules,
    configuredClients,
    withoutApp,
    baseUrl,
    recorder: parts.recorder,
  })
}

/** Where calls to networks may go: the sandbox network is ours. */
function providerRules({ config, sandboxUrl }: Parts) {
  return targetRules(config, sandboxUrl === null ? [] : [new URL(sandboxUrl).origin])
}

const KEEP_CHANNELS_EVERY_MS = 30_000

function startMaintenance({ log }: Parts, connect: Connect): Drainable {
  const maintenance = startChannelMaintenance(connect, connect.refresh, {
    everyMs: KEEP_CHANNELS_EVERY_MS,
    onFault: (err) => log.error({ err, doing: 'channels' }, 'a channel could not be maintained'),
  })
  return {
    drain: (withinMs) => Promise.race([maintenance.stop(), delay(withinMs, undefined, { ref: false })]),
  }
}

/** Pages of strangers are read quickly or not at all. */
const CARD_LIMITS = { connectMs: 3_000, totalMs: 20_000, bodyMaxBytes: 1, userAgent: 'Postrider/1' }

function mediaSourceOf({ config, keyring, media, log }: Parts, now: () => Date) {
  return mediaSource({ ...media, addresses: publicAddresses(keyring, config.http.baseUrl, now) }, log)
}

/** What publishing on real networks needs besides calls to them. */
function networkAccess(
  { config, media }: Parts,
  connect: Connect,
  { source, now }: { readonly source: ReturnType<typeof mediaSource>; readonly now: () => Date },
  started: AsyncDisposableStack,
): NetworkAccess {
  const outbound = openOutbound({ ...CARD_LIMITS, rules: targetRules(config) })
  started.defer(outbound.close)
  const readCard = linkCardReader({ ...media, outbound })
  return { refresh: connect.refresh, readCard, addressMedia: source.address, now }
}

async function startPublisherRole(
  parts: Parts,
  media: MediaSource,
  networks: NetworkAccess,
): Promise<Drainable> {
  const { config, log, keyring, providers, metrics } = parts
  const { concurrency, leaseSeconds, timeoutSeconds } = config.publishing
  const publisher = await startPublishing({
    db: parts.openPool({
      applicationName: 'postrider publisher',
      byIndex: true,
      connections: config.database.pools.publisher,
    }),
    heartbeatDb: parts.openPool({
      applicationName: 'postrider heartbeat',
      connections: 1,
      permanent: true,
    }),
    keyring,
    providers,
    media,
    networks,
    log,
    recorder: parts.recorder,
    isTrouble: parts.isTrouble,
    registry: metrics.registry,
    workspaceLabel: metrics.workspaceLabel,
    roles: config.roles,
    concurrency,
    leaseMs: leaseSeconds * 1_000,
    callTimeoutMs: timeoutSeconds * 1_000,
    baseUrl: config.http.baseUrl,
    rules: providerRules(parts),
  })
  return {
    // A call that its own limit has not ended yet must not hold up the end of the process.
    drain: (withinMs) =>
      Promise.race([publisher.stop(withinMs), delay(withinMs + 500, undefined, { ref: false })]),
  }
}

async function startWebhooksRole({
  config,
  log,
  isTrouble,
  openPool,
  keyring,
  metrics,
}: Parts): Promise<Drainable> {
  const dispatcher = await startWebhooks({
    db: openPool({
      applicationName: 'postrider webhooks',
      byIndex: true,
      connections: config.database.pools.webhooks,
    }),
    keyring,
    log,
    isTrouble,
    registry: metrics.registry,
    rules: targetRules(config),
    ...config.webhooks,
  })
  return { drain: (withinMs) => dispatcher.stop(withinMs) }
}

/** In each process that has the setting: they take turns. */
function startAuditStreamTo(place: string, { db, log }: Parts): Drainable {
  const write = place === 'stdout' ? toStandardOutput() : toFile(place)
  const { stop } = startAuditStream(db, write, (err) =>
    log.error(
      { err, place, doing: 'audit stream' },
      'the audit log could not be written out; it is tried again',
    ),
  )
  return { drain: (withinMs) => Promise.race([stop(), delay(withinMs, undefined, { ref: false })]) }
}

function startHousekeepingOf({ config, log, db, keyring, media, providers }: Parts): Drainable {
  const housekeeping = startHousekeeping({
    tasks: housekeepingTasks(
      db,
      keyring,
      { ...media, address: config.http.baseUrl, log },
      config.retention,
      versionEnds(providers),
    ),
    noteTask: activityNotes(db, 'housekeeping'),
    onDone: (task, count) => log.info({ task, count }, 'housekeeping'),
    onError: (task, err) =>
      log.warn({ err, doing: 'housekeeping', task }, 'housekeeping failed; it is tried again in a minute'),
  })
  return { drain: housekeeping.stop }
}

const INDEX_EVERY_MS = 5_000
const INDEXED_AT_ONCE = 500

/** In every process: what another one left is indexed all the same. */
function startIndexing({ log, db }: Parts): Drainable {
  const indexing = startHousekeeping({
    tasks: [transactionTask(db, 'posts to index', INDEXED_AT_ONCE, indexPosts)],
    everyMs: INDEX_EVERY_MS,
    noteTask: async () => undefined,
    onDone: () => undefined,
    onError: (task, err) =>
      log.warn(
        { err, doing: 'search', task },
        'posts could not be indexed for search; it is tried again soon',
      ),
  })
  return { drain: indexing.stop }
}
