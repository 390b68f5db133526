import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildServer } from '../server/build.ts'
import { ROOT } from '../server/src/platform/process/product-files.ts'

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  server: () => buildServer(join(ROOT, 'server/dist')),
  dashboard: () => vite('dashboard'),
  docs: buildDocs,
  cli: () => vite('cli'),
  sdk: () => run('sdk', 'typescript/bin/tsc', ['-p', 'tsconfig.build.json']),
}

/** Builds all, or the parts with these names. */
export async function build(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => PARTS[name] === undefined)
  if (unknown !== undefined)
    throw new Error(`There is no ${unknown} to build, but ${Object.keys(PARTS).join(', ')}.`)
  const waiting = Object.entries(PARTS).filter(([name]) => names.length === 0 || names.includes(name))
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next[1]()
  }
  // Two at a time: each keeps a core busy.
  await Promise.all([work(), work()])
}

function buildDocs(): Promise<void> {
  rmSync(join(ROOT, 'docs-site/dist'), { recursive: true, force: true })
  return run('docs-site', '@11ty/eleventy/cmd.cjs', ['--config=eleventy.config.js', '--quiet'])
}

const vite = (folder: string) =>
  run(folder, 'vite/bin/vite.js', ['build', '--configLoader', 'native', '--logLevel', 'warn'])

/** Says nothing where it succeeds; else, all that the program said. */
function run(folder: string, program: string, args: readonly string[]): Promise<void> {
  const command = [join(ROOT, 'node_modules', program), ...args]
  return new Promise((built, failed) => {
    execFile(process.execPath, command, { cwd: join(ROOT, folder) }, (error, stdout, stderr) => {
      if (error === null) built()
      else failed(new Error(`${folder} could not be built:\n${stdout}${stderr}`, { cause: error }))
    })
  })
}
