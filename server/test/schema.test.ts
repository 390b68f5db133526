import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../src/platform/embedded-postgres/database.ts'

const RULE = `-- ${'-'.repeat(117)}`

test('the schema can be read: every table has an owner, and a sentence that says what it is for', async () => {
  const text = await readFile(join(MIGRATIONS, '0001_tables.sql'), 'utf8')
  const [, ...pieces] = text.split(`\n${RULE}\n`)
  const tables = [...text.matchAll(/^create table (\w+)/gm)].map(([, name]) => name)
  const explained = pieces.flatMap((section, n) => {
    const isOwned = /^-- owner: [a-z-]+$/m.test(pieces[n - 1] ?? '')
    const found = isOwned ? [...section.matchAll(/^-- .*\.\n(?:-- .*\n)*create table (\w+)/gm)] : []
    return found.map(([, name]) => name)
  })
  expect(tables.length).toBeGreaterThan(40)
  expect(explained).toEqual(tables)
})
