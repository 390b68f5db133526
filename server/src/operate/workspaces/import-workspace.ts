import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { supersedeRequests } from '../../content/approvals/approval-store.ts'
import { stopRestoredRuns } from '../../content/bulk/restored-runs-store.ts'
import { pauseRestoredSeries } from '../../content/series/restored-series-store.ts'
import { holdRestored, leaveDraftsToOthers } from '../../engine/queue/restored-store.ts'
import { DUE_CHANNEL } from '../../engine/destinations/destination-store.ts'
import { queueAllChannels, readFreeze } from '../../networks/channels/freeze-store.ts'
import { revokeGrantsOf } from '../../people/apps/app-grant-store.ts'
import { listSuspendedKeys, suspendAllKeys } from '../../people/keys/key-store.ts'
import { listSuspendedMembers, suspendAllMembers } from '../../people/members/member-store.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import { upsertPerson } from '../../people/members/person-store.ts'
import { claimStorage } from '../../media/claim-storage.ts'
import { forgetFile, recordFile } from '../../media/file-store.ts'
import type { MediaStorage } from '../../media/media-storage.ts'
import type { TempFiles } from '../../media/temp-files.ts'
import { type Db, isUniqueViolation, type Tx } from '../../platform/postgres/db.ts'
import { type AppliedMigration, listApplied } from '../../platform/postgres/migrate.ts'
import { hasEndedFreeze } from '../../platform/sealing/installation-store.ts'
import { type Keyring, makeKeyring, parseSecretKeys, tryUnseal } from '../../platform/sealing/sealing.ts'
import { parseEmail } from '../../platform/text/email-address.ts'
import { BackupRefused, readFileOf } from '../backup/backup-file.ts'
import { type HeldChannel, heldChannels } from '../backup/backup-store.ts'
import { announceAll, type Suspended } from '../backup/restore-backup.ts'
import { giveUp, keysInUse } from '../secrets/open-secrets.ts'
import { sealedKinds } from '../secrets/sealed-kinds.ts'
import { unfreezeWorkspace } from './freeze-workspace.ts'
import { EXPORT, type WorkspaceEntry, type WorkspaceHeader } from './workspace-file.ts'
import {
  insertRows,
  listWorkspaceTables,
  movedKey,
  type MovedPerson,
  type WorkspaceTable,
} from './workspace-store.ts'
import { movedTables } from './workspace-tables.ts'

export type ImportParts = {
  readonly db: Db
  readonly storage: MediaStorage
  readonly tempFiles: TempFiles
  /** Gives the keys of this installation, and makes them where there are none. */
  readonly openKeyring: () => Promise<Keyring>
}

export type ImportSummary = {
  readonly workspaceId: string
  readonly name: string
  readonly createdAt: string
  /** Whether it was stopped where it comes from, and goes on here. */
  readonly moved: boolean
  /** Whether it was stopped there, and has gone on here before, so that it is held. */
  readonly wentOnBefore: boolean
  readonly rows: number
  readonly mediaFiles: number
  readonly heldChannels: HeldChannel[]
  readonly suspended: Suspended
}

/**
 * Imports a workspace beside others, while servers work on them. The file is read whole before anything is changed, and all rows are
 * inserted in one transaction, after the media are there: an import that fails leaves files that housekeeping removes, and nothing else. A
 * workspace that was frozen goes on here, once; of any other, the same is held as after a restore. `record` writes what was done in the
 * same transaction.
 */
export async function importWorkspace(
  parts: ImportParts,
  path: string,
  { accessUnchanged }: { readonly accessUnchanged: boolean },
  record: (tx: Tx, done: ImportSummary) => Promise<void>,
): Promise<ImportSummary> {
  const { db } = parts
  const header = await verify(path)
  await checkTarget(parts, header)
  const keyring = await parts.openKeyring()
  const salt = randomUUID()
  const mediaFiles = await storeMedia(parts, path, salt)
  try {
    return await db.begin(
      async (tx) => {
        const rows = await insertAll(tx, path, header, salt, keyring)
        const { workspaceId, name, createdAt, frozen } = header
        const freeze = await readFreeze(tx, workspaceId)
        const wentOnBefore = freeze !== null && (await hasEndedFreeze(tx, workspaceId, freeze.frozenAt))
        const moved = frozen && !wentOnBefore
        await revokeGrantsOf(tx, workspaceId)
        await unfreezeWorkspace(tx, workspaceId)
        if (!moved) await holdImported(tx, header, { accessUnchanged })
        await queueAllChannels(tx, workspaceId)
        tx.signal(DUE_CHANNEL)
        const held = await heldOf(tx, workspaceId, moved)
        const done = { workspaceId, name, createdAt, moved, wentOnBefore, rows, mediaFiles, ...held }
        await record(tx, done)
        return done
      },
      { statementTimeoutMs: 0 },
    )
  } catch (fault) {
    if (isUniqueViolation(fault, 'workspace_pkey')) throw isThere(header)
    throw fault
  }
}

/** Reads the whole file, and gives its header. */
async function verify(path: string): Promise<WorkspaceHeader> {
  let header: WorkspaceHeader | null = null
  let hash: { sha256: string; bytes: Hash } | null = null
  const checkFile = () => {
    if (hash !== null && hash.bytes.digest('hex') !== hash.sha256)
      throw new BackupRefused(
        `${path} has a media file with other bytes than it had. Export the workspace again.`,
      )
    hash = null
  }
  await readFileOf<WorkspaceHeader>(EXPORT, path, (entry) => {
    if ('header' in entry) header = entry.header
    if ('table' in entry && !movedTables.has(entry.table))
      throw new BackupRefused(`${path} has rows of the table ${entry.table}, which are not imported.`)
    if ('media' in entry) {
      checkFile()
      hash = { sha256: entry.sha256 ?? '', bytes: createHash('sha256') }
    }
    if ('bytes' in entry) hash?.bytes.update(Buffer.from(entry.bytes, 'base64'))
  })
  checkFile()
  if (header === null) throw new BackupRefused(`${path} is no exported workspace of Postrider.`)
  return header
}

async function checkTarget({ db, storage }: ImportParts, header: WorkspaceHeader): Promise<void> {
  const applied = await listApplied(db)
  const versionOf = (migrations: readonly AppliedMigration[]) => migrations.at(-1)?.version ?? 0
  if (JSON.stringify(header.migrations) !== JSON.stringify(applied))
    throw new BackupRefused(
      `The workspace was exported by the release ${header.release} with schema ${versionOf(header.migrations)}, and this installation has schema ${versionOf(applied)}. ` +
        'Upgrade the older installation, then export the workspace again.',
    )
  if ((await findWorkspace(db, header.workspaceId)) !== null) throw isThere(header)
  const wrong = await claimStorage(db, storage)
  if (wrong !== null) throw new BackupRefused(wrong)
}

function isThere({ name, workspaceId }: WorkspaceHeader): BackupRefused {
  return new BackupRefused(
    `The workspace "${name}" (${workspaceId}) is here already, and an import never replaces anything.`,
  )
}

/** Stores the media under names of their own here, each noted before: what an import that fails leaves is removed by housekeeping. */
async function storeMedia(
  { db, storage, tempFiles }: ImportParts,
  path: string,
  salt: string,
): Promise<number> {
  let count = 0
  let current: { key: string; size: number; contentType: string; path: string; file: FileHandle } | null =
    null
  async function finish(): Promise<void> {
    if (current === null) return
    const { file, key, path: from, size, contentType } = current
    current = null
    await file.close()
    await recordFile(db, key)
    try {
      await storage.put(key, from, { size, contentType })
    } catch (fault) {
      await forgetFile(db, key)
      throw fault
    } finally {
      await tempFiles.remove(from)
    }
    count += 1
  }
  await readFileOf<WorkspaceHeader>(EXPORT, path, async (entry) => {
    if ('bytes' in entry) await current?.file.writeFile(Buffer.from(entry.bytes, 'base64'))
    if (!('media' in entry)) return
    await finish()
    const { media, size, contentType } = entry
    const newPath = tempFiles.newPath()
    current = {
      key: movedKey(media, salt),
      size,
      contentType,
      path: newPath,
      file: await open(newPath, 'wx', 0o600),
    }
  })
  await finish()
  return count
}

async function insertAll(
  tx: Tx,
  path: string,
  header: WorkspaceHeader,
  salt: string,
  keyring: Keyring,
): Promise<number> {
  const tables = new Map((await listWorkspaceTables(tx)).map((table) => [table.name, table]))
  const fileKeys = makeKeyring(parseSecretKeys(header.fileKey) ?? [])
  let people: Record<string, string> = {}
  let count = 0
  await readFileOf<WorkspaceHeader>(EXPORT, path, async (entry) => {
    if ('people' in entry) people = await takeIn(tx, entry.people)
    else if ('table' in entry) {
      await insertRows(tx, tables.get(entry.table) as WorkspaceTable, entry.rows, { people, salt })
      count += entry.rows.length
    } else if ('sealedKind' in entry) await reseal(tx, entry, { from: fileKeys, to: keyring })
  })
  // What the installation before could not open itself. None of those that are here has another key than ours.
  const lost = (await keysInUse(tx)).filter(({ keyId }) => !keyring.keyIds.includes(keyId))
  await giveUp(tx, lost)
  return count
}

/** The ids that people have here: who is known by the address is that person, and nobody is changed. */
async function takeIn(tx: Tx, people: readonly MovedPerson[]): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const { id, name, email: text } of people) {
    const email = parseEmail(text)
    if (email === null) throw new BackupRefused(`The file has a member with the address "${text}".`)
    const [person] = await tx<
      { id: string }[]
    >`with known as (${upsertPerson(tx, { name, email })}) select id from known`
    if (person !== undefined && person.id !== id) ids[id] = person.id
  }
  return ids
}

async function reseal(
  tx: Tx,
  { sealedKind, id, context, sealed }: Extract<WorkspaceEntry, { sealedKind: string }>,
  { from, to }: { readonly from: Keyring; readonly to: Keyring },
): Promise<void> {
  const kind = sealedKinds.find(({ column }) => column === sealedKind)
  const plaintext = tryUnseal(from, Buffer.from(sealed, 'base64'), context)
  if (kind === undefined || plaintext === null)
    throw new BackupRefused(
      'The file has a secret that its own key does not open. Export the workspace again.',
    )
  await kind.replace(tx, id, to.seal(plaintext, context))
}

/** What a restore does for all workspaces, for this one. */
async function holdImported(
  tx: Tx,
  { workspaceId, createdAt }: WorkspaceHeader,
  { accessUnchanged }: { readonly accessUnchanged: boolean },
): Promise<void> {
  const changes = await holdRestored(tx, createdAt, workspaceId)
  await supersedeRequests(
    tx,
    changes.filter(({ was }) => was === 'draft'),
  )
  await announceAll(tx, changes)
  await leaveDraftsToOthers(tx, workspaceId)
  await pauseRestoredSeries(tx, workspaceId)
  await stopRestoredRuns(tx, workspaceId)
  if (accessUnchanged) return
  await suspendAllMembers(tx, workspaceId)
  await suspendAllKeys(tx, workspaceId)
}

async function heldOf(
  tx: Tx,
  workspaceId: string,
  moved: boolean,
): Promise<Pick<ImportSummary, 'heldChannels' | 'suspended'>> {
  const ofIt = <One extends { readonly workspaceId: string }>(all: readonly One[]) =>
    all.filter((one) => one.workspaceId === workspaceId)
  return {
    heldChannels: moved ? [] : await heldChannels(tx, workspaceId),
    suspended: { members: ofIt(await listSuspendedMembers(tx)), keys: ofIt(await listSuspendedKeys(tx)) },
  }
}
