import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { otherUsers } from '../../media/check-stored-files.ts'
import { filesOfWorkspace, forgetFile, noteDiscarded, noteUnused } from '../../media/file-store.ts'
import type { MediaStorage } from '../../media/media-storage.ts'
import { isContested } from '../../media/place-store.ts'
import { noteDeleting } from '../../networks/channels/freeze-store.ts'
import { isWritten, lastUnwritten } from '../../people/audit/audit-stream-store.ts'
import { revokeGrantsOf } from '../../people/apps/app-grant-store.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import { readStorageId } from '../../platform/sealing/installation-store.ts'
import { BackupRefused } from '../backup/backup-file.ts'
import { STILL_MS, stopForMove } from './export-workspace.ts'
import { countRows, listWorkspaceTables, removeRows, type WorkspaceTable } from './workspace-store.ts'

export type DeleteParts = {
  readonly db: Db
  readonly storage: MediaStorage
  readonly dataDir: string
  /** Whether the audit log is to be written out, also where no process does so now. */
  readonly streams: boolean
}

export type DeletionCounts = {
  /** By table, where there are any. */
  readonly rows: Readonly<Record<string, number>>
  /** How many media files of the workspace this installation has stored. */
  readonly mediaFiles: number
}

/** What a deletion would remove. */
export async function countWorkspace(sql: Sql, workspaceId: string): Promise<DeletionCounts> {
  const rows: Record<string, number> = {}
  for (const table of await listWorkspaceTables(sql)) {
    const count = await countRows(sql, table, workspaceId)
    if (count > 0) rows[table.name] = count
  }
  const { media_file: mediaFiles = 0, ...others } = rows
  return { rows: others, mediaFiles }
}

/** Whoever asks for what is removed later than these needs them until then: they go last. */
export const LAST: readonly string[] = ['media_file', 'audit_entry', 'workspace_freeze', 'workspace']
const ROWS_AT_ONCE = 5_000

export type Deleted = DeletionCounts & {
  /** Where another installation uses the storage, the files are in the trash for a week: it brings back what it reads. */
  readonly trashed: boolean
}

/**
 * Deletes a workspace with everything that is of it. It is frozen first; then its rows go in batches, then its files, and at the end the
 * workspace itself: what was begun and not ended is continued by the same command. `record` writes what was done with the last of it.
 */
export async function deleteWorkspace(
  { db, storage, dataDir, streams }: DeleteParts,
  workspaceId: string,
  record: (tx: Tx, done: Deleted) => Promise<void>,
  stillMs = STILL_MS,
): Promise<Deleted> {
  const trashes = await checkStorage(db, storage)
  await awaitAuditStream(db, workspaceId, { streams, ms: stillMs })
  await stopForMove(db, workspaceId, stillMs)
  await db.begin((tx) => noteDeleting(tx, workspaceId))
  const counts = await countWorkspace(db, workspaceId)
  await db.begin((tx) => revokeGrantsOf(tx, workspaceId))
  const tables = (await listWorkspaceTables(db)).toReversed()
  const first = tables.filter(({ name }) => !LAST.includes(name))
  await removeFrom(db, first, workspaceId)
  await removeFiles(db, storage, workspaceId, trashes)
  await removeRenditions(dataDir, workspaceId)
  await awaitOthers(db)
  await awaitAuditStream(db, workspaceId, { streams, ms: stillMs })
  const done = { ...counts, trashed: trashes && counts.mediaFiles > 0 }
  // Of what was written meanwhile by transactions that had begun before.
  await removeFrom(db, first, workspaceId)
  await removeFrom(
    db,
    tables.filter(({ name }) => name === 'audit_entry'),
    workspaceId,
  )
  await db.begin(async (tx) => {
    for (const table of tables)
      if (table.name !== 'media_file') await removeRows(tx, table, workspaceId, ROWS_AT_ONCE)
    await record(tx, done)
  })
  return done
}

/** Whether files are to go by the trash. Throws where it is not known whose they are. */
async function checkStorage(db: Db, storage: MediaStorage): Promise<boolean> {
  const place = await readStorageId(db)
  if (place !== null && (await storage.readLabel()) !== place)
    throw new BackupRefused(
      `The media of this database is in the storage with the id ${place}, and the one at ${storage.location} is another. Nothing was deleted.`,
    )
  if (await isContested(db))
    throw new BackupRefused(
      'Another database uses the media storage under the id of this one: one is a copy of the other. Give one of them an id of its own (`postrider media adopt`), and repeat the command a week later. Nothing was deleted.',
    )
  return (await otherUsers(db, storage)).length > 0
}

/** Waits until what the audit log has of the workspace by now is written where AUDIT_STREAM says. */
async function awaitAuditStream(
  db: Db,
  workspaceId: string,
  { streams, ms }: { readonly streams: boolean; readonly ms: number },
): Promise<void> {
  const last = await lastUnwritten(db, workspaceId, { streams })
  if (last === null) return
  for (let waited = 0; !(await isWritten(db, last)); waited += LOOK_MS) {
    if (waited >= ms)
      throw new BackupRefused(
        'The audit log of the workspace is not written yet where AUDIT_STREAM says, and was not deleted. Have the server run, see that it can write there, then repeat the command.',
      )
    await wait(LOOK_MS)
  }
}

async function removeFrom(db: Db, tables: readonly WorkspaceTable[], workspaceId: string): Promise<void> {
  for (const table of tables) {
    for (;;) {
      const count = await db.begin((tx) => removeRows(tx, table, workspaceId, ROWS_AT_ONCE))
      if (count < ROWS_AT_ONCE) break
    }
  }
}

async function removeFiles(
  db: Db,
  storage: MediaStorage,
  workspaceId: string,
  trashes: boolean,
): Promise<void> {
  for (const key of await filesOfWorkspace(db, workspaceId)) {
    if (trashes) {
      await noteUnused(db, key)
      await storage.discard(key)
      await noteDiscarded(db, key)
      continue
    }
    await storage.remove(key)
    await storage.removeDiscarded(key)
    await forgetFile(db, key)
  }
}

/** Smaller copies of pictures, as the processes of this machine have made them, each in a folder of its own. */
async function removeRenditions(dataDir: string, workspaceId: string): Promise<void> {
  const folder = join(dataDir, 'media', 'renditions')
  for (const path of await readdir(folder, { recursive: true }).catch(() => []))
    if (basename(path).startsWith(`${workspaceId}_`)) await rm(join(folder, path), { force: true })
}

const LOOK_MS = 100
const MOST_LOOKS = 600

/** Waits until the transactions have ended that had written something by now, for a minute at most. */
async function awaitOthers(db: Db): Promise<void> {
  const [row] = await db<[{ id: string }]>`select pg_current_xact_id()::text as id`
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const [now] = await db<[{ over: boolean }]>`
      select pg_snapshot_xmin(pg_current_snapshot()) > ${row.id}::text::xid8 as over`
    if (now.over) return
    await wait(LOOK_MS)
  }
}
