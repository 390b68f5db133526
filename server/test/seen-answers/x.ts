import type { SeenAt } from './seen-answer.ts'

const problem = (detail: string, title = 'Forbidden', type = 'about:blank') => ({
  title,
  detail,
  type,
  status: 403,
})
const read = '2026-11-28'

export const x: SeenAt = {
  answers: [
    {
      status: 403,
      body: problem(
        "This request looks like it might be automated. To protect our users from spam, we can't complete this action right now.",
      ),
      seen: 'https://github.com/trevorhobenshield/twitter-api-client/issues/238',
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
      seen: 'https://github.com/Xtremilicious/twitter-retweet-bot/issues/4',
      read,
      is: 'deferred rate_limited 3600 s',
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
        'You must use keys of an App that is attached to a Project.',
        'Client Forbidden',
        'https://api.twitter.com/2/problems/client-forbidden',
      ),
      seen: 'https://github.com/geduldig/TwitterAPI/issues/226',
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
  ],
}
