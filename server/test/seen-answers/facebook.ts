import { aPrepareWork } from '../rigs/publish-work.ts'
import { endOf, graphError as graph, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const authorization = { pageId: '1001', accessToken: 'a', proof: 'ab'.repeat(32) }

export const facebook: SeenAt = {
  others: {
    'make the draft': ({ prepare }, seen) => endOf(prepare!(aPrepareWork(authorization)), seen),
  },
  answers: [
    {
      status: 400,
      body: graph(368, 'We limit how often you can post, comment or do other things', 1_390_008),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/2068',
      read: '2026-11-28',
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
      body: graph(506, '(#506) Duplicate status message'),
      seen: 'https://github.com/facebook-csharp-sdk/facebook-csharp-sdk/issues/119',
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
    // Each try was posted.
    {
      status: 500,
      body: graph(2, 'An unexpected error has occurred. Please retry your request later.'),
      seen: 'https://github.com/arsduo/koala/issues/699',
      read,
      is: 'unknown',
    },
    {
      status: 500,
      body: graph(1, 'An unknown error has occurred.'),
      seen: 'https://github.com/facebookarchive/php-graph-sdk/issues/478',
      read,
      is: 'unknown',
    },
    // The link was posted.
    {
      status: 400,
      body: graph(1, 'An unknown error occurred', 99),
      seen: 'https://github.com/facebookarchive/php-graph-sdk/issues/1141',
      read,
      is: 'unknown',
    },
    // It was made. A post is asked for by its id; a comment has none before.
    {
      status: 400,
      body: graph(100, 'Unsupported post request.'),
      to: 'comment',
      seen: 'https://github.com/facebookarchive/php-graph-sdk/issues/216',
      read,
      is: 'unknown',
    },
    {
      status: 400,
      body: graph(100, "Unsupported post request. Object with ID '1001_7' does not exist", 33),
      to: 'comment',
      seen: 'https://github.com/gitroomhq/postiz-app/pull/2045',
      read,
      is: 'rejected parent_missing',
    },
    {
      status: 403,
      body: graph(200, '(#200) Permissions error'),
      seen: 'https://github.com/snarfed/bridgy/issues/78',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: graph(
        200,
        '(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts',
      ),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/1892',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 400,
      body: graph(190, 'You cannot access the app till you log in to www.facebook.com.', 459),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/2045',
      read,
      is: 'reauthorize',
    },
    {
      status: 400,
      body: graph(190, 'The user has no role on the Page', 492),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/2045',
      read,
      is: 'reauthorize',
    },
    {
      status: 400,
      body: graph(
        190,
        "Any of the pages_read_engagement permission(s) must be granted before impersonating a user's page.",
      ),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/1912',
      read,
      is: 'reauthorize',
    },
    {
      status: 400,
      body: graph(190, 'Error validating access token: Session has expired.', 463),
      seen: 'https://github.com/snarfed/bridgy/issues/59',
      read,
      is: 'reauthorize',
    },
    {
      status: 400,
      body: graph(197, 'The post is empty. Please enter a message to share.'),
      to: 'make the draft',
      seen: 'https://github.com/trypostit/trypost/pull/41',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: '<html><body>Sorry, something went wrong.</body></html>',
      seen: 'https://github.com/gitroomhq/postiz-app/pull/2045',
      read,
      is: 'unknown',
    },
  ],
}
