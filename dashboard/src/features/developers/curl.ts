type Request = {
  /** Below `/agent/v1`. */
  path: string
  /** Sent by POST; a GET without one. */
  body?: unknown
  /** A key that is known; else it is taken from the shell. */
  key?: string
}

/** A request of the Agent API as a line for a POSIX shell. */
export function curlOf({ path, body, key }: Request): string {
  const url = new URL(`agent/v1/${path}`, document.baseURI).href
  const authorization =
    key === undefined ? '"Authorization: Bearer $POSTRIDER_KEY"' : quoted(`Authorization: Bearer ${key}`)
  const line = `curl -sS ${quoted(url)} -H ${authorization}`
  if (body === undefined) return line
  return `${line} -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
