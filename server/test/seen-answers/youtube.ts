import { anUpload, nine } from '../rigs/publish-work.ts'
import { endOf, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const google = (code: number, reason: string, message = 'No.') => ({
  error: { code, message, errors: [{ reason, message }] },
})
const authorization = {
  channelId: 'UC7',
  accessToken: 'a',
  refreshToken: 'r',
  accessEndsAt: '2026-11-21T11:00:00.000Z',
}
const client = { key: null, clientId: 'c', clientSecret: 's' }
const video = { kind: 'video' as const, altText: null, remoteId: 'dQw4w9WgXcQ' }

export const youtube: SeenAt = {
  others: {
    upload: ({ upload }, seen) => endOf(upload!(anUpload(authorization, 'video')), seen),
    thumbnail: ({ upload }, seen) =>
      endOf(upload!(anUpload(authorization, 'image', { before: [video] })), seen),
    refresh: ({ refresh }, seen) => endOf(refresh!({ authorization, client, now: nine }), seen),
  },
  answers: [
    {
      status: 403,
      body: google(403, 'quotaExceeded'),
      seen: 'https://github.com/tokland/youtube-upload/issues/288',
      read,
      is: 'deferred rate_limited 82800 s',
    },
    {
      status: 403,
      body: google(403, 'quotaExceeded'),
      headers: { date: 'Fri, 29 Apr 2022 06:12:31 GMT' },
      to: 'upload',
      seen: 'https://github.com/ShareX/ShareX/issues/5888',
      read,
      is: 'deferred rate_limited 2849 s',
    },
    {
      status: 403,
      body: google(
        403,
        'dailyLimitExceeded',
        'Daily Limit Exceeded. The quota will be reset at midnight (PT).',
      ),
      to: 'upload',
      seen: 'https://github.com/tokland/youtube-upload/issues/164',
      read,
      is: 'deferred rate_limited 82800 s',
    },
    {
      status: 429,
      body: google(429, 'rateLimitExceeded', "Quota exceeded for limit 'Video Uploads per day'"),
      seen: 'https://github.com/googleapis/google-api-python-client/issues/2753',
      read,
      is: 'deferred rate_limited 82800 s',
    },
    {
      status: 400,
      body: google(400, 'uploadLimitExceeded', 'The user has exceeded the number of videos they may upload.'),
      to: 'upload',
      seen: 'https://github.com/porjo/youtubeuploader/issues/212',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 400,
      body: google(400, 'invalidDescription'),
      seen: 'https://github.com/WWBN/AVideo/issues/2243',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: google(400, 'invalidTitle', 'The request metadata specifies an invalid or empty video title.'),
      seen: 'https://github.com/FujiwaraChoki/MoneyPrinter/issues/192',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: google(400, 'invalidTags', 'The request metadata specifies invalid video keywords.'),
      seen: 'https://github.com/tokland/youtube-upload/issues/98',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: google(400, 'invalidVideoMetadata', 'The request metadata is invalid.'),
      seen: 'https://github.com/porjo/youtubeuploader/issues/46',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 401,
      body: {
        error: { ...google(401, 'authError', 'Invalid Credentials').error, status: 'UNAUTHENTICATED' },
      },
      seen: 'https://github.com/ShareX/ShareX/issues/7114',
      read,
      is: 'expired',
    },
    {
      status: 401,
      body: google(401, 'youtubeSignupRequired', 'Unauthorized'),
      seen: 'https://github.com/tokland/youtube-upload/issues/333',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: google(403, 'insufficientPermissions', 'Insufficient Permission'),
      seen: 'https://github.com/youtube/api-samples/issues/52',
      read,
      is: 'reauthorize',
    },
    {
      status: 403,
      body: google(403, 'accessNotConfigured', 'Access Not Configured.'),
      seen: 'https://github.com/youtube/yt-direct-lite-android/issues/4',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: google(403, 'authenticatedUserAccountSuspended', 'The YouTube account is suspended.'),
      seen: 'https://github.com/Joystream/youtube-synch/issues/211',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: google(403, 'forbidden', 'Access forbidden. The request may not be properly authorized.'),
      to: 'upload',
      seen: 'https://github.com/gitroomhq/postiz-app/pull/1913',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: google(403, 'forbidden', "The authenticated user doesn't have permissions to set thumbnails."),
      to: 'thumbnail',
      seen: 'https://github.com/Stekeblad/Stekeblads-Video-Uploader/issues/69',
      read,
      is: 'rejected media_refused',
    },
    // Each of them left another copy of the video.
    {
      status: 503,
      body: google(503, 'backendError', 'Backend Error'),
      seen: 'https://github.com/porjo/youtubeuploader/issues/20',
      read,
      is: 'unknown',
    },
    {
      status: 503,
      body: google(503, 'backendError', 'Backend Error'),
      to: 'upload',
      seen: 'https://github.com/tokland/youtube-upload/issues/146',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
      to: 'refresh',
      seen: 'https://github.com/porjo/youtubeuploader/issues/163',
      read,
      is: 'ended',
    },
    // The app is gone, and not the access of this account.
    {
      status: 401,
      body: { error: 'deleted_client' },
      to: 'refresh',
      seen: 'https://github.com/porjo/youtubeuploader/issues/128',
      read,
      is: 'unavailable',
    },
  ],
}
