/** The name of a file without its folders. */
export function baseOf(name: string): string {
  return name.replace(/^.*[/\\]/, '')
}

/** Those to choose next: a browser does not say in which folder a file is, so of several with one name only the first. */
export function nextNames(missing: readonly string[]): string[] {
  const bases = missing.map(baseOf)
  return missing.filter((name, place) => bases.indexOf(baseOf(name)) === place)
}
