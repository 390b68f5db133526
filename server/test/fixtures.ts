import { permissionNames, type DestinationStatus, type PartStatus } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { insertChannel, type ConnectionStatus } from '../src/channels/channel-store.ts'
import { sealGrant } from '../src/channels/grant.ts'
import { newToken } from '../src/destinations/tokens.ts'
import type { Db } from '../src/platform/db.ts'
import type { Caller } from '../src/platform/route.ts'
import type { Keyring } from '../src/platform/sealing.ts'
import { fold } from '../src/posts/fold.ts'
import type { Grant } from '../src/providers/port.ts'

export type AWorkspace = { workspaceId: string; memberId: string; caller: Caller }

/** A workspace with its owner, and a caller who may do everything in it. */
export async function aWorkspace(db: Db, { allowedTime = '24 hours' } = {}): Promise<AWorkspace> {
  const [workspaceId, memberId] = [uuidv7(), uuidv7()]
  await db`
    with made as (
      insert into workspace (id, name, allowed_time) values (${workspaceId}, 'Test', ${allowedTime}::interval) returning id
    )
    insert into member (workspace_id, id, name, email) select id, ${memberId}, 'Ada', 'ada@example.com' from made`
  const credential = {
    id: uuidv7(),
    type: 'agent_key',
    name: 'test key',
    permissions: permissionNames,
  } as const
  const member = { id: memberId, name: 'Ada', email: 'ada@example.com' }
  return {
    workspaceId,
    memberId,
    caller: { workspaceId, credential: { ...credential, expiresAt: null }, member },
  }
}

export type ChannelWish = {
  provider?: string
  displayName?: string
  enabled?: boolean
  connectionStatus?: ConnectionStatus
  remoteAccountId?: string
  /** Sealed with the keyring; without one the channel has a grant that cannot be opened. */
  grant?: Grant
  keyring?: Pick<Keyring, 'seal'>
}

/** A connected channel of `sandbox-short`, unless wished otherwise. Returns its id. */
export async function aChannel(db: Db, workspaceId: string, wish: ChannelWish = {}): Promise<string> {
  const { provider = 'sandbox-short', displayName = 'A channel', grant = {}, keyring } = wish
  const channelId = uuidv7()
  await insertChannel(db, {
    ...{ workspaceId, channelId, provider, displayName, avatarUrl: null },
    remoteAccountId: wish.remoteAccountId ?? `acc_${channelId}`,
    handle: 'a-channel',
    grantSealed:
      keyring === undefined ? Buffer.from('nobody can open this') : sealGrant(keyring, channelId, grant),
  })
  await db`
    update channel
    set    enabled = ${wish.enabled ?? true}, connection_status = ${wish.connectionStatus ?? 'connected'}
    where  workspace_id = ${workspaceId} and id = ${channelId}`
  return channelId
}

export type PostWish = {
  /** One destination for each. */
  states?: readonly DestinationStatus[]
  /** The parts that every destination has. */
  texts?: readonly string[]
  publishAt?: Date | null
  /** One for each destination; made where left out. */
  channelIds?: readonly string[]
}

export type APost = { postId: string; destinationIds: string[]; channelIds: string[] }

const idle: readonly DestinationStatus[] = ['draft']

/** A post with destinations in the states wished for, as if it had come there; nothing is announced. */
export async function aPost(db: Db, workspaceId: string, wish: PostWish = {}): Promise<APost> {
  const { states = ['draft'], texts = ['Hello'], publishAt = new Date(Date.now() + 3_600_000) } = wish
  const postId = uuidv7()
  const content = {
    text: texts[0] ?? '',
    ...(texts.length > 1 ? { thread: texts.slice(1).map((text) => ({ text })) } : {}),
  }
  await db`
    insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
    values (${workspaceId}, ${postId}, ${db.json(content)}, ${newToken()}, 'agent_key', 'test key')`

  const made: APost = { postId, destinationIds: [], channelIds: [] }
  for (const [place, status] of states.entries()) {
    const channelId = wish.channelIds?.[place] ?? (await aChannel(db, workspaceId))
    const destinationId = uuidv7()
    const time = idle.includes(status) ? null : publishAt
    await insertDestination(db, { workspaceId, postId, destinationId, channelId, status, publishAt: time })
    for (const [index, text] of texts.entries()) {
      await insertPart(db, { workspaceId, destinationId, index, text, status: partStatusIn(status, index) })
    }
    made.destinationIds.push(destinationId)
    made.channelIds.push(channelId)
  }
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

async function insertDestination(db: Db, row: NewRow): Promise<void> {
  const { workspaceId, postId, destinationId, channelId, status, publishAt } = row
  const leased = status === 'publishing'
  const out = status === 'published' || status === 'partially_published'
  await db`
    insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                             expires_at, published_at, release_url, check_again_at, leased_by, lease_until)
    select ${workspaceId}, ${destinationId}, ${postId}, ${channelId}, c.provider, ${status}, ${newToken()},
           ${publishAt}::timestamptz, ${publishAt}::timestamptz, ${publishAt}::timestamptz + interval '24 hours',
           ${status === 'published' ? publishAt : null}::timestamptz, ${out ? 'https://example.com/1' : null},
           ${status === 'delayed' ? publishAt : null}::timestamptz, ${leased ? uuidv7() : null}::uuid,
           case when ${leased} then now() + interval '60 seconds' end
    from   channel c
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId}`
}

type NewPart = { workspaceId: string; destinationId: string; index: number; text: string; status: PartStatus }

async function insertPart(
  db: Db,
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

/** The webhook bodies of the workspace's events, in the order they were written. */
export async function announced(
  db: Db,
  workspaceId: string,
): Promise<{ type: string; [name: string]: unknown }[]> {
  const rows = await db<{ body: Buffer }[]>`
    select body from outbox_event where workspace_id = ${workspaceId} order by seq`
  return rows.map(({ body }) => JSON.parse(body.toString()) as { type: string })
}

/** How many rows each table holds: equal before and after what must leave nothing. */
export async function rowCounts(db: Db): Promise<Record<string, number>> {
  const tables = await db<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await db<{ count: number }[]>`select count(*)::int as count from ${db(name)}`
    counts[name] = row?.count ?? 0
  }
  return counts
}
