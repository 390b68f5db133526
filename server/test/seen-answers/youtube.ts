import type { SeenAt } from './seen-answer.ts'

const google = (code: number, reason: string, message = 'No.') => ({
  error: { code, message, errors: [{ reason, message }] },
})
const read = '2026-11-28'

export const youtube: SeenAt = {
  answers: [
    {
      status: 403,
      body: google(403, 'quotaExceeded'),
      seen: 'https://github.com/ShareX/ShareX/issues/4477',
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
      body: google(400, 'uploadLimitExceeded'),
      seen: 'https://github.com/porjo/youtubeuploader/issues/212',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 400,
      body: google(400, 'invalidDescription'),
      seen: 'https://github.com/Stekeblad/Stekeblads-Video-Uploader/issues/49',
      read,
      is: 'rejected content_refused',
    },
  ],
}
