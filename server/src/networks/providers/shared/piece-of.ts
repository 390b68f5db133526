import type { FileToSend } from '../port/calls.ts'

/** The bytes of a file from `start` up to and without `end`, as a file of their own. */
export function pieceOf(file: FileToSend, start: number, end: number): FileToSend {
  const size = end - start
  if (size === file.size) return file
  return {
    contentType: file.contentType,
    size,
    open: ({ from, to } = { from: 0, to: size }) => file.open({ from: start + from, to: start + to }),
  }
}
