import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse as parseYaml } from 'yaml'

/*
 * The code blocks of all documents, and what the comments above them say, which readers do not see:
 *
 *   <!-- block: not run: <why> -->          it is not run
 *   <!-- block: run by <file of tests> -->  that test runs it; above the first heading: all of this page
 *   <!-- block: excerpt of <file> -->       its text is in that file, which a test runs
 *   <!-- block: file <name> -->             not run, but written where the next blocks find it
 *   <!-- block: stays -->                   runs until the page ends, as a server does
 *   <!-- block: printed -->                 the block before prints this text
 *   <!-- prints: <line> | <line> -->        it prints these lines, in this order; `…` stands for anything
 *   <!-- before … --> and <!-- after … -->  lines in front of it and behind it, such as what a reader fills in
 *
 *   <!-- apart -->                          this section has a reader of its own, who has read the first section
 *
 * Every other block in one of RUNNABLE is run by server/test/doc-blocks.deep.test.ts.
 */

export const root = join(import.meta.dirname, '..')

const RUNNABLE = ['sh', 'ts', 'python'] as const
const TEXTS = ['', 'csv', 'http', 'ini', 'json', 'mermaid', 'nginx', 'text', 'yaml']

export type Way =
  | { readonly is: 'run' | 'stays' | 'printed' | 'text' }
  | { readonly is: 'not run'; readonly why: string }
  | { readonly is: 'run by' | 'excerpt of'; readonly file: string }
  | { readonly is: 'file'; readonly name: string }

export type Block = {
  /** From the root of the repository. */
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
  readonly way: Way
  readonly prints: readonly string[]
  readonly before: string
  readonly after: string
  /** The heading that it stands under. */
  readonly section: string
  /** Whether its section begins anew, behind the first section of the page alone. */
  readonly isApart: boolean
}

/** All blocks of all pages, in their order; throws where a comment is not understood. */
export function readBlocks(): readonly Block[] {
  const exclude = (name: string) => /(^|\/)(node_modules|dist|data)$/.test(name)
  const pages = globSync('**/*.md', { cwd: root, exclude }).map((name) => name.replaceAll('\\', '/'))
  return pages.toSorted().flatMap((page) => blocksOf(page, readFileSync(join(root, page), 'utf8')))
}

export function blocksOf(page: string, text: string): readonly Block[] {
  const ofPage = /^<!-- block: run by (\S+) -->\n+#/m.exec(text)?.[1]
  const comments = String.raw`((?:^ *<!--(?:(?!-->)[^])*-->\n+)*)`
  const pattern = new RegExp(`${comments}^( *)\`\`\`(\\w*)[^\\n]*\\n([^]*?)^\\2\`\`\`$`, 'gm')
  return Array.from(text.matchAll(pattern), (match) => {
    const [, notes = '', indent = '', language = '', code = ''] = match
    const line = text.slice(0, match.index + notes.length).split('\n').length
    const told = [...notes.matchAll(/<!-- (block:|prints:|before\n|after\n)([^]*?) ?-->/g)]
    const lines = (kind: string) => told.flatMap(([, of, value = '']) => (of === kind ? [value.trim()] : []))
    const [way] = lines('block:')
    const byDefault = ofPage === undefined ? { is: 'run' as const } : { is: 'run by' as const, file: ofPage }
    return {
      page,
      line,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      way: way === undefined ? (isRunnable(language) ? byDefault : { is: 'text' }) : wayOf(way, page, line),
      prints: lines('prints:').flatMap((list) => list.split(' | ')),
      before: lines('before\n').join('\n'),
      after: lines('after\n').join('\n'),
      section:
        text
          .slice(0, match.index)
          .match(/^## .+$/gm)
          ?.at(-1) ?? '',
      isApart: notes.includes('<!-- apart -->'),
    }
  })
}

const isRunnable = (language: string) => RUNNABLE.some((known) => known === language)

function wayOf(text: string, page: string, line: number): Way {
  if (text === 'stays' || text === 'printed') return { is: text }
  const [, is, value = ''] = /^(not run:|run by|excerpt of|file) (.+)$/.exec(text) ?? []
  if (is === 'not run:') return { is: 'not run', why: value }
  if (is === 'run by' || is === 'excerpt of') return { is, file: value }
  if (is === 'file') return { is, name: value }
  throw new Error(`${page}:${line}: "${text}" says no way in which a block is run.`)
}

/** What is wrong with a block before it is run; null where nothing is. */
export function faultOf({ page, language, code, way }: Block): string | null {
  if (![...RUNNABLE, ...TEXTS].includes(language))
    return `${language} is no language of blocks: ${RUNNABLE.join(', ')} are run, ${TEXTS.join(', ').slice(2)} are not`
  if (way.is === 'run by') {
    const file = join(root, way.file)
    const names = way.file.endsWith('.test.ts') && existsSync(file) && readFileSync(file, 'utf8')
    return names && names.includes(basename(page)) ? null : `${way.file} is no test that reads ${page}`
  }
  if (way.is === 'excerpt of') {
    const file = join(root, way.file)
    return existsSync(file) && readFileSync(file, 'utf8').includes(code) ? null : `it is not in ${way.file}`
  }
  try {
    if (language === 'json') JSON.parse(code)
    if (language === 'yaml') parseYaml(code)
  } catch (error) {
    return String(error)
  }
  return null
}
