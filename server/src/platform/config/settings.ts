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

/** What one variable may hold. `parse` gives the value, or a fault: what is wrong with the text. */
export type Setting<Value> = {
  meaning: string
  /** The text that stands when the variable is absent or empty; left out where there is no value then. */
  fallback?: string
  /** A good value, for the fault's sentence and `.env.example`; left out where it is the fallback. */
  example?: string
  /** Its value is never repeated in a sentence. */
  secret?: true
  parse: (text: string) => Parsed<Value>
}

export const roles = ['api', 'publisher', 'webhooks'] as const
export type Role = (typeof roles)[number]

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export const settings = {
  HOST: {
    meaning:
      'The address to listen on; 0.0.0.0 for all. A server that is opened at localhost listens at 127.0.0.1 and at ::1, where the machine has it.',
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    parse: pattern(/^[\w.:-]+$/, 'is not an address or host name'),
  },
  PORT: {
    meaning: 'The port to listen on.',
    fallback: '4000',
    parse: integer(0, 65_535),
  },
  STATUS_PORT: {
    meaning:
      'A port for /healthz, /readyz and /metrics alone, whatever the roles of the process. PORT has them, too, where the api runs.',
    example: '4002',
    parse: integer(1, 65_535),
  },
  BASE_URL: {
    meaning:
      'The address that clients and browsers use, as it stands in links. Follows HOST and PORT when empty.',
    example: 'https://post.example.com',
    parse: ownOrigin,
  },
  DATABASE_URL: {
    meaning:
      'A PostgreSQL of your own; several hosts as libpq takes them. When empty, the server runs one in DATA_DIR.',
    example: 'postgresql://postrider:password@localhost:5432/postrider',
    secret: true,
    parse: databaseUrl,
  },
  DATABASE_LISTEN_URL: {
    meaning:
      'The same database without the pooler, where DATABASE_URL leads through one in transaction mode (PgBouncer).',
    example: 'postgresql://postrider:password@localhost:5432/postrider',
    secret: true,
    parse: databaseUrl,
  },
  DATABASE_POOL_API: {
    meaning:
      'How many database connections a process may hold for requests; one workspace has at most three quarters of them. A process opens up to 6 more besides the pools of its roles, for background work, its heartbeat and notifications.',
    fallback: '10',
    parse: integer(2, 500),
  },
  DATABASE_POOL_PUBLISHER: {
    meaning: 'How many database connections a process may hold for publishing.',
    fallback: '6',
    parse: integer(2, 500),
  },
  DATABASE_POOL_WEBHOOKS: {
    meaning: 'How many database connections a process may hold for webhook deliveries.',
    fallback: '4',
    parse: integer(2, 500),
  },
  DATABASE_TIMEOUT_SECONDS: {
    meaning: 'How long the database may work on one statement of a request before the request is refused.',
    fallback: '5',
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
    parse: integer(0, 65_535),
  },
  SANDBOX_URL: {
    meaning: 'A sandbox network that runs already. When empty, each process with the role api starts one.',
    example: 'http://127.0.0.1:4001',
    parse: origin,
  },
  PUBLISH_CONCURRENCY: {
    meaning: 'How many publications a process may have in flight at once.',
    fallback: '512',
    parse: integer(1, 10_000),
  },
  LEASE_SECONDS: {
    meaning: 'After how long without a heartbeat the work of a process is taken over.',
    fallback: '60',
    parse: integer(5, 3_600),
  },
  PUBLISH_TIMEOUT_SECONDS: {
    meaning: 'How long one call to a provider may take in all.',
    fallback: '30',
    parse: integer(1, 600),
  },
  WEBHOOK_CONCURRENCY: {
    meaning: 'How many webhook deliveries a process may have in flight at once.',
    fallback: '512',
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
    example: 'http://127.0.0.1:3000,http://hooks.internal:8080',
    parse: trustedOrigins,
  },
  TRUSTED_NETWORKS: {
    meaning:
      'Private networks that webhooks and provider calls may reach over https, in CIDR form, separated by commas.',
    example: '10.20.0.0/16',
    parse: trustedNetworks,
  },
  EVENT_DAYS: {
    meaning: 'How long events are kept, to be replayed or fetched.',
    fallback: '30',
    parse: integer(1, 3_650),
  },
  DELIVERY_DAYS: {
    meaning: 'How long settled webhook deliveries and their attempts are kept.',
    fallback: '30',
    parse: integer(1, 3_650),
  },
  ATTEMPT_DAYS: {
    meaning:
      'How long attempts to publish are kept after they were settled, with what the network answered; those with an unknown result are kept longer.',
    fallback: '180',
    parse: integer(1, 36_500),
  },
  AUDIT_DAYS: {
    meaning: 'How long the audit log is kept, and requests for approval that a later one has replaced.',
    fallback: '730',
    example: '3650',
    parse: integer(1, 36_500),
  },
  AUDIT_STREAM: {
    meaning:
      'Where the audit log is written as well, an entry a line, as JSON: stdout, or the path of a file. The first time, all that is kept is written.',
    fallback: 'off',
    example: 'stdout',
    parse: anyText,
  },
  IDEMPOTENCY_DAYS: {
    meaning: 'How long the answer to an idempotency key is kept.',
    fallback: '7',
    parse: integer(1, 365),
  },
  MAX_CONNECTIONS: {
    meaning:
      'How many connections a process may hold open; fewer where the system allows it fewer than 64 file descriptors more.',
    fallback: '1000',
    parse: integer(16, 65_535),
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    meaning:
      'How many of these connections may come from one address (of IPv6, from one /56), at most half of all. Proxies that TRUST_PROXY names are not counted.',
    fallback: '200',
    parse: integer(1, 65_535),
  },
  RATE_LIMIT_PER_MINUTE: {
    meaning: 'How many requests a credential may make in a minute, of all processes together.',
    fallback: '600',
    parse: integer(1, 1_000_000),
  },
  RATE_LIMIT_WRITES_PER_MINUTE: {
    meaning: 'How many of these requests may be writes.',
    fallback: '300',
    parse: integer(1, 1_000_000),
  },
  OAUTH_REGISTRATION: {
    meaning:
      'Whether apps may register themselves (RFC 7591) before a person lets them in. Many MCP clients cannot connect without.',
    fallback: 'on',
    parse: onOff,
  },
  OAUTH_CLIENT_METADATA: {
    meaning:
      'Whether an app may identify itself by the https address of its client metadata document, which is fetched.',
    fallback: 'on',
    parse: onOff,
  },
  SMTP_URL: {
    meaning:
      'The mail server that mail is handed to: smtp:// (port 587, STARTTLS) or smtps:// (port 465), with name and password. When empty, the server sends no mail.',
    example: 'smtps://postrider:password@mail.example.com',
    secret: true,
    parse: smtpUrl,
  },
  MAIL_FROM: {
    meaning: 'The sender of that mail: an address, or a name with the address in angle brackets.',
    example: 'Postrider <postrider@example.com>',
    parse: mailSender,
  },
  OIDC_ISSUER: {
    meaning:
      'An OpenID Connect issuer at which people can sign in, too. Register $BASE_URL/sign-in/issuer/callback there.',
    example: 'https://login.example.com',
    parse: oidcIssuer,
  },
  OIDC_CLIENT_ID: {
    meaning: 'The client id of this server at that issuer.',
    example: 'postrider',
    parse: anyText,
  },
  OIDC_CLIENT_SECRET: {
    meaning: 'The client secret of this server at that issuer.',
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  OIDC_NAME: {
    meaning: 'The name of that issuer on the sign-in page.',
    fallback: 'Single sign-on',
    example: 'Example login',
    parse: pattern(/^[^\p{Cc}]{1,60}$/u, 'is not 1 to 60 characters in one line'),
  },
  OIDC_DOMAINS: {
    meaning:
      'E-mail domains, separated by commas, whose people get an account with their first sign-in there. When empty, only those who were invited do.',
    example: 'example.com',
    parse: domainList,
  },
  FACEBOOK_CLIENT_ID: {
    meaning:
      'The app ID of your app at Meta. Facebook Pages and Instagram accounts can be connected with it; register $BASE_URL/connect/facebook/callback and $BASE_URL/connect/instagram/callback there.',
    example: '1234567890123456',
    parse: anyText,
  },
  FACEBOOK_CLIENT_SECRET: {
    meaning: 'The app secret of that app.',
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  LINKEDIN_CLIENT_ID: {
    meaning:
      'The client id of your app at LinkedIn. Accounts at LinkedIn can be connected with it; register $BASE_URL/connect/linkedin/callback there.',
    example: '86a1b2c3d4e5f6',
    parse: anyText,
  },
  LINKEDIN_CLIENT_SECRET: {
    meaning: 'The client secret of that app.',
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  THREADS_CLIENT_ID: {
    meaning:
      'The Threads app ID of your app at Meta. Threads profiles can be connected with it; register $BASE_URL/connect/threads/callback there.',
    example: '990602627938098',
    parse: anyText,
  },
  THREADS_CLIENT_SECRET: {
    meaning: 'The Threads app secret of that app.',
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  X_CLIENT_ID: {
    meaning:
      'The OAuth 2.0 client id of your app at X. Accounts at X can be connected with it; register $BASE_URL/connect/x/callback there.',
    example: 'V1ROclFTMTRiVWhwTWw4M2FVNWFkVGQ',
    parse: anyText,
  },
  X_CLIENT_SECRET: {
    meaning: 'The OAuth 2.0 client secret of that app.',
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  YOUTUBE_CLIENT_ID: {
    meaning:
      'The client id of your app at Google. YouTube channels can be connected with it; register $BASE_URL/connect/youtube/callback there.',
    example: '1234567890-abc.apps.googleusercontent.com',
    parse: anyText,
  },
  YOUTUBE_CLIENT_SECRET: {
    meaning: 'The client secret of that app.',
    example: 'a-long-secret',
    secret: true,
    parse: anySecret,
  },
  OPENAI_API_KEY: {
    meaning:
      "OpenAI's key, or that of the server at OPENAI_BASE_URL. Costs arise only where drafts or images are asked for.",
    example: 'sk-…',
    secret: true,
    parse: secretText,
  },
  OPENAI_BASE_URL: {
    meaning:
      "A server that speaks OpenAI's protocol, such as Ollama, vLLM or LM Studio, with its path. When empty, OpenAI itself.",
    example: 'http://127.0.0.1:11434/v1',
    parse: serverUrl,
  },
  ANTHROPIC_API_KEY: {
    meaning: "Anthropic's key.",
    example: 'sk-ant-…',
    secret: true,
    parse: secretText,
  },
  GOOGLE_GENERATIVE_AI_API_KEY: {
    meaning: "The key of Google's Gemini API.",
    example: 'AIza…',
    secret: true,
    parse: secretText,
  },
  AI_MODEL: {
    meaning:
      'The models that write, as vendor/model, separated by commas; the first is used unless a request names another. The vendor is openai (also for OPENAI_BASE_URL), anthropic or google. When empty, one of each provider that has a key.',
    example: 'openai/gpt-5.6-terra,anthropic/claude-haiku-5-5',
    parse: modelList,
  },
  AI_IMAGE_MODEL: {
    meaning:
      'The models that generate images, in the same way; the vendor is openai or google. When empty, one of each of these with a key.',
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
    parse: integer(1, 1_000),
  },
  MEDIA_IMAGE_MAX_MEGAPIXELS: {
    meaning:
      'How many million pixels an image may have; an animation four times as many, over all its frames.',
    fallback: '50',
    parse: integer(1, 500),
  },
  MEDIA_VIDEO_MAX_MB: {
    meaning: 'How large an uploaded video may be, in megabytes.',
    fallback: '1000',
    parse: integer(1, 5_000),
  },
  MEDIA_AUDIO_MAX_MB: {
    meaning: 'How large an uploaded audio file may be, in megabytes.',
    fallback: '200',
    parse: integer(1, 5_000),
  },
  MEDIA_DOCUMENT_MAX_MB: {
    meaning: 'How large an uploaded document may be, in megabytes.',
    fallback: '100',
    parse: integer(1, 5_000),
  },
  MEDIA_WORKERS: {
    meaning:
      'How many worker processes decode files, each one file at a time; where there are several, a workspace may use all but one.',
    fallback: '2',
    parse: integer(1, 64),
  },
  S3_BUCKET: {
    meaning:
      'The bucket of an S3-compatible store that keeps media. When empty, media is kept in DATA_DIR/media.',
    example: 'postrider-media',
    parse: pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket'),
  },
  S3_ENDPOINT: {
    meaning: 'The address of the S3-compatible store. When empty, Amazon S3.',
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
    example: 'postrider/',
    parse: pattern(/^[\w!.*'()/-]+$/, 'holds characters that a key cannot hold safely'),
  },
  S3_ACCESS_KEY_ID: {
    meaning: 'The access key of the store. When empty, the credentials of the environment (AWS) are used.',
    example: 'AKIAIOSFODNN7EXAMPLE',
    secret: true,
    parse: anySecret,
  },
  S3_SECRET_ACCESS_KEY: {
    meaning: 'The secret of the access key.',
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
  METRICS_WORKSPACES: {
    meaning:
      'How many workspaces metrics tell apart, by their ids: the first that a process meets; the others are counted together as other.',
    fallback: '200',
    example: '20',
    parse: integer(0, 1_000),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'Where OpenTelemetry traces are sent (OTLP over HTTP). When empty, none are recorded.',
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

export type Name = keyof typeof settings
type ValueOf<S> = S extends { parse: (text: string) => Parsed<infer Value> }
  ? Value | (S extends { fallback: string } ? never : null)
  : never
/** What each variable says; null where it says nothing and has no fallback. */
export type Values = { [N in Name]: ValueOf<(typeof settings)[N]> }

// Object.keys gives plain text; these are the table's own keys.
export const names = Object.keys(settings) as Name[]

/** The settings that can also be in a file. */
export const secretNames = names.filter((name) => (settings[name] as Setting<unknown>).secret === true)

/** The variable that names the file in which a secret is. */
export function fileNameOf(name: Name): string {
  return `${name}_FILE`
}

/** Whether a name in the environment is one of ours, or of what we run on. */
export function isSetting(name: string): boolean {
  return (
    name in settings ||
    secretNames.some((secret) => fileNameOf(secret) === name) ||
    /^(POSTRIDER|NODE|OTEL|AWS|SSL|COMPOSE|DOCKER)_|^(TZ|PATH|https?_proxy|no_proxy)$/i.test(name)
  )
}

/** The text of `.env.example`: every setting with its meaning and default, all commented out. */
export function envExample(): string {
  const head =
    '# Every setting, with its default. All are optional. NAME_FILE names a file that holds NAME: give one of the two.\n'
  const entries = names.map((name) => {
    const { meaning, fallback, example }: Setting<unknown> = settings[name]
    const line = fallback === undefined ? `# Example: ${example}\n# ${name}=` : `# ${name}=${fallback}`
    const file = secretNames.includes(name) ? `# ${fileNameOf(name)}=\n` : ''
    return `# ${meaning}\n${line}\n${file}`
  })
  return [head, ...entries].join('\n')
}
