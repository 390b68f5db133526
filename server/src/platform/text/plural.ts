/** `1 post`, `2 posts`; English and German have the same two forms. */
export function plural(count: number, one: string, other: string): string {
  return `${count} ${pluralWord(count, one, other)}`
}

export function pluralWord(count: number, one: string, other: string): string {
  return count === 1 ? one : other
}
