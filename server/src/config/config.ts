import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type AiProvider, canAsk } from './ai-access.ts'
import {
  anySecret,
  anyText,
  databaseUrl,
  domainList,
  httpUrl,
  imageModelList,
  integer,
  listOf,
  mailSender,
  modelList,
  oneOf,
  oidcIssuer,
  onOff,
  origin,
  ownOrigin,
  type Parsed,
  pattern,
  secretKeys,
  secretText,
  serverUrl,
  smtpUrl,
  trustedNetworks,
  trustedOrigins,
  trustProxy,
} from './config-values.ts'
import { underOneName } from '../platform/loopback.ts'
import { readEnvFile } from './env-file.ts'

/** What one variable may hold. `parse` gives the value, or a fault: what is wrong with the text. */
type Setting<Value> = {
  meaning: string
  /** The text that stands when the variable is absent or empty; null when there is no value then. */
  fallback: string | null
  /** A good value, for the fault's sentence and `.env.example`. */
  example: string
  /** Its value is never repeated in a sentence. */
  secret?: true
  parse: (text: string) => Parsed<Value>
}

export const roles = ['api', 'publisher', 'webhooks'] as const
export type Role = (typeof roles)[number]

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

const settings = {
  HOST: {
    meaning: 'The address to listen on; 0.0.0.0 for all.',
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    parse: pattern(/^[\w.:-]+$/, 'is not an address or host name'),
  },
  PORT: {
    meaning: 'The port to listen on.',
    fallback: '4000',
    example: '4000',
    parse: integer(0, 65_535),
  },
  STATUS_PORT: {
    meaning:
      'A port for /healthz, /readyz and /metrics alone, whatever the roles of the process. PORT has them, too, where the api runs.',
    fallback: null,
    example: '4002',
    parse: integer(1, 65_535),
  },
  BASE_URL: {
    meaning:
      'The address that clients and browsers use, as it stands in links. Follows HOST and PORT when empty.',
    fallback: null,
    example: 'https://post.example.com',
    parse: ownOrigin,
  },
  DATABASE_URL: {
    meaning:
      'A PostgreSQL of your own; several hosts as libpq takes them. When empty, the server runs one in DATA_DIR.',
    fallback: null,
    example: 'postgresql://postrider:password@localhost:5432/postrider',
    secret: true,
    parse: databaseUrl,
  },
  DATABASE_LISTEN_URL: {
    meaning:
      'The same database without the pooler, where DATABASE_URL leads through one in transaction mode (PgBouncer).',
    fallback: null,
    example: 'postgresql://postrider:password@localhost:5432/postrider',
    secret: true,
    parse: databaseUrl,
  },
  DATABASE_POOL_API: {
    meaning:
      'How many database connections a process may hold for requests; one workspace has at most three quarters of them. A process opens up to 6 more besides the pools of its roles, for background work, its heartbeat and notifications.',
    fallback: '10',
    example: '10',
    parse: integer(2, 500),
  },
  DATABASE_POOL_PUBLISHER: {
    meaning: 'How many database connections a process may hold for publishing.',
    fallback: '6',
    example: '6',
    parse: integer(2, 500),
  },
  DATABASE_POOL_WEBHOOKS: {
    meaning: 'How many database connections a process may hold for webhook deliveries.',
    fallback: '4',
    example: '4',
    parse: integer(2, 500),
  },
  DATABASE_TIMEOUT_SECONDS: {
    meaning: 'How long the database may work on one statement of a request before the request is refused.',
    fallback: '5',
    example: '5',
    parse: integer(1, 60),
  },
  DATA_DIR: {
    meaning: 'The folder of everything durable: embedded database, media, generated keys.',
    fallback: './data',
    example: '/var/lib/postrider',
    parse: anyText,
  },
  ROLES: {
    meaning: 'What this process does: any of api, publisher and webhooks, separated by commas.',
    fallback: 'api,publisher,webhooks',
    example: 'api,publisher',
    parse: listOf(roles),
  },
  SECRET_KEYS: {
    meaning:
      'Keys that encrypt stored secrets: base64 of 32 random bytes each, separated by commas; the first encrypts, all decrypt. When empty, a key is kept in DATA_DIR/secret-keys.',
    fallback: null,
    example: 'the output of: openssl rand -base64 32',
    secret: true,
    parse: secretKeys,
  },
  LOG_LEVEL: {
    meaning: 'The minimum level of what is logged.',
    fallback: 'info',
    example: 'debug',
    parse: oneOf(logLevels),
  },
  LOG_PRETTY: {
    meaning:
      'on: the log is for people; off: one JSON object per line; auto: for people when it goes to a terminal.',
    fallback: 'auto',
    example: 'off',
    parse: oneOf(['auto', 'on', 'off']),
  },
  SANDBOX: {
    meaning:
      'Whether channels of the sandbox network, where nothing is published for real, can be connected.',
    fallback: 'on',
    example: 'off',
    parse: onOff,
  },
  SANDBOX_HOST: {
    meaning:
      'The address that the sandbox network listens on. It has no authentication: leave it, except in a container whose port is published on 127.0.0.1 alone.',
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    parse: pattern(/^[\w.:-]+$/, 'is not an address or host name'),
  },
  SANDBOX_PORT: {
    meaning: 'The port of the sandbox network that the server starts.',
    fallback: '4001',
    example: '4001',
    parse: integer(0, 65_535),
  },
  SANDBOX_URL: {
    meaning: 'A sandbox network that runs already. When empty, each process with the role api starts one.',
    fallback: null,
    example: 'http://127.0.0.1:4001',
    parse: origin,
  },
  PUBLISH_CONCURRENCY: {
    meaning: 'How many publications a process may have in flight at once.',
    fallback: '128',
    example: '128',
    parse: integer(1, 10_000),
  },
  LEASE_SECONDS: {
    meaning: 'After how long without a heartbeat the work of a process is taken over.',
    fallback: '60',
    example: '60',
    parse: integer(5, 3_600),
  },
  PUBLISH_TIMEOUT_SECONDS: {
    meaning: 'How long one call to a provider may take in all.',
    fallback: '30',
    example: '30',
    parse: integer(1, 600),
  },
  ALLOWED_TIME_HOURS: {
    meaning:
      'How many hours after its time a post may still go out, before it expires; for workspaces that are made from now on.',
    fallback: '24',
    example: '24',
    parse: integer(1, 8_760),
  },
  APPROVAL_HOURS: {
    meaning: 'How many hours a person has to decide about a request for approval, before it expires.',
    fallback: '168',
    example: '24',
    parse: integer(1, 8_760),
  },
  WEBHOOK_CONCURRENCY: {
    meaning: 'How many webhook deliveries a process may have in flight at once.',
    fallback: '256',
    example: '256',
    parse: integer(4, 10_000),
  },
  WEBHOOK_STANDARD_HEADERS: {
    meaning: 'Whether deliveries carry the headers of Standard Webhooks (webhook-id, …) beside X-Service-….',
    fallback: 'on',
    example: 'off',
    parse: onOff,
  },
  TRUSTED_ORIGINS: {
    meaning:
      'Origins that webhooks and provider calls may reach although they are private or plain http, separated by commas; any trusts all of them, for development.',
    fallback: null,
    example: 'http://127.0.0.1:3000,http://hooks.internal:8080',
    parse: trustedOrigins,
  },
  TRUSTED_NETWORKS: {
    meaning:
      'Private networks that webhooks and provider calls may reach over https, in CIDR form, separated by commas.',
    fallback: null,
    example: '10.20.0.0/16',
    parse: trustedNetworks,
  },
  EVENT_DAYS: {
    meaning: 'How long events are kept, to be replayed or fetched.',
    fallback: '30',
    example: '30',
    parse: integer(1, 3_650),
  },
  DELIVERY_DAYS: {
    meaning: 'How long settled webhook deliveries and their attempts are kept.',
    fallback: '30',
    example: '30',
    parse: integer(1, 3_650),
  },
  ATTEMPT_DAYS: {
    meaning:
      'How long attempts to publish are kept after they were settled, with what the network answered; those with an unknown result are kept longer.',
    fallback: '180',
    example: '180',
    parse: integer(1, 36_500),
  },
  AUDIT_DAYS: {
    meaning: 'How long the audit log is kept, and requests for approval that a later one has replaced.',
    fallback: '730',
    example: '3650',
    parse: integer(1, 36_500),
  },
  IDEMPOTENCY_DAYS: {
    meaning: 'How long the answer to an idempotency key is kept.',
    fallback: '7',
    example: '7',
    parse: integer(1, 365),
  },
  MAX_CONNECTIONS: {
    meaning:
      'How many connections a process may hold open; fewer where the system allows it fewer than 64 file descriptors more.',
    fallback: '1000',
    example: '1000',
    parse: integer(16, 65_535),
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    meaning:
      'How many of these connections may come from one address (of IPv6, from one /64), at most half of all. Proxies that TRUST_PROXY names are not counted.',
    fallback: '200',
    example: '200',
    parse: integer(1, 65_535),
  },
  RATE_LIMIT_PER_MINUTE: {
    meaning:
      'How many requests a credential may make in a minute; each process with the role api counts for itself.',
    fallback: '600',
    example: '600',
    parse: integer(1, 1_000_000),
  },
  RATE_LIMIT_WRITES_PER_MINUTE: {
    meaning: 'How many of these requests may be writes; counted by each process, too.',
    fallback: '300',
    example: '300',
    parse: integer(1, 1_000_000),
  },
  OAUTH_REGISTRATION: {
    meaning:
      'Whether apps may register themselves (RFC 7591) before a person lets them in. Many MCP clients cannot connect without.',
    fallback: 'on',
    example: 'on',
    parse: onOff,
  },
  OAUTH_CLIENT_METADATA: {
    meaning:
      'Whether an app may identify itself by the https address of its client metadata document, which is fetched.',
    fallback: 'on',
    example: 'on',
    parse: onOff,
  },
  SMTP_URL: {
    meaning:
      'The mail server that mail is handed to: smtp:// (port 587, STARTTLS) or smtps:// (port 465), with name and password. When empty, the server sends no mail.',
    fallback: null,
    example: 'smtps://postrider:password@mail.example.com',
    secret: true,
    parse: smtpUrl,
  },
  MAIL_FROM: {
    meaning: 'The sender of that mail: an address, or a name with the address in angle brackets.',
    fallback: null,
    example: 'Postrider <postrider@example.com>',
    parse: mailSender,
  },
  OIDC_ISSUER: {
    meaning:
      'An OpenID Connect provider at which people can sign in, too: its issuer. Register $BASE_URL/sign-in/provider/callback there.',
    fallback: null,
    example: 'https://login.example.com',
    parse: oidcIssuer,
  },
  OIDC_CLIENT_ID: {
    meaning: 'The client id of this server at that provider.',
    fallback: null,
    example: 'postrider',
    parse: anyText,
  },
  OIDC_CLIENT_SECRET: {
    meaning: 'The client secret of this server at that provider.',
    fallback: null,
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  OIDC_NAME: {
    meaning: 'The name of that provider on the sign-in page.',
    fallback: 'Single sign-on',
    example: 'Example login',
    parse: pattern(/^[^\p{Cc}]{1,60}$/u, 'is not 1 to 60 characters in one line'),
  },
  OIDC_DOMAINS: {
    meaning:
      'E-mail domains, separated by commas, whose people get an account with their first sign-in there. When empty, only those who were invited do.',
    fallback: null,
    example: 'example.com',
    parse: domainList,
  },
  LINKEDIN_CLIENT_ID: {
    meaning:
      'The client id of your app at LinkedIn. Accounts at LinkedIn can be connected with it; register $BASE_URL/connect/linkedin/callback there.',
    fallback: null,
    example: '86a1b2c3d4e5f6',
    parse: anyText,
  },
  LINKEDIN_CLIENT_SECRET: {
    meaning: 'The client secret of that app.',
    fallback: null,
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  X_CLIENT_ID: {
    meaning:
      'The OAuth 2.0 client id of your app at X. Accounts at X can be connected with it; register $BASE_URL/connect/x/callback there.',
    fallback: null,
    example: 'V1ROclFTMTRiVWhwTWw4M2FVNWFkVGQ',
    parse: anyText,
  },
  X_CLIENT_SECRET: {
    meaning: 'The OAuth 2.0 client secret of that app.',
    fallback: null,
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  OPENAI_API_KEY: {
    meaning:
      "OpenAI's key, or that of the server at OPENAI_BASE_URL. Costs arise only where drafts or images are asked for.",
    fallback: null,
    example: 'sk-…',
    secret: true,
    parse: secretText,
  },
  OPENAI_BASE_URL: {
    meaning:
      "A server that speaks OpenAI's protocol, such as Ollama, vLLM or LM Studio, with its path. When empty, OpenAI itself.",
    fallback: null,
    example: 'http://127.0.0.1:11434/v1',
    parse: serverUrl,
  },
  ANTHROPIC_API_KEY: {
    meaning: "Anthropic's key.",
    fallback: null,
    example: 'sk-ant-…',
    secret: true,
    parse: secretText,
  },
  GOOGLE_GENERATIVE_AI_API_KEY: {
    meaning: "The key of Google's Gemini API.",
    fallback: null,
    example: 'AIza…',
    secret: true,
    parse: secretText,
  },
  AI_MODEL: {
    meaning:
      'The models that write, as provider/model, separated by commas; the first is used unless a request names another. The provider is openai (also for OPENAI_BASE_URL), anthropic or google. When empty, one of each provider that has a key.',
    fallback: null,
    example: 'openai/gpt-5.6-terra,anthropic/claude-haiku-5-5',
    parse: modelList,
  },
  AI_IMAGE_MODEL: {
    meaning:
      'The models that generate images, in the same way; the provider is openai or google. When empty, one of each of these with a key.',
    fallback: null,
    example: 'openai/gpt-image-2.5-flare',
    parse: imageModelList,
  },
  AI_VISION: {
    meaning:
      'Whether models that write are shown images; auto: those of OpenAI, Anthropic and Google are, those at OPENAI_BASE_URL get alt texts.',
    fallback: 'auto',
    example: 'on',
    parse: oneOf(['auto', 'on', 'off']),
  },
  AI_TIMEOUT_SECONDS: {
    meaning: 'How long one generation may take in all, repairs included.',
    fallback: '120',
    example: '300',
    parse: integer(5, 1_800),
  },
  AI_MAX_OUTPUT_TOKENS: {
    meaning: 'How many tokens a model may write in one call, its thinking included.',
    fallback: '16000',
    example: '32000',
    parse: integer(256, 1_000_000),
  },
  AI_TOKENS_PER_DAY: {
    meaning: 'How many tokens a workspace may use in a day (UTC), read and written together.',
    fallback: '1000000',
    example: '200000',
    parse: integer(0, 2_000_000_000),
  },
  AI_IMAGES_PER_DAY: {
    meaning: 'How many images a workspace may have made in a day (UTC).',
    fallback: '100',
    example: '20',
    parse: integer(0, 1_000_000),
  },
  MEDIA_IMAGE_MAX_MB: {
    meaning: 'How large an uploaded image may be, in megabytes.',
    fallback: '25',
    example: '25',
    parse: integer(1, 1_000),
  },
  MEDIA_IMAGE_MAX_MEGAPIXELS: {
    meaning:
      'How many million pixels an image may have; an animation four times as many, over all its frames.',
    fallback: '50',
    example: '50',
    parse: integer(1, 500),
  },
  MEDIA_VIDEO_MAX_MB: {
    meaning: 'How large an uploaded video may be, in megabytes.',
    fallback: '1000',
    example: '1000',
    parse: integer(1, 5_000),
  },
  MEDIA_AUDIO_MAX_MB: {
    meaning: 'How large an uploaded audio file may be, in megabytes.',
    fallback: '200',
    example: '200',
    parse: integer(1, 5_000),
  },
  MEDIA_DOCUMENT_MAX_MB: {
    meaning: 'How large an uploaded document may be, in megabytes.',
    fallback: '100',
    example: '100',
    parse: integer(1, 5_000),
  },
  MEDIA_WORKERS: {
    meaning:
      'How many worker processes decode files, each one file at a time; where there are several, a workspace may use all but one.',
    fallback: '2',
    example: '2',
    parse: integer(1, 64),
  },
  MEDIA_RENDITIONS_MAX_MB: {
    meaning:
      'How much disk space in DATA_DIR smaller renditions of images may take, in megabytes; those not used for the longest time are removed.',
    fallback: '500',
    example: '500',
    parse: integer(10, 1_000_000),
  },
  S3_BUCKET: {
    meaning:
      'The bucket of an S3-compatible store that keeps media. When empty, media is kept in DATA_DIR/media.',
    fallback: null,
    example: 'postrider-media',
    parse: pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket'),
  },
  S3_ENDPOINT: {
    meaning: 'The address of the S3-compatible store. When empty, Amazon S3.',
    fallback: null,
    example: 'https://s3.example.com',
    parse: httpUrl,
  },
  S3_REGION: {
    meaning: 'The region of the bucket.',
    fallback: 'us-east-1',
    example: 'eu-central-1',
    parse: pattern(/^[\w-]+$/, 'is not the name of a region'),
  },
  S3_PREFIX: {
    meaning: 'What the keys of this installation begin with, where a bucket is shared.',
    fallback: null,
    example: 'postrider/',
    parse: pattern(/^[\w!.*'()/-]+$/, 'holds characters that a key cannot hold safely'),
  },
  S3_ACCESS_KEY_ID: {
    meaning: 'The access key of the store. When empty, the credentials of the environment (AWS) are used.',
    fallback: null,
    example: 'AKIAIOSFODNN7EXAMPLE',
    secret: true,
    parse: anySecret,
  },
  S3_SECRET_ACCESS_KEY: {
    meaning: 'The secret of the access key.',
    fallback: null,
    example: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    secret: true,
    parse: anySecret,
  },
  S3_PATH_STYLE: {
    meaning:
      'Whether the bucket stands in the path of an address and not in its host, as most S3-compatible stores want.',
    fallback: 'on',
    example: 'off',
    parse: onOff,
  },
  METRICS: {
    meaning: 'Whether /metrics answers, for Prometheus.',
    fallback: 'on',
    example: 'off',
    parse: onOff,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'Where OpenTelemetry traces are sent (OTLP over HTTP). When empty, none are recorded.',
    fallback: null,
    example: 'http://localhost:4318',
    parse: httpUrl,
  },
  STOP_DELAY_SECONDS: {
    meaning:
      'How long a server that is stopped goes on as before while /readyz says 503, so that proxies send their requests elsewhere.',
    fallback: '0',
    example: '10',
    parse: integer(0, 600),
  },
  STOP_SECONDS: {
    meaning: 'How long work in progress may take to finish when the server is stopped.',
    fallback: '10',
    example: '10',
    parse: integer(0, 600),
  },
  TRUST_PROXY: {
    meaning:
      'Whose X-Forwarded-For is trusted: off, the number of proxies in front, or their addresses, separated by commas.',
    fallback: 'off',
    example: '10.0.0.0/8,127.0.0.1',
    parse: trustProxy,
  },
} satisfies Record<string, Setting<unknown>>

type Name = keyof typeof settings
type ValueOf<S> = S extends { parse: (text: string) => Parsed<infer Value>; fallback: infer Fallback }
  ? Value | (Fallback extends string ? never : null)
  : never
type Values = { [N in Name]: ValueOf<(typeof settings)[N]> }

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

/** Whether a name in the environment is one of ours, or of what we run on. */
export function isSetting(name: string): boolean {
  return (
    name in settings ||
    /^(POSTRIDER|NODE|OTEL|AWS|SSL|COMPOSE|DOCKER)_|^(TZ|PATH|https?_proxy|no_proxy)$/i.test(name)
  )
}

/**
 * Reads the settings from the environment: the only place that does. All faults come at once, each a sentence that
 * names the variable, what is wrong and a good value; secret values are never in them.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
): { ok: true; config: Config } | { ok: false; faults: string[] } {
  const faults: string[] = []
  const values: Partial<Record<Name, unknown>> = {}
  for (const name of names) {
    const setting: Setting<unknown> = settings[name]
    const text = textOf(env, name)
    const parsed = text === null ? { value: null } : setting.parse(text)
    if ('value' in parsed) values[name] = parsed.value
    else faults.push(faultSentence(name, setting, text ?? '', parsed.fault))
  }
  if (faults.length > 0) return { ok: false, faults }

  // Each name has been given a value by its own `parse`.
  const config = toConfig(values as Values, env)
  const contradictions = [...findContradictions(config), ...incompleteSettings(env)]
  return contradictions.length > 0
    ? { ok: false, faults: contradictions }
    : { ok: true, config: deepFreeze(config) }
}

/** The text of `.env.example`: every setting with its meaning and default, all commented out. */
export function envExample(): string {
  const head = '# Every setting, with its default. All are optional.\n'
  const entries = names.map((name) => {
    const { meaning, fallback, example }: Setting<unknown> = settings[name]
    const line = fallback === null ? `# Example: ${example}\n# ${name}=` : `# ${name}=${fallback}`
    return `# ${meaning}\n${line}\n`
  })
  return [head, ...entries].join('\n')
}

const MEGABYTE = 1_000_000

// Object.keys gives plain text; these are the table's own keys.
const names = Object.keys(settings) as Name[]

function toConfig(values: Values, env: Readonly<Record<string, string | undefined>>) {
  return {
    http: {
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
    },
    database: {
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
    },
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
      allowedTimeHours: values.ALLOWED_TIME_HOURS,
    },
    approvals: { hours: values.APPROVAL_HOURS },
    webhooks: { concurrency: values.WEBHOOK_CONCURRENCY, standardHeaders: values.WEBHOOK_STANDARD_HEADERS },
    /** Apps that the operator registered at networks, by provider name. */
    oauthClients: new Map(
      [
        {
          provider: 'linkedin',
          clientId: values.LINKEDIN_CLIENT_ID,
          clientSecret: values.LINKEDIN_CLIENT_SECRET,
        },
        { provider: 'x', clientId: values.X_CLIENT_ID, clientSecret: values.X_CLIENT_SECRET },
      ].flatMap(({ provider, clientId, clientSecret }) =>
        clientId === null || clientSecret === null ? [] : [[provider, { clientId, clientSecret }] as const],
      ),
    ),
    outbound: {
      trustedOrigins: values.TRUSTED_ORIGINS ?? [],
      trustedNetworks: values.TRUSTED_NETWORKS ?? [],
    },
    retention: {
      eventDays: values.EVENT_DAYS,
      deliveryDays: values.DELIVERY_DAYS,
      attemptDays: values.ATTEMPT_DAYS,
      auditDays: values.AUDIT_DAYS,
    },
    idempotencyDays: values.IDEMPOTENCY_DAYS,
    rateLimit: {
      perMinute: values.RATE_LIMIT_PER_MINUTE,
      writesPerMinute: values.RATE_LIMIT_WRITES_PER_MINUTE,
    },
    oauth: { registration: values.OAUTH_REGISTRATION, clientMetadata: values.OAUTH_CLIENT_METADATA },
    /** Null: no mail is sent. */
    mail:
      values.SMTP_URL === null || values.MAIL_FROM === null
        ? null
        : { url: values.SMTP_URL, from: values.MAIL_FROM },
    /** Null: people sign in here only. */
    oidc:
      values.OIDC_ISSUER === null || values.OIDC_CLIENT_ID === null || values.OIDC_CLIENT_SECRET === null
        ? null
        : {
            issuer: values.OIDC_ISSUER,
            clientId: values.OIDC_CLIENT_ID,
            clientSecret: values.OIDC_CLIENT_SECRET,
            name: values.OIDC_NAME,
            domains: values.OIDC_DOMAINS ?? [],
          },
    ai: {
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
    },
    media: {
      maxBytes: {
        image: values.MEDIA_IMAGE_MAX_MB * MEGABYTE,
        video: values.MEDIA_VIDEO_MAX_MB * MEGABYTE,
        audio: values.MEDIA_AUDIO_MAX_MB * MEGABYTE,
        document: values.MEDIA_DOCUMENT_MAX_MB * MEGABYTE,
      },
      maxPixels: values.MEDIA_IMAGE_MAX_MEGAPIXELS * 1_000_000,
      workers: values.MEDIA_WORKERS,
      renditionsMaxBytes: values.MEDIA_RENDITIONS_MAX_MB * MEGABYTE,
      /** Null: a folder in the data folder. */
      s3:
        values.S3_BUCKET === null
          ? null
          : {
              bucket: values.S3_BUCKET,
              endpoint: values.S3_ENDPOINT,
              region: values.S3_REGION,
              prefix: values.S3_PREFIX ?? '',
              accessKeyId: values.S3_ACCESS_KEY_ID,
              secretAccessKey: values.S3_SECRET_ACCESS_KEY,
              pathStyle: values.S3_PATH_STYLE,
            },
    },
    metrics: values.METRICS,
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    stopDelaySeconds: values.STOP_DELAY_SECONDS,
    stopSeconds: values.STOP_SECONDS,
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
    for (const { provider, model } of models ?? []) {
      if (canAsk(ai, provider)) continue
      faults.push(`${name} names ${provider}/${model}, but ${keyOf[provider]} is set.`)
    }
  }
  if ((media.s3?.accessKeyId == null) !== (media.s3?.secretAccessKey == null)) {
    faults.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: give both, or neither.')
  }
  return faults
}

/** Settings of which some are of no use without the others. */
function incompleteSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = []
  const mail = ['SMTP_URL', 'MAIL_FROM'] as const
  if (new Set(mail.map((name) => isGiven(env, name))).size > 1)
    faults.push('SMTP_URL and MAIL_FROM belong together: give both to send mail, or neither.')
  for (const [id, secret] of [
    ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
    ['X_CLIENT_ID', 'X_CLIENT_SECRET'],
  ] as const) {
    if (isGiven(env, id) !== isGiven(env, secret))
      faults.push(`${id} and ${secret} belong together: give both, or neither.`)
  }
  const oidc = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  if (new Set(oidc.map((name) => isGiven(env, name))).size > 1)
    faults.push(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together: give all three, or none.',
    )
  return faults
}

const keyOf: Record<AiProvider, string> = {
  openai: 'neither OPENAI_API_KEY nor OPENAI_BASE_URL',
  anthropic: 'no ANTHROPIC_API_KEY',
  google: 'no GOOGLE_GENERATIVE_AI_API_KEY',
}

function isGiven(env: Readonly<Record<string, string | undefined>>, name: Name): boolean {
  return (env[name] ?? '').trim() !== ''
}

function textOf(env: Readonly<Record<string, string | undefined>>, name: Name): string | null {
  return isGiven(env, name) ? (env[name] ?? '').trim() : settings[name].fallback
}

function faultSentence(
  name: Name,
  { secret, example }: Setting<unknown>,
  text: string,
  fault: string,
): string {
  // A password may have strayed into any address.
  const shown = secret === true ? '' : ` (${JSON.stringify(text.replace(/\/\/[^/]*@/, '//…@'))})`
  return `${name}${shown} ${fault}. Example: ${name}=${example}`
}

/** The address of a server that listens there, for those on the same machine. */
export function ownUrl(host: string, port: number): string {
  // Nobody can open 0.0.0.0; what listens everywhere is found here too.
  const open = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return underOneName(`http://${isIP(open) === 6 ? `[${open}]` : open}:${port}`)
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object)
  }
  return Object.freeze(value)
}
