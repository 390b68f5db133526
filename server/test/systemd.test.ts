import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from './rigs/product.ts'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd)('the unit of the page on operating leaves little exposed', async () => {
  const page = await readFile(join(root, 'docs/operating.md'), 'utf8')
  const [, unit = ''] = /```ini\n(# \/etc\/systemd[^]*?)```/.exec(page)!
  const folder = await mkdtemp(join(tmpdir(), 'postrider-unit-'))
  const file = join(folder, 'postrider.service')
  await writeFile(file, unit)

  const command = ['security', '--offline=yes', '--threshold=30', file]
  const { stdout } = await promisify(execFile)('systemd-analyze', command)

  expect(Number(/Overall exposure level for postrider\.service: ([\d.]+)/.exec(stdout)![1])).toBeLessThan(2)
  await rm(folder, { recursive: true })
})
