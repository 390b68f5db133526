import type { SeenAt } from './seen-answer.ts'

const read = '2026-11-28'

export const linkedin: SeenAt = {
  answers: [
    {
      status: 401,
      body: {
        status: 401,
        serviceErrorCode: 65_601,
        code: 'REVOKED_ACCESS_TOKEN',
        message: 'The token used in the request has been revoked by the user',
      },
      to: 'with a new token',
      seen: 'https://github.com/jclusso/omniauth-linkedin-openid/issues/6',
      read,
      is: 'deferred not_shown_yet 30 s',
    },
    {
      status: 422,
      body: {
        status: 422,
        message:
          'com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of urn:li:share:7141138937766391808',
      },
      seen: 'https://github.com/Arisamiga/Linkedin-RSS/issues/5',
      read,
      is: 'rejected duplicate_refused',
    },
    {
      status: 422,
      body: { status: 422, message: 'Duplicate post is detected', code: 'DUPLICATE_POST' },
      seen: 'https://github.com/ComposioHQ/composio/issues/2710',
      read,
      is: 'rejected duplicate_refused',
    },
    {
      status: 403,
      body: {
        serviceErrorCode: 100,
        message: 'Not enough permissions to access: POST /ugcPosts',
        status: 403,
      },
      seen: 'https://github.com/Light-it-labs/laravel-linkedin-share/issues/9',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 429,
      body: { status: 429, message: 'Throttle limit for calls to this resource is reached' },
      seen: 'https://github.com/Kademi/kademi-dev/issues/6199',
      read,
      is: 'deferred rate_limited 54000 s',
    },
  ],
}
