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

export const facebook: SeenAt = {
  answers: [
    {
      status: 400,
      body: graph(368, 'We limit how often you can post, comment or do other things', 1_390_008),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/2068',
      read,
      is: 'deferred rate_limited 1800 s',
    },
    {
      status: 400,
      body: graph(368, "You've already posted this. Posting the same content repeatedly isn't allowed."),
      seen: 'https://github.com/arsduo/koala/issues/422',
      read,
      is: 'rejected duplicate_refused',
    },
    {
      status: 400,
      body: graph(32, '(#32) Page request limit reached'),
      seen: 'https://github.com/facebookarchive/php-graph-sdk/issues/634',
      read,
      is: 'deferred rate_limited',
    },
    {
      status: 500,
      body: graph(1, 'An unknown error has occurred.'),
      seen: 'https://github.com/facebookarchive/php-graph-sdk/issues/478',
      read,
      is: 'unknown',
    },
    {
      status: 403,
      body: graph(200, '(#200) Permissions error'),
      seen: 'https://github.com/snarfed/bridgy/issues/78',
      read,
      is: 'rejected permission_refused',
    },
  ],
}
