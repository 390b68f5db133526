// The hashes of all migrations, one a line as `sha256sum` writes them: what has a line stays as it is.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const server = join(import.meta.dirname, '../server')

/** The file `server/migrations.sha256`, with a line more for each new migration. Throws where one that has a line was changed or is gone. */
export function migrationHashes(): string {
  const names = readdirSync(join(server, 'migrations')).toSorted()
  const files = names.map((name) => ({ name, text: readFileSync(join(server, 'migrations', name), 'utf8') }))
  return withNewLines(readFileSync(join(server, 'migrations.sha256'), 'utf8'), files)
}

/** The lines that are there, and one for each file that has none. */
export function withNewLines(
  lines: string,
  files: readonly { readonly name: string; readonly text: string }[],
): string {
  const found = files.map(({ name, text }) => `${hashOf(text)}  migrations/${name}`)
  const kept = lines.split('\n').filter((line) => line !== '')
  for (const [index, line] of kept.entries()) {
    if (line === found[index]) continue
    const [, path = line] = line.split('  ')
    throw new Error(
      `server/${path} is not what it was when server/migrations.sha256 got its line: databases have had it, and refuse another text. ` +
        'Restore it, and put the change into a new file. Only of a migration that was never on the main branch, remove the line.',
    )
  }
  return `${found.join('\n')}\n`
}

/** As `migrate` computes it: of lines that end as on Unix. */
function hashOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}
