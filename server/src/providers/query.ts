/** An address with these parameters in its query. */
export function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const asked = new URL(url)
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value)
  return asked
}
