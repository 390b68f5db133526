/**
 * The text of a file as spreadsheets write it: UTF-8, or UTF-16 where a byte order mark says so; else what Windows writes in western
 * languages, which Excel does where it is not asked for UTF-8.
 */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** How a file is to be read, and the name of its import, by what it is called. */
export function importOf(fileName: string): { readonly format: 'csv' | 'plan'; readonly name: string } {
  const base = fileName.replace(/^.*[/\\]/, '')
  const name = base
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 80)
  return { format: /\.(ya?ml|json)$/i.test(base) ? 'plan' : 'csv', name: name === '' ? 'import' : name }
}
