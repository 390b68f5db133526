import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type ModelVendor, canAsk } from './ai-access.ts'
import { underOneName } from '../outbound/loopback.ts'
import type { Secret } from '../sealing/sealing.ts'
import { readEnvFile } from './env-file.ts'
import { readSecretFiles } from './secret-files.ts'
import { fileNameOf, isSetting, type Name, names, type Setting, settings, type Values } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The server's settings, frozen; durations carry their unit in the name. */
export type Config = ReturnType<typeof toConfig>

/**
 * The environment of this process with what a file `.env` in the working directory adds to it, and what of that file is not
 * understood. Libraries find it in the environment, too.
 */
export function readEnvironment(): { env: NodeJS.ProcessEnv; warnings: readonly string[] } {
  const file = existsSync('.env') ? readEnvFile(readFileSync('.env', 'utf8'), isSetting) : null
  for (const [name, value] of Object.entries(file?.values ?? {})) process.env[name] ??= value
  return { env: process.env, warnings: file?.warnings ?? [] }
}

/**
 * Reads the settings from the environment, and from the files that it names: the only place that does. All faults come at once, each a sentence that
 * names the variable, what is wrong and a good value; secret values are never in them.
 */
export function readConfig(
  given: Environment,
): { ok: true; config: Config } | { ok: false; faults: string[] } {
  const { env, faults, fromFiles } = readSecretFiles(given)
  const values: Partial<Record<Name, unknown>> = {}
  for (const name of names) {
    const setting: Setting<unknown> = settings[name]
    const text = textOf(env, name)
    const parsed = text === null ? { value: null } : setting.parse(text)
    if ('value' in parsed) values[name] = parsed.value
    else faults.push(faultSentence(name, setting, text ?? '', parsed.fault, fromFiles.has(name)))
  }
  if (faults.length > 0) return { ok: false, faults }

  // Each name has been given a value by its own `parse`.
  const config = toConfig(values as Values, env)
  const contradictions = [...findContradictions(config), ...incompleteSettings(env)]
  return contradictions.length > 0
    ? { ok: false, faults: contradictions }
    : { ok: true, config: deepFreeze(config) }
}

const MEGABYTE = 1_000_000

function toConfig(values: Values, env: Environment) {
  return {
    http: httpOf(values),
    database: databaseOf(values),
    dataDir: {
      path: values.DATA_DIR,
      /** Whether a person named it. */
      chosen: isGiven(env, 'DATA_DIR'),
    },
    roles: values.ROLES,
    secretKeys: values.SECRET_KEYS,
    log: { level: values.LOG_LEVEL, pretty: values.LOG_PRETTY },
    sandbox: {
      on: values.SANDBOX,
      host: values.SANDBOX_HOST,
      port: values.SANDBOX_PORT,
      url: values.SANDBOX_URL,
    },
    publishing: {
      concurrency: values.PUBLISH_CONCURRENCY,
      leaseSeconds: values.LEASE_SECONDS,
      timeoutSeconds: values.PUBLISH_TIMEOUT_SECONDS,
    },
    webhooks: { concurrency: values.WEBHOOK_CONCURRENCY, standardHeaders: values.WEBHOOK_STANDARD_HEADERS },
    /** Apps that the operator registered at networks, by provider name. */
    networkClients: new Map([
      ...networkClient('facebook', values.FACEBOOK_CLIENT_ID, values.FACEBOOK_CLIENT_SECRET),
      // Instagram is reached by the same app.
      ...networkClient('instagram', values.FACEBOOK_CLIENT_ID, values.FACEBOOK_CLIENT_SECRET),
      ...networkClient('linkedin', values.LINKEDIN_CLIENT_ID, values.LINKEDIN_CLIENT_SECRET),
      ...networkClient('threads', values.THREADS_CLIENT_ID, values.THREADS_CLIENT_SECRET),
      ...networkClient('x', values.X_CLIENT_ID, values.X_CLIENT_SECRET),
      ...networkClient('youtube', values.YOUTUBE_CLIENT_ID, values.YOUTUBE_CLIENT_SECRET),
    ]),
    outbound: {
      trustedOrigins: values.TRUSTED_ORIGINS ?? [],
      trustedNetworks: values.TRUSTED_NETWORKS ?? [],
    },
    retention: retentionOf(values),
    rateLimit: {
      perMinute: values.RATE_LIMIT_PER_MINUTE,
      writesPerMinute: values.RATE_LIMIT_WRITES_PER_MINUTE,
    },
    oauth: { registration: values.OAUTH_REGISTRATION, clientMetadata: values.OAUTH_CLIENT_METADATA },
    mail: mailOf(values),
    oidc: oidcOf(values),
    ai: aiOf(values),
    media: mediaOf(values),
    /** Null: nowhere. */
    auditStream: values.AUDIT_STREAM === 'off' ? null : values.AUDIT_STREAM,
    metrics: values.METRICS,
    metricsWorkspaces: values.METRICS_WORKSPACES,
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    stopDelaySeconds: values.STOP_DELAY_SECONDS,
    stopSeconds: values.STOP_SECONDS,
  }
}

function httpOf(values: Values) {
  return {
    host: values.HOST,
    port: values.PORT,
    /** Null: none besides that of the API. */
    statusPort: values.STATUS_PORT,
    /** Without a slash at its end. */
    baseUrl: values.BASE_URL ?? ownUrl(values.HOST, values.PORT),
    /** Whether a person named it. */
    baseUrlChosen: values.BASE_URL !== null,
    trustProxy: values.TRUST_PROXY,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
  }
}

function retentionOf(values: Values) {
  return {
    eventDays: values.EVENT_DAYS,
    deliveryDays: values.DELIVERY_DAYS,
    attemptDays: values.ATTEMPT_DAYS,
    auditDays: values.AUDIT_DAYS,
    idempotencyDays: values.IDEMPOTENCY_DAYS,
  }
}

function databaseOf(values: Values) {
  return {
    /** Null: the embedded PostgreSQL. */
    url: values.DATABASE_URL,
    /** Null: DATABASE_URL keeps sessions. */
    listenUrl: values.DATABASE_LISTEN_URL,
    pools: {
      api: values.DATABASE_POOL_API,
      publisher: values.DATABASE_POOL_PUBLISHER,
      webhooks: values.DATABASE_POOL_WEBHOOKS,
    },
    timeoutSeconds: values.DATABASE_TIMEOUT_SECONDS,
  }
}

function networkClient(provider: string, clientId: string | null, clientSecret: Secret | null) {
  return clientId === null || clientSecret === null ? [] : [[provider, { clientId, clientSecret }] as const]
}

/** Null: no mail is sent. */
function mailOf({ SMTP_URL: url, MAIL_FROM: from }: Values) {
  return url === null || from === null ? null : { url, from }
}

/** Null: people sign in here only. */
function oidcOf(values: Values) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values
  return issuer === null || clientId === null || clientSecret === null
    ? null
    : { issuer, clientId, clientSecret, name: values.OIDC_NAME, domains: values.OIDC_DOMAINS ?? [] }
}

function aiOf(values: Values) {
  return {
    openai: { apiKey: values.OPENAI_API_KEY, baseUrl: values.OPENAI_BASE_URL },
    anthropic: { apiKey: values.ANTHROPIC_API_KEY },
    google: { apiKey: values.GOOGLE_GENERATIVE_AI_API_KEY },
    /** Null: not named. */
    textModels: values.AI_MODEL,
    imageModels: values.AI_IMAGE_MODEL,
    vision: values.AI_VISION,
    timeoutSeconds: values.AI_TIMEOUT_SECONDS,
    maxOutputTokens: values.AI_MAX_OUTPUT_TOKENS,
    tokensPerDay: values.AI_TOKENS_PER_DAY,
    imagesPerDay: values.AI_IMAGES_PER_DAY,
  }
}

function mediaOf(values: Values) {
  return {
    maxBytes: {
      image: values.MEDIA_IMAGE_MAX_MB * MEGABYTE,
      video: values.MEDIA_VIDEO_MAX_MB * MEGABYTE,
      audio: values.MEDIA_AUDIO_MAX_MB * MEGABYTE,
      document: values.MEDIA_DOCUMENT_MAX_MB * MEGABYTE,
    },
    maxPixels: values.MEDIA_IMAGE_MAX_MEGAPIXELS * 1_000_000,
    workers: values.MEDIA_WORKERS,
    /** Null: a folder in the data folder. */
    s3: values.S3_BUCKET === null ? null : { ...s3Of(values), bucket: values.S3_BUCKET },
    /** How a bucket is reached, for backups where no media is in one, too. */
    s3Access: s3Of(values),
  }
}

function s3Of(values: Values) {
  return {
    endpoint: values.S3_ENDPOINT,
    region: values.S3_REGION,
    prefix: values.S3_PREFIX ?? '',
    accessKeyId: values.S3_ACCESS_KEY_ID,
    secretAccessKey: values.S3_SECRET_ACCESS_KEY,
    pathStyle: values.S3_PATH_STYLE,
  }
}

/** More would leave the embedded PostgreSQL, which takes 100, no room for a second process. */
const EMBEDDED_CONNECTIONS = 80

/** Values that are each valid, but not together. */
function findContradictions({ publishing, http, sandbox, media, ai, database, roles }: Config): string[] {
  const faults: string[] = []
  const connections = roles.reduce((sum, role) => sum + database.pools[role], 0)
  if (database.url === null && connections > EMBEDDED_CONNECTIONS) {
    faults.push(
      `The DATABASE_POOL_… settings of this process come to ${connections} connections, and the embedded PostgreSQL has room for ${EMBEDDED_CONNECTIONS}. Lower them, or set DATABASE_URL.`,
    )
  }
  if (database.listenUrl !== null && database.url === null) {
    faults.push(
      'DATABASE_LISTEN_URL is set, and DATABASE_URL is not. Set DATABASE_URL to the same database by way of the pooler, or remove DATABASE_LISTEN_URL.',
    )
  }
  if (publishing.timeoutSeconds >= publishing.leaseSeconds) {
    faults.push(
      `PUBLISH_TIMEOUT_SECONDS (${publishing.timeoutSeconds}) must be less than LEASE_SECONDS (${publishing.leaseSeconds}): ` +
        'otherwise work is taken over while its call may still succeed. Example: PUBLISH_TIMEOUT_SECONDS=30 and LEASE_SECONDS=60',
    )
  }
  if (sandbox.on && sandbox.url === null && sandbox.port === http.port && http.port !== 0) {
    faults.push(`PORT and SANDBOX_PORT are both ${http.port}. Example: SANDBOX_PORT=${http.port + 1}`)
  }
  if (http.statusPort === http.port) faults.push(`PORT and STATUS_PORT are both ${http.port}.`)
  if (sandbox.on && sandbox.url === null && http.statusPort === sandbox.port)
    faults.push(`SANDBOX_PORT and STATUS_PORT are both ${sandbox.port}.`)
  for (const [name, models] of Object.entries({ AI_MODEL: ai.textModels, AI_IMAGE_MODEL: ai.imageModels })) {
    for (const { vendor, model } of models ?? []) {
      if (canAsk(ai, vendor)) continue
      faults.push(`${name} names ${vendor}/${model}, but ${keyOf[vendor]} is set.`)
    }
  }
  if ((media.s3?.accessKeyId == null) !== (media.s3?.secretAccessKey == null)) {
    faults.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: give both, or neither.')
  }
  return faults
}

/** Settings of which some are of no use without the others. */
const BELONG_TOGETHER: readonly { readonly names: readonly Name[]; readonly rule: string }[] = [
  {
    names: ['SMTP_URL', 'MAIL_FROM'],
    rule: 'SMTP_URL and MAIL_FROM belong together: give both to send mail, or neither.',
  },
  {
    names: ['FACEBOOK_CLIENT_ID', 'FACEBOOK_CLIENT_SECRET'],
    rule: 'FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET belong together: give both, or neither.',
  },
  {
    names: ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
    rule: 'LINKEDIN_CLIENT_ID and LINKEDIN_CLIENT_SECRET belong together: give both, or neither.',
  },
  {
    names: ['THREADS_CLIENT_ID', 'THREADS_CLIENT_SECRET'],
    rule: 'THREADS_CLIENT_ID and THREADS_CLIENT_SECRET belong together: give both, or neither.',
  },
  {
    names: ['X_CLIENT_ID', 'X_CLIENT_SECRET'],
    rule: 'X_CLIENT_ID and X_CLIENT_SECRET belong together: give both, or neither.',
  },
  {
    names: ['YOUTUBE_CLIENT_ID', 'YOUTUBE_CLIENT_SECRET'],
    rule: 'YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET belong together: give both, or neither.',
  },
  {
    names: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
    rule: 'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together: give all three, or none.',
  },
]

function incompleteSettings(env: Environment): string[] {
  return BELONG_TOGETHER.flatMap(({ names: group, rule }) =>
    new Set(group.map((name) => isGiven(env, name))).size > 1 ? [rule] : [],
  )
}

const keyOf: Record<ModelVendor, string> = {
  openai: 'neither OPENAI_API_KEY nor OPENAI_BASE_URL',
  anthropic: 'no ANTHROPIC_API_KEY',
  google: 'no GOOGLE_GENERATIVE_AI_API_KEY',
}

function isGiven(env: Environment, name: Name): boolean {
  return (env[name] ?? '').trim() !== ''
}

function textOf(env: Environment, name: Name): string | null {
  return isGiven(env, name)
    ? (env[name] ?? '').trim()
    : ((settings[name] as Setting<unknown>).fallback ?? null)
}

function faultSentence(
  name: Name,
  { secret, fallback = '', example = fallback }: Setting<unknown>,
  text: string,
  fault: string,
  isFromFile: boolean,
): string {
  // A password may have strayed into any address.
  const told = isFromFile ? `from ${fileNameOf(name)}` : JSON.stringify(text.replace(/\/\/[^/]*@/, '//…@'))
  const shown = secret === true && !isFromFile ? '' : ` (${told})`
  return `${name}${shown} ${fault}. Example: ${name}=${example}`
}

/** The address of a server that listens there, for those on the same machine. */
export function ownUrl(host: string, port: number): string {
  // 0.0.0.0 cannot be opened; what listens everywhere is found here too.
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return underOneName(`http://${isIP(open) === 6 ? `[${open}]` : open}:${port}`)
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object)
  }
  return Object.freeze(value)
}
