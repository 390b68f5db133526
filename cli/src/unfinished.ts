import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { credentialsPath } from './credentials.ts'

/** So long the same command goes on with a run of which it is not known what it did. */
const KEPT_MS = 60 * 60_000

/** The key of a run of this very command line that had no result; null for none. */
export type Unfinished = {
  readonly key: string | null
  /** Notes whether this run, with its key, has no result either. */
  end(key: string, isUnknown: boolean): void
}

export function unfinishedRun(
  env: Parameters<typeof credentialsPath>[0],
  line: readonly string[],
): Unfinished {
  const name = createHash('sha256').update(JSON.stringify(line)).digest('hex')
  const path = join(dirname(credentialsPath(env)), 'unfinished', name)
  const key = readKept(path)
  return {
    key,
    end(used, isUnknown) {
      if (isUnknown) keep(path, used)
      else if (key !== null) rmSync(path, { force: true })
    },
  }
}

function readKept(path: string): string | null {
  try {
    return Date.now() - statSync(path).mtimeMs < KEPT_MS ? readFileSync(path, 'utf8') : null
  } catch {
    return null
  }
}

/** Where nothing can be written, the message with the key is all that there is to go on with. */
function keep(path: string, key: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, key, { mode: 0o600 })
  } catch {
    return
  }
}
