import { codeOf } from '../platform/db.ts'
import { Unready } from '../operations/refusal.ts'
import { MediaWorkerFault } from './media-workers.ts'

/** No room on the disk, or no descriptors left. */
const EXHAUSTED = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

/** Runs what needs disk, descriptors, workers and storage. Throws Unready where one of them fails for the time being. */
export async function notReady<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!EXHAUSTED.has(codeOf(cause) ?? '') && !(cause instanceof MediaWorkerFault)) throw cause
    const message =
      "Media can't be processed right now: the server is short of disk space, memory or open files. Nothing was changed. Try again later."
    throw new Unready(message, { cause })
  }
}
