import Type from 'typebox'
import {
  aFile,
  type CallFault,
  type CallTable,
  digits,
  exact,
  filled,
  flag,
  oneOf,
  text,
  webAddress,
} from './call-table.ts'
import type { Answered } from './http-double.ts'

/*
 * The calls that we make at instances of Mastodon (https://docs.joinmastodon.org/methods/), and of software that speaks its API. An instance
 * leaves out of account what it does not know: a call that means something else than it says.
 */

const READ = '2026-11'
/** The methods, in the source of these pages (mastodon/documentation, 2903485). */
const METHODS_READ = '2026-11-29'
const DOCS = 'https://docs.joinmastodon.org'
const METHODS = `${DOCS}/methods`
const NODEINFO = 'https://nodeinfo.diaspora.software/protocol'

const client = { client_id: filled, client_secret: filled }

export const mastodonCalls: CallTable = {
  version: null,
  refusal,
  rows: [
    {
      call: 'POST {server}/api/v1/statuses',
      headers: Type.Object({ 'idempotency-key': filled }),
      json: exact({
        status: text,
        media_ids: Type.Optional(Type.Array(filled, { minItems: 1 })),
        in_reply_to_id: Type.Optional(filled),
        visibility: oneOf('public', 'unlisted', 'private', 'direct'),
        spoiler_text: Type.Optional(text),
        sensitive: Type.Optional(Type.Boolean()),
        language: Type.Optional(Type.String({ pattern: '^[a-zA-Z-]{2,}$' })),
      }),
      source: `${METHODS}/statuses/#create`,
      read: METHODS_READ,
    },
    { call: 'GET {server}/api/v1/statuses/{status}', source: `${METHODS}/statuses/#get`, read: METHODS_READ },
    {
      call: 'GET {server}/api/v1/statuses/{status}/source',
      source: `${METHODS}/statuses/#source`,
      read: METHODS_READ,
    },
    {
      call: 'POST {server}/api/v2/media',
      multipart: exact({ file: aFile, description: Type.Optional(filled) }),
      source: `${METHODS}/media/#v2`,
      read: METHODS_READ,
    },
    { call: 'GET {server}/api/v1/media/{media}', source: `${METHODS}/media/#get`, read: METHODS_READ },
    {
      call: 'GET {server}/api/v1/accounts/{account}/statuses',
      query: exact({ exclude_reblogs: flag, limit: digits, max_id: Type.Optional(filled) }),
      source: `${METHODS}/accounts/#statuses`,
      read: METHODS_READ,
    },
    {
      call: 'GET {server}/api/v1/accounts/verify_credentials',
      source: `${METHODS}/accounts/#verify_credentials`,
      read: METHODS_READ,
    },
    {
      call: 'GET {server}/api/v1/apps/verify_credentials',
      source: `${METHODS}/apps/#verify_credentials`,
      read: METHODS_READ,
    },
    { call: 'GET {server}/api/v2/instance', source: `${METHODS}/instance/#v2`, read: METHODS_READ },
    // Of servers that have no other.
    { call: 'GET {server}/api/v1/instance', source: `${METHODS}/instance/#v1`, read: METHODS_READ },
    { call: 'GET {server}/.well-known/nodeinfo', optional: true, source: NODEINFO, read: READ },
    // The instance names the address: this is Mastodon's own, and the next snac's.
    { call: 'GET {server}/nodeinfo/2.0', optional: true, source: NODEINFO, read: READ },
    { call: 'GET {server}/nodeinfo_2_0', optional: true, source: NODEINFO, read: READ },
    {
      call: 'POST {server}/api/v1/apps',
      form: exact({ client_name: filled, redirect_uris: webAddress, scopes: filled }),
      source: `${METHODS}/apps/#create`,
      read: METHODS_READ,
    },
    {
      call: 'POST {server}/oauth/token',
      form: exact({
        grant_type: Type.Literal('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        code_verifier: filled,
        scope: filled,
        ...client,
      }),
      source: `${METHODS}/oauth/#token`,
      read: METHODS_READ,
    },
    {
      call: 'POST {server}/oauth/token',
      form: exact({
        grant_type: Type.Literal('client_credentials'),
        redirect_uri: webAddress,
        scope: filled,
        ...client,
      }),
      source: `${METHODS}/oauth/#token`,
      read: METHODS_READ,
    },
  ],
}

/** What fields are called in the words of a refusal (app/models/status.rb, app/models/media_attachment.rb). */
const CALLED: Readonly<Record<string, string>> = {
  media_ids: 'Media',
  in_reply_to_id: 'Thread',
  visibility: 'Visibility',
  spoiler_text: 'Spoiler text',
  language: 'Language',
  file: 'File',
}

/** https://docs.joinmastodon.org/entities/Error/; an address that is none is 404 for every method. */
function refusal(fault: CallFault, path: string): Answered {
  const isToken = path === '/oauth/token'
  switch (fault.is) {
    case 'path':
    case 'host':
    case 'version':
    case 'method':
      return refused(404, 'Not Found')
    case 'body':
      return isToken ? oauthError('grant_type') : refused(422, "Validation failed: Text can't be blank")
    case 'missing':
    case 'unknown':
    case 'type': {
      const [name = ''] = fault.field
      if (isToken) return oauthError(name)
      const words = fault.is === 'missing' ? "can't be blank" : 'is invalid'
      return refused(422, `Validation failed: ${CALLED[name] ?? 'Text'} ${words}`)
    }
    default:
      return fault satisfies never
  }
}

function refused(status: number, error: string): Answered {
  return { status, body: { error } }
}

function oauthError(name: string): Answered {
  const words = `Missing required parameter: ${name}.`
  return { status: 400, body: { error: 'invalid_request', error_description: words } }
}
