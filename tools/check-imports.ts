import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { importCircles } from './import-circles.ts'
import { accessesOf } from './sql-tables.ts'
import { readOwners, tableFaults } from './table-owners.ts'

/*
 * The arrows between the wings of the server, and between the rooms of a wing, as ARCHITECTURE.md draws them. A rule that is not
 * checked is a wish. `npm run check:imports` fails on an arrow that is not in these tables.
 */

/** What a network is to the server. */
const port = 'networks/providers/port'
const characters = 'networks/providers/shared/characters.ts'
const base = ['edge/operations', 'platform']
const network = ['networks/channels', port, characters]

/** What each wing of server/src may import besides itself and the contract: wings, rooms in them, or files. */
const wings: Record<string, readonly string[]> = {
  platform: [],
  edge: ['platform'],
  networks: base,
  media: [...network, ...base],
  people: [...network, 'edge', 'platform'],
  engine: ['media', ...network, ...base],
  accounts: ['engine', 'people', ...network, ...base],
  content: ['engine', 'people', 'media', ...network, ...base],
  attention: ['content', 'engine', 'people', 'media', ...network, ...base],
  doors: ['content', 'engine', 'people', 'edge', 'platform'],
  operate: [
    'doors',
    'attention',
    'content',
    'accounts',
    'engine',
    'people',
    'media',
    'networks',
    'edge',
    'platform',
  ],
}

/** What the rooms of a wing may import of each other. A file that lies in the wing itself may import all of them. */
const rooms: Record<string, readonly string[]> = {
  'platform/text': ['platform/postgres'],
  'platform/postgres': ['platform/process'],
  'platform/loops': ['platform/postgres', 'platform/process'],
  'platform/outbound': ['platform/process'],
  'platform/sealing': ['platform/postgres'],
  'platform/embedded-postgres': ['platform/postgres', 'platform/process', 'platform/sealing'],
  'platform/config': ['platform/outbound', 'platform/postgres', 'platform/sealing', 'platform/text'],
  'edge/api': ['edge/operations'],
  'networks/channels': [port, characters],
  'people/members': ['people/mail'],
  'people/keys': ['people/members'],
  'people/sign-in': ['people/members', 'people/mail'],
  'people/pages': ['people/members', 'people/mail', 'people/sign-in'],
  'people/apps': ['people/members', 'people/keys', 'people/sign-in', 'people/pages'],
  'engine/destinations': ['engine/outbox'],
  'engine/queue': ['engine/outbox', 'engine/destinations'],
  'engine/publication': ['engine/outbox', 'engine/destinations', 'engine/queue'],
  'engine/webhooks': ['engine/outbox'],
  'accounts/first-start': ['accounts/sandbox'],
  'content/posts': ['content/approvals', 'content/templates'],
  'content/listing': ['content/approvals', 'content/templates', 'content/posts'],
  'content/series': ['content/approvals', 'content/templates', 'content/posts', 'content/listing'],
  'content/imports': [
    'content/approvals',
    'content/templates',
    'content/posts',
    'content/listing',
    'content/series',
  ],
  'content/ai': ['content/posts'],
  'content/bulk': ['content/approvals', 'content/templates', 'content/posts'],
  'attention/reviews': ['attention/notices'],
  'operate/commands': ['operate/backup', 'operate/secrets', 'operate/monitoring', 'operate/workspaces'],
  'operate/backup': ['operate/secrets'],
  'operate/workspaces': ['operate/backup', 'operate/secrets'],
  'operate/housekeeping': ['operate/secrets'],
}

/** Rooms that keep to less than their wing may: what they may import at all. */
const only: Record<string, readonly string[]> = {
  'people/mail': base,
  'people/audit': base,
  'people/members': ['people/mail', ...base],
  'people/keys': ['people/members', port, ...base],
  'people/sign-in': ['people/members', 'people/mail', 'edge', 'platform'],
  'engine/outbox': base,
  'engine/webhooks': ['engine/outbox', ...base],
  'engine/timeline': [port, ...base],
  'accounts/sandbox': ['networks/channels', port, 'engine/destinations/resume-channel.ts', ...base],
  'content/approvals': ['people/members', 'engine/outbox', 'engine/destinations', ...network, ...base],
  'content/templates': ['engine/destinations', 'media', ...network, ...base],
  'operate/monitoring': ['platform'],
  'doors/mcp': ['edge', 'platform'],
  'doors/live': [
    'engine/outbox',
    'people/members',
    'people/sign-in',
    'content/approvals',
    'edge',
    'platform',
  ],
  'doors/dashboard': ['platform/outbound/site.ts', 'people/sign-in/session/browser.ts'],
}

/** Files that know more than their room. */
const more: Record<string, readonly string[]> = {
  // It is handed what a request would be.
  'content/imports': ['edge/api/request/request-check.ts'],
  // The sandbox network is the server's own, and so are its accounts.
  'accounts/sandbox': ['networks/providers/sandbox'],
}

/** What adapters may import besides their own folder: all of it is pure. */
const sharedByAdapters = ['networks/providers/shared', 'networks/providers/meta', port]
const adapterLibraries = ['typebox', 'typebox/value', 'node:crypto', 'marked', 'twitter-text']

/**
 * Where calls to others may be made. Everything else calls through platform/outbound/outbound-http or platform/outbound/capped-fetch, whose
 * limits end an answer that is made to keep the process busy.
 */
const callsWith: Record<string, readonly string[]> = {
  undici: ['capped-agent', 'capped-fetch', 'guarded-connect'].map((name) => `platform/outbound/${name}.ts`),
  // Its calls go through the capped fetch.
  'openid-client': ['people/sign-in/issuer/issuer-client.ts'],
  // The operator's own store and mail server, whose time is limited.
  '@aws-sdk/client-s3': ['media/s3-storage.ts'],
  nodemailer: ['people/mail/smtp.ts'],
  // The limited one itself, and a command that ends with its answer.
  fetch: ['platform/outbound/capped-fetch.ts', 'operate/commands/doctor.ts'],
}
/** Node's own clients, of `node:http` and its like. One file may call by them: what it asks is the process's own sandbox. */
const CALLS_BY_CLIENT = 'accounts/sandbox/ask-sandbox.ts'
const CLIENT =
  /import \{[^}]*\b(?:request|get|connect|Agent)\b[^}]*\} from 'node:(?:http|https|http2|net|tls)'/

const source = resolve(import.meta.dirname, '../server/src')
const migrations = resolve(import.meta.dirname, '../server/migrations')
const faults: string[] = []

const places = new Map(
  Object.keys(wings).flatMap(
    (wing) =>
      [
        [wing, wing],
        ...readdirSync(join(source, wing)).map((room) => [room, `${wing}/${room}`] as const),
      ] as const,
  ),
)
const schema = readOwners(
  readdirSync(migrations).map((name) => ({ name, text: readFileSync(join(migrations, name), 'utf8') })),
)
/** Migrations name the rooms that own tables without their wings. */
const owners = new Map([...schema.owners].map(([table, room]) => [table, places.get(room) ?? room]))
const tables = new Set(owners.keys())
const accesses = new Map<string, ReturnType<typeof accessesOf>>()
const imports = new Map<string, string[]>()

for (const path of filesBelow(source)) {
  const text = readFileSync(path, 'utf8')
  const name = relative(source, path).split(sep).join('/')
  if (name.endsWith('.test.ts')) continue
  if (name !== 'platform/config/config.ts' && /\bprocess\.env\b/.test(text)) {
    faults.push(`${name}: only platform/config/config.ts reads the environment`)
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
  ...tableFaults(accesses, owners, (room, owner) => mayImport(`${room}/a.ts`, `${owner}/a.ts`)),
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
      `${name}: calls go through platform/outbound/outbound-http.ts or platform/outbound/capped-fetch.ts, and not ${client}`,
    )
  }
  if (CLIENT.test(values) && name !== CALLS_BY_CLIENT)
    faults.push(
      `${name}: calls go through platform/outbound/outbound-http.ts, and not through Node's clients`,
    )
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

/** Files in app/, and at the top of server/src, compose everything, and may import anything. */
function check(name: string, specifier: string): void {
  if (!(wingOf(name) in wings)) return
  if (!specifier.startsWith('.')) {
    if (isAdapter(name) && !adapterLibraries.includes(specifier)) {
      faults.push(`${name}: an adapter imports nothing but what adapters share, and not ${specifier}`)
    }
    return
  }
  const target = targetOf(name, specifier)
  if (target.startsWith('..')) faults.push(`${name}: imports ${specifier} from outside server/src`)
  else if (target.endsWith('/routes.ts')) faults.push(`${name}: routes are imported by app/ alone`)
  else if (
    target === 'networks/providers/registry.ts' &&
    !isBelow(['networks/enabled-providers.ts', 'operate/commands'], name)
  )
    faults.push(`${name}: the registry is imported by what starts a process alone`)
  else if (name.endsWith('-store.ts') && /\/(views|routes)\.ts$/.test(target)) {
    faults.push(`${name}: a store knows nothing of the wire, and not ${target}`)
  } else if (isAdapter(name) ? !adapterMayImport(name, target) : !mayImport(name, target)) {
    faults.push(`${name}: ${roomOf(name)} may not import ${target}`)
  }
}

function wingOf(name: string): string {
  return name.split('/')[0] ?? ''
}

/** The wing and the room that a file is in; the wing alone, where it has no rooms. */
function roomOf(name: string): string {
  return name.split('/').slice(0, -1).slice(0, 2).join('/')
}

/** The file that a relative import names, from server/src. */
function targetOf(name: string, specifier: string): string {
  return relative(source, resolve(source, dirname(name), specifier))
    .split(sep)
    .join('/')
}

function mayImport(name: string, target: string): boolean {
  const wing = wingOf(name)
  const room = roomOf(name)
  if (roomOf(target) === room || isBelow(more[room] ?? [], target)) return true
  const ofOwnWing = room === wing || wing === 'media' ? [wing] : (rooms[room] ?? [])
  const isAllowed = isBelow([...ofOwnWing, ...(wings[wing] ?? [])], target)
  return isAllowed && (only[room] === undefined || isBelow(only[room], target))
}

function isBelow(places: readonly string[], target: string): boolean {
  return places.some((place) => target === place || target.startsWith(`${place}/`))
}

function adapterMayImport(name: string, target: string): boolean {
  return isBelow([...sharedByAdapters, dirname(name)], target)
}

/** networks/providers/<name>/… is an adapter. Those of Meta are in meta/, beside what they share. */
function isAdapter(name: string): boolean {
  const folder = dirname(name)
  return (
    folder.startsWith('networks/providers/') && !['port', 'shared'].some((one) => folder.endsWith(`/${one}`))
  )
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
