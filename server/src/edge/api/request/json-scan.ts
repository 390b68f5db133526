export type ScanLimits = {
  readonly maxDepth: number
  readonly maxValues: number
  /** How many different names one object may have. */
  readonly maxNames: number
  readonly maxRepeated: number
}

/** Why a text is not parsed, and the path of the object or list that is the one too many, or has it in it. */
export type Excess = {
  readonly code: 'too_deep' | 'too_many_values' | 'too_many_names'
  readonly path: (string | number)[]
}

/** What parsing a JSON text would hide or cost. */
export type JsonScan = {
  /** What makes it too dear to be parsed: then the scan ended there. */
  readonly excess: Excess | null
  /** The paths of names that stand in one object more than once, in order. Parsers disagree on which value counts. */
  readonly repeated: (string | number)[][]
}

type Frame = {
  /** The names of an object so far; null in a list. */
  readonly names: Set<string> | null
  /** Where in it the scan is. */
  step: string | number
}

/**
 * Looks through a JSON text in one pass, in time and memory that the text and the limits bound. What it says of a text
 * that is no JSON means nothing, but it ends.
 */
export function scanJson(json: string, { maxDepth, maxValues, maxNames, maxRepeated }: ScanLimits): JsonScan {
  const repeated: (string | number)[][] = []
  const frames: Frame[] = []
  let values = 1
  let expectsName = false
  let justOpened = false
  const pathHere = () => frames.map(({ step }) => step)
  const endWith = (code: Excess['code'], path: Excess['path']) => ({ excess: { code, path }, repeated })
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) continue
    const frame = frames.at(-1)
    const closes = code === CLOSE_OBJECT || code === CLOSE_LIST
    if (code === COMMA || (justOpened && !closes)) values++
    if (values > maxValues) return endWith('too_many_values', pathHere().slice(0, -1))
    justOpened = code === OPEN_OBJECT || code === OPEN_LIST
    if (justOpened) {
      if (frames.length === maxDepth) return endWith('too_deep', pathHere())
      expectsName = code === OPEN_OBJECT
      frames.push(expectsName ? { names: new Set(), step: '' } : { names: null, step: 0 })
    } else if (closes) {
      frames.pop()
    } else if (code === COMMA) {
      expectsName = frame?.names != null
      if (typeof frame?.step === 'number') frame.step++
    } else if (code === QUOTE) {
      const end = endOfString(json, at)
      if (expectsName && frame?.names != null) {
        const name = nameIn(json.slice(at, end + 1))
        frame.step = name
        if (frame.names.has(name)) {
          if (repeated.length < maxRepeated) repeated.push(pathHere())
        } else if (frame.names.size === maxNames) {
          return endWith('too_many_names', pathHere().slice(0, -1))
        } else frame.names.add(name)
        expectsName = false
      }
      at = end
    }
  }
  return { excess: null, repeated }
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]
const [COMMA, QUOTE, BACKSLASH] = [0x2c, 0x22, 0x5c]
const [SPACE, TAB, LINE_FEED, CARRIAGE_RETURN] = [0x20, 0x09, 0x0a, 0x0d]

/** The index of the quote that ends the string beginning at `start`; of the last character where none does. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return json.length - 1
}

function nameIn(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
