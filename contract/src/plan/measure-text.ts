import { Lexer } from 'yaml'

/** How deep lists and mappings may stand in each other; a plan needs nine. */
const MOST_LEVELS = 32
/** Words and marks: a plan of 5,000 posts with all their fields has some 200,000. */
const MOST_TOKENS = 600_000

/** What makes a text too dear to be parsed, and where that stands; null where nothing does. */
export type Excess = { readonly offset: number; readonly message: string }

/**
 * Looks through YAML, or JSON, word by word, before a tree is made of it: in time that its length bounds. Blocks are counted by the
 * columns where they begin.
 */
export function excessOf(text: string): Excess | null {
  /** Where the blocks begin that are open, from the outermost on. */
  const columns: number[] = []
  let [offset, lineStart, flow, tokens] = [0, 0, 0, 0]
  let opensBlock = true
  for (const token of new Lexer().lex(text)) {
    if (CONTROLS.has(token)) continue
    const begins = offset
    offset += token.length
    const lineEnd = token.lastIndexOf('\n')
    if (!/^\s*$/.test(token)) {
      tokens += 1
      if (opensBlock && flow === 0) enter(columns, begins - lineStart)
      opensBlock = token === '-' || token === '?'
      if (token === '[' || token === '{') flow += 1
      if (token === ']' || token === '}') flow = Math.max(0, flow - 1)
    }
    if (lineEnd >= 0) {
      lineStart = begins + lineEnd + 1
      opensBlock = true
    }
    if (columns.length + flow > MOST_LEVELS) return { offset: begins, message: TOO_DEEP }
    if (tokens > MOST_TOKENS) return { offset: begins, message: TOO_MUCH }
  }
  return null
}

const TOO_DEEP = `This is nested deeper than ${MOST_LEVELS} levels. A plan has nine at most.`
const TOO_MUCH = 'The file has too many values. Split it into smaller files.'

/** What the lexer says of what follows; it stands for no character (`yaml`, "CST tokens"). */
const CONTROLS = new Set(['\u0002', '\u0018', '\u001f'])

function enter(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) >= column) columns.pop()
  columns.push(column)
}
