import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { MAIN } from './rigs/built.ts'
import { root } from './rigs/product.ts'

test('a stack trace of the build names lines of the sources', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-stacks-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // It holds no database, which the command says.
  const env = { DATA_DIR: folder, LOG_LEVEL: 'debug' }
  const run = promisify(execFile)(process.execPath, [MAIN, 'workspace', 'list'], { env, cwd: folder })
  const { stderr } = await run.catch((error: { stderr: string }) => error)

  const places = [...stderr.matchAll(/^    at .*?\(?(\/\S+?):(\d+):\d+\)?$/gm)].map(([, file = '']) => file)
  expect(places).toContainEqual(expect.stringMatching(`^${root}/server/src/.*\\.ts$`))
  expect(places.filter((file) => file.startsWith(`${root}/server/dist/`))).toEqual([])
})
