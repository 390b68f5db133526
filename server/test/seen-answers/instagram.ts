import type { SeenAt } from './seen-answer.ts'

const graph = (code: number, message: string, subcode?: number) => ({
  error: {
    message,
    type: 'OAuthException',
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
  },
})
const read = '2026-11-28'

export const instagram: SeenAt = {
  answers: [
    {
      status: 400,
      body: graph(9_007, 'Media ID is not available', 2_207_027),
      seen: 'https://github.com/exileum/meta-mcp/issues/138',
      read,
      is: 'deferred not_shown_yet 30 s',
    },
    {
      status: 400,
      body: graph(100, 'Unsupported get request', 33),
      seen: 'https://github.com/gitroomhq/postiz-app/issues/1562',
      read,
      is: 'unknown',
    },
  ],
}
