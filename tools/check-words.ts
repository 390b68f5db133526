// Fails where pages, mails, documents or problems use a word that is not ours (words.json says which is), where a sentence of a page
// is longer than a reader takes in, where a text stands among the elements of a screen instead of in its
// `words.ts`, where the server says to people what has no German, and where a person would read a name of the API.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { phrases, sentences } from '../contract/src/german-sentences.ts'
import { plainOf } from '../contract/src/plain.ts'
import { plainSentences } from '../contract/src/plain-sentences.ts'
import { serverSentences } from './server-sentences.ts'
import { apiNames, faultsOf, loneTexts, readRules, type Scope, textsOf } from './words-rules.ts'

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
/** Where developers read the names of the API. */
const FOR_DEVELOPERS = /\/(?:keys|apps|webhooks|events|developers|credentials)\//
for (const file of [
  ...filesBelow('dashboard/src', /\/words(?:\.de)?\.ts$/),
  ...filesBelow('server/src', /\/words(?:\.de)?\.ts$/),
]) {
  if (FOR_DEVELOPERS.test(file)) continue
  for (const text of textsOf(parseSync(file, readFileSync(file, 'utf8')).program))
    for (const name of apiNames(text)) faults.push(`${relative(root, file)}: “${name}” is a name of the API`)
}
/** Faults in the text of a rule, which nobody types on a page: its fields make no such rule. */
const OF_RULES = /^content\/series\/rule\.ts$/
const inGerman = new Set([...sentences, ...phrases].map(([english]) => english))
const said = serverSentences(join(root, 'server/src'))
for (const [english, file] of said) {
  if (!inGerman.has(english))
    faults.push(`server/src/${file}: no German in contract/src/german-sentences.ts for “${english}”`)
}

const inPlain = new Set(plainSentences.map(([english]) => english))
for (const [english, german] of sentences) {
  if (OF_RULES.test(said.get(english) ?? '')) continue
  if (apiNames(english).length > 0 && !inPlain.has(english))
    faults.push(`contract/src/plain-sentences.ts: no plain English for “${english}”`)
  for (const text of [plainOf(english), german])
    for (const name of apiNames(text))
      faults.push(`contract/src: “${name}” in “${text}” is a name of the API`)
}
for (const [english] of plainSentences)
  if (!said.has(english)) faults.push(`contract/src/plain-sentences.ts: nobody says “${english}”`)

for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1
