import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Of the machine, of Vitest, or passed from one process of a test to another. */
const NOT_SETTINGS =
  /^(?:PATH|USER|TMPDIR|HOME|CI|NODE_ENV|TZ|VITEST_\w+|TEST_DATABASES|OTHER_POSTGRES|POSTRIDER_\w+|OPENAI_\w+|ANTHROPIC_\w+)$/

test('the page on tests has every setting that a test reads, and no other', () => {
  const files = globSync(['server/{src,test}/**/*.ts', 'vitest.config.ts'], { cwd: root }).filter(
    (name) => !name.includes('node_modules') && (name.includes('test') || name.startsWith('vitest')),
  )
  const read = new Set(
    files
      .flatMap((name) => settingsIn(readFileSync(join(root, name), 'utf8')))
      .filter((name) => !NOT_SETTINGS.test(name)),
  )
  const page = readFileSync(join(root, 'server/test/README.md'), 'utf8')
  const told = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`([A-Z\d_]+)`/g)].map(([, name = '']) => name),
    )
  expect(told.toSorted()).toEqual([...read].toSorted())
})

function settingsIn(text: string): string[] {
  return [
    ...[...text.matchAll(/process\.env\[?\.?'?([A-Z][A-Z\d_]+)/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/const \{([^}]*)\} = process\.env\b/g)].flatMap(([, names = '']) =>
      [...names.matchAll(/(?:^|,)\s*([A-Z][A-Z\d_]+)/g)].map(([, name = '']) => name),
    ),
  ]
}
