import { type MediaStorage, MediaUnavailable } from '../../media/media-storage.ts'
import { readInstallationId } from '../../media/place-store.ts'
import { readStorageId } from '../../platform/sealing/installation-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { listApplied } from '../../platform/postgres/migrate.ts'
import { version } from '../../platform/process/version.ts'
import { type BackupEntry, type Encrypt, headerOf, writeBackupFile } from './backup-file.ts'
import { listMediaFiles, listSequences, listTables, type MediaFile, openSnapshot } from './backup-store.ts'

export type BackupParts = {
  readonly db: Db
  readonly storage: MediaStorage
  /** The secret keys as they are configured. */
  readonly secretKeys: string
}

export type BackupSummary = {
  tables: number
  rows: number
  mediaFiles: number
  /** Files that media items refer to, and that are not in the storage. */
  missing: string[]
}

const LINE_BYTES = 1_024 * 1_024
/** A multiple of 3, so that the pieces of base64 need no padding in between. */
const MEDIA_BYTES = 768 * 1_024

/**
 * Writes everything into one file, beside servers that go on working: the database as it is at one moment, the secret keys,
 * and the media that it refers to, whose bytes never change. What is written at once fits into a few megabytes.
 */
export async function writeBackup(
  parts: BackupParts,
  path: string,
  otherPath?: (nth: number) => string,
  encrypt: Encrypt | null = null,
): Promise<{ file: string } & BackupSummary> {
  const summary: BackupSummary = { tables: 0, rows: 0, mediaFiles: 0, missing: [] }
  const file = await writeBackupFile(path, entriesOf(parts, summary), otherPath, { encrypt })
  return { file, ...summary }
}

async function* entriesOf(
  { db, storage, secretKeys }: BackupParts,
  summary: BackupSummary,
): AsyncGenerator<BackupEntry> {
  const { sql, rowsOf, close } = await openSnapshot(db)
  try {
    const [now] = await sql<[{ at: Date }]>`select now() as at`
    yield headerOf({
      release: version,
      createdAt: now.at.toISOString(),
      secretKeys,
      migrations: await listApplied(sql),
      mediaStorageId: await readStorageId(sql),
      installationId: await readInstallationId(sql),
    })
    for (const table of await listTables(sql)) {
      summary.tables += 1
      for await (const rows of rowsOf(table)) {
        summary.rows += rows.length
        for (const some of inPieces(rows)) yield { table, rows: some }
      }
    }
    yield* await listSequences(sql)
  } finally {
    close()
  }
  yield* mediaOf((after) => listMediaFiles(db, after, PAGE), storage, summary)
}

/** Rows in lines of about that size; a row that is larger has a line of its own. */
export function* inPieces(rows: readonly string[]): Generator<string[]> {
  let some: string[] = []
  let size = 0
  for (const row of rows) {
    if (some.length > 0 && size + row.length > LINE_BYTES) {
      yield some
      some = []
      size = 0
    }
    some.push(row)
    size += row.length
  }
  if (some.length > 0) yield some
}

/** How many files a page has. */
export const PAGE = 500

/** The files of these pages, each page behind the last key of the one before. */
export async function* mediaOf(
  pageOf: (after: string) => Promise<MediaFile[]>,
  storage: MediaStorage,
  summary: Pick<BackupSummary, 'mediaFiles' | 'missing'>,
): AsyncGenerator<Extract<BackupEntry, { media: string } | { bytes: string }>> {
  let after = ''
  for (;;) {
    const files = await pageOf(after)
    for (const { key, size, contentType, sha256 } of files) {
      try {
        await storage.check(key, size)
      } catch (fault) {
        if (!(fault instanceof MediaUnavailable)) throw fault
        summary.missing.push(key)
        continue
      }
      yield { media: key, size, contentType, sha256: sha256.toString('hex') }
      let rest: Buffer = Buffer.alloc(0)
      for await (const chunk of await storage.read(key, size)) {
        rest = Buffer.concat([rest, chunk as Buffer])
        for (; rest.length >= MEDIA_BYTES; rest = rest.subarray(MEDIA_BYTES))
          yield { bytes: rest.subarray(0, MEDIA_BYTES).toString('base64') }
      }
      if (rest.length > 0) yield { bytes: rest.toString('base64') }
      summary.mediaFiles += 1
    }
    if (files.length < PAGE) return
    after = files.at(-1)?.key ?? after
  }
}
