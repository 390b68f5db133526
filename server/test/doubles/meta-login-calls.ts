import Type from 'typebox'
import { type CallRow, digits, exact, filled, listOf, oneOf, text, webAddress } from './call-table.ts'

/*
 * The calls of a sign-in at Facebook, and of what is asked of an access token, which Pages and the Instagram accounts of Pages share
 * (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
 */

const READ = '2026-11'
const DOCS = 'https://developers.facebook.com/docs'
const REFERENCE = `${DOCS}/graph-api/reference`

/** What Meta makes its own clients from: it has each of these calls, with each of their fields. */
export const specOf = (node: string) => ({
  source: `https://github.com/facebook/facebook-business-sdk-codegen/blob/ad2b0b6/api_specs/specs/${node}.json`,
  read: '2026-11-29',
})

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
      ...specOf('User'),
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
      ...specOf('User'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{business:[0-9]+}/owned_pages',
      query: lists([...page, 'access_token']),
      optional: true,
      ...specOf('Business'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{business:[0-9]+}/client_pages',
      query: lists([...page, 'access_token']),
      optional: true,
      ...specOf('Business'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{page:[0-9]+}',
      query: exact({ fields: oneOf('access_token'), ...proof }),
      optional: true,
      ...specOf('Page'),
    },
  ]
}
