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

export const threads: SeenAt = {
  answers: [
    {
      status: 400,
      body: graph(24, 'The requested resource does not exist', 4_279_009),
      seen: 'https://github.com/trypostit/trypost/pull/280',
      read,
      is: 'deferred not_shown_yet 30 s',
    },
    {
      status: 400,
      body: graph(10, 'Application does not have permission for this action'),
      seen: 'https://github.com/fbsamples/threads_api/issues/72',
      read,
      is: 'rejected permission_refused',
    },
  ],
}
