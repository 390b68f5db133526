import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { S3Access } from '../../media/s3-storage.ts'
import { decryptFile, isEncrypted } from './age-file.ts'
import { BackupRefused } from './backup-file.ts'
import { bucketPlaceOf, downloadFile } from './bucket-file.ts'
import { openOwnFolder } from './own-folder.ts'

export type Opening = {
  /** The file with the key of an encrypted one. */
  readonly identity?: string | undefined
  /** How buckets are reached. */
  readonly s3: () => Promise<S3Access>
}

/**
 * Lends a file as it was before it was encrypted or brought to a bucket: one that is neither, as it is; any other, as a copy in a folder
 * that only this user can enter, which is removed afterwards.
 */
export async function withBackup<Result>(
  target: string,
  { identity, s3 }: Opening,
  run: (path: string) => Promise<Result>,
): Promise<Result> {
  const place = bucketPlaceOf(target)
  if (place === null && !(await isEncrypted(resolve(target)))) return run(resolve(target))
  const { path: folder, remove } = await openOwnFolder(tmpdir(), 'postrider-open')
  try {
    let path = resolve(target)
    if (place !== null) {
      path = join(folder, basename(place.key))
      await downloadFile(await s3(), place, path)
      if (!(await isEncrypted(path))) return await run(path)
    }
    if (identity === undefined)
      throw new BackupRefused(`${target} is encrypted. Name the file with its key: --identity <file>.`)
    const plain = join(folder, `${basename(path).replace(/\.age$/, '')}.plain`)
    await decryptFile(path, plain, resolve(identity))
    if (place !== null) await rm(path)
    return await run(plain)
  } finally {
    await remove()
  }
}
