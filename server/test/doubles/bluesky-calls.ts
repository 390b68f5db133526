import Type, { type TSchema } from 'typebox'
import { type CallFault, type CallTable, exact, filled, oneOf, text, webAddress } from './call-table.ts'
import type { Answered } from './http-double.ts'

/*
 * The calls that we make at servers of Bluesky (https://atproto.com/lexicons), at the directories of its identities, and at its authorization
 * servers. A server leaves out of account what it does not know in a record: a call that means something else than it says.
 */

const READ = '2026-11'
const ATPROTO = 'https://atproto.com'
const API = 'https://docs.bsky.app/docs/api'
const OAUTH = `${ATPROTO}/specs/oauth`

const did = Type.String({ pattern: '^did:(?:plc:[a-z2-7]+|web:[\\w.%:-]+)$' })
const handle = Type.String({ pattern: '^[a-zA-Z0-9-]+(?:\\.[a-zA-Z0-9-]+)+$' })
const cid = Type.String({ pattern: '^b[a-z2-7]{10,}$' })
const atUri = Type.String({ pattern: '^at://did:\\S+/[a-zA-Z.]+/\\S+$' })
const rkey = Type.String({ pattern: '^[2-7a-z]{13}$' })
const dateTime = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })
const count = Type.Integer({ minimum: 0 })
const $type = (name: string) => Type.Literal(name)

const blob = exact({
  $type: $type('blob'),
  ref: exact({ $link: cid }),
  mimeType: filled,
  size: Type.Integer({ minimum: 1 }),
})
const aspectRatio = Type.Optional(exact({ width: Type.Integer(), height: Type.Integer() }))
const strongRef = exact({ uri: atUri, cid })
const FACET = 'app.bsky.richtext.facet'

const post = {
  $type: $type('app.bsky.feed.post'),
  text,
  createdAt: dateTime,
  facets: Type.Optional(
    Type.Array(
      exact({
        index: exact({ byteStart: count, byteEnd: count }),
        features: Type.Array(
          Type.Union([
            exact({ $type: $type(`${FACET}#link`), uri: webAddress }),
            exact({ $type: $type(`${FACET}#mention`), did }),
            exact({ $type: $type(`${FACET}#tag`), tag: filled }),
          ]),
          { minItems: 1, maxItems: 1 },
        ),
      }),
      { minItems: 1 },
    ),
  ),
  embed: Type.Optional(
    Type.Union([
      exact({
        $type: $type('app.bsky.embed.images'),
        images: Type.Array(exact({ image: blob, alt: text, aspectRatio }), { minItems: 1, maxItems: 4 }),
      }),
      exact({ $type: $type('app.bsky.embed.video'), video: blob, alt: Type.Optional(text), aspectRatio }),
      exact({
        $type: $type('app.bsky.embed.external'),
        external: exact({ uri: webAddress, title: text, description: text, thumb: Type.Optional(blob) }),
      }),
    ]),
  ),
  langs: Type.Optional(Type.Array(filled, { maxItems: 3 })),
  tags: Type.Optional(Type.Array(filled, { maxItems: 8 })),
  labels: Type.Optional(
    exact({
      $type: $type('com.atproto.label.defs#selfLabels'),
      values: Type.Array(exact({ val: filled }), { minItems: 1, maxItems: 10 }),
    }),
  ),
}
const reply = Type.Optional(exact({ root: strongRef, parent: strongRef }))

const GATE = 'app.bsky.feed.threadgate'
const QUOTE_GATE = 'app.bsky.feed.postgate'
const gated = { post: atUri, createdAt: dateTime }
const create = (collection: string, value: TSchema) =>
  exact({
    $type: $type('com.atproto.repo.applyWrites#create'),
    collection: Type.Literal(collection),
    rkey,
    value,
  })

const client = {
  client_id: filled,
  client_assertion_type: Type.Optional(oneOf('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')),
  client_assertion: Type.Optional(filled),
}

export const blueskyCalls: CallTable = {
  version: null,
  refusal,
  rows: [
    {
      call: 'POST {server}/xrpc/com.atproto.repo.putRecord',
      json: exact({
        repo: did,
        collection: Type.Literal('app.bsky.feed.post'),
        rkey,
        validate: Type.Literal(true),
        record: exact({ ...post, reply }),
        // Nothing may be there.
        swapRecord: Type.Null(),
      }),
      source: `${API}/com-atproto-repo-put-record`,
      read: READ,
    },
    {
      call: 'POST {server}/xrpc/com.atproto.repo.applyWrites',
      json: exact({
        repo: did,
        validate: Type.Literal(true),
        writes: Type.Array(
          Type.Union([
            // Who may reply is said of a first part alone.
            create('app.bsky.feed.post', exact(post)),
            create(
              GATE,
              exact({
                $type: $type(GATE),
                ...gated,
                allow: Type.Array(
                  exact({
                    $type: oneOf(`${GATE}#mentionRule`, `${GATE}#followerRule`, `${GATE}#followingRule`),
                  }),
                  { maxItems: 5 },
                ),
              }),
            ),
            create(
              QUOTE_GATE,
              exact({
                $type: $type(QUOTE_GATE),
                ...gated,
                embeddingRules: Type.Array(exact({ $type: $type(`${QUOTE_GATE}#disableRule`) }), {
                  minItems: 1,
                  maxItems: 5,
                }),
              }),
            ),
          ]),
          { minItems: 2 },
        ),
      }),
      source: `${API}/com-atproto-repo-apply-writes`,
      read: READ,
    },
    {
      call: 'POST {server}/xrpc/com.atproto.repo.uploadBlob',
      file: true,
      source: `${API}/com-atproto-repo-upload-blob`,
      read: READ,
    },
    {
      call: 'GET {server}/xrpc/com.atproto.repo.getRecord',
      query: exact({ repo: did, collection: filled, rkey: filled }),
      source: `${API}/com-atproto-repo-get-record`,
      read: READ,
    },
    {
      call: 'GET {server}/xrpc/com.atproto.identity.resolveHandle',
      query: exact({ handle }),
      source: `${API}/com-atproto-identity-resolve-handle`,
      read: READ,
    },
    {
      call: 'GET {server}/xrpc/app.bsky.actor.getProfile',
      query: exact({ actor: did }),
      optional: true,
      source: `${API}/app-bsky-actor-get-profile`,
      read: READ,
    },
    {
      call: 'GET {server}/xrpc/com.atproto.server.getSession',
      source: `${API}/com-atproto-server-get-session`,
      read: READ,
    },
    {
      call: 'POST {server}/xrpc/com.atproto.server.createSession',
      json: exact({ identifier: filled, password: text }),
      source: `${API}/com-atproto-server-create-session`,
      read: READ,
    },
    {
      call: 'POST {server}/xrpc/com.atproto.server.refreshSession',
      source: `${API}/com-atproto-server-refresh-session`,
      read: READ,
    },
    {
      call: 'GET plc.directory/{did:did:plc:[a-z2-7]+}',
      source: `${ATPROTO}/specs/did`,
      read: READ,
    },
    { call: 'GET {server}/.well-known/did.json', source: `${ATPROTO}/specs/did`, read: READ },
    { call: 'GET {server}/.well-known/oauth-protected-resource', source: OAUTH, read: READ },
    { call: 'GET {server}/.well-known/oauth-authorization-server', source: OAUTH, read: READ },
    // The authorization server names the next two: these are those of the PDS.
    {
      call: 'POST {server}/oauth/par',
      form: exact({
        ...client,
        response_type: oneOf('code'),
        redirect_uri: webAddress,
        scope: filled,
        state: filled,
        code_challenge: filled,
        code_challenge_method: oneOf('S256'),
        login_hint: filled,
      }),
      source: OAUTH,
      read: READ,
    },
    {
      call: 'POST {server}/oauth/token',
      form: exact({
        ...client,
        grant_type: Type.Literal('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        code_verifier: filled,
      }),
      source: OAUTH,
      read: READ,
    },
    {
      call: 'POST {server}/oauth/token',
      form: exact({ ...client, grant_type: Type.Literal('refresh_token'), refresh_token: filled }),
      source: OAUTH,
      read: READ,
    },
  ],
}

/** https://atproto.com/specs/xrpc, with the words of packages/xrpc-server and packages/lexicon; the shapes of records: https://github.com/bluesky-social/atproto/tree/main/lexicons. */
function refusal(fault: CallFault, path: string): Answered {
  if (path.startsWith('/oauth/')) return refused(400, 'invalid_request', 'Validation of the request failed')
  if (!path.startsWith('/xrpc/')) return refused(404, 'NotFound', 'Not Found')
  switch (fault.is) {
    case 'path':
    case 'host':
    case 'version':
      return refused(501, 'MethodNotImplemented', 'Method Not Implemented')
    case 'method':
      return refused(400, 'InvalidRequest', 'Incorrect HTTP method')
    case 'body':
      return refused(400, 'InvalidRequest', 'Request encoding (Content-Type) required but not provided')
    case 'missing':
      return refused(400, 'InvalidRequest', `Input must have the property "${fault.field.join('/')}"`)
    case 'unknown':
    case 'type':
      return refused(400, 'InvalidRequest', `Input/${fault.field.join('/')} is not valid`)
    default:
      return fault satisfies never
  }
}

function refused(status: number, error: string, message: string): Answered {
  return { status, body: { error, message } }
}
