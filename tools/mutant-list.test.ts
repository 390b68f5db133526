import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from './mutant-list.ts'

const ROOT = join(import.meta.dirname, '..')

test('what each mutant breaks stands in its file once, and its tests are there', () => {
  const wrong = mutants.filter(({ file, from, tests }) => {
    const source = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : ''
    return source.split(from).length !== 2 || !tests.every((name) => existsSync(join(ROOT, name)))
  })
  expect(wrong.map(({ file, breaks }) => `${file}: ${breaks}`)).toEqual([])
})
