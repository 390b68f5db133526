/** https://developers.google.com/youtube/v3/docs/videos#snippet.title */
export const MAX_TITLE = 100

/** The title of a video: what its author set, or the first line of its text that is not empty. */
export function titleOf(text: string, set?: string): string {
  return (set ?? text.split('\n').find((line) => line.trim() !== '') ?? '').trim()
}
