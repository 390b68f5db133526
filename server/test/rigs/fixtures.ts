import { randomBytes } from 'node:crypto'
import {
  noApprovalPolicy,
  noLimits,
  operations,
  permissionNames,
  type DestinationStatus,
  type PartStatus,
  type Post,
} from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { contentDigest, type ApprovalStatus } from '../../src/content/approvals/approval.ts'
import { reviewedOf } from '../../src/content/approvals/approval-store.ts'
import { insertChannel, type ConnectionStatus } from '../../src/networks/channels/channel-store.ts'
import { insertGroup } from '../../src/networks/channels/group-store.ts'
import { nameKey } from '../../src/platform/text/name-key.ts'
import { sealAuthorization } from '../../src/networks/channels/authorization.ts'
import { newToken } from '../../src/engine/destinations/tokens.ts'
import { upsertPerson } from '../../src/people/members/person-store.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { allRoutes, type AiParts, type RouteParts } from '../../src/app/all-routes.ts'
import { insertMedia } from '../../src/media/media-store.ts'
import { openFileReader } from '../../src/content/imports/file-reader.ts'
import { uploadAddresses } from '../../src/media/upload-addresses.ts'
import type { Actor } from '../../src/edge/operations/actor.ts'
import { ChangedMeanwhile } from '../../src/edge/operations/changed-meanwhile.ts'
import { cursors } from '../../src/edge/operations/cursor.ts'
import type { Db, Sql, Tx } from '../../src/platform/postgres/db.ts'
import { type Caller, isSameCaller } from '../../src/edge/operations/route.ts'
import { type Keyring, makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { fold } from '../../src/content/posts/edit/fold.ts'
import { rewriteSearch } from '../../src/content/posts/search-store.ts'
import type { Authorization } from '../../src/networks/providers/port/port.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { BASE_URL, openEdge } from './edge.ts'
import { MCP_HEADERS, message, toolAnswer, type ToolAnswer } from './mcp-message.ts'
import { withTools } from './mcp-edge.ts'
import { isCompared, rowsOf, rowsOfTables } from './table-rows.ts'
import { emailOf } from '../../src/platform/text/email-address.ts'

/** Somebody who may do everything. */
export const anActor: Actor = {
  type: 'agent_key',
  name: 'test key',
  permissions: permissionNames,
  credentialId: uuidv7(),
  limits: noLimits,
  approval: noApprovalPolicy,
}

export type AWorkspace = { workspaceId: string; memberId: string; caller: Caller }

/** A workspace with its owner, and a caller who may do everything in it. */
export async function aWorkspace(db: Db, { allowedTime = '24 hours' } = {}): Promise<AWorkspace> {
  const [workspaceId, memberId] = [uuidv7(), uuidv7()]
  const [ada] = await db<{ personId: string }[]>`
    with made as (
      insert into workspace (id, name, allowed_time) values (${workspaceId}, 'Test', ${allowedTime}::interval) returning id
    ),
    ada as (${upsertPerson(db, { name: 'Ada', email: emailOf('ada@example.com') })})
    insert into member (workspace_id, id, person_id, role) select made.id, ${memberId}, ada.id, 'owner' from made, ada
    returning person_id as "personId"`
  const credential = {
    id: uuidv7(),
    type: 'agent_key',
    name: 'test key',
    permissions: permissionNames,
  } as const
  const member = {
    id: memberId,
    personId: ada!.personId,
    name: 'Ada',
    email: 'ada@example.com',
    role: 'owner' as const,
  }
  return {
    workspaceId,
    memberId,
    caller: {
      workspaceId,
      credential: { ...credential, expiresAt: null, limits: noLimits, approval: noApprovalPolicy },
      member,
    },
  }
}

export type ChannelOptions = {
  /** Made where left out. */
  channelId?: string
  provider?: string
  displayName?: string
  enabled?: boolean
  connectionStatus?: ConnectionStatus
  remoteAccountId?: string
  /** Sealed with the keyring; without one the channel has an authorization that cannot be opened. */
  authorization?: Authorization
  keyring?: Pick<Keyring, 'seal'>
}

/** A connected channel of `sandbox-short`, unless wished otherwise. Returns its id. */
export async function aChannel(db: Db, workspaceId: string, options: ChannelOptions = {}): Promise<string> {
  const { provider = 'sandbox-short', displayName = 'A channel', authorization = {}, keyring } = options
  const { channelId = uuidv7() } = options
  await insertChannel(db, {
    workspaceId,
    channelId,
    provider,
    displayName,
    avatarUrl: null,
    remoteAccountId: options.remoteAccountId ?? `acc_${channelId}`,
    handle: 'a-channel',
    authorizationSealed:
      keyring === undefined
        ? Buffer.from('nobody can open this')
        : sealAuthorization(keyring, channelId, authorization),
  })
  await db`
    update channel
    set    enabled = ${options.enabled ?? true}, connection_status = ${options.connectionStatus ?? 'connected'}
    where  workspace_id = ${workspaceId} and id = ${channelId}`
  return channelId
}

/** A group of these channels. Returns its id. */
export async function aGroup(
  db: Db,
  workspaceId: string,
  channelIds: readonly string[],
  name = `Group ${randomBytes(4).toString('hex')}`,
): Promise<string> {
  const groupId = uuidv7()
  await insertGroup(db, { workspaceId, groupId }, { name, nameKey: nameKey(name), channelIds })
  return groupId
}

/** A small picture that the workspace has uploaded; only its row, without a file. Returns its id. */
export async function aPicture(db: Db, workspaceId: string, mediaId: string = uuidv7()): Promise<string> {
  await insertMedia(db, workspaceId, {
    mediaId,
    kind: 'image',
    contentType: 'image/png',
    sizeBytes: 1_000,
    width: 40,
    height: 30,
    durationMs: null,
    videoCodec: null,
    audioCodec: null,
    frameRate: null,
    audioChannels: null,
    audioSampleRate: null,
    animated: false,
    altText: 'A gate',
    storageKey: mediaId,
    sha256: randomBytes(32),
    sentSha256: randomBytes(32),
  })
  return mediaId
}

export type PostOptions = {
  /** One destination for each. */
  states?: readonly DestinationStatus[]
  /** The parts that every destination has. */
  texts?: readonly string[]
  publishAt?: Date | null
  /** The time of its id; now where left out. */
  createdAt?: Date
  /** One for each destination; made where left out. */
  channelIds?: readonly string[]
}

export type APost = { postId: string; destinationIds: string[]; channelIds: string[] }

const idle: readonly DestinationStatus[] = ['draft']

/** A post with destinations in the states wished for, as if it had come there; nothing is announced. */
export async function aPost(db: Db, workspaceId: string, options: PostOptions = {}): Promise<APost> {
  const { states = ['draft'], texts = ['Hello'], publishAt = new Date(Date.now() + 3_600_000) } = options
  const postId = options.createdAt === undefined ? uuidv7() : uuidv7({ msecs: options.createdAt.getTime() })
  const content = {
    text: texts[0] ?? '',
    ...(texts.length > 1 ? { thread: texts.slice(1).map((text) => ({ text })) } : {}),
  }
  const made: APost = { postId, destinationIds: [], channelIds: [] }
  for (const place of states.keys())
    made.channelIds.push(options.channelIds?.[place] ?? (await aChannel(db, workspaceId)))
  // At once: whoever reads meanwhile never finds a post without destinations.
  await db.begin(async (tx) => {
    await tx`
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
      values (${workspaceId}, ${postId}, ${tx.json(content)}, ${newToken()}, 'agent_key', 'test key')`
    for (const [place, status] of states.entries()) {
      const destinationId = uuidv7()
      made.destinationIds.push(destinationId)
      const channelId = made.channelIds[place]!
      const time = idle.includes(status) ? null : publishAt
      await insertDestination(tx, { workspaceId, postId, destinationId, channelId, status, publishAt: time })
      for (const [index, text] of texts.entries()) {
        await insertPart(tx, { workspaceId, destinationId, index, text, status: partStatusIn(status, index) })
      }
    }
    await rewriteSearch(tx, { workspaceId, postId })
  })
  return made
}

type NewRow = {
  workspaceId: string
  postId: string
  destinationId: string
  channelId: string
  status: DestinationStatus
  publishAt: Date | null
}

async function insertDestination(db: Sql, row: NewRow): Promise<void> {
  const { workspaceId, postId, destinationId, channelId, status, publishAt } = row
  const leased = status === 'publishing'
  const out = status === 'published' || status === 'partially_published'
  await db`
    insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                             expires_at, published_at, release_url, check_again_at, leased_by, lease_until, fence)
    select ${workspaceId}, ${destinationId}, ${postId}, ${channelId}, c.provider, ${status}, ${newToken()},
           ${publishAt}::timestamptz, ${publishAt}::timestamptz, ${publishAt}::timestamptz + interval '24 hours',
           ${status === 'published' ? publishAt : null}::timestamptz, ${out ? 'https://example.com/1' : null},
           ${status === 'delayed' ? publishAt : null}::timestamptz, ${leased ? uuidv7() : null}::uuid,
           case when ${leased} then now() + interval '60 seconds' end, ${leased ? 1 : 0}
    from   channel c
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId}`
  if (leased)
    await db`
      insert into publication (workspace_id, channel_id, destination_id, leased_by)
      select workspace_id, channel_id, id, leased_by from destination where id = ${destinationId}`
  else await queueChannels(db, workspaceId, [channelId])
}

/** Has channels looked at for what was inserted there past the product; with null all of a workspace. */
export async function queueChannels(
  db: Sql,
  workspaceId: string,
  channelIds: readonly string[] | null = null,
): Promise<void> {
  await db`
    select queue_channels(array_agg(workspace_id), array_agg(id))
    from   channel
    where  workspace_id = ${workspaceId} and (${channelIds === null} or id = any(${[...(channelIds ?? [])]}::uuid[]))`
}

type NewPart = { workspaceId: string; destinationId: string; index: number; text: string; status: PartStatus }

async function insertPart(
  db: Sql,
  { workspaceId, destinationId, index, text, status }: NewPart,
): Promise<void> {
  const out = status === 'published'
  await db`
    insert into part (workspace_id, destination_id, index, status, text, folded, remote_id, release_url, published_at)
    values (${workspaceId}, ${destinationId}, ${index}, ${status}, ${text}, ${fold(text)}, ${out ? `r-${destinationId}-${index}` : null},
            ${out ? 'https://example.com/1' : null}, case when ${out} then now() end)`
}

function partStatusIn(status: DestinationStatus, index: number): PartStatus {
  if (status === 'published' || (status === 'partially_published' && index === 0)) return 'published'
  if (index > 0) return status === 'cancelled' || status === 'expired' ? 'skipped' : 'pending'
  if (status === 'publishing' || status === 'checking' || status === 'failed') return status
  return status === 'cancelled' || status === 'expired' ? 'skipped' : 'pending'
}

/** The webhook bodies of the workspace's events of destinations, in the order they were written. */
export async function announced(
  db: Db,
  workspaceId: string,
): Promise<{ type: string; [name: string]: unknown }[]> {
  const rows = await db<{ body: Buffer }[]>`
    select body from outbox_event where workspace_id = ${workspaceId} and destination_id is not null order by seq`
  return rows.map(({ body }) => JSON.parse(body.toString()) as { type: string })
}

/** How many rows each table holds: equal before and after what must leave nothing. */
export async function rowCounts(db: Db): Promise<Record<string, number>> {
  const tables = await db<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const counts: Record<string, number> = {}
  for (const { name } of tables.filter(isCompared)) {
    const [row] = await db<
      { count: number }[]
    >`select count(*)::int as count from ${rowsOf(db, name)} counted`
    counts[name] = row?.count ?? 0
  }
  return counts
}

/** One publish call of a destination; with verdict null it is under way, with `unknown` in doubt. Returns its id. */
export async function anAttempt(
  db: Db,
  workspaceId: string,
  destinationId: string,
  verdict: 'unknown' | 'rejected' | 'absent' | null,
  partIndex = 0,
): Promise<string> {
  const id = uuidv7()
  await db`
    insert into attempt (workspace_id, id, destination_id, part_index, fence, key, verdict, settled_at)
    values (${workspaceId}, ${id}, ${destinationId}, ${partIndex}, 0, gen_random_uuid(), ${verdict}, case when ${verdict !== null} then now() end)`
  return id
}

/** A request for approval of the post as it stands; an expired one is pending, and its time is over. Returns its id. */
export async function anApproval(
  db: Db,
  workspaceId: string,
  postId: string,
  status: ApprovalStatus = 'pending',
): Promise<string> {
  const id = uuidv7()
  const digest = contentDigest(await reviewedOf(db, workspaceId, postId))
  const decided = status === 'approved' || status === 'rejected'
  await db`
    insert into approval (workspace_id, id, post_id, content_digest, status, expires_at, decided_at)
    values (${workspaceId}, ${id}, ${postId}, ${digest}, ${status === 'expired' ? 'pending' : status},
            now() + ${status === 'expired' ? '-1 second' : '7 days'}::interval, case when ${decided} then now() end)`
  return id
}

/** Every row of the workspace, whole, in every table: equal before and after what must change nothing. */
export async function snapshotOf(db: Db, workspaceId: string): Promise<Record<string, unknown[]>> {
  const tables = await db<{ name: string }[]>`
    select c.relname as name
    from   pg_class c join pg_attribute a on a.attrelid = c.oid
    where  c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'workspace_id'`
  return rowsOfTables(
    db,
    tables,
    (rows) => db`select to_jsonb(t) as content from ${rows} t where workspace_id = ${workspaceId}`,
  )
}

export type Answered = {
  status: number
  /** The text of the body as sent. */
  text: string
  body: any
  headers: Record<string, unknown>
}

export type AnApi = AsyncDisposable & {
  /** A request by somebody of this workspace. A write has a key of its own unless one is given; null sends none. */
  call: (
    as: AWorkspace,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    key?: string | null,
  ) => Promise<Answered>
  /** `POST /agent/v1/posts/{postId}/{command}`, confirmed unless said otherwise. */
  command: (
    as: AWorkspace,
    postId: string,
    name: string,
    body: Record<string, unknown>,
    key?: string | null,
  ) => Promise<Answered>
  /** A call of a tool by somebody of this workspace. */
  callTool: (as: AWorkspace, name: string, given: Record<string, unknown>) => Promise<ToolAnswer>
  /** The post as its workspace reads it. */
  read: (as: AWorkspace, postId: string) => Promise<Post>
}

const aKey = () => randomBytes(12).toString('hex')

/** Whether a body carries the key of its request itself, as that of a create may. */
const hasKey = (body: unknown) => typeof body === 'object' && body !== null && 'idempotencyKey' in body

/** There is nobody to ask. */
const NO_MODELS: AiParts = {
  log: createLog({ level: 'silent' }),
  catalog: [],
  imageCatalog: [],
  sees: () => false,
  ask: () => Promise.reject(new Error('there is no model')),
  draw: () => Promise.reject(new Error('there is no model')),
  budget: { tokensPerDay: 0, maxOutputTokens: 1, imagesPerDay: 0 },
  timeoutMs: 1_000,
  leaseMs: 1_000,
}

const keyring = makeKeyring([randomBytes(32)])
/** Its process ends with this one, or when there is nothing left to read. */
const imports = openFileReader()
const NO_UPLOADS = { maxBytes: { image: 1, video: 1, audio: 1, document: 1 }, maxPixels: 1 }

/** The real routes of the Agent API over a database, without models and, unless given, media. */
export function wiredRoutes(
  db: Db,
  baseUrl = BASE_URL,
  // Uploads need folders and processes of their own.
  media = { db, limits: NO_UPLOADS, addresses: uploadAddresses(keyring, baseUrl) } as RouteParts['media'],
) {
  return {
    operations,
    routes: allRoutes({
      providers,
      baseUrl,
      cursors: cursors(randomBytes(32)),
      media,
      imports,
      ai: NO_MODELS,
      webhooks: {
        keyring,
        rules: { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] },
      },
    }),
  }
}

/** The real edge with the real routes over a database, in this process. */
export async function anApi(db: Db): Promise<AnApi> {
  const callers = new Map<string, Caller>()
  const authenticate = async (sql: Sql, secret: string): Promise<Caller | null> => {
    const caller = callers.get(secret)
    if (caller === undefined) return null
    const holdSame = async () => {
      if (!isSameCaller(callers.get(secret)!, caller)) throw new ChangedMeanwhile()
    }
    const { hold = holdSame } = caller
    try {
      await hold(sql)
    } catch (fault) {
      if (fault instanceof ChangedMeanwhile) return null
      throw fault
    }
    return { ...caller, hold }
  }
  const wired = wiredRoutes(db)
  const tools = { db, authenticate, routes: wired.routes, baseUrl: BASE_URL }
  const edge = await openEdge({ db, ...wired, authenticate, mounts: [withTools(tools)] })

  const tokenFor = ({ workspaceId, caller }: AWorkspace) => {
    const secret = `${workspaceId}.${caller.credential.id}`
    callers.set(secret, caller)
    return secret
  }

  const call: AnApi['call'] = async (as, method, path, body, key = hasKey(body) ? null : aKey()) => {
    const secret = tokenFor(as)
    const answer = await edge.app.inject({
      method,
      url: `/agent/v1${path}`,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(body === undefined || key === null ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    return {
      status: answer.statusCode,
      text: answer.body,
      body: JSON.parse(answer.body),
      headers: answer.headers,
    }
  }
  return {
    call,
    async callTool(as, name, given) {
      const answer = await edge.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...MCP_HEADERS, host: new URL(BASE_URL).host, authorization: `Bearer ${tokenFor(as)}` },
        payload: JSON.stringify(message('tools/call', { name, arguments: given })),
      })
      const { result, error } = JSON.parse(answer.body)
      if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`)
      return toolAnswer(result)
    },
    command: (as, postId, name, body, key) =>
      call(as, 'POST', `/posts/${postId}/${name}`, { confirmed: true, ...body }, key),
    async read(as, postId) {
      const { status, body } = await call(as, 'GET', `/posts/${postId}`)
      if (status !== 200) throw new Error(`the post cannot be read: ${status}`)
      return body as Post
    },
    [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose](),
  }
}

export type HeldTransaction = {
  tx: Tx
  /** For code that opens its transaction itself: that transaction is this one, and stays open after it. */
  asDb: Db
  commit: () => Promise<void>
  rollback: () => Promise<void>
}

/** A transaction that stays open, with all its locks, until the test ends it. */
export async function openTransaction(db: Db): Promise<HeldTransaction> {
  const opened = Promise.withResolvers<Tx>()
  const ended = Promise.withResolvers<void>()
  const over = db.begin(async (tx) => {
    opened.resolve(tx)
    await ended.promise
  })
  over.catch(opened.reject)
  const tx = await opened.promise
  const asDb: Db = new Proxy(tx, {
    get(of, name) {
      if (name === 'begin') return (run: (tx: Tx) => unknown) => run(tx)
      return name === 'share' ? () => asDb : (Reflect.get(of, name) as unknown)
    },
  }) as unknown as Db
  return {
    tx,
    asDb,
    async commit() {
      ended.resolve()
      await over
    },
    async rollback() {
      ended.reject(new Error('rolled back'))
      await over.catch(() => undefined)
    },
  }
}

/** Resolves when so many connections to the database wait for a lock, or with false when what could have them wait is over. */
export async function untilBlocked(db: Db, count = 1, isOver = () => false): Promise<boolean> {
  for (;;) {
    if (isOver()) return false
    const [row] = await db<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_stat_activity
      where  datname = current_database() and wait_event_type = 'Lock'`
    if ((row?.waiting ?? 0) >= count) return true
    await new Promise((resolve) => setImmediate(resolve))
  }
}
