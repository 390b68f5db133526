import { open } from 'node:fs/promises'
import { FileRejected } from './file-rejected.ts'
import type { MediaJob, MediaJobEnd, ResultOf } from './media-job.ts'

/** What is thrown where the disk, and not the file, is at fault. */
const DISK_FAULT =
  /no space left|ENOSPC|quota exceeded|EDQUOT|read-only file system|EROFS|file too large|EFBIG|no such file or directory|ENOENT|stale file handle|ESTALE|input\/output error|\bEIO\b/i

/** Runs one job. Whatever a decoder throws rejects the file, unless the disk is at fault. */
export async function runMediaJob(job: MediaJob): Promise<MediaJobEnd> {
  try {
    return { result: await run(job) }
  } catch (thrown) {
    if (thrown instanceof FileRejected) return { rejected: thrown.message }
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    if (DISK_FAULT.test(message)) return { fault: message }
    const rejected = "It can't be read: it is damaged, cut short, or not what it seems."
    return { rejected, undecodable: true }
  }
}

/** A decoder is loaded on first use: to probe a video, none for images is needed. */
async function run(job: MediaJob): Promise<ResultOf<MediaJob>> {
  switch (job.type) {
    case 'clean':
      return (await import('./images.ts')).cleanImage(job)
    case 'crop':
      return (await import('./images.ts')).cropImage(job)
    case 'resize':
      return (await import('./images.ts')).resizeImage(job)
    case 'fit':
      return (await import('./images.ts')).fitImage(job)
    case 'probe':
      return (await import('./recordings.ts')).probeRecording(job.from)
    case 'check_document':
      return checkDocument(job.from)
    case 'read_page':
      return (await import('./page-card.ts')).readPageCard(job)
    default:
      return job satisfies never
  }
}

const PDF_END_WITHIN = 2_048

/** A PDF ends with the position of its cross-reference table; one that was cut short does not. */
async function checkDocument(path: string): Promise<null> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, PDF_END_WITHIN)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const whole = /startxref\s+\d+\s+%%EOF/.test(buffer.toString('latin1'))
    if (!whole) throw new FileRejected('The PDF is cut short: its end is missing.')
    return null
  } finally {
    await file.close()
  }
}
