import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { type Config, readConfig } from './config.ts'
import { Secret } from '../sealing/sealing.ts'
import { envExample, isSetting, type Name, names, type Setting, settings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

function configOf(env: Record<string, string>): Config {
  const read = readConfig(env)
  if (!read.ok) throw new Error(read.faults.join('\n'))
  return read.config
}

function faultsOf(env: Record<string, string>): string[] {
  const read = readConfig(env)
  return read.ok ? [] : read.faults
}

test('an empty environment is a complete configuration', () => {
  expect(configOf({})).toMatchObject({
    http: { host: '127.0.0.1', port: 4000, baseUrl: 'http://localhost:4000', trustProxy: false },
    database: {
      url: null,
      listenUrl: null,
      pools: { api: 10, publisher: 6, webhooks: 4 },
      timeoutSeconds: 5,
    },
    dataDir: { path: './data', chosen: false },
    roles: ['api', 'publisher', 'webhooks'],
    secretKeys: null,
    sandbox: { on: true, port: 4001, url: null },
    publishing: { concurrency: 512, leaseSeconds: 60, timeoutSeconds: 30 },
    retention: { idempotencyDays: 7 },
    metrics: true,
    otlpEndpoint: null,
    stopDelaySeconds: 0,
    stopSeconds: 10,
  })
})

test('an empty variable counts as absent', () => {
  expect(configOf({ PORT: '', DATABASE_URL: ' ', DATA_DIR: '' })).toEqual(configOf({}))
})

test('the configuration cannot be changed', () => {
  const config = configOf({})
  expect(Object.isFrozen(config) && Object.isFrozen(config.http) && Object.isFrozen(config.roles)).toBe(true)
})

test('all faults are told at once, each with its variable and a good value', () => {
  const faults = faultsOf({ PORT: 'web', BASE_URL: 'example.com', ROLES: 'api,cook', SANDBOX: 'maybe' })

  expect(faults).toEqual([
    'PORT ("web") is not a whole number from 0 to 65535. Example: PORT=4000',
    'BASE_URL ("example.com") is not an absolute address. Example: BASE_URL=https://post.example.com',
    'ROLES ("api,cook") names cook, and may name only api, publisher, webhooks. Example: ROLES=api,publisher',
    'SANDBOX ("maybe") is neither on nor off. Example: SANDBOX=off',
  ])
})

test.each([
  ['DATABASE_URL', 'mysql://root:hunter2@localhost/db'],
  ['DATABASE_URL', 'postgresql://root:hunter2@localhost'],
  ['DATABASE_URL', 'postgresql://root:hunter2/x@localhost/db'],
  ['DATABASE_URL', 'postgresql://root:hunter2@localhost/db?target_session_attrs=standby'],
  ['SECRET_KEYS', 'hunter2'],
  ['BASE_URL', 'https://root:hunter2@example.com'],
])('a fault of %s does not repeat its secret', (name, value) => {
  const faults = faultsOf({ [name]: value })

  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain(name)
  expect(faults[0]).not.toContain('hunter2')
})

test('an issuer is configured whole, or not at all', () => {
  expect(configOf({}).oidc).toBeNull()
  const good = {
    OIDC_ISSUER: 'https://login.example.com/realm/',
    OIDC_CLIENT_ID: 'id',
    OIDC_CLIENT_SECRET: 'hunter2',
  }
  expect(configOf(good).oidc).toMatchObject({ issuer: good.OIDC_ISSUER, name: 'Single sign-on', domains: [] })
  const facebook = { FACEBOOK_CLIENT_ID: 'id', FACEBOOK_CLIENT_SECRET: 'hunter2' }
  expect([...configOf(facebook).networkClients.keys()]).toEqual(['facebook', 'instagram'])
  expect(inspect(configOf(good), { depth: 9 })).not.toContain('hunter2')
  expect(configOf({ ...good, OIDC_DOMAINS: 'a.example, B.example' }).oidc?.domains).toEqual([
    'a.example',
    'b.example',
  ])
  expect(faultsOf({ ...good, OIDC_CLIENT_SECRET: '' })).toEqual([
    'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together: give all three, or none.',
  ])
  expect(configOf({ ...good, OIDC_ISSUER: 'http://localhost:9000' }).oidc?.issuer).toBe(
    'http://localhost:9000',
  )
  for (const [name, value] of [
    ['OIDC_ISSUER', 'http://login.example.com'],
    ['OIDC_ISSUER', 'login'],
    ['OIDC_NAME', 'a\u0007b'],
    ['OIDC_DOMAINS', 'example'],
    ['OIDC_DOMAINS', '@example.com'],
  ] as const)
    expect(faultsOf({ ...good, [name]: value })[0]).toContain(name)
})

test('an app at a network is configured whole, or not at all', () => {
  expect(configOf({}).networkClients.size).toBe(0)
  const linkedin = { LINKEDIN_CLIENT_ID: 'id', LINKEDIN_CLIENT_SECRET: 'hunter2' }
  const good = { X_CLIENT_ID: 'id', X_CLIENT_SECRET: 'hunter2', ...linkedin }
  expect([...configOf(good).networkClients.keys()]).toEqual(['linkedin', 'x'])
  expect(inspect(configOf(good), { depth: 9 })).not.toContain('hunter2')
  expect(faultsOf({ X_CLIENT_ID: 'id' })).toEqual([
    'X_CLIENT_ID and X_CLIENT_SECRET belong together: give both, or neither.',
  ])
})

test('mail is configured whole, or not at all', () => {
  expect(configOf({}).mail).toBeNull()
  const good = { SMTP_URL: 'smtp://me:p%40ss@mail.example.com:2525', MAIL_FROM: 'Post <post@example.com>' }
  expect(configOf(good).mail?.from).toBe('Post <post@example.com>')
  expect(configOf(good).mail?.url.reveal()).toBe(good.SMTP_URL)
  expect(configOf({ ...good, MAIL_FROM: 'post@example.com' }).mail?.from).toBe('post@example.com')
  for (const half of [{ SMTP_URL: good.SMTP_URL }, { MAIL_FROM: good.MAIL_FROM }]) {
    expect(faultsOf(half)).toEqual([
      'SMTP_URL and MAIL_FROM belong together: give both to send mail, or neither.',
    ])
  }
})

test.each([
  ['SMTP_URL', 'https://mail.example.com', 'does not begin with smtp:// or smtps://'],
  ['SMTP_URL', 'smtp://', 'does not name a host'],
  ['SMTP_URL', 'smtp://me:a%b@mail.example.com', 'percent-encoded'],
  ['SMTP_URL', 'smtp://me@mail.example.com', 'must have both a name and a password'],
  ['SMTP_URL', 'smtp://mail.example.com/path', 'must end after the host and port'],
  ['SMTP_URL', 'smtp://mail.example.com?tls=off', 'must end after the host and port'],
  ['MAIL_FROM', 'postrider', 'is neither an e-mail address'],
  ['MAIL_FROM', 'Post <post@example.com', 'is neither an e-mail address'],
  ['MAIL_FROM', 'Post <a@example.com>, Eve <b@example.com>', 'is neither an e-mail address'],
])('%s must not be %s', (name, value, fault) => {
  const [told] = faultsOf({ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@b.test', [name]: value })
  expect(told).toContain(name)
  expect(told).toContain(fault)
})

test('secrets that were accepted show themselves in no print', () => {
  const key = randomBytes(32).toString('base64')
  const config = configOf({ DATABASE_URL: 'postgresql://me:hunter2@localhost/db', SECRET_KEYS: key })

  for (const print of [JSON.stringify(config), inspect(config, { depth: 9 })]) {
    expect(print).not.toContain('hunter2')
    expect(print).not.toContain(key)
  }
  expect(config.database.url?.reveal()).toBe('postgresql://me:hunter2@localhost/db')
  expect(config.secretKeys?.reveal()).toBe(key)
})

describe('BASE_URL', () => {
  test.each([
    [{ BASE_URL: 'https://post.example.com/' }, 'https://post.example.com'],
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://localhost:8080'],
    [{ HOST: '::1' }, 'http://localhost:4000'],
    [{ BASE_URL: 'http://127.0.0.1:4100' }, 'http://localhost:4100'],
    [{ BASE_URL: 'https://127.0.0.1' }, 'https://127.0.0.1'],
  ])('%o gives %s', (env: Record<string, string>, baseUrl) => {
    expect(configOf(env).http.baseUrl).toBe(baseUrl)
  })

  test.each([
    'https://a.example/app',
    'https://a.example/?x=1',
    'https://a.example/#x',
    'ftp://a.example',
    '/app',
  ])('%s is refused', (text) => {
    expect(faultsOf({ BASE_URL: text })).toHaveLength(1)
  })
})

test.each([
  ['off', false],
  ['0', false],
  ['2', 2],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
])('TRUST_PROXY=%s is read', (text, trustProxy) => {
  expect(configOf({ TRUST_PROXY: text }).http.trustProxy).toEqual(trustProxy)
})

test.each([
  ['TRUST_PROXY', 'everyone'],
  ['DATABASE_POOL_API', '1'],
  ['DATABASE_POOL_PUBLISHER', '1e1'],
  ['DATABASE_TIMEOUT_SECONDS', '0'],
  ['STOP_SECONDS', '-1'],
  ['ROLES', ','],
  ['HOST', 'http://x'],
])('%s=%s is refused', (name, text) => {
  expect(faultsOf({ [name]: text })).toHaveLength(1)
})

test('a list of database hosts is accepted, as PostgreSQL clients do', () => {
  const url = 'postgresql://me@a.example:5432,b.example:5433/postrider'
  expect(configOf({ DATABASE_URL: url }).database.url?.reveal()).toBe(url)
})

test('settings that contradict each other are refused', () => {
  expect(faultsOf({ LEASE_SECONDS: '30' })[0]).toMatch(/^PUBLISH_TIMEOUT_SECONDS \(30\) must be less/)
  expect(faultsOf({ DATABASE_POOL_API: '80' })[0]).toMatch(/come to 90 connections/)
  expect(faultsOf({ DATABASE_POOL_API: '80', DATABASE_URL: 'postgresql://me@db/name' })).toEqual([])
  expect(faultsOf({ DATABASE_POOL_API: '80', ROLES: 'api' })).toEqual([])
  expect(faultsOf({ DATABASE_LISTEN_URL: 'postgresql://me@db/name' })[0]).toMatch(/DATABASE_URL is not/)
  expect(faultsOf({ PORT: '4001' })[0]).toMatch(/^PORT and SANDBOX_PORT are both 4001/)
  expect(faultsOf({ PORT: '4001', SANDBOX: 'off' })).toEqual([])
})

test('models are named with their vendor, and only where it can be asked', () => {
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1/', ANTHROPIC_API_KEY: 'sk-ant-1' }
  const { ai } = configOf({
    ...env,
    AI_MODEL: 'openai/qwen3:8b, openai/org/model, anthropic/claude-haiku-5-5',
  })
  expect(ai.openai).toEqual({ apiKey: null, baseUrl: 'http://127.0.0.1:11434/v1' })
  expect(ai.textModels).toEqual([
    { vendor: 'openai', model: 'qwen3:8b' },
    { vendor: 'openai', model: 'org/model' },
    { vendor: 'anthropic', model: 'claude-haiku-5-5' },
  ])
  expect(faultsOf({ AI_MODEL: 'llama3.2' })[0]).toMatch(/names llama3.2, and must name each model as vendor/)
  expect(faultsOf({ ...env, AI_MODEL: 'google/gemini-flash-latest' })).toEqual([
    'AI_MODEL names google/gemini-flash-latest, but no GOOGLE_GENERATIVE_AI_API_KEY is set.',
  ])
  expect(configOf({ ...env, AI_IMAGE_MODEL: 'openai/flux' }).ai.imageModels).toEqual([
    { vendor: 'openai', model: 'flux' },
  ])
  expect(faultsOf({ ...env, AI_IMAGE_MODEL: 'anthropic/claude-haiku-5-5' })[0]).toMatch(/which draws nothing/)
  expect(faultsOf({ OPENAI_BASE_URL: 'http://me:hunter2@127.0.0.1/v1' })[0]).not.toContain('hunter2')
  expect(inspect(configOf({ OPENAI_API_KEY: 'sk-hunter2' }), { depth: 9 })).not.toContain('hunter2')
})

test('the example file, with every line taken in, is the default configuration', () => {
  const lines = envExample().matchAll(/^# ([A-Z_]+)=(.*)$/gm)
  const env = Object.fromEntries([...lines].map(([, name, value]) => [name, value]))

  expect(configOf(env)).toEqual({ ...configOf({}), dataDir: { path: './data', chosen: true } })
})

describe('a secret in a file', () => {
  const secrets = names.filter((name) => (settings[name] as Setting<unknown>).secret === true)
  const file = join(folder, 'secret')

  test.each(secrets)('%s_FILE says what %s would', (name) => {
    const text = goodValue(name)
    for (const written of [text, `${text}\n`, `\uFEFF${text}\r\n`]) {
      writeFileSync(file, written)
      const given = { ...partners(name), [`${name}_FILE`]: file }
      expect(revealed(configOf(given))).toEqual(revealed(configOf({ ...partners(name), [name]: text })))
    }
    expect(revealed(configOf({ ...partners(name), [name]: text }))).toContain(text)
    expect(isSetting(`${name}_FILE`)).toBe(true)
    expect(envExample()).toContain(`\n# ${name}_FILE=\n`)
  })

  test.each(secrets)(
    '%s is not taken from a file and from the environment, not even where both are equal',
    (name) => {
      const text = goodValue(name)
      writeFileSync(file, text)
      expect(faultsOf({ ...partners(name), [name]: text, [`${name}_FILE`]: file })).toEqual([
        `${name} and ${name}_FILE are both set. Remove one of them.`,
      ])
      expect(faultsOf({ ...partners(name), [name]: text, [`${name}_FILE`]: ' ' })).toEqual([])
    },
  )

  test('what is no secret has no file', () => {
    writeFileSync(file, '4100')
    expect(configOf({ PORT_FILE: file }).http.port).toBe(4000)
    expect(isSetting('PORT_FILE')).toBe(false)
  })

  test.each([
    ['that is not there', () => undefined, 'cannot be read (ENOENT)'],
    ['that is a folder', () => mkdirSync(file), 'cannot be read (EISDIR)'],
    ['that is empty', () => writeFileSync(file, ''), 'is empty'],
    ['with a line break alone', () => writeFileSync(file, ' \r\n'), 'is empty'],
    [
      'that is larger than any secret',
      () => writeFileSync(file, 'x'.repeat(100_000)),
      'holds more than 64 KB',
    ],
  ])('a file %s is named with its setting, and stands for nothing', (_, make, fault) => {
    rmSync(file, { recursive: true, force: true })
    make()
    expect(faultsOf({ SECRET_KEYS_FILE: file })).toEqual([
      `SECRET_KEYS_FILE (${JSON.stringify(file)}) ${fault}.`,
    ])
    rmSync(file, { recursive: true, force: true })
  })

  test.skipIf(process.getuid?.() === 0)('a file of somebody else is named with its setting', () => {
    writeFileSync(file, 'hunter2')
    chmodSync(file, 0)
    expect(faultsOf({ SECRET_KEYS_FILE: file })[0]).toContain('cannot be read (EACCES)')
    rmSync(file)
  })

  test('what is wrong in a file is told of the setting, without its text', () => {
    writeFileSync(file, 'hunter2')
    expect(faultsOf({ SECRET_KEYS_FILE: file, DATABASE_URL_FILE: file })).toEqual([
      'DATABASE_URL (from DATABASE_URL_FILE) does not begin with postgresql://. Example: DATABASE_URL=postgresql://postrider:password@localhost:5432/postrider',
      'SECRET_KEYS (from SECRET_KEYS_FILE) must list base64 texts of exactly 32 bytes each. Example: SECRET_KEYS=the output of: openssl rand -base64 32',
    ])
  })
})

function goodValue(name: Name): string {
  if (name === 'SECRET_KEYS') return randomBytes(32).toString('base64')
  return (settings[name] as Setting<unknown>).example!.replace('…', '')
}

/** What has to be set for this setting to be taken. */
function partners(name: Name): Record<string, string> {
  const app = /^(.*)_CLIENT_SECRET$/.exec(name)?.[1]
  const idOf = {
    S3_ACCESS_KEY_ID: 'S3_SECRET_ACCESS_KEY',
    S3_SECRET_ACCESS_KEY: 'S3_ACCESS_KEY_ID',
  } as Record<string, string>
  return {
    S3_BUCKET: 'media',
    ...(app !== undefined && { [`${app}_CLIENT_ID`]: 'id' }),
    ...(app === 'OIDC' && { OIDC_ISSUER: 'https://login.example.com' }),
    ...(name === 'SMTP_URL' && { MAIL_FROM: 'a@example.com' }),
    ...(name === 'DATABASE_LISTEN_URL' && { DATABASE_URL: 'postgresql://me@db/name' }),
    ...(idOf[name] !== undefined && { [idOf[name]]: 'other' }),
  }
}

/** The configuration as text, with its secrets. */
function revealed(value: unknown): string {
  if (value instanceof Secret) return value.reveal()
  if (value instanceof Map) return revealed([...value])
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${revealed(inner)}`)
    .join('\n')
}
