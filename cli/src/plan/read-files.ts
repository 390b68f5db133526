import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { usageError } from '../exits.ts'
import { type Known, type Parsed, parseText, type Sources } from '@postrider/contract/plan'

const NAMES = ['plan.yaml', 'plan.yml', 'plan.json']

/** Reads a file, or a folder with a plan and posts in Markdown beside it. */
export function readSources(path: string): Sources {
  if (!existsSync(path)) throw usageError(`${path} does not exist.`)
  if (!statSync(path).isDirectory()) {
    const read = parseText(path, readFileSync(path, 'utf8'), dirname(path))
    return { plan: read.source, posts: [], faults: read.faults }
  }
  const name = NAMES.find((each) => existsSync(join(path, each)))
  if (name === undefined)
    throw usageError(`${path} has no ${NAMES.join(', ')}: it needs at least \`plan: <id>\`.`)
  const names = readdirSync(path).filter((each) => each.endsWith('.md'))
  const files = [name, ...names.toSorted()].map((each) => join(path, each))
  const faults = files
    .filter((file) => leadsOut(path, file) || !existsSync(file))
    .map((file) => ({
      file,
      line: 1,
      column: 1,
      message: 'This leads outside the folder of the plan, or nowhere. Put the file itself there.',
    }))
  const [fault] = faults
  if (fault !== undefined)
    return { plan: { value: null, folder: path, placeOf: () => fault }, posts: [], faults }
  // A folder is no file, and a pipe would be waited for.
  const [head = '', ...others] = files.filter((file) => statSync(file).isFile())
  if (basename(head) !== name) throw usageError(`${join(path, name)} is not a file.`)
  const plan = parseText(head, readFileSync(head, 'utf8'), path)
  const posts = others.flatMap((file) => parseMarkdown(file, readFileSync(file, 'utf8'), path) ?? [])
  return {
    plan: plan.source,
    posts: posts.map(({ source }) => source),
    faults: [plan, ...posts].flatMap(({ faults }) => faults),
  }
}

/**
 * Whether a file leads out of a folder, by its name or over a symbolic link. Whoever writes a plan may be another than who
 * applies it: it takes nothing else from their machine.
 */
export function leadsOut(folder: string, file: string): boolean {
  if (!isWithin(folder, file)) return true
  return existsSync(file) && !isWithin(realpathSync(folder), realpathSync(file))
}

/** The file of a name in the folder of a plan or below it; or why it is not taken. */
export const findFile: Known['findFile'] = (folder, name) => {
  const path = resolve(folder, name)
  if (leadsOut(folder, path))
    return {
      fault: `${name} is not in the folder of the plan: put the file there, or upload it and name its \`mediaId\`.`,
    }
  return existsSync(path) && statSync(path).isFile()
    ? { path }
    : { fault: `No file ${name} exists next to this one.` }
}

function isWithin(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** A post in Markdown: front matter between two lines of `---`, then the text, whose parts are apart by such lines; null without any. */
export function parseMarkdown(file: string, text: string, folder: string): Parsed | null {
  const lines = text.split(/\r?\n/)
  if (lines[0] !== '---') return null
  const end = lines.indexOf('---', 1)
  if (end < 0) {
    const fault = {
      file,
      line: 1,
      column: 1,
      message: 'The front matter has no end. Add a line --- after it.',
    }
    return { source: { value: null, folder, placeOf: () => fault }, faults: [fault] }
  }
  const head = parseText(file, lines.slice(1, end).join('\n'), folder, 1)
  const [first = '', ...parts] = lines
    .slice(end + 1)
    .join('\n')
    .split(/^---$/m)
    .map((part) => part.trim())
  const given = (head.source.value ?? {}) as Record<string, unknown>
  if (typeof given !== 'object' || head.faults.length > 0) return head
  const value = {
    id: basename(file, '.md'),
    ...given,
    text: first,
    ...(parts.length === 0 ? {} : { thread: parts }),
  }
  const textPlace = { file, line: end + 2, column: 1 }
  const placeOf = (path: readonly (string | number)[]) =>
    path[0] === 'text' || path[0] === 'thread' ? textPlace : head.source.placeOf(path)
  return { source: { value, folder, placeOf }, faults: [] }
}
