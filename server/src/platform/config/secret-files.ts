import { closeSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../postgres/db.ts'
import { fileNameOf, type Name, secretNames } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** More than any secret has; what is larger, or never ends, is another file. */
const MAX_BYTES = 65_536

/**
 * The environment with the contents of the files that its `…_FILE` variables name, what is wrong with these, and which
 * settings are from files.
 */
export function readSecretFiles(env: Environment): {
  env: Environment
  faults: string[]
  fromFiles: ReadonlySet<string>
} {
  const read: Record<string, string> = {}
  const faults: string[] = []
  for (const name of secretNames) {
    const path = (env[fileNameOf(name)] ?? '').trim()
    if (path === '') continue
    const found = readSecretFile(env, name, path)
    if ('text' in found) read[name] = found.text
    else faults.push(found.fault)
  }
  return { env: { ...env, ...read }, faults, fromFiles: new Set(Object.keys(read)) }
}

function readSecretFile(env: Environment, name: Name, path: string): { text: string } | { fault: string } {
  const file = fileNameOf(name)
  if ((env[name] ?? '').trim() !== '')
    return { fault: `${name} and ${file} are both set. Remove one of them.` }
  const fault = (what: string) => ({ fault: `${file} (${JSON.stringify(path)}) ${what}.` })
  try {
    const bytes = readBeginning(path)
    if (bytes.length > MAX_BYTES) return fault(`holds more than ${MAX_BYTES / 1_024} KB`)
    // Trims a byte order mark, too.
    const text = bytes.toString('utf8').trim()
    return text === '' ? fault('is empty') : { text }
  } catch (error) {
    return fault(`cannot be read (${codeOf(error) ?? 'unknown'})`)
  }
}

/** The file, or of a larger one more than is allowed. */
function readBeginning(path: string): Buffer {
  const bytes = Buffer.alloc(MAX_BYTES + 1)
  const file = openSync(path, 'r')
  try {
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, null)
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
