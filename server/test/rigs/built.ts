import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { oneAtATime } from '../../../tools/one-at-a-time.ts'
import { buildServer } from '../../build.ts'
import { ROOT } from '../../src/platform/process/product-files.ts'

const DIST = join(ROOT, 'server/dist')

/** What tests start as a process is what `npm start` runs: the build, made again where a source is newer. */
export const MAIN = join(DIST, 'main.js')

await oneAtATime(DIST, async () => {
  if (
    newestMs([
      '{contract,server,sandbox-network}/src/**/*.ts',
      'server/migrations',
      'server/migrations/*.sql',
      'server/build.ts',
      'package-lock.json',
    ]) > newestMs(['server/dist/main.js'])
  )
    await buildServer(DIST)
})

function newestMs(patterns: readonly string[]): number {
  const files = globSync(patterns, { cwd: ROOT, exclude: ['**/*.test.ts'] })
  return Math.max(0, ...files.map((file) => statSync(join(ROOT, file)).mtimeMs))
}

/** The sources that loaded files are made of, by their paths or addresses; a file that is not of the build is its own. */
export function sourcesOf(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const path = file.replace(/^file:\/\//, '')
    if (!existsSync(`${path}.map`)) return [file]
    const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { sources: string[] }
    return sources.map((source) => join(DIST, source))
  })
}
