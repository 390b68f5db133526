import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { LEFT_PACKAGES } from '../server/build.ts'
import { ROOT } from '../server/src/platform/process/product-files.ts'
import { MAIN, sourcesOf } from '../server/test/rigs/built.ts'
import { thirdPartyLicenses } from './third-party.ts'

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')
const jsonOf = (...path: string[]) =>
  JSON.parse(read(...path)) as Record<string, Record<string, string> | undefined>

test('each of our packages has the text of its license', () => {
  const listed = execFileSync('git', ['ls-files', '**/package.json'], { cwd: ROOT, encoding: 'utf8' })
  const ours = listed
    .trim()
    .split('\n')
    .filter((file) => jsonOf(file)['license'] !== undefined)
  expect(ours.length).toBeGreaterThan(7)
  for (const file of ours) expect([file, read(dirname(file), 'LICENSE')]).toEqual([file, read('LICENSE')])
  expect(read('cli/dist/LICENSE')).toBe(read('LICENSE'))
})

test('what is joined is passed on with its licenses: of the server, of the page, of the command line, of the search', () => {
  const sources = sourcesOf(globSync(join(dirname(MAIN), '*.js')))
  const joined = new Set(
    sources.flatMap((file) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  )
  expect(joined).toContain('pgpass')
  expect(joined.size).toBeGreaterThan(100)
  const told = read('server/dist/THIRD-PARTY-LICENSES')
  expect([...joined].filter((name) => !told.includes(`\n${name} `))).toEqual([])
  // What is passed on with a package in turn.
  expect(told).toContain(read('node_modules/oidc-provider/THIRD-PARTY-NOTICES.md').trim())

  expect(read('dashboard/dist/assets/THIRD-PARTY-LICENSES.txt')).toMatch(
    /^react-dom [^]*^Copyright \(c\) Meta/m,
  )
  expect(read('cli/dist/THIRD-PARTY-LICENSES')).toMatch(/^yaml [^]*^Copyright /m)
  expect(read('docs-site/dist/THIRD-PARTY-LICENSES')).toMatch(/^minisearch [^]*^Copyright /m)
})

test('what is installed beside the build has its licenses, which nothing has removed', () => {
  const own = Object.keys(jsonOf('server/package.json')['optionalDependencies'] ?? {})
  const names = [...LEFT_PACKAGES, ...own.filter((name) => existsSync(join(ROOT, 'node_modules', name)))]
  const folders = new Set<string>()
  for (const name of names) addWithDependencies(folders, ROOT, name)
  expect(folders.size).toBeGreaterThan(10)
  for (const folder of folders) expect(thirdPartyLicenses([`${folder}/index.js`])).toMatch(/\n\n.{20}/)
})

/** A package as Node finds it from a folder, and what it depends on. */
function addWithDependencies(folders: Set<string>, from: string, name: string): void {
  const folder = join(from, 'node_modules', name)
  if (!existsSync(folder)) {
    if (from !== ROOT) addWithDependencies(folders, dirname(from), name)
    return
  }
  if (folders.has(folder)) return
  folders.add(folder)
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const needed of Object.keys(dependencies)) addWithDependencies(folders, folder, needed)
}
