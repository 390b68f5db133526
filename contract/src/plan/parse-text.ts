import { LineCounter, parseDocument } from 'yaml'
import type { Fault, Place } from './faults.ts'
import { excessOf } from './measure-text.ts'
import type { Source } from './sources.ts'

export type Parsed = { readonly source: Source; readonly faults: readonly Fault[] }

/**
 * YAML, or JSON, which YAML contains. `linesBefore`: how many lines of the file stand before the text. What nests too deep or has too
 * many values is a fault, and no tree is made of it.
 */
export function parseText(file: string, text: string, folder: string, linesBefore = 0): Parsed {
  const excess = excessOf(text)
  if (excess !== null) {
    const before = text.slice(0, excess.offset).split('\n')
    const place = { file, line: before.length + linesBefore, column: (before.at(-1)?.length ?? 0) + 1 }
    const source = { value: null, folder, placeOf: () => place }
    return { source, faults: [{ ...place, message: excess.message }] }
  }
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const at = (offset: number): Place => {
    const { line, col } = counter.linePos(offset)
    return { file, line: Math.max(1, line) + linesBefore, column: Math.max(1, col) }
  }
  const faults = document.errors.map(({ pos, message }) => ({
    ...at(pos[0]),
    message: `This is not valid YAML: ${message}`,
  }))
  const placeOf = (path: readonly (string | number)[]): Place => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      const range = (node as { range?: [number, number, number] } | null)?.range
      if (range !== undefined) return at(range[0])
    }
    return at(0)
  }
  if (faults.length > 0) return { source: { value: null, folder, placeOf }, faults }
  try {
    const value: unknown = document.toJS()
    // What has an alias of itself in it has no end.
    JSON.stringify(value)
    return { source: { value, folder, placeOf }, faults }
  } catch (error) {
    const message = `Its aliases cannot be read: ${(error as Error).message.split('\n')[0]}.`
    return { source: { value: null, folder, placeOf }, faults: [{ ...at(0), message }] }
  }
}
