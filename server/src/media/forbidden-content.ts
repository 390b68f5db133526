import { open } from 'node:fs/promises'
import type { MediaKind } from '@postrider/contract'

/*
 * A polyglot is a file that is valid in two formats: a picture to the server that checks it, and a page, a script or an
 * archive to the program that is made to open it. What is looked for here is where readers of the second format look.
 */

/** As far as browsers look for markup (MIME Sniffing, 5.2), and readers of PDF for its header. */
const HEAD_BYTES = 1_445
const PDF_HEADER_WITHIN = 1_024
/** The end record of a ZIP archive, with the longest comment that it can carry. */
const TAIL_BYTES = 22 + 65_535

const MARKUP = /<(?:!doctype\s|html|head|body|script|iframe|svg|\?php|\?xml-stylesheet)/i
const SCRIPT = /<script[\s>/]/i
/**
 * What makes a reader of PDF act (ISO 32000-2, 12.6.4): scripts, other programs and files, forms that are sent, media
 * that plays, files inside. Links to web addresses and to pages are let through.
 */
const ACTIVE_PDF =
  /\/(?:JavaScript|JS|Launch|SubmitForm|ImportData|GoTo[ER]|RichMedia(?:Execute)?|Rendition|Movie|Sound|GoTo3DView|EmbeddedFiles?|XFA)(?![A-Za-z0-9])/
/** One octet of a name of PDF, written in hexadecimal (ISO 32000-1, 7.3.5). */
const ESCAPED = /#([0-9a-f]{2})/gi
/** The chunk that makes an animation of a PNG; it may stand anywhere before the picture. */
const MOTION = /\0\0\0\x08acTL/
const CHUNK_BYTES = 64 * 1024
const OVERLAP_BYTES = 64

/**
 * What a file holds besides what it shows, or null. Reads images and documents whole, others at both ends. What a PDF
 * hides in compressed streams is not found.
 */
export async function findForbiddenContent(path: string, kind: MediaKind): Promise<string | null> {
  const file = await open(path)
  // One for all reads: a hundred megabytes of chunks would stay in memory until they are collected.
  const buffer = Buffer.alloc(Math.max(CHUNK_BYTES + OVERLAP_BYTES, TAIL_BYTES))
  try {
    const { size } = await file.stat()
    const head = await read(0, Math.min(size, HEAD_BYTES))
    if (MARKUP.test(head)) return 'markup that a browser would run'
    if (kind !== 'document' && head.slice(0, PDF_HEADER_WITHIN).includes('%PDF-')) return 'a PDF'
    if (endsInArchive(await read(Math.max(0, size - TAIL_BYTES), size))) return 'an archive'
    if (kind === 'image') return await anywhere(isPng(head) ? forbiddenInPng : forbiddenInImage)
    return kind === 'document' ? await anywhere(forbiddenInPdf) : null

    async function read(start: number, end: number): Promise<string> {
      const { bytesRead } = await file.read(buffer, 0, end - start, start)
      return buffer.toString('latin1', 0, bytesRead)
    }

    async function anywhere(search: (text: string) => string | null): Promise<string | null> {
      for (let start = 0; start < size; start += CHUNK_BYTES) {
        const found = search(await read(start, Math.min(size, start + CHUNK_BYTES + OVERLAP_BYTES)))
        if (found !== null) return found
      }
      return null
    }
  } finally {
    await file.close()
  }
}

function forbiddenInImage(text: string): string | null {
  return SCRIPT.test(text) ? 'a script' : null
}

function forbiddenInPng(text: string): string | null {
  return MOTION.test(text) ? 'an animation' : forbiddenInImage(text)
}

function forbiddenInPdf(text: string): string | null {
  return ACTIVE_PDF.test(namesOf(text)) ? 'active content' : null
}

function isPng(head: string): boolean {
  return head.startsWith('\x89PNG\r\n')
}

/** The text of a PDF with its names as a reader understands them. */
function namesOf(text: string): string {
  return text.replaceAll(ESCAPED, (_, octet: string) => String.fromCharCode(Number.parseInt(octet, 16)))
}

/** Whether the bytes end in the end record of a ZIP archive whose comment reaches exactly to the end. */
function endsInArchive(tail: string): boolean {
  for (
    let at = tail.lastIndexOf('PK\x05\x06');
    at >= 0;
    at = at === 0 ? -1 : tail.lastIndexOf('PK\x05\x06', at - 1)
  ) {
    const comment = tail.charCodeAt(at + 20) + 256 * tail.charCodeAt(at + 21)
    if (at + 22 + comment === tail.length) return true
  }
  return false
}
