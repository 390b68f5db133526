import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/* Background work runs in loops that do again what collides with another transaction: startDueLoop and runPeriodically. */

const source = join(import.meta.dirname, '../..')

/** A file of the way to the database repeats only a question to its connection. */
const OF_DATABASE = /^platform\/postgres\//

test('what repeats by a timer of its own does not work with the database', () => {
  const files = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] })
  const repeating = files.filter((file) => /\bsetInterval\(/.test(read(file)))
  expect(repeating).not.toEqual([])
  const unsafe = repeating.filter(
    (file) => !OF_DATABASE.test(file) && /from '[^']*(?:postgres\/db|-store)\.ts'/.test(read(file)),
  )
  expect(unsafe).toEqual([])
})

function read(file: string): string {
  return readFileSync(join(source, file), 'utf8')
}
