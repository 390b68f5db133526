import { BackupRefused, readBackupFile } from './backup-file.ts'

export type BackupFacts = {
  createdAt: string
  release: string
  tables: number
  rows: number
  mediaFiles: number
}

/** Reads a backup to its end. Throws BackupRefused for one that is not whole. */
export async function checkBackup(path: string): Promise<BackupFacts> {
  const facts = { createdAt: '', release: '', rows: 0, mediaFiles: 0 }
  const tables = new Set<string>()
  await readBackupFile(path, (entry) => {
    if ('header' in entry)
      Object.assign(facts, { createdAt: entry.header.createdAt, release: entry.header.release })
    if ('media' in entry) facts.mediaFiles += 1
    if (!('table' in entry)) return
    tables.add(entry.table)
    facts.rows += entry.rows.length
  })
  if (facts.createdAt === '') throw new BackupRefused(`${path} is no backup of Postrider.`)
  return { ...facts, tables: tables.size }
}
