import type { SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const error = (status: number, message: string, more: Readonly<Record<string, unknown>> = {}) => ({
  status,
  message,
  ...more,
})

export const linkedin: SeenAt = {
  answers: [
    {
      status: 401,
      body: error(401, 'The token used in the request has been revoked by the user', {
        serviceErrorCode: 65_601,
        code: 'REVOKED_ACCESS_TOKEN',
      }),
      to: 'with a new token',
      seen: 'https://github.com/jclusso/omniauth-linkedin-openid/issues/6',
      read,
      is: 'deferred not_shown_yet 30 s',
    },
    {
      status: 401,
      body: error(401, 'The token used in the request has been revoked by the user', {
        serviceErrorCode: 65_601,
        code: 'REVOKED_ACCESS_TOKEN',
      }),
      seen: 'https://github.com/jclusso/omniauth-linkedin-openid/issues/6',
      read,
      is: 'reauthorize',
    },
    {
      status: 401,
      body: error(401, 'Invalid access token', { serviceErrorCode: 65_600 }),
      seen: 'https://github.com/xcarpentier/react-native-linkedin/issues/80',
      read,
      is: 'expired',
    },
    {
      status: 401,
      body: error(401, 'Empty oauth2_access_token', { serviceErrorCode: 401 }),
      seen: 'https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling',
      read,
      is: 'expired',
    },
    {
      status: 422,
      body: error(
        422,
        'com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of urn:li:share:7141138937766391808',
        {
          errorDetails: {
            inputErrors: [{ description: 'Duplicate post is detected', code: 'DUPLICATE_POST' }],
          },
        },
      ),
      seen: 'https://github.com/Arisamiga/Linkedin-RSS/issues/5',
      read,
      is: 'rejected duplicate_refused',
    },
    // Of a post that was deleted, for a day or two.
    {
      status: 422,
      body: error(422, 'Duplicate post is detected', { code: 'DUPLICATE_POST' }),
      seen: 'https://github.com/ComposioHQ/composio/issues/2710',
      read,
      is: 'rejected duplicate_refused',
    },
    {
      status: 403,
      body: error(403, 'Not enough permissions to access: POST /ugcPosts', { serviceErrorCode: 100 }),
      seen: 'https://github.com/Light-it-labs/laravel-linkedin-share/issues/9',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: error(403, 'Not enough permissions to access: me.GET.NO_VERSION', {
        serviceErrorCode: 100,
        code: 'ACCESS_DENIED',
      }),
      seen: 'https://github.com/linkedin-developers/linkedin-api-js-client/issues/35',
      read,
      is: 'rejected permission_refused',
    },
    // The app lacks the product that has it.
    {
      status: 404,
      body: error(404, 'Resource ugcPosts does not exist'),
      seen: 'https://github.com/PipedreamHQ/pipedream/issues/854',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 426,
      body: error(426, 'Requested version 20250101 is not active', { code: 'NONEXISTENT_VERSION' }),
      seen: 'https://github.com/gitroomhq/postiz-app/issues/2005',
      read,
      is: 'rejected not_published',
    },
    {
      status: 429,
      body: error(429, 'Throttle limit for calls to this resource is reached'),
      seen: 'https://github.com/Kademi/kademi-dev/issues/6199',
      read,
      is: 'deferred rate_limited 54000 s',
    },
    {
      status: 400,
      body: error(
        400,
        'com.linkedin.publishing.util.common.ResponseException: One or more of the assets is not owned by the author.',
      ),
      seen: 'https://github.com/MicrosoftDocs/feedback/issues/1815',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: error(400, 'Resource method could not be resolved from request parameters.', {
        code: 'ILLEGAL_ARGUMENT',
      }),
      seen: 'https://github.com/linkedin-developers/linkedin-api-python-client/issues/47',
      read,
      is: 'rejected content_refused',
    },
  ],
}
