import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { callRecorder, type CallRecorder } from '../../networks/providers/port/record-call.ts'
import { codeOf } from '../../platform/postgres/db.ts'
import { version } from '../../platform/process/version.ts'
import { CommandFault } from './command-fault.ts'

/** A record of calls in a file, which is written until it is closed. */
export type OpenedRecord = {
  readonly recorder: CallRecorder
  /** The whole path of the file. */
  readonly file: string
  readonly close: () => Promise<void>
}

/** What may be forgotten must not fill a disk: some twenty thousand calls. */
const MAX_BYTES = 20_000_000

/** Opens a file to which calls are added, a line of JSON for each; only its owner can read it. A first line says what wrote it. */
export async function openRecord(path: string): Promise<OpenedRecord> {
  const file = resolve(path)
  const handle = await open(file, 'a', 0o600).catch((error: unknown) => {
    throw new CommandFault(
      `The record cannot be written to ${file} (${String(codeOf(error))}). Name a file in a folder that this user may write to.`,
    )
  })
  const lines = createWriteStream(file, { fd: handle })
  let left = MAX_BYTES
  // A disk that is full ends the record, and nothing else.
  lines.on('error', () => (left = 0))
  function write(line: string): void {
    const text = `${line}\n`
    left -= Buffer.byteLength(text)
    if (left >= 0) lines.write(text)
  }
  write(JSON.stringify({ record: 'Postrider', version, node: process.version }))
  return {
    recorder: callRecorder(write),
    file,
    async close() {
      lines.end()
      await finished(lines).catch(() => undefined)
    },
  }
}
