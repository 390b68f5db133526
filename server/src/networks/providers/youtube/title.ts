/** The title of a video: what its author set, or the first line of its text that is not empty. */
export function titleOf(text: string, set?: string): string {
  return (set ?? text.split('\n').find((line) => line.trim() !== '') ?? '').trim()
}
