import Type from 'typebox'
import { type CallRow, digits, exact, filled, listOf, oneOf, text, webAddress } from './call-table.ts'

/*
 * The calls of a sign-in at Facebook, and of what is asked of an access token, which Pages and the Instagram accounts of Pages share
 * (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
 */

const READ = '2026-11'
const DOCS = 'https://developers.facebook.com/docs'
const REFERENCE = `${DOCS}/graph-api/reference`

/** The doubles say what a proof has to be. */
export const proof = { appsecret_proof: Type.Optional(text) }
export const proven = exact(proof)
export const fieldsOf = (...fields: readonly string[]) => exact({ fields: listOf(...fields), ...proof })

const client = { client_id: filled, client_secret: filled }
const lists = (fields: readonly string[]) =>
  exact({ fields: listOf(...fields), limit: digits, after: Type.Optional(filled), ...proof })

/** `page` is what is read of each Page. */
export function metaLoginRows(page: readonly string[]): CallRow[] {
  return [
    {
      call: 'POST graph.facebook.com/v27.0/oauth/access_token',
      form: exact({
        grant_type: Type.Literal('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        ...client,
      }),
      source: `${DOCS}/facebook-login/guides/advanced/manual-flow`,
      read: READ,
    },
    {
      call: 'POST graph.facebook.com/v27.0/oauth/access_token',
      form: exact({ grant_type: Type.Literal('fb_exchange_token'), fb_exchange_token: filled, ...client }),
      source: `${DOCS}/facebook-login/guides/access-tokens/get-long-lived`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/debug_token',
      query: exact({ input_token: filled, ...proof }),
      source: `${REFERENCE}/debug_token`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/me/permissions',
      query: proven,
      source: `${REFERENCE}/user/permissions`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/me/accounts',
      query: lists([...page, 'access_token', 'tasks']),
      source: `${REFERENCE}/user/accounts`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/me/businesses',
      query: lists(['id']),
      optional: true,
      source: `${REFERENCE}/user/businesses`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/{business:[0-9]+}/owned_pages',
      query: lists([...page, 'access_token']),
      optional: true,
      source: `${REFERENCE}/business/owned_pages`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/{business:[0-9]+}/client_pages',
      query: lists([...page, 'access_token']),
      optional: true,
      source: `${REFERENCE}/business/client_pages`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/{page:[0-9]+}',
      query: exact({ fields: oneOf('access_token'), ...proof }),
      optional: true,
      source: `${REFERENCE}/page`,
      read: READ,
    },
  ]
}
