import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { THIRD_PARTY, thirdPartyLicenses } from '../tools/third-party.ts'
import { readCommit } from './src/platform/process/version.ts'
import { migrationsFolder, PROGRAMS, ROOT } from './src/platform/process/product-files.ts'

/*
 * Joins the server with what it depends on into `server/dist`: a file for each of its programs, and one for each part that is loaded on
 * first use. The migrations are copied.
 */

/** What stays a package: it has native code, its files are served, or a statement needs it at once, when it is first used. */
export const LEFT_PACKAGES = [
  'sharp',
  'swagger-ui-dist',
  'ajv',
  'ajv-formats',
  'fast-json-stringify',
  'twitter-text',
]
/** What a package looks for, and does without. */
const OPTIONAL = ['pg-native']

const isOutside = (id: string) =>
  [...LEFT_PACKAGES, ...OPTIONAL].some((name) => id === name || id.startsWith(`${name}/`))

/** Builds it into a folder that has nothing else. */
export async function buildServer(folder: string): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, join(ROOT, path)])),
    cwd: ROOT,
    platform: 'node',
    external: isOutside,
    transform: { define: { BUILT_COMMIT: JSON.stringify(readCommit()) } },
    // A package that Koa loads compiles a function of its own.
    checks: { eval: false },
    onLog: (_level, { code, message }) => {
      const advice = code === 'UNRESOLVED_IMPORT' ? 'A package is missing or incomplete: run `npm ci`. ' : ''
      throw new Error(advice + message)
    },
  })
  const { output } = await build.generate({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    chunkFileNames: '[name]-[hash].js',
    // Without spaces and comments a server has 4 MB less; shorter names, too, save no more, and would be in stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  })
  await build.close()
  // It appears complete or not at all.
  const draft = `${folder}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  for (const file of output) {
    if (file.type !== 'chunk') continue
    writeFileSync(join(draft, file.fileName), file.code)
    // That of Rolldown itself has no sources.
    if (file.map === null) continue
    // A map leads to the sources, and need not repeat them.
    const map = { ...(JSON.parse(String(file.map)) as object), sourcesContent: undefined }
    writeFileSync(join(draft, `${file.fileName}.map`), JSON.stringify(map))
  }
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  writeFileSync(join(draft, THIRD_PARTY), thirdPartyLicenses(modules))
  cpSync(migrationsFolder(), join(draft, 'migrations'), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
}
