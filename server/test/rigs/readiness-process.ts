import { openSync } from 'node:fs'
import { watchReadiness } from '../../src/edge/api/http/readiness.ts'
import { codeOf, openDb } from '../../src/platform/postgres/db.ts'

/** Prints the readiness of a process that has used up its file descriptors: `node readiness-process.ts <database URL>`. */
const db = openDb({ url: process.argv[2] ?? '', applicationName: 'test' })
const readiness = watchReadiness(db)
// What is loaded with the first connection needs files, too.
const found: unknown[] = [await readiness()]
await db.end()
const starved = watchReadiness(openDb({ url: process.argv[2] ?? '', applicationName: 'test' }))
try {
  for (;;) openSync('/dev/null', 'r')
} catch (error) {
  if (codeOf(error) !== 'EMFILE') throw error
}
found.push(await starved())
process.send?.(found, () => process.exit())
