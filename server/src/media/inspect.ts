import { open } from 'node:fs/promises'
import type { FindingOf, Inspection, Objection } from './inspection.ts'
import { Objected } from './objected.ts'

/** What is thrown where the disk, and not the file, is at fault. */
const OURS = /no space left|ENOSPC|quota exceeded|EDQUOT|read-only file system|EROFS|file too large|EFBIG/i

/** Carries out one inspection. Whatever a decoder throws is an objection to the file, unless it is the disk's doing. */
export async function inspect(
  inspection: Inspection,
): Promise<{ finding: unknown } | Objection | { fault: string }> {
  try {
    return { finding: await find(inspection) }
  } catch (thrown) {
    if (thrown instanceof Objected) return { objection: thrown.message }
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    if (OURS.test(message)) return { fault: message }
    return { objection: 'It cannot be decoded: it is damaged, cut short, or not what it seems.' }
  }
}

/** The decoders are loaded when they are wanted: whoever measures a video need not carry those of images, too. */
async function find(inspection: Inspection): Promise<FindingOf<Inspection>> {
  switch (inspection.do) {
    case 'clean':
      return (await import('./images.ts')).cleanImage(inspection)
    case 'crop':
      return (await import('./images.ts')).cropImage(inspection)
    case 'shrink':
      return (await import('./images.ts')).shrinkImage(inspection)
    case 'fit':
      return (await import('./images.ts')).fitImage(inspection)
    case 'measure':
      return (await import('./recordings.ts')).measureRecording(inspection.from)
    case 'leaf':
      return leafDocument(inspection.from)
    default:
      return inspection satisfies never
  }
}

const PDF_END_WITHIN = 2_048

/** A PDF ends with the place of its table of contents; one that was cut short does not. */
async function leafDocument(path: string): Promise<null> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, PDF_END_WITHIN)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const whole = /startxref\s+\d+\s+%%EOF/.test(buffer.toString('latin1'))
    if (!whole) throw new Objected('The PDF is cut short: its end is missing.')
    return null
  } finally {
    await file.close()
  }
}
