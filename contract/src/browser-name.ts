/* What browsers call themselves, most specific first: each also names those below it. */
const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** A browser as people call it, of its `User-Agent`: `Firefox on Linux`. What is not known is shown as it was sent. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return 'A browser'
  const named = (list: readonly (readonly [RegExp, string])[]) =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [named(browsers), named(systems)]
  return browser === undefined ? userAgent : `${browser}${system === undefined ? '' : ` on ${system}`}`
}
