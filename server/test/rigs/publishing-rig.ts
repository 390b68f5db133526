import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Destination, Post } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { openConnect, type Connect } from '../../src/accounts/connect/open-connect.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { createLog, type Log } from '../../src/platform/process/log.ts'
import { createMetrics } from '../../src/platform/process/metrics.ts'
import { makeKeyring, Secret, type Keyring } from '../../src/platform/sealing/sealing.ts'
import type { ReadLinkCard } from '../../src/media/link-cards.ts'
import type { CallRecorder } from '../../src/networks/providers/port/record-call.ts'
import type { Provider, Providers } from '../../src/networks/providers/port/port.ts'
import type { MediaSource, NetworkAccess } from '../../src/engine/publication/engine-port.ts'
import { startPublishing } from '../../src/engine/publication/start-publishing.ts'
import { type AtTerminal, commandLineWith, type CommandRun } from './command-line.ts'
import type { AnApi, AWorkspace } from './fixtures.ts'
import type { RunningApp } from './running-app.ts'
import { watchedProvider } from './watched-adapter.ts'
import type { World } from './world.ts'

export const OPERATOR = { type: 'operator', id: null, name: 'command line', personId: null } as const
export const baseUrl = 'http://127.0.0.1:4000'

/** A JPEG of one pixel. */
export const picture = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc0000b080001000101011100ffc4001f0000010501010101010100000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda0008010100003f00fbfcffd9',
  'hex',
)
/** The beginning of an MP4: what servers know the type by. */
const film = Buffer.from('0000001c6674797069736f6d0000020069736f6d69736f32617663316d703431', 'hex')

const fileOf = (kind: 'image' | 'video') => {
  const bytes = kind === 'image' ? picture : film
  const contentType = kind === 'image' ? 'image/jpeg' : 'video/mp4'
  const open = ({ from, to } = { from: 0, to: bytes.length }) => Readable.from([bytes.subarray(from, to)])
  return { contentType, size: bytes.length, open }
}

/** The settings that name an app, as a command reads them. */
function settingsOfApp({ provider }: Provider, app: RigOptions['app']): Record<string, string> {
  if (app === undefined) return {}
  const name = provider.toUpperCase()
  return { [`${name}_CLIENT_ID`]: app.clientId, [`${name}_CLIENT_SECRET`]: app.clientSecret }
}

/** Media of a few bytes, whatever was uploaded. */
export const smallMedia: MediaSource = {
  prepare: async ({ kind, width, height }) => ({
    file: fileOf(kind === 'video' ? 'video' : 'image'),
    width,
    height,
    release: async () => undefined,
  }),
}

/** The address of a file, for a network that fetches media: nothing is there. */
export const addressOfMedia: NonNullable<NetworkAccess['addressMedia']> = async (_, { kind, mediaId }) => {
  const { contentType, size } = fileOf(kind === 'video' ? 'video' : 'image')
  const ending = kind === 'video' ? 'mp4' : 'jpg'
  const url = `https://post.example.com/public-media/${mediaId}.${ending}`
  return { url, contentType, size, width: 1, height: 1 }
}

/** The same page, whatever the link. */
export const readSmallCard: ReadLinkCard = async () => ({
  card: { title: 'A page', description: 'Of words', picture: fileOf('image') },
  lack: null,
  done: async () => undefined,
})

/** What the check knows of a file's size, whatever is sent. */
const SEEN_BYTES = 100_000

/** A media item of a workspace, without a file. Returns its id. */
export async function aMediaItem(
  db: Db,
  { workspaceId }: AWorkspace,
  kind: 'image' | 'video',
  altText: string,
  { width = 1_000, height = 1_000 } = {},
): Promise<string> {
  const id = uuidv7()
  const { contentType } = fileOf(kind)
  const durationMs = kind === 'video' ? 30_000 : null
  await db`
    insert into media_item (workspace_id, id, kind, content_type, size_bytes, width, height, duration_ms, alt_text, sha256, storage_key)
    values (${workspaceId}, ${id}, ${kind}, ${contentType}, ${SEEN_BYTES}, ${width}, ${height}, ${durationMs}::integer, ${altText}, ${randomBytes(32)}, ${id})`
  return id
}

/** One network with the publisher and the connecting of production, over a world that the tests of a file share. */
export type PublishingRig = {
  readonly keyring: Keyring
  readonly connect: Connect
  /** The lines of the log so far. */
  readonly logged: readonly string[]
  /** Has the publisher look for work now. */
  readonly wake: () => void
  /** Media of a workspace, whatever its file would be. */
  readonly anImage: (workspace: AWorkspace, altText: string) => Promise<string>
  readonly aVideo: (workspace: AWorkspace, altText: string) => Promise<string>
  /** Makes a post for later. Returns its id. */
  readonly plan: (at: ConnectedChannel, content: object) => Promise<string>
  /** Lets the time of a post come. */
  readonly come: (postId: string) => Promise<void>
  /** Both. */
  readonly publish: (at: ConnectedChannel, content: object) => Promise<string>
  /** So much time has passed since the calls for a post, and it is looked at now. */
  readonly age: (at: ConnectedChannel, postId: string, ms: number) => Promise<void>
  /** Waits until a look for the call in doubt has come to nothing, with this word. */
  readonly untilLooked: (at: ConnectedChannel, postId: string, verdict: string) => Promise<void>
  /** Waits until what was made for the post and never shown is dealt with at the network: what the post's history says of it. */
  readonly untilDiscarded: (at: ConnectedChannel, postId: string) => Promise<readonly string[]>
  /** What the channel waits for is over. */
  readonly endWaits: (at: ConnectedChannel) => Promise<void>
  /** Nothing more happens to what was made so far: a look at it would be answered by what the next test plays. */
  readonly abandon: () => Promise<void>
  readonly cancel: (at: ConnectedChannel, postId: string) => Promise<void>
  readonly destinationOf: (at: ConnectedChannel, postId: string) => Promise<Destination>
  /** Waits until the post has come to a status. */
  readonly until: (at: ConnectedChannel, postId: string, status: string) => Promise<Destination>
  /** The same of a post in doubt, which is looked up again each second. */
  readonly untilAfterLooks: (at: ConnectedChannel, postId: string, status: string) => Promise<void>
  /** A command of the operator, on the same data. */
  readonly postrider: (person: AtTerminal, ...args: string[]) => Promise<CommandRun>
  readonly close: () => Promise<void>
}

export type ConnectedChannel = { readonly workspace: AWorkspace; readonly channelId: string }

export type RigOptions = {
  readonly world: World
  readonly api: AnApi
  readonly provider: Provider
  /** Origins on this machine that may be called. */
  readonly trustedOrigins: readonly string[]
  readonly callTimeoutMs?: number
  /** None when left out: nothing holds up a call but what a test puts there. */
  readonly lateCallMs?: number
  /** The app that is registered at a network that needs one. */
  readonly app?: { readonly clientId: string; readonly clientSecret: string }
  /** `readSmallCard` when left out. */
  readonly readCard?: ReadLinkCard
}

type App = NonNullable<RigOptions['app']>

type ConnectOptions = Pick<RigOptions, 'provider' | 'trustedOrigins' | 'app'> & {
  readonly recorder?: CallRecorder
  readonly db: Db
  readonly keyring: Keyring
  readonly log?: Log
}

/** What connects accounts of one network, as in production. Whoever opens it closes it. */
export function openConnectTo({ provider, app, ...options }: ConnectOptions): Connect {
  const { provider: name } = provider
  return openConnectToAll({
    ...options,
    providers: new Map([[name, provider]]),
    apps: app === undefined ? {} : { [name]: app },
  })
}

type ConnectAllOptions = Omit<ConnectOptions, 'provider' | 'app'> & {
  readonly providers: Providers
  /** The apps that are registered at networks that need one, by provider. */
  readonly apps: Readonly<Record<string, App>>
}

/** The same for several networks. */
export function openConnectToAll({
  db,
  keyring,
  providers,
  trustedOrigins,
  apps,
  recorder,
  log = createLog({ level: 'silent' }),
}: ConnectAllOptions): Connect {
  return openConnect({
    db,
    keyring,
    providers,
    recordAct,
    baseUrl,
    log,
    recorder: recorder ?? null,
    rules: { httpsOnly: true, trustedOrigins, trustedNetworks: [] },
    configuredClients: new Map(
      Object.entries(apps).map(([name, app]) => [
        name,
        { ...app, clientSecret: new Secret(app.clientSecret) },
      ]),
    ),
  })
}

export async function openPublishingRig({
  world,
  api,
  provider,
  trustedOrigins,
  callTimeoutMs = 10_000,
  lateCallMs = 0,
  readCard = readSmallCard,
  ...options
}: RigOptions): Promise<PublishingRig> {
  const { db } = world
  const secret = randomBytes(32)
  const keyring = makeKeyring([secret])
  const rules = { httpsOnly: true, trustedOrigins, trustedNetworks: [] }
  const strays: string[] = []
  const watched = watchedProvider(provider, strays)
  const providers = new Map([[provider.provider, watched]])
  const logged: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void logged.push(line) } })
  const connect = openConnectTo({ db, keyring, provider: watched, trustedOrigins, log, ...options })
  const publisher = await startPublishing({
    db,
    heartbeatDb: world.openSession(),
    keyring,
    providers,
    log,
    rules,
    callTimeoutMs,
    lateCallMs,
    leaseMs: 2 * callTimeoutMs,
    concurrency: 8,
    roles: ['publisher'],
    baseUrl: 'http://localhost:4000',
    media: smallMedia,
    networks: {
      refresh: connect.refresh,
      readCard,
      addressMedia: addressOfMedia,
      now: () => new Date(),
    },
    registry: createMetrics().registry,
  })

  async function destinationOf({ workspace }: ConnectedChannel, postId: string) {
    const [destination] = (await api.read(workspace, postId)).destinations
    if (destination === undefined) throw new Error('the post has no destination')
    return destination
  }

  /** The server that the command line asks. */
  let server: Promise<RunningApp> | undefined
  async function startServer() {
    const { openRunningApp } = await import('./running-app.ts')
    return openRunningApp({
      world: { ...world, [Symbol.asyncDispose]: () => Promise.resolve() },
      secretKeys: secret.toString('base64'),
      env: { TRUSTED_ORIGINS: trustedOrigins.join(','), ...settingsOfApp(provider, options.app) },
    })
  }

  const rig: PublishingRig = {
    keyring,
    connect,
    logged,
    destinationOf,
    wake: publisher.wake,
    anImage: (workspace, altText) => aMediaItem(db, workspace, 'image', altText),
    aVideo: (workspace, altText) => aMediaItem(db, workspace, 'video', altText),

    async plan({ workspace, channelId }, content) {
      const plan = {
        confirmed: true,
        idempotencyKey: crypto.randomUUID(),
        state: 'scheduled',
        publishAt: new Date(Date.now() + 3_600_000).toISOString(),
        targets: [{ channelId, ...content }],
      }
      const { status, body } = await api.call(workspace, 'POST', '/posts', plan)
      expect({ status, body }).toMatchObject({ status: 201 })
      return (body as Post).postId
    },

    async come(postId) {
      await db`
        update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '24 hours'
        where  post_id = ${postId}`
      publisher.wake()
    },

    async publish(at, content) {
      const postId = await rig.plan(at, content)
      await rig.come(postId)
      return postId
    },

    async age(at, postId, ms) {
      await db`
        update attempt a set armed_at = armed_at - ${ms} * interval '1 ms'
        from   destination d
        where  d.id = a.destination_id and d.post_id = ${postId}`
      await rig.endWaits(at)
    },

    async untilLooked(_at, postId, verdict) {
      const looks = () => db`
        select from attempt a join destination d on d.id = a.destination_id
        where  d.post_id = ${postId} and a.evidence -> -1 @> ${db.json({ by: 'lookup', verdict })}`
      await expect.poll(async () => (await looks()).length, { timeout: 20_000 }).toBe(1)
    },

    async untilDiscarded({ workspace }, postId) {
      const look = () => db<{ outcome: string | null }[]>`
        with open as (
          update network_draft n set look_at = now()
          from   destination d
          where  d.id = n.destination_id and d.post_id = ${postId} and n.outcome is null and n.look_at > now()
        )
        select n.outcome from network_draft n join destination d on d.id = n.destination_id where d.post_id = ${postId}`
      const areOver = (rows: readonly { outcome: string | null }[]) =>
        rows.length > 0 && rows.every(({ outcome }) => outcome !== null)
      await expect.poll(async () => areOver(await look()), { timeout: 20_000, interval: 500 }).toBe(true)
      const { body } = await api.call(workspace, 'GET', `/posts/${postId}?include=history`)
      return ((body as Post).history ?? [])
        .map(({ text }) => text)
        .filter((text) => / the network/.test(text))
    },

    async endWaits({ channelId }) {
      await db`update channel set paused_until = null where id = ${channelId}`
      await db`update destination set due_at = now() where channel_id = ${channelId} and due_at > now()`
      publisher.wake()
    },

    async cancel(at, postId) {
      const { controlToken } = await destinationOf(at, postId)
      const { channelId, workspace } = at
      const asked = { confirmed: true, channelId, controlToken }
      expect(await api.call(workspace, 'POST', `/posts/${postId}/cancel`, asked)).toMatchObject({
        status: 200,
      })
    },

    async abandon() {
      await db`update destination set due_at = 'infinity' where due_at is not null and lease_until is null`
    },

    async until(at, postId, status) {
      await expect
        .poll(async () => (await destinationOf(at, postId)).status, { timeout: 20_000 })
        .toBe(status)
      return destinationOf(at, postId)
    },

    async untilAfterLooks(at, postId, status) {
      const lookAgain = async () => {
        await rig.endWaits(at)
        return (await destinationOf(at, postId)).status
      }
      await expect.poll(lookAgain, { timeout: 30_000, interval: 1_000 }).toBe(status)
    },

    async postrider(person, ...args) {
      server ??= startServer()
      return commandLineWith((await server).env, person)(...args)
    },

    async close() {
      await publisher.stop(5_000)
      await connect.close()
      await (await server)?.[Symbol.asyncDispose]()
      expect(strays).toEqual([])
    },
  }
  return rig
}
