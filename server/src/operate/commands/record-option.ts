import type { OpenedRecord } from './open-record.ts'

/** The option of commands that record the calls of this process. */
export const RECORD_OPTION = [
  '--record <file>',
  'write each call to a network and its answer to this file, to share when a network refuses a post: without tokens, texts, names, ids and addresses',
] as const

/** Opens the record that an option names, which `opened` closes; null where none is named. What writes it is loaded only then. */
export async function recordTo(
  path: string | undefined,
  opened: AsyncDisposableStack,
): Promise<OpenedRecord | null> {
  if (path === undefined) return null
  const { openRecord } = await import('./open-record.ts')
  return opened.adopt(await openRecord(path), ({ close }) => close())
}
