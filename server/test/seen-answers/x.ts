import { anUpload } from '../rigs/publish-work.ts'
import { endOf, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const problem = (detail: string, title = 'Forbidden', type = 'about:blank') => ({ title, detail, type })
/** What is wrong stands in the list of errors. */
const invalid = (message: string) => ({
  errors: [{ parameters: {}, message }],
  title: 'Invalid Request',
  detail: 'One or more parameters to your request was invalid.',
  type: 'https://api.twitter.com/2/problems/invalid-request',
})
const authorization = {
  accountId: '7',
  username: 'alice',
  accessToken: 'a',
  refreshToken: 'r',
  accessEndsAt: '2026-11-21T11:00:00.000Z',
}

export const x: SeenAt = {
  others: {
    upload: ({ upload }, seen) => endOf(upload!(anUpload(authorization, 'video')), seen),
    'look at the upload': ({ upload }, seen) =>
      endOf(upload!(anUpload(authorization, 'video', { checkpoint: { id: '1', mediaKey: '7_1' } })), seen),
  },
  answers: [
    {
      status: 403,
      body: problem('You are not allowed to create a Tweet with duplicate content.'),
      seen: 'https://github.com/akrherz/iembot/issues/163',
      read,
      is: 'rejected duplicate_refused',
    },
    {
      status: 403,
      body: problem(
        "This request looks like it might be automated. To protect our users from spam, we can't complete this action right now.",
      ),
      seen: 'https://github.com/gorbin/ASNE/issues/103',
      read,
      is: 'deferred rate_limited 900 s',
    },
    {
      status: 403,
      body: problem(
        'You have reached your daily limit for sending Tweets and messages. Please try again later.',
      ),
      seen: 'https://github.com/trevorhobenshield/twitter-api-client/issues/238',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 403,
      body: problem('User is over daily status update limit.'),
      seen: 'https://github.com/tgbot-collection/TeleTweet/issues/3',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 403,
      body: problem('You attempted to reply to a Tweet that is deleted or not visible to you.'),
      to: 'reply',
      seen: 'https://github.com/plhery/node-twitter-api-v2/issues/366',
      read,
      is: 'rejected parent_missing',
    },
    {
      status: 403,
      body: problem('The original Tweet author restricted who can reply to this Tweet.'),
      to: 'reply',
      seen: 'https://github.com/nminaya/grammar-nazi-bot/issues/221',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: invalid('$.reply.in_reply_to_tweet_id: is missing but it is required'),
      to: 'reply',
      seen: 'https://github.com/plhery/node-twitter-api-v2/issues/583',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: invalid('Your media IDs are invalid.'),
      seen: 'https://github.com/abraham/twitteroauth/issues/1222',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 403,
      body: problem('You are not permitted to perform this action.'),
      seen: 'https://github.com/joschan21/contentport/issues/49',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: problem(
        'When authenticating requests to the Twitter API v2 endpoints, you must use keys and tokens from a developer App that is attached to a Project.',
        'Client Forbidden',
        'https://api.twitter.com/2/problems/client-forbidden',
      ),
      seen: 'https://github.com/Dom2364/PlaneAlerter/issues/24',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 402,
      body: problem('No credits.', 'CreditsDepleted', 'https://api.x.com/2/problems/credits'),
      seen: 'https://github.com/tryethernal/ethernal/issues/1326',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 429,
      body: problem('Too Many Requests', 'Too Many Requests'),
      seen: 'https://github.com/BerkshireCar/SpeederBot/issues/11',
      read,
      is: 'deferred rate_limited',
    },
    {
      status: 429,
      body: {
        title: 'UsageCapExceeded',
        detail: 'Usage cap exceeded: Monthly product cap',
        type: 'https://api.twitter.com/2/problems/usage-capped',
        period: 'Monthly',
      },
      seen: 'https://github.com/g8rswimmer/go-twitter/issues/108',
      read,
      is: 'deferred rate_limited 86400 s',
    },
    {
      status: 503,
      body: problem('Service Unavailable', 'Service Unavailable'),
      seen: 'https://github.com/plhery/node-twitter-api-v2/issues/499',
      read,
      is: 'unknown',
    },
    {
      status: 200,
      body: {
        data: { id: '1', processing_info: { state: 'failed', error: { code: 3, name: 'UnsupportedMedia' } } },
      },
      to: 'look at the upload',
      seen: 'https://github.com/plhery/node-twitter-api-v2/issues/243',
      read,
      is: 'rejected media_refused',
    },
    // The scope for media was not granted.
    {
      status: 403,
      body: problem('Forbidden'),
      to: 'upload',
      seen: 'https://github.com/makerprism/ocaml-social-sdk/pull/25',
      read,
      is: 'rejected permission_refused',
    },
  ],
}
