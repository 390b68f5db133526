import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './product.ts'

test('what a checkout keeps to itself, secrets and data above all, goes into no image', async () => {
  const namesIn = async (file: string) =>
    (await readFile(join(root, file), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^\*\*\/|^\//, '').replace(/\/$/, ''))

  const kept = await namesIn('.gitignore')

  expect(kept).toEqual(expect.arrayContaining(['.env', '.webhook-secret', 'data']))
  expect(await namesIn('.dockerignore')).toEqual(expect.arrayContaining(kept))
})
