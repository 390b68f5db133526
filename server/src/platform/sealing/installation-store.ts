import { createHash, randomBytes } from 'node:crypto'
import type { Sql, Tx } from '../postgres/db.ts'
import { keyIdOf, type SealedKind } from './sealed-kind.ts'
import type { Keyring } from './sealing.ts'

/** The key that authenticates the cursors of every process on this database. */
export async function readCursorKey(sql: Sql): Promise<Buffer> {
  return (await readInstallation(sql)).cursorKey
}

/** The key that authenticates the cookies of the authorization server, whichever process serves it. */
export async function readOAuthKey(sql: Sql): Promise<Buffer> {
  return (await readInstallation(sql)).oauthKey
}

async function readInstallation(sql: Sql): Promise<{ cursorKey: Buffer; oauthKey: Buffer }> {
  const [row] = await sql<{ cursorKey: Buffer; oauthKey: Buffer }[]>`
    select cursor_key as "cursorKey", oauth_key as "oauthKey" from installation`
  if (row === undefined) throw new Error('The database has lost its row in the table installation.')
  return row
}

/** The id of the storage that the media of this installation is in; null before the first start. Locked until the transaction ends. */
export async function lockStorageId(tx: Tx): Promise<string | null> {
  const [row] = await tx<{ id: string | null }[]>`select media_storage_id as id from installation for update`
  return row?.id ?? null
}

/** The same, as it is just now. */
export async function readStorageId(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ id: string | null }[]>`select media_storage_id as id from installation`
  return row?.id ?? null
}

/** Says in which storage the media of this installation are; null for none that is known. The lock is the caller's. */
export async function setStorageId(tx: Tx, id: string | null): Promise<void> {
  await tx`update installation set media_storage_id = ${id}`
}

/** Notes that a workspace went on here after a freeze that began at that time, which outlives the workspace. */
export async function noteEndedFreeze(tx: Tx, workspaceId: string, frozenAt: string): Promise<void> {
  await tx`
    update installation
    set    ended_freezes = ended_freezes || jsonb_build_object(
             ${hashOf(workspaceId)}::text,
             greatest((ended_freezes ->> ${hashOf(workspaceId)}::text)::timestamptz, ${frozenAt}::text::timestamptz))`
}

/** Whether a workspace has gone on here after that freeze, or after a later one. */
export async function hasEndedFreeze(sql: Sql, workspaceId: string, frozenAt: string): Promise<boolean> {
  const [row] = await sql<[{ ended: boolean }]>`
    select coalesce(
             (ended_freezes ->> ${hashOf(workspaceId)}::text)::timestamptz >= ${frozenAt}::text::timestamptz, false) as ended
    from   installation`
  return row.ended
}

function hashOf(workspaceId: string): string {
  return createHash('sha256').update(workspaceId).digest('hex')
}

const CANARY_CONTEXT = 'canary'

/** Seals a value of no use, unless there is one: it shows which key an installation without other secrets has. */
export async function ensureCanary(sql: Sql, keyring: Pick<Keyring, 'seal'>): Promise<void> {
  const sealed = keyring.seal(randomBytes(16), CANARY_CONTEXT)
  await sql`update installation set canary_sealed = ${sealed} where canary_sealed is null`
}

export const sealedCanary: SealedKind = {
  name: 'canary',
  column: 'installation.canary_sealed',
  keysInUse: (sql) => sql`
    select ${keyIdOf(sql, 'canary_sealed')} as "keyId", 1 as count from installation where canary_sealed is not null`,
  find: (tx, keyIds, { after, limit }) => tx`
    select 'canary' as id, ${CANARY_CONTEXT}::text as context, canary_sealed as sealed
    from   installation
    where  ${keyIdOf(tx, 'canary_sealed')} = any (${[...keyIds]}) and ${after}::text is null
    limit  ${limit}`,
  async replace(tx, _id, sealed) {
    await tx`update installation set canary_sealed = ${sealed}`
  },
  async giveUp(tx, keyIds) {
    await tx`
      update installation set canary_sealed = null where ${keyIdOf(tx, 'canary_sealed')} = any (${[...keyIds]})`
  },
}
