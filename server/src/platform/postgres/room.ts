/** Whether a file can be stored, as one look shows it. */
export type Room = {
  readonly folder: string
  /** Where files in transit lie, and the stored ones, too, unless those are in a bucket; null where it cannot be told. */
  readonly freeBytes: number | null
  /** Why no file can be stored; null while one can. */
  readonly fault: string | null
}

/** The last look, and how long ago it ended. */
export type SeenRoom = Room & { readonly ageSeconds: number }

/** An upload of the usual size, and the renditions of it. */
const LITTLE_BYTES = 1024 ** 3

/** What is wrong, and what to do about it; null where nothing is. */
export function judgeRoom({ folder, freeBytes, fault }: Room): { detail: string; fix: string } | null {
  if (fault !== null)
    return {
      detail: fault,
      fix: "Free some room, let the server's user write there, or bring the folder back. With S3_…, check the store that it names.",
    }
  if (freeBytes === null || freeBytes >= LITTLE_BYTES) return null
  return {
    detail: `${Math.floor(freeBytes / 1024 ** 2)} MiB free in ${folder}`,
    fix: 'Free some room, or move DATA_DIR to a larger disk.',
  }
}
