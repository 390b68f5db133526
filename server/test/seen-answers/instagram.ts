import { aLookupWork, answer, aPrepareWork } from '../rigs/publish-work.ts'
import { endOf, graphError as graph, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const authorization = { userId: '7', accessToken: 'a', proof: 'ab'.repeat(32) }
const image = {
  kind: 'image',
  altText: null,
  url: 'https://postrider.example/media/1',
  contentType: 'image/jpeg',
  size: 3,
  width: 640,
  height: 480,
} as const
const withImage = { mediaAddresses: [image] }
const quota = answer(200, { data: [{ quota_usage: 1, config: { quota_total: 100 } }] })
const container = { items: [], container: '500' }

export const instagram: SeenAt = {
  others: {
    'make the container': ({ prepare }, seen) =>
      endOf(prepare!(aPrepareWork(authorization, withImage)), seen, [quota]),
    'look at the container': ({ prepare }, seen) =>
      endOf(prepare!(aPrepareWork(authorization, { ...withImage, checkpoint: container })), seen),
    'look for the post': ({ lookup }, seen) =>
      endOf(lookup!(aLookupWork(authorization, { prepared: { container: '500' } })), seen),
  },
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
      body: graph(24, 'The requested resource does not exist', 2_207_006),
      seen: 'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes',
      read,
      is: 'deferred not_shown_yet 30 s',
    },
    // It was out, as the engine finds by its container.
    {
      status: 400,
      body: graph(4, 'Application request limit reached', 2_207_051),
      seen: 'https://github.com/gitroomhq/postiz-app/pull/1681',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 400,
      body: graph(
        9,
        'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
        2_207_042,
      ),
      seen: 'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 400,
      body: graph(25, 'The Instagram account is restricted.', 2_207_050),
      seen: 'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes',
      read,
      is: 'rejected permission_refused',
    },
    // Each try made a comment.
    {
      status: 400,
      body: graph(20, 'This API call does not support the requested response format', 1_772_107),
      to: 'comment',
      seen: 'https://github.com/brightbeanxyz/brightbean-studio/pull/140',
      read,
      is: 'unknown',
    },
    {
      status: 400,
      body: graph(9_004, 'Only photo or video can be accepted as media type.', 2_207_052),
      to: 'make the container',
      seen: 'https://github.com/gitroomhq/postiz-app/issues/486',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 400,
      body: graph(36_000, 'The image size is too large.', 2_207_004),
      to: 'make the container',
      seen: 'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 400,
      body: graph(-2, 'It takes too long to download the media.', 2_207_003),
      to: 'make the container',
      seen: 'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 400,
      body: graph(-1, 'Create media fail, please try to re-create media', 2_207_032),
      to: 'make the container',
      seen: 'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 200,
      body: {
        status_code: 'ERROR',
        status: 'Error: Media upload has failed with error code 2207082',
        id: '500',
      },
      to: 'look at the container',
      seen: 'https://github.com/gitroomhq/postiz-app/pull/1992',
      read,
      is: 'rejected media_refused',
    },
    // Of containers that were just made, for days.
    {
      status: 400,
      body: graph(100, 'Authorization Error', 33),
      to: 'look at the container',
      seen: 'https://github.com/geoff-maddock/events-tracker/issues/1900',
      read,
      is: 'deferred provider_unavailable',
    },
    // In the same days: who may make a container may see it.
    {
      status: 403,
      body: graph(10, '(#10) Application does not have permission for this action'),
      to: 'look at the container',
      seen: 'https://github.com/geoff-maddock/events-tracker/issues/1900',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 400,
      body: graph(100, 'Unsupported get request', 33),
      to: 'look for the post',
      seen: 'https://github.com/gitroomhq/postiz-app/issues/1562',
      read,
      is: 'unavailable',
    },
  ],
}
