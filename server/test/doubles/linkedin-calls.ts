import Type from 'typebox'
import {
  type CallFault,
  type CallTable,
  digits,
  exact,
  filled,
  oneOf,
  text,
  webAddress,
} from './call-table.ts'
import type { Answered } from './http-double.ts'

/* The calls that we make at LinkedIn (https://learn.microsoft.com/en-us/linkedin/). */

const READ = '2026-11'
const DOCS = 'https://learn.microsoft.com/en-us/linkedin'
const SHARES = `${DOCS}/marketing/community-management/shares`
const PAGES = `${DOCS}/marketing/community-management/organizations`
/** LinkedIn's own client: it has each call of a sign-in, with each of its fields. */
const SIGN_IN = {
  source: 'https://github.com/linkedin-developers/linkedin-api-js-client/blob/e4a1fae/lib/auth.ts',
  read: '2026-11-29',
}

/** Of the version, and of the protocol (`${DOCS}/marketing/versioning`). */
const versioned = {
  'linkedin-version': Type.Literal('202609'),
  'x-restli-protocol-version': Type.Literal('2.0.0'),
}
const headers = Type.Object(versioned)

const owner = Type.String({ pattern: '^urn:li:(?:person:[\\w-]+|organization:[0-9]+)$' })
const image = Type.String({ pattern: '^urn:li:image:[\\w-]+$' })
const video = Type.String({ pattern: '^urn:li:video:[\\w-]+$' })
const item = exact({ id: Type.Union([image, video]), altText: Type.Optional(filled) })
const picture = exact({ id: image, altText: Type.Optional(filled) })

const client = { client_id: filled, client_secret: filled }

export const linkedinCalls: CallTable = {
  version: { header: 'linkedin-version' },
  refusal,
  rows: [
    {
      call: 'POST api.linkedin.com/rest/posts',
      headers,
      json: exact({
        author: owner,
        commentary: text,
        visibility: oneOf('PUBLIC', 'LOGGED_IN', 'CONNECTIONS'),
        distribution: exact({
          feedDistribution: oneOf('MAIN_FEED'),
          targetEntities: Type.Array(text, { maxItems: 0 }),
          thirdPartyDistributionChannels: Type.Array(text, { maxItems: 0 }),
        }),
        content: Type.Optional(
          Type.Union([
            exact({
              article: exact({
                source: webAddress,
                title: filled,
                description: text,
                thumbnail: Type.Optional(image),
              }),
            }),
            exact({ media: item }),
            exact({ multiImage: exact({ images: Type.Array(picture, { minItems: 2, maxItems: 20 }) }) }),
          ]),
        ),
        lifecycleState: oneOf('PUBLISHED'),
        isReshareDisabledByAuthor: Type.Boolean(),
      }),
      source: `${SHARES}/posts-api`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/rest/posts',
      headers: Type.Object({ ...versioned, 'x-restli-method': Type.Literal('FINDER') }),
      query: exact({
        q: Type.Literal('author'),
        author: owner,
        sortBy: oneOf('CREATED', 'LAST_MODIFIED'),
        start: digits,
        count: digits,
      }),
      source: `${SHARES}/posts-api`,
      read: READ,
    },
    {
      call: 'POST api.linkedin.com/rest/images',
      headers,
      query: exact({ action: Type.Literal('initializeUpload') }),
      json: exact({ initializeUploadRequest: exact({ owner }) }),
      source: `${SHARES}/images-api`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/rest/images/{image:urn:li:image:[\\w-]+}',
      headers,
      source: `${SHARES}/images-api`,
      read: READ,
    },
    {
      call: 'POST api.linkedin.com/rest/videos',
      headers,
      query: exact({ action: Type.Literal('initializeUpload') }),
      json: exact({
        initializeUploadRequest: exact({
          owner,
          fileSizeBytes: Type.Integer({ minimum: 1 }),
          uploadCaptions: Type.Literal(false),
          uploadThumbnail: Type.Literal(false),
        }),
      }),
      source: `${SHARES}/videos-api`,
      read: READ,
    },
    {
      call: 'POST api.linkedin.com/rest/videos',
      headers,
      query: exact({ action: Type.Literal('finalizeUpload') }),
      json: exact({
        finalizeUploadRequest: exact({
          video,
          uploadToken: text,
          uploadedPartIds: Type.Array(filled, { minItems: 1 }),
        }),
      }),
      source: `${SHARES}/videos-api`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/rest/videos/{video:urn:li:video:[\\w-]+}',
      headers,
      source: `${SHARES}/videos-api`,
      read: READ,
    },
    {
      // LinkedIn names the whole address.
      call: 'PUT {server}/dms-uploads/{upload}',
      file: true,
      source: `${SHARES}/images-api`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/v2/userinfo',
      source: `${DOCS}/consumer/integrations/self-serve/sign-in-with-linkedin-v2`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/rest/organizations/{organization:[0-9]+}',
      headers,
      source: `${PAGES}/organization-lookup-api`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/rest/organizations',
      headers,
      query: exact({ ids: Type.String({ pattern: '^List\\([0-9]+(?:,[0-9]+)*\\)$' }) }),
      source: `${PAGES}/organization-lookup-api`,
      read: READ,
    },
    {
      call: 'GET api.linkedin.com/rest/organizationAcls',
      headers,
      query: exact({
        q: Type.Literal('roleAssignee'),
        role: oneOf('ADMINISTRATOR'),
        state: oneOf('APPROVED'),
        start: digits,
        count: digits,
      }),
      source: `${PAGES}/organization-access-control-by-role`,
      read: READ,
    },
    {
      call: 'POST www.linkedin.com/oauth/v2/accessToken',
      form: exact({
        grant_type: Type.Literal('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        ...client,
      }),
      ...SIGN_IN,
    },
    {
      call: 'POST www.linkedin.com/oauth/v2/accessToken',
      form: exact({ grant_type: Type.Literal('refresh_token'), refresh_token: filled, ...client }),
      ...SIGN_IN,
    },
    {
      call: 'POST www.linkedin.com/oauth/v2/introspectToken',
      form: exact({ token: filled, ...client }),
      ...SIGN_IN,
    },
  ],
}

/**
 * https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling; the messages as people have met them:
 * https://github.com/n8n-io/n8n/issues/6327 (2023-05-26), https://github.com/MicrosoftDocs/feedback/issues/1215 (2019-02-28).
 */
function refusal(fault: CallFault, path: string): Answered {
  const isToken = path.startsWith('/oauth/v2/')
  switch (fault.is) {
    case 'path':
    case 'host':
      return error(404, 'No virtual resource found', 'RESOURCE_NOT_FOUND')
    case 'version':
      return error(426, 'Requested version is not active', 'NONEXISTENT_VERSION')
    case 'method':
      return error(405, 'Method Not Allowed', 'METHOD_NOT_ALLOWED')
    case 'body':
      return isToken
        ? oauthError('grant_type')
        : error(415, 'Unsupported Media Type', 'UNSUPPORTED_MEDIA_TYPE')
    case 'missing':
    case 'unknown':
    case 'type': {
      const { place, field } = fault
      if (isToken) return oauthError(field[0] ?? '')
      if (place !== 'body') return error(400, 'Invalid query parameters passed to request')
      const at = `/${field.join('/')}`
      if (fault.is !== 'unknown') return error(422, `ERROR :: ${at} :: ${WORDS[fault.is]}`)
      // What an app may not use, and what nothing has.
      return field.length === 1
        ? error(403, `${UNPERMITTED} [${at}]`, 'ACCESS_DENIED')
        : error(422, `ERROR :: ${at} :: unrecognized field found but not allowed`)
    }
    default:
      return fault satisfies never
  }
}

const UNPERMITTED =
  'Unpermitted fields present in REQUEST_BODY: Data Processing Exception while processing fields'
const WORDS = {
  missing: 'field is required but not found and has no default value',
  type: 'value cannot be coerced',
}

function error(status: number, message: string, code?: string): Answered {
  return { status, body: { status, message, ...(code === undefined ? {} : { code }) } }
}

function oauthError(name: string): Answered {
  const words = `A required parameter "${name}" is missing`
  return { status: 400, body: { error: 'invalid_request', error_description: words } }
}
