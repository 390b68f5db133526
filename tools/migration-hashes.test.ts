import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../server/src/platform/embedded-postgres/database.ts'
import { knownMigrations } from '../server/src/platform/postgres/migrate.ts'
import { withNewLines } from './migration-hashes.ts'

const one = { name: '0001_people.sql', text: 'create table person (id int);\n' }
const two = { name: '0002_names.sql', text: 'alter table person add name text;\n' }
const three = { name: '0003_more.sql', text: 'alter table person add more text;\n' }
const lines = withNewLines('', [one, two])

test('every migration of this release has its line, and is what it was when it got it', () => {
  const hashes = readFileSync(join(MIGRATIONS, '../migrations.sha256'), 'utf8')
  const known = knownMigrations(MIGRATIONS).map(({ name, checksum }) => `${checksum}  migrations/${name}.sql`)
  expect(hashes).toBe(`${known.join('\n')}\n`)
  // The first release is out: its schema is this one for good.
  expect(known[0]).toBe(
    '718a5c981ae46a166de4ec5b82dc17055ef1f31c5693db3b77474e1ece9ae180  migrations/0001_tables.sql',
  )
})

test('a new migration gets a line behind the others', () => {
  expect(withNewLines(lines, [one, two, three])).toMatch(
    /^[^]*0002_names\.sql\n[0-9a-f]{64}  migrations\/0003_more\.sql\n$/,
  )
  expect(withNewLines(lines, [one, two, three]).startsWith(lines)).toBe(true)
  expect(withNewLines(lines, [one, { ...two, text: two.text.replaceAll('\n', '\r\n') }])).toBe(lines)
})

test.each([
  ['edited', [one, { ...two, text: 'drop table person;\n' }], '0002_names.sql'],
  ['renamed', [one, { ...two, name: '0002_other.sql' }], '0002_names.sql'],
  ['removed', [one], '0002_names.sql'],
  ['preceded by another', [one, { ...three, name: '0001_z.sql' }, two], '0002_names.sql'],
])('one that was %s is refused by name', (_, files, name) => {
  expect(() => withNewLines(lines, files)).toThrow(`server/migrations/${name} is not what it was`)
})
