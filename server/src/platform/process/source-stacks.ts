import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, resolve } from 'node:path'

/** V8 writes it as it would in a stack, which its type does not say. */
type Call = NodeJS.CallSite & { toString(): string }

const PLACE = /(?:file:\/\/)?(\/[^\s()]+\.js):(\d+):(\d+)/

/**
 * Has the stack of an error name places in the sources. Node's own `--enable-source-maps` reads every map with its file, and keeps it:
 * 29 MB in a server that has nothing to do. Here a map is read with the first error of its file.
 */
export function showSources(): void {
  const maps = new Map<string, WeakRef<SourceMap> | null>()
  const mapOf = (file: string) => {
    const kept = maps.get(file)
    const map = kept === null ? null : (kept?.deref() ?? readMap(file))
    maps.set(file, map === null ? null : new WeakRef(map))
    return map
  }
  Error.prepareStackTrace = (error, calls) => {
    const places = (calls as Call[]).map(
      (call) => `\n    at ${call.toString().replace(PLACE, (...found) => sourceOf(found, mapOf))}`,
    )
    return `${titleOf(error)}${places.join('')}`
  }
}

function sourceOf(
  [place, file, line, column]: readonly string[],
  mapOf: (file: string) => SourceMap | null,
): string {
  if (place === undefined || file === undefined) return ''
  const origin = mapOf(file)?.findOrigin(Number(line), Number(column))
  if (origin === undefined || !('fileName' in origin)) return place
  return `${resolve(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload)
  } catch {
    return null
  }
}

/** What stands above the calls; an error may be of any shape. */
function titleOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}
