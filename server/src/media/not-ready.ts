import { codeOf } from '../platform/postgres/db.ts'
import { Unready } from '../edge/operations/refusal.ts'
import { StorageMissing } from './media-storage.ts'
import { WorkerFault } from '../platform/process/worker-pool.ts'

/** No room on the disk, or no descriptors left. */
const EXHAUSTED = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

/** The folder is not there, or the disk under it was taken away. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENOTCONN', 'ESTALE', 'EIO'])
/** A worker tells the same in words. */
const GONE_WORDS = /no such file or directory|stale file handle|input\/output error/i

/** Runs what needs disk, descriptors, workers and storage. Throws Unready where one of them fails for the time being. */
export async function notReady<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const code = codeOf(cause) ?? ''
    const isWorkers = cause instanceof WorkerFault
    if (GONE.has(code) || (isWorkers && GONE_WORDS.test(cause.message))) throw new StorageMissing({ cause })
    if (!EXHAUSTED.has(code) && !isWorkers) throw cause
    const message =
      "Media can't be processed right now: the server is short of disk space, memory or open files. Nothing was changed. Try again later."
    throw new Unready(message, { cause })
  }
}
