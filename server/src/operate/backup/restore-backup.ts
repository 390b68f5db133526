import {
  listSuspendedMembers,
  suspendAllMembers,
  type SuspendedMember,
} from '../../people/members/member-store.ts'
import { listSuspendedKeys, suspendAllKeys, type SuspendedKey } from '../../people/keys/key-store.ts'
import { type FileHandle, open } from 'node:fs/promises'
import { stopRestoredRuns } from '../../content/bulk/restored-runs-store.ts'
import { revokeAllGrants } from '../../people/apps/app-grant-store.ts'
import { supersedeRequests } from '../../content/approvals/approval-store.ts'
import { endAllConnecting } from '../../people/sign-in/link/connect-links-store.ts'
import { dropUnsentMail } from '../../people/mail/mail-store.ts'
import type { MediaStorage } from '../../media/media-storage.ts'
import { settleRestored } from '../../media/own-files.ts'
import type { TempFiles } from '../../media/temp-files.ts'
import { tellUnsentAnew } from '../../attention/notices/reader-store.ts'
import { type Held, holdRestored, leaveDraftsToOthers } from '../../engine/queue/restored-store.ts'
import { revokeAllInvitations } from '../../people/members/invitation-store.ts'
import { announce } from '../../engine/outbox/outbox-store.ts'
import { forgetActivity } from '../../platform/postgres/activity-store.ts'
import { explainUnsuitable, readDatabaseFacts } from '../../platform/postgres/database-facts.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { checkHistory, listApplied, migrate } from '../../platform/postgres/migrate.ts'
import { setStorageId } from '../../platform/sealing/installation-store.ts'
import { adoptSecretKeys, type SecretKeySource } from '../../platform/sealing/secret-keys.ts'
import { forgetHeartbeats } from '../../platform/postgres/worker-store.ts'
import { pauseRestoredSeries } from '../../content/series/restored-series-store.ts'
import { endAllSignIns } from '../../people/sign-in/session/session-store.ts'
import { BackupRefused, type BackupHeader, readBackupFile } from './backup-file.ts'
import {
  type HeldChannel,
  heldChannels,
  importRows,
  importSequence,
  isDatabaseEmpty,
  listTables,
  openForImport,
} from './backup-store.ts'

export type RestoreParts = {
  readonly db: Db
  /** The folder of the migrations. */
  readonly migrations: string
  readonly storage: MediaStorage
  readonly tempFiles: TempFiles
  /** Where the secret keys of the backup go, unless there are keys that contain them. */
  readonly secretKeys: SecretKeySource
}

export type RestoreSummary = {
  createdAt: string
  release: string
  rows: number
  mediaFiles: number
  /** Whether they are where those of the installation are that the backup is of. */
  sharesMedia: boolean
  heldChannels: HeldChannel[]
  /** Who and what waits to be confirmed. */
  suspended: Suspended
}

/** Who and what the restore has taken access from, until the operator confirms it. */
export type Suspended = {
  readonly members: readonly SuspendedMember[]
  readonly keys: readonly SuspendedKey[]
}

/** What is known of the time since the backup. */
export type SinceBackup = {
  /** No server has worked on the database. */
  readonly serverWasStopped: boolean
  /** No member was removed or given another role, and no agent key revoked or narrowed. */
  readonly accessUnchanged: boolean
}

/**
 * Restores a backup into an empty database. The file is read whole before anything is changed; the tables are filled in one
 * transaction, after the media are there, so that a restore that fails can be repeated. Unless `serverWasStopped`
 * says that no server has worked since the backup, the same transaction holds unfinished posts, which may be out, and ends
 * access that may have been ended since. `onFilled` sees the rows as they are in the file.
 */
export async function restoreBackup(
  parts: RestoreParts,
  path: string,
  { serverWasStopped, accessUnchanged }: SinceBackup,
  onFilled: (tx: Tx, tables: readonly string[]) => Promise<void> = async () => undefined,
): Promise<RestoreSummary> {
  const header = await verify(path)
  const schemaVersion = header.migrations.at(-1)?.version ?? 0
  checkHistory(parts.migrations, header.migrations)
  await checkTarget(parts, header)
  await keepSecretKeys(parts.secretKeys, header)
  const media = await restoreMedia(parts, path, header)
  await migrate(parts.db, parts.migrations, { upTo: schemaVersion })
  const restored = await parts.db.begin(
    async (tx) => {
      const rows = await fillTables(tx, path)
      await onFilled(tx, await listTables(tx))
      // A backup has no statistics, and what is planned without them would be kept by connections.
      await tx`analyze`
      await forgetOldProcesses(tx)
      if (serverWasStopped) return { rows, heldChannels: [], suspended: { members: [], keys: [] } }
      // Until it is known which files are its own, no server starts on it: a restore that is killed leaves none that would sweep those of others.
      await setStorageId(tx, null)
      return { rows, ...(await holdRestoredDatabase(tx, header.createdAt, { accessUnchanged })) }
    },
    { statementTimeoutMs: 0 },
  )
  await migrate(parts.db, parts.migrations)
  if (!serverWasStopped) await settleRestored(parts.db, header.mediaStorageId, media.stored)
  const { mediaFiles, sharesMedia } = media
  return { createdAt: header.createdAt, release: header.release, mediaFiles, sharesMedia, ...restored }
}

/** Has nothing that the processes of the old server wrote be taken for a sign that one of this database is alive. */
export async function forgetOldProcesses(tx: Tx): Promise<void> {
  await forgetHeartbeats(tx)
  await forgetActivity(tx)
}

/** How many events are written together. */
const EVENTS_AT_ONCE = 1_000

export async function announceAll(tx: Tx, changes: readonly Held[]): Promise<void> {
  for (let from = 0; from < changes.length; from += EVENTS_AT_ONCE)
    await announce(tx, changes.slice(from, from + EVENTS_AT_ONCE))
}

/** Holds what is unfinished in a database that was restored, and ends access that may have been ended since its backup. */
export async function holdRestoredDatabase(
  tx: Tx,
  backupAt: string | null,
  { accessUnchanged }: Pick<SinceBackup, 'accessUnchanged'>,
): Promise<Pick<RestoreSummary, 'heldChannels' | 'suspended'>> {
  const changes = await holdRestored(tx, backupAt)
  await supersedeRequests(
    tx,
    changes.filter(({ was }) => was === 'draft'),
  )
  await announceAll(tx, changes)
  await leaveDraftsToOthers(tx)
  await pauseRestoredSeries(tx)
  await stopRestoredRuns(tx)
  await endAccess(tx)
  if (!accessUnchanged) {
    await suspendAllMembers(tx)
    await suspendAllKeys(tx)
  }
  return {
    heldChannels: await heldChannels(tx),
    suspended: { members: await listSuspendedMembers(tx), keys: await listSuspendedKeys(tx) },
  }
}

/**
 * Ends what may have been ended or used since the backup: sessions, links, invitations, tokens of connected apps, and mail that is
 * to be sent, of which notices are written anew. It runs on the schema of the backup, as the hold does.
 */
async function endAccess(tx: Tx): Promise<void> {
  await endAllSignIns(tx)
  await endAllConnecting(tx)
  await revokeAllGrants(tx)
  await revokeAllInvitations(tx)
  await tellUnsentAnew(tx)
  await dropUnsentMail(tx)
}

/** Reads the whole file, and gives its header. */
async function verify(path: string): Promise<BackupHeader> {
  let header: BackupHeader | null = null
  await readBackupFile(path, (entry) => {
    if ('header' in entry) header = entry.header
  })
  if (header === null) throw new BackupRefused(`${path} is no backup of Postrider.`)
  return header
}

async function checkTarget({ db, storage }: RestoreParts, header: BackupHeader): Promise<void> {
  const unsuitable = explainUnsuitable(await readDatabaseFacts(db))
  if (unsuitable !== null) throw new BackupRefused(unsuitable)
  if (!(await isDatabaseEmpty(db)))
    throw new BackupRefused(
      'The database is not empty, and a restore never replaces what is there. Give it an empty one: another DATA_DIR, or a new database in DATABASE_URL.',
    )
  const newest = (await listApplied(db)).at(-1)?.version ?? 0
  if (newest > (header.migrations.at(-1)?.version ?? 0))
    throw new BackupRefused(
      'The database has the schema of a newer release than the backup already. Give it one without any table: the schema is brought up to date after the restore.',
    )
  const label = await storage.readLabel()
  const isOfOthers = label === null ? !(await storage.isEmpty()) : label !== header.mediaStorageId
  if (isOfOthers)
    throw new BackupRefused(
      `The media storage at ${storage.location} belongs to another installation. Give the restore one of its own, in S3_PREFIX or DATA_DIR.`,
    )
}

async function keepSecretKeys(source: SecretKeySource, { secretKeys }: BackupHeader): Promise<void> {
  const missing = await adoptSecretKeys(source, secretKeys)
  if (missing.length === 0) return
  throw new BackupRefused(
    `The backup was made with the secret keys ${missing.join(', ')}, which are not among those of this installation. ` +
      'Add them to SECRET_KEYS (the first line of the backup has them), or remove the setting, and the file secret-keys of DATA_DIR, to use those of the backup.',
  )
}

async function fillTables(tx: Tx, path: string): Promise<number> {
  const close = await openForImport(tx)
  let rows = 0
  await readBackupFile(path, async (entry) => {
    if ('table' in entry) {
      await importRows(tx, entry.table, entry.rows)
      rows += entry.rows.length
    } else if ('sequence' in entry) await importSequence(tx, entry)
  })
  await close()
  return rows
}

/** Stores the media that are not there, and says of which files; what is there may be another installation's, too. */
async function restoreMedia(
  { storage, tempFiles }: RestoreParts,
  path: string,
  { mediaStorageId }: BackupHeader,
): Promise<{ mediaFiles: number; sharesMedia: boolean; stored: string[] }> {
  const sharesMedia = (await storage.readLabel()) !== null
  if (mediaStorageId !== null && !sharesMedia) await storage.writeLabel(mediaStorageId)
  let current: { key: string; size: number; contentType: string; path: string; file: FileHandle } | null =
    null
  const stored: string[] = []
  let mediaFiles = 0
  async function finish(): Promise<void> {
    if (current === null) return
    const { file, key, path: from, size, contentType } = current
    current = null
    await file.close()
    await storage.put(key, from, { size, contentType })
    await tempFiles.remove(from)
    stored.push(key)
  }
  await readBackupFile(path, async (entry) => {
    if ('bytes' in entry) {
      await current?.file.writeFile(Buffer.from(entry.bytes, 'base64'))
      return
    }
    await finish()
    if (!('media' in entry)) return
    const { media: key, size, contentType } = entry
    mediaFiles += 1
    if (await storage.holds(key, size)) return
    const newPath = tempFiles.newPath()
    current = { key, size, contentType, path: newPath, file: await open(newPath, 'wx', 0o600) }
  })
  await finish()
  return { mediaFiles, sharesMedia, stored }
}
