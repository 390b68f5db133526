import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeGreeting } from './write-greeting.ts'

test('a greeting is for its owner alone, whatever was there, and a later one leaves the first where it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-greeting-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const elsewhere = join(folder, 'elsewhere')
  await writeFile(elsewhere, 'theirs')
  await symlink(elsewhere, join(folder, 'first-start.txt'))
  await writeFile(join(folder, 'greeting.txt'), 'old', { mode: 0o644 })

  const first = await writeGreeting(folder, 'a key', { isFirst: true })
  const later = await writeGreeting(folder, 'no key', { isFirst: false })
  await writeGreeting(folder, 'no key', { isFirst: false })
  expect(await readFile(first, 'utf8')).toBe('a key')
  expect(await readFile(later, 'utf8')).toBe('no key')
  expect(await readFile(elsewhere, 'utf8')).toBe('theirs')
  for (const path of [first, later]) expect((await stat(path)).mode & 0o777).toBe(0o600)
})
