/** The title of a post, and what stands below it. */
export type Entry = { readonly title: string; readonly body: string }

/** Without a title of its own, the first line is the title, and not repeated; a text of one line is both. */
export function entryOf(text: string, set: string | undefined): Entry {
  if (set !== undefined) return { title: set.trim(), body: text }
  const trimmed = text.trim()
  const [first = '', ...rest] = trimmed.split('\n')
  const body = rest.join('\n').trim()
  const title = first.replace(/^#{1,6}\s+/, '').trim()
  return { title, body: body === '' ? (first === title ? trimmed : '') : body }
}
