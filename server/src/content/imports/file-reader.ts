import { hash } from 'node:crypto'
import type { PlannedPost } from '@postrider/contract/plan'
import { refuse, type Refusal, Unready } from '../../edge/operations/refusal.ts'
import { programFile } from '../../platform/process/product-files.ts'
import { takeBreaks } from '../../platform/process/take-breaks.ts'
import { isRejection, openWorkerPool, WorkerFault } from '../../platform/process/worker-pool.ts'
import { type FileJob, type FileRead, type FileRefused, nearestPlace, type ToldPost } from './told-file.ts'

export type ReadImport = Omit<FileRead, 'posts'> & { readonly posts: readonly PlannedPost[] }

export type FileReader = {
  /**
   * Reads a file in a process of its own, one at a time, and workspaces take turns. Refuses what takes too long or too much memory;
   * throws Unready where there is no process to be had.
   */
  readonly read: (
    job: FileJob,
    workspaceId: string,
    gone: AbortSignal,
  ) => Promise<ReadImport | Refusal<'import_refused'>>
  readonly stop: () => Promise<void>
}

/** 5,000 posts with all their fields take some 3. */
const LIMIT_MS = 20_000
const MAX_RESIDENT_BYTES = 600_000_000

/** Opens it: the process is started with the first file, and ends when there are no more. */
export function openFileReader(limits: { limitMs?: number } = {}): FileReader {
  const pool = openWorkerPool<FileJob>({
    program: programFile('file-reader'),
    processes: 1,
    limitMs: () => limits.limitMs ?? LIMIT_MS,
    maxResidentBytes: MAX_RESIDENT_BYTES,
  })
  return {
    stop: pool.stop,
    async read(job, workspaceId, gone) {
      const fileId = () => hash('sha256', job.file)
      try {
        const end = await pool.run(job, { workspaceId, fileId, signal: gone })
        if (isRejection(end)) return refuseFile(TOO_DEAR)
        const read = end as FileRead | FileRefused
        return 'code' in read ? refuseFile(read) : await readTold(read)
      } catch (cause) {
        // Nobody waits for the answer.
        if (gone.aborted) return refuseFile(TOO_DEAR)
        if (!(cause instanceof WorkerFault)) throw cause
        throw new Unready(AWAY, { cause })
      }
    },
  }
}

const AWAY =
  "Files can't be read right now: the server is short of memory or open files. Nothing was changed. Try again later."

const TOO_DEAR: FileRefused = {
  code: 'too_large',
  detail: 'The file takes too much time or memory to read. Split it into smaller files.',
}

function refuseFile({ code, detail }: FileRefused): Refusal<'import_refused'> {
  return refuse('import_refused', detail, { errors: [{ pointer: '/file', code, detail }] })
}

async function readTold({ posts, ...more }: FileRead): Promise<ReadImport> {
  const pause = takeBreaks()
  const read: PlannedPost[] = []
  for (const text of posts) {
    const { places, ...post } = JSON.parse(text) as ToldPost
    const known = new Map(places.map(({ path, place }) => [JSON.stringify(path), place]))
    const first = places[0]?.place ?? { file: 'file', line: 1, column: 1 }
    read.push({ ...post, placeOf: (path) => nearestPlace(known, path) ?? first })
    await pause()
  }
  return { ...more, posts: read }
}
