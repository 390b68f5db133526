import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { importCircles } from './import-circles.ts'
import { accessesOf } from './sql-tables.ts'
import { readOwners, tableFaults } from './table-owners.ts'

/*
 * The arrows between features, as ARCHITECTURE.md draws them. A rule that is not checked is a wish.
 * `npm run check:imports` fails on an arrow that is not in this table.
 */

const everyone = [
  'platform',
  'operations',
  'providers/calls.ts',
  'providers/port.ts',
  'providers/procedure.ts',
  'providers/send-request.ts',
  'providers/signing-keys.ts',
  'providers/characters.ts',
  'providers/check-media.ts',
  'providers/check-text.ts',
  'providers/list-shows.ts',
]
const authoring = [
  'outbox',
  'members',
  'keys',
  'channels',
  'media',
  'destinations',
  'approvals',
  'templates',
  'posts',
  'listing',
  'series',
] as const

/** What each folder below server/src may import besides itself and the contract. */
const allowed: Record<string, readonly string[]> = {
  platform: [],
  operations: ['platform'],
  config: ['platform'],
  sandbox: [
    'platform',
    'operations',
    'config',
    'channels',
    'destinations/resume-channel.ts',
    'providers/port.ts',
    'providers/sandbox',
  ],
  'first-start': ['platform', 'operations', 'members', 'keys', 'sign-in', 'channels', 'sandbox'],
  secrets: ['platform', 'channels', 'connect', 'mail', 'sign-in', 'webhooks'],
  backup: [
    'platform',
    'members',
    'keys',
    'mail',
    'sign-in',
    'apps',
    'connect',
    'channels',
    'media',
    'destinations',
    'approvals',
    'outbox',
    'queue',
    'series/restored-series-store.ts',
    'bulk/restored-runs-store.ts',
    'notices/reader-store.ts',
  ],
  housekeeping: [
    'platform',
    'operations',
    'audit',
    'bulk',
    'outbox',
    'members',
    'keys',
    'mail',
    'sign-in',
    'apps',
    'connect',
    'media',
    'approvals',
    'notices',
    'posts',
    'queue',
    'webhooks',
    'ai',
    'secrets',
  ],
  providers: [],
  outbox: ['platform', 'operations'],
  ...Object.fromEntries(
    authoring
      .slice(1)
      .map((feature) => [feature, [...everyone, ...authoring.slice(0, authoring.indexOf(feature))]]),
  ),
  bulk: [...everyone, ...authoring.slice(0, authoring.indexOf('listing'))],
  imports: [...everyone, ...authoring, 'api/request-check.ts'],
  members: ['platform', 'operations', 'mail'],
  reviews: [
    ...everyone,
    ...authoring.slice(0, authoring.indexOf('listing')),
    'pages',
    'sign-in',
    'mail',
    'notices',
  ],
  notices: [...everyone, ...authoring, 'webhooks', 'sign-in', 'mail'],
  queue: [...everyone, 'outbox', 'channels', 'media', 'destinations'],
  publication: [...everyone, 'outbox', 'channels', 'media', 'destinations', 'queue'],
  webhooks: ['platform', 'operations', 'outbox'],
  ai: [...everyone, 'config/ai-access.ts', 'members', 'keys', 'channels', 'media', 'posts'],
  api: ['platform', 'operations'],
  connect: [...everyone, 'members', 'pages', 'channels', 'destinations'],
  audit: ['platform', 'operations'],
  mail: ['platform', 'operations'],
  'sign-in': ['platform', 'operations', 'members', 'mail', 'api', 'connect/connect-links-store.ts'],
  pages: ['platform', 'operations', 'members', 'sign-in', 'mail', 'api'],
  apps: ['platform', 'operations', 'members', 'keys', 'sign-in', 'pages', 'api', 'channels/channel-store.ts'],
  mcp: ['platform', 'operations', 'api'],
  timeline: ['platform', 'operations'],
  monitoring: ['platform'],
  live: ['platform', 'operations', 'outbox', 'members', 'sign-in', 'approvals', 'api/problem.ts'],
  dashboard: ['platform/site.ts', 'sign-in/browser.ts'],
}

/** What adapters may import besides their own folder: all of it is pure. */
const sharedByAdapters = [
  'calls',
  'port',
  'procedure',
  'answers',
  'characters',
  'codec-faults',
  'compare-words',
  'define-adapter',
  'little-text',
  'bounds',
  'meta-coding',
  'meta-containers',
  'meta-graph',
  'meta-login',
  'meta-pages',
  'multipart',
  'nostr-events',
  'oauth-code',
  'piece-of',
  'relay-reports',
  'requests',
  'server-address',
  'settings',
  'signing-keys',
  'stored-as',
  'text-lookup',
  'verdicts',
].map((name) => `providers/${name}.ts`)
const adapterLibraries = ['typebox', 'typebox/value', 'node:crypto', 'marked', 'twitter-text']

/**
 * Where calls to others may be made. Everything else calls through platform/outbound-http or platform/capped-fetch, whose
 * limits end an answer that is made to keep the process busy.
 */
const callsWith: Record<string, readonly string[]> = {
  undici: ['platform/capped-agent.ts', 'platform/capped-fetch.ts', 'platform/guarded-connect.ts'],
  // Its calls go through the capped fetch.
  'openid-client': ['sign-in/issuer-client.ts'],
  // The operator's own store and mail server, whose time is limited.
  '@aws-sdk/client-s3': ['media/s3-storage.ts'],
  nodemailer: ['mail/smtp.ts'],
  // The limited one itself, and a command that ends with its answer.
  fetch: ['platform/capped-fetch.ts', 'commands/doctor.ts'],
}
/** Node's own clients, of `node:http` and its like. One file may call by them: what it asks is the process's own sandbox. */
const CALLS_BY_CLIENT = 'sandbox/ask-sandbox.ts'
const CLIENT =
  /import \{[^}]*\b(?:request|get|connect|Agent)\b[^}]*\} from 'node:(?:http|https|http2|net|tls)'/

const source = resolve(import.meta.dirname, '../server/src')
const migrations = resolve(import.meta.dirname, '../server/migrations')
const faults: string[] = []

const schema = readOwners(
  readdirSync(migrations).map((name) => ({ name, text: readFileSync(join(migrations, name), 'utf8') })),
)
const tables = new Set(schema.owners.keys())
const accesses = new Map<string, ReturnType<typeof accessesOf>>()
const imports = new Map<string, string[]>()

for (const path of filesBelow(source)) {
  const text = readFileSync(path, 'utf8')
  const name = relative(source, path).split(sep).join('/')
  if (name.endsWith('.test.ts')) continue
  if (name !== 'config/config.ts' && /\bprocess\.env\b/.test(text)) {
    faults.push(`${name}: only config/config.ts reads the environment`)
  }
  const specifiers = importsOf(text)
  for (const specifier of specifiers) check(name, specifier)
  imports.set(
    name,
    specifiers
      // Loaded late, and all that it knows of its neighbour is a type that is made there.
      .filter((specifier) => specifier.startsWith('.') && specifier !== './words.de.ts')
      .map((specifier) => targetOf(name, specifier)),
  )
  checkCalls(name, text)
  accesses.set(name, accessesOf(name, text, tables))
}
faults.push(
  ...schema.faults,
  ...tableFaults(accesses, schema.owners, (room, owner) => allowed[room]?.includes(owner) ?? false),
  ...circlesAmong(imports),
)

function circlesAmong(files: ReadonlyMap<string, readonly string[]>): string[] {
  return importCircles(files).map((circle) => `${circle[0]}: a circle of imports, ${circle.join(' → ')}`)
}

function checkCalls(name: string, text: string): void {
  const values = text
    .replaceAll(/^import type [^']+'[^']+'$/gm, '')
    .replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, '')
  const clients = [
    ...Object.keys(callsWith).filter((client) => importsOf(values).includes(client)),
    ...(/(?<![.\w])fetch\(/.test(values) ? ['fetch'] : []),
  ]
  for (const client of clients) {
    if (callsWith[client]?.some((place) => name.startsWith(place)) === true) continue
    faults.push(
      `${name}: calls go through platform/outbound-http.ts or platform/capped-fetch.ts, and not ${client}`,
    )
  }
  if (CLIENT.test(values) && name !== CALLS_BY_CLIENT)
    faults.push(`${name}: calls go through platform/outbound-http.ts, and not through Node's clients`)
}

/** What the clients import besides themselves: they are published, and know nothing of the server. */
const clients: Readonly<Record<string, readonly string[]>> = {
  sdk: [],
  cli: ['@postrider/sdk', '@postrider/contract/plan', 'yaml'],
}

for (const [client, libraries] of Object.entries(clients)) {
  const folder = resolve(import.meta.dirname, '..', client, 'src')
  const nameOf = (path: string) => [client, ...relative(folder, path).split(sep)].join('/')
  const files = new Map<string, string[]>()
  for (const path of filesBelow(folder)) {
    if (path.endsWith('.test.ts')) continue
    const specifiers = importsOf(readFileSync(path, 'utf8'))
    const own = specifiers.filter((specifier) => specifier.startsWith('.'))
    files.set(
      nameOf(path),
      own.map((specifier) => nameOf(resolve(dirname(path), specifier))),
    )
    for (const specifier of specifiers) {
      const isOwn = specifier.startsWith('.') && resolve(dirname(path), specifier).startsWith(folder + sep)
      const isNode = client === 'cli' && specifier.startsWith('node:')
      if (!isOwn && !isNode && !libraries.includes(specifier))
        faults.push(`${nameOf(path)}: ${client} may not import ${specifier}`)
    }
  }
  faults.push(...circlesAmong(files))
}

/** Files at the top of server/src and in commands/ compose everything, and may import anything. */
function check(name: string, specifier: string): void {
  const [feature = ''] = name.split('/')
  const rules = allowed[feature]
  if (rules === undefined) return
  if (!specifier.startsWith('.')) {
    if (isAdapter(name) && !adapterLibraries.includes(specifier)) {
      faults.push(`${name}: an adapter imports nothing but what adapters share, and not ${specifier}`)
    }
    return
  }
  const target = targetOf(name, specifier)
  if (target.startsWith('..')) faults.push(`${name}: imports ${specifier} from outside server/src`)
  else if (target.endsWith('/routes.ts')) faults.push(`${name}: routes are imported by app.ts alone`)
  else if (target === 'providers/registry.ts')
    faults.push(`${name}: the registry is imported by app.ts alone`)
  else if (name.endsWith('-store.ts') && /\/(views|routes)\.ts$/.test(target)) {
    faults.push(`${name}: a store knows nothing of the wire, and not ${target}`)
  } else if (feature === 'providers' ? !adapterMayImport(name, target) : !mayImport(feature, rules, target)) {
    faults.push(`${name}: ${feature} may not import ${target}`)
  }
}

/** The file that a relative import names, from server/src. */
function targetOf(name: string, specifier: string): string {
  return relative(source, resolve(source, dirname(name), specifier))
    .split(sep)
    .join('/')
}

function mayImport(feature: string, rules: readonly string[], target: string): boolean {
  return [feature, ...rules].some((rule) => target === rule || target.startsWith(`${rule}/`))
}

function adapterMayImport(name: string, target: string): boolean {
  return !isAdapter(name) || sharedByAdapters.includes(target) || dirname(target) === dirname(name)
}

/** providers/<name>/… is an adapter; the files directly in providers/ are what adapters share. */
function isAdapter(name: string): boolean {
  return name.split('/').length > 2 && name.startsWith('providers/')
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.name.endsWith('.ts')) yield path
  }
}

function importsOf(text: string): string[] {
  const patterns = [/\bfrom\s+'([^']+)'/g, /\bimport\(\s*'([^']+)'\s*\)/g, /^import\s+'([^']+)'/gm]
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
}

if (faults.length > 0) {
  console.error(faults.join('\n'))
  console.error(`\n${faults.length} imports or calls go against the rules of ARCHITECTURE.md.`)
  process.exitCode = 1
}
