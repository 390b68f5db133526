// Fails where pages, mails, documents or problems use a word that is not ours (words.json says which is), where a sentence of a page
// is longer than a reader takes in, where a text stands among the elements of a screen instead of in its
// `words.ts`, and where the server says to people what has no German.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { phrases, sentences } from '../contract/src/german-sentences.ts'
import { serverSentences } from './server-sentences.ts'
import { faultsOf, loneTexts, readRules, type Scope, textsOf } from './words-rules.ts'

const root = join(import.meta.dirname, '..')
const rules = readRules(JSON.parse(readFileSync(join(import.meta.dirname, 'words.json'), 'utf8')))

function filesBelow(folder: string, end: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => end.test(name) && !name.includes('node_modules') && !name.includes('.test.'))
    .map((name) => join(root, folder, name))
}

const scopes: readonly [Scope, readonly string[]][] = [
  ['ui', [...filesBelow('dashboard/src', /\/words\.ts$/), ...filesBelow('server/src', /\/words\.ts$/)]],
  ['docs', [...filesBelow('docs', /^(?!problems|adr).*\.md$/), join(root, 'README.md')]],
  ['problems', filesBelow('docs/problems', /\.md$/)],
]

const faults = [
  ...scopes.flatMap(([scope, files]) =>
    files.flatMap((file) => {
      const source = readFileSync(file, 'utf8')
      const texts = scope === 'ui' ? textsOf(parseSync(file, source).program) : [source]
      return texts
        .flatMap((text) => faultsOf(text, scope, rules))
        .map((fault) => `${relative(root, file)}: ${fault}`)
    }),
  ),
  ...filesBelow('dashboard/src', /\.tsx$/).flatMap((file) =>
    loneTexts(parseSync(file, readFileSync(file, 'utf8')).program).map(
      (text) => `${relative(root, file)}: “${text}” belongs into words.ts`,
    ),
  ),
]
const inGerman = new Set([...sentences, ...phrases].map(([english]) => english))
for (const [english, file] of serverSentences(join(root, 'server/src'))) {
  if (!inGerman.has(english))
    faults.push(`server/src/${file}: no German in contract/src/german-sentences.ts for “${english}”`)
}

for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1
