/**
 * An endpoint's address as lists and logs show it: receivers are often told apart by a token in the query, so the
 * values there are hidden. Names stay, so that the address can be recognised.
 */
export function maskedUrl(url: string): string {
  const start = url.indexOf('?')
  if (start === -1) return url
  const masked = url.slice(start + 1).replace(/[^&]+/g, (pair) => {
    const name = /^[^=]*(?==)/.exec(pair)?.[0]
    return name === undefined ? '***' : `${name}=***`
  })
  return `${url.slice(0, start)}?${masked}`
}
