import { aLookupWork, answer, aPrepareWork, nine } from '../rigs/publish-work.ts'
import { endOf, graphError as graph, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const authorization = { userId: '7', accessToken: 'a', accessEndsAt: '2027-01-01T00:00:00Z' }
const parent = { remoteId: '90' }
const image = {
  kind: 'image',
  altText: null,
  url: 'https://postrider.example/media/1',
  contentType: 'image/jpeg',
  size: 3,
  width: 640,
  height: 480,
} as const
const quota = answer(200, { data: [{ quota_usage: 1, config: { quota_total: 250 } }] })
const replyQuota = answer(200, { data: [{ reply_quota_usage: 1, reply_config: { quota_total: 1_000 } }] })
const made = (id: string) => answer(200, { id })
const finished = answer(200, { status: 'FINISHED', id: '500' })
const token = answer(200, { access_token: 'a', user_id: 7, token_type: 'bearer', expires_in: 5_184_000 })
const me = answer(200, { id: '7', username: 'alice' })
const client = { clientId: 'the-app', clientSecret: 's', key: null }
const callback = { code: 'the-code' }
const signIn = {
  client,
  redirectUri: 'https://postrider.example/connect/callback',
  codeVerifier: 'v',
  kept: null,
  callback,
  now: nine,
}

export const threads: SeenAt = {
  others: {
    'make a container': ({ prepare }, seen) => endOf(prepare!(aPrepareWork(authorization)), seen, [quota]),
    'make the container of an image': ({ prepare }, seen) =>
      endOf(prepare!(aPrepareWork(authorization, { mediaAddresses: [image] })), seen, [quota]),
    'make the container of a carousel': ({ prepare }, seen) =>
      endOf(prepare!(aPrepareWork(authorization, { mediaAddresses: [image, image] })), seen, [
        quota,
        made('501'),
        made('502'),
        finished,
        finished,
      ]),
    'make the container of a reply': ({ prepare }, seen) =>
      endOf(prepare!(aPrepareWork(authorization, { kind: 'reply', parent, root: parent })), seen, [
        replyQuota,
      ]),
    'look at the container': ({ prepare }, seen) =>
      endOf(prepare!(aPrepareWork(authorization, { checkpoint: { items: [], container: '500' } })), seen),
    'look for the post': ({ lookup }, seen) =>
      endOf(lookup!(aLookupWork(authorization, { prepared: { container: '500' } })), seen),
    connect: ({ oauth }, seen) => endOf(oauth!.exchange(signIn), seen, [token, token, me], [seen]),
  },
  answers: [
    {
      status: 400,
      body: graph(24, 'The requested resource does not exist', 4_279_009),
      seen: 'https://github.com/nopara73/LongevityWorldCup/pull/466',
      read,
      is: 'deferred not_shown_yet 30 s',
    },
    // Its container was published.
    {
      status: 500,
      body: graph(10, 'Application does not have permission for this action'),
      seen: 'https://github.com/tirthpatell/fia-f1-docs-bot/pull/52',
      read,
      is: 'unknown',
    },
    {
      status: 500,
      body: graph(10, 'Application does not have permission for this action'),
      to: 'make the container of a reply',
      seen: 'https://github.com/dypapa0309/cujasa/blob/b968b944b79e055a87494f9bed2019b16875ece9/server/src/services/queueErrorService.test.js',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 500,
      body: graph(10, 'Application does not have permission for this action'),
      to: 'connect',
      seen: 'https://github.com/tirthpatell/fia-f1-docs-bot/pull/52',
      read,
      is: 'refused missing_scope',
    },
    {
      status: 500,
      body: graph(100, 'Param reply_to_id is not a valid threads_media ID'),
      to: 'make the container of a reply',
      seen: 'https://github.com/dypapa0309/cujasa/blob/b968b944b79e055a87494f9bed2019b16875ece9/server/src/services/queueErrorService.test.js',
      read,
      is: 'rejected parent_missing',
    },
    {
      status: 400,
      body: graph(100, 'Param text must be at most 500 characters long.'),
      to: 'make a container',
      seen: 'https://github.com/gesteves/denali/pull/1285',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: graph(1, 'Media download has failed.', 2_207_052),
      to: 'make the container of an image',
      seen: 'https://github.com/gitroomhq/postiz-app/issues/1364',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 400,
      body: graph(100, 'Invalid parameter', 4_279_004),
      to: 'make the container of a carousel',
      seen: 'https://github.com/deepakness/social-sent/blob/61e382ef2edde9dedbef56b45e28ccdb66b11583/src/lib/domain/threads-error.ts',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 200,
      body: { status: 'ERROR', id: '500', error_message: 'UNKNOWN' },
      to: 'look at the container',
      seen: 'https://github.com/gitroomhq/postiz-app/pull/1991',
      read,
      is: 'rejected processing_failed',
    },
    {
      status: 200,
      body: { status: 'ERROR', id: '500', error_message: 'FAILED_DOWNLOADING_VIDEO' },
      to: 'look at the container',
      seen: 'https://developers.facebook.com/documentation/threads/troubleshooting.md',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 200,
      body: { status: 'EXPIRED', id: '500' },
      to: 'look at the container',
      seen: 'https://developers.facebook.com/documentation/threads/troubleshooting.md',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 200,
      body: { status: 'IN_PROGRESS', id: '500' },
      to: 'look at the container',
      seen: 'https://github.com/fbsamples/threads_api/issues/70',
      read,
      is: 'waits',
    },
    {
      status: 400,
      body: graph(
        100,
        "Unsupported get request. Object with ID '1' does not exist, cannot be loaded due to missing permissions",
        33,
      ),
      to: 'look for the post',
      seen: 'https://github.com/restfb/restfb/issues/1502',
      read,
      is: 'unavailable',
    },
  ],
}
