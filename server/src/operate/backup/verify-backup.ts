import { createHash } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolderStorage } from '../../media/folder-storage.ts'
import { type MediaStorage, MediaUnavailable } from '../../media/media-storage.ts'
import { openTempFiles } from '../../media/temp-files.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { readKeyring } from '../../platform/sealing/secret-keys.ts'
import { findDamaged, keysInUse } from '../secrets/open-secrets.ts'
import { readBackupFile } from './backup-file.ts'
import { countTable } from './backup-store.ts'
import { openOwnFolder } from './own-folder.ts'
import { restoreBackup, type RestoreSummary } from './restore-backup.ts'

/** A database without any table, for one restore; `close` removes it. */
export type ThrowAway = { readonly db: Db; readonly close: () => Promise<void> }

export type Verification = Pick<
  RestoreSummary,
  'createdAt' | 'release' | 'rows' | 'mediaFiles' | 'heldChannels' | 'suspended'
> & {
  readonly tables: number
  /** Tables that have another number of rows in the restored database than in the file. */
  readonly differing: readonly {
    readonly table: string
    readonly inFile: number
    readonly restored: number
  }[]
  /** Media files that are missing after the restore, or have other bytes than they had. */
  readonly damagedMedia: readonly string[]
  /** Secrets that the keys of the backup do not open. */
  readonly damagedSecrets: readonly string[]
}

/** What is in a file, by which a restored database is judged. */
type Manifest = {
  readonly rows: Map<string, number>
  /** The SHA-256 of each media file; null where the release that wrote it noted none. */
  readonly media: Map<string, { readonly size: number; readonly sha256: string | null }>
}

/**
 * Restores a backup into a database and a folder that are removed afterwards, as a restore is after a disaster, and compares what is there
 * with what is in the file. Throws BackupRefused for what cannot be restored.
 */
export async function verifyBackup(
  path: string,
  migrations: string,
  open: (folder: string) => Promise<ThrowAway>,
): Promise<Verification> {
  const { path: folder, remove } = await openOwnFolder(tmpdir(), 'postrider-verify')
  try {
    // The user that PostgreSQL runs as, where root starts it, has to pass, and can neither list nor read.
    if (process.getuid?.() === 0) await chmod(folder, 0o711)
    const manifest = await readManifest(path)
    const { db, close } = await open(folder)
    try {
      return await restoreInto(db, { path, migrations, folder, manifest })
    } finally {
      await close()
    }
  } finally {
    await remove()
  }
}

async function readManifest(path: string): Promise<Manifest> {
  const manifest: Manifest = { rows: new Map(), media: new Map() }
  await readBackupFile(path, (entry) => {
    if ('table' in entry)
      manifest.rows.set(entry.table, (manifest.rows.get(entry.table) ?? 0) + entry.rows.length)
    if ('media' in entry) manifest.media.set(entry.media, { size: entry.size, sha256: entry.sha256 ?? null })
  })
  return manifest
}

async function restoreInto(
  db: Db,
  {
    path,
    migrations,
    folder,
    manifest,
  }: {
    readonly path: string
    readonly migrations: string
    readonly folder: string
    readonly manifest: Manifest
  },
): Promise<Verification> {
  const storage = await openFolderStorage(join(folder, 'media'))
  try {
    const secretKeys = { secretKeys: null, dataDir: folder }
    const tempFiles = await openTempFiles(join(folder, 'incoming'))
    const restored = new Map<string, number>()
    const summary = await restoreBackup(
      { db, storage, tempFiles, migrations, secretKeys },
      path,
      { serverWasStopped: false, accessUnchanged: false },
      // What is held changes rows: they are counted before.
      async (tx, tables) => {
        for (const table of tables) restored.set(table, await countTable(tx, table))
      },
    )
    const keyring = await readKeyring(secretKeys)
    const missing = (await keysInUse(db)).filter(({ keyId }) => keyring?.keyIds.includes(keyId) !== true)
    const { createdAt, release, rows, mediaFiles, heldChannels, suspended } = summary
    return {
      createdAt,
      release,
      rows,
      mediaFiles,
      heldChannels,
      suspended,
      tables: restored.size,
      differing: differencesOf(manifest.rows, restored),
      damagedMedia: await damagedOf(storage, manifest.media),
      damagedSecrets: [
        ...missing.map(({ keyId }) => `of the key ${keyId}`),
        ...(keyring === null ? [] : await findDamaged(db, keyring)),
      ],
    }
  } finally {
    await storage.close()
  }
}

/** Tables with another number of rows; one that is in neither has none. */
export function differencesOf(
  inFile: ReadonlyMap<string, number>,
  restored: ReadonlyMap<string, number>,
): Verification['differing'] {
  return [...new Set([...inFile.keys(), ...restored.keys()])]
    .map((table) => ({ table, inFile: inFile.get(table) ?? 0, restored: restored.get(table) ?? 0 }))
    .filter((each) => each.inFile !== each.restored)
}

async function damagedOf(storage: MediaStorage, media: Manifest['media']): Promise<string[]> {
  const damaged: string[] = []
  for (const [key, { size, sha256 }] of media) {
    try {
      const hash = createHash('sha256')
      for await (const chunk of await storage.read(key, size)) hash.update(chunk as Buffer)
      if (sha256 !== null && hash.digest('hex') !== sha256) damaged.push(key)
    } catch (fault) {
      if (!(fault instanceof MediaUnavailable)) throw fault
      damaged.push(key)
    }
  }
  return damaged
}
