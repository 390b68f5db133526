import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupHeader, readBackupHeader } from './backup-file.ts'

/**
 * The name of a backup that is given none; `nth` of a second. What has such a name may be removed by a later one. Of what is encrypted, the name has to tell of which installation it is.
 */
export function nameAt(now: Date, nth = 1, encryptedOf: string | null = null): string {
  const time = now.toISOString().slice(0, 19).replaceAll(':', '-')
  const begin = `postrider-${time}${nth === 1 ? '' : `-${nth}`}`
  return encryptedOf === null ? `${begin}.backup` : `${begin}_${encryptedOf.slice(0, 8)}.backup.age`
}

const ENCRYPTED = /^postrider-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:-\d+)?)_([0-9a-f]{8})\.backup\.age$/
const NAMED_BY_TIME = /^postrider-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?\.backup$/

/**
 * Removes the oldest backups of a folder but so many, and gives their paths. Only those that were named by their time count, and of
 * these only those of the installation of the newest one, which stays.
 */
export async function keepNewest(folder: string, newest: string, count: number): Promise<string[]> {
  const [, , of] = ENCRYPTED.exec(newest) ?? []
  if (of !== undefined) return keepNewestEncrypted(folder, newest, of, count)
  const installation = installationOf(await readBackupHeader(join(folder, newest)))
  const kept: { path: string; createdAt: string }[] = []
  for (const name of await readdir(folder)) {
    if (name === newest || !NAMED_BY_TIME.test(name)) continue
    const path = join(folder, name)
    // What is no backup, or cannot be read, is not this command's to remove.
    const header = await readBackupHeader(path).catch(() => null)
    if (header !== null && installationOf(header) === installation)
      kept.push({ path, createdAt: header.createdAt })
  }
  const old = kept.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(count - 1)
  for (const { path } of old) await rm(path)
  return old.map(({ path }) => path)
}

/** A restored installation has another id than the one whose backup it was made of, also where both use one storage. */
function installationOf({ installationId, mediaStorageId }: BackupHeader): string | null {
  return installationId ?? mediaStorageId
}

async function keepNewestEncrypted(
  folder: string,
  newest: string,
  installation: string,
  count: number,
): Promise<string[]> {
  const kept = (await readdir(folder)).flatMap((name) => {
    const [, time = '', of] = ENCRYPTED.exec(name) ?? []
    return of === installation && name !== newest ? [{ path: join(folder, name), time }] : []
  })
  const old = kept.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(count - 1)
  for (const { path } of old) await rm(path)
  return old.map(({ path }) => path)
}
