import Type from 'typebox'
import {
  type CallFault,
  type CallTable,
  aFile,
  digits,
  exact,
  filled,
  listOf,
  oneOf,
  text,
} from './call-table.ts'
import type { Answered } from './http-double.ts'

/*
 * The calls that we make at sites of WordPress (https://developer.wordpress.org/rest-api/reference/). A site leaves out of account what it does
 * not know in a call: one that means something else than it says.
 */

const READ = '2026-11'
const REFERENCE = 'https://developer.wordpress.org/rest-api/reference'
const ROUTE = '{server}/wp-json/wp/v2'

const id = Type.Integer({ minimum: 1 })
const draft = {
  title: text,
  content: text,
  // 0: none.
  featured_media: Type.Integer({ minimum: 0 }),
  status: Type.Literal('draft'),
  slug: filled,
  excerpt: Type.Optional(text),
  comment_status: Type.Optional(oneOf('open', 'closed')),
  categories: Type.Optional(Type.Array(id, { minItems: 1 })),
  tags: Type.Optional(Type.Array(id, { minItems: 1 })),
}
const list = { per_page: digits, _fields: listOf('id', 'name', 'slug', 'modified_gmt') }
const terms = (taxonomy: 'categories' | 'tags') =>
  [
    {
      call: `GET ${ROUTE}/${taxonomy}`,
      query: exact({ ...list, search: text }),
      source: `${REFERENCE}/${taxonomy}/#list-${taxonomy}`,
      read: READ,
    },
    {
      call: `POST ${ROUTE}/${taxonomy}`,
      query: exact({ _fields: listOf('id', 'name') }),
      json: exact({ name: filled }),
      source: `${REFERENCE}/${taxonomy}/`,
      read: READ,
    },
  ] as const

export const wordpressCalls: CallTable = {
  version: { segment: 'v2' },
  refusal,
  // A site in which a plugin is off for a while says no other.
  passing: ['path', 'method', 'version'],
  normal(seen) {
    // Where a site has no permalinks, the route is in the query; a site may be in a folder.
    const { rest_route: route, ...query } = seen.query
    const path = typeof route === 'string' ? `/wp-json${route}` : seen.path
    return { ...seen, query, path: path.replace(/^.*(?=\/wp-json\/)/, '') }
  },
  rows: [
    {
      call: 'GET {server}/wp-json/',
      query: exact({ _fields: listOf('name', 'home', 'namespaces', 'authentication', 'site_icon_url') }),
      source: 'https://developer.wordpress.org/rest-api/using-the-rest-api/discovery/',
      read: READ,
    },
    {
      call: `GET ${ROUTE}/users/me`,
      query: exact({ context: Type.Optional(oneOf('edit')), _fields: listOf('id', 'capabilities') }),
      source: `${REFERENCE}/users/#retrieve-a-user-2`,
      read: READ,
    },
    ...terms('categories'),
    ...terms('tags'),
    {
      call: `GET ${ROUTE}/media`,
      query: exact({
        include: Type.String({ pattern: '^\\d+(?:,\\d+)*$' }),
        per_page: digits,
        _fields: oneOf('id'),
      }),
      optional: true,
      source: `${REFERENCE}/media/#list-media`,
      read: READ,
    },
    {
      call: `POST ${ROUTE}/media`,
      query: exact({ _fields: listOf('id', 'source_url') }),
      multipart: exact({ file: aFile, alt_text: Type.Optional(filled) }),
      source: `${REFERENCE}/media/#create-a-media-item`,
      read: READ,
    },
    {
      call: `GET ${ROUTE}/posts`,
      query: exact({ ...list, slug: filled, status: oneOf('draft'), context: oneOf('edit') }),
      source: `${REFERENCE}/posts/#list-posts`,
      read: READ,
    },
    {
      call: `GET ${ROUTE}/posts`,
      query: exact({
        ...list,
        status: oneOf('draft'),
        context: oneOf('edit'),
        orderby: Type.Literal('modified'),
        order: oneOf('asc'),
        author: Type.Optional(digits),
      }),
      optional: true,
      source: `${REFERENCE}/posts/#list-posts`,
      read: READ,
    },
    {
      call: `GET ${ROUTE}/posts/{post:[0-9]+}`,
      query: exact({ context: oneOf('edit'), _fields: listOf('id', 'status', 'link', 'slug') }),
      source: `${REFERENCE}/posts/#retrieve-a-post`,
      read: READ,
    },
    {
      call: `POST ${ROUTE}/posts`,
      query: exact({ _fields: listOf('id', 'status') }),
      json: exact(draft),
      source: `${REFERENCE}/posts/#create-a-post`,
      read: READ,
    },
    {
      call: `POST ${ROUTE}/posts/{post:[0-9]+}`,
      query: exact({ _fields: listOf('id', 'status') }),
      json: exact(draft),
      source: `${REFERENCE}/posts/#update-a-post`,
      read: READ,
    },
    {
      call: `POST ${ROUTE}/posts/{post:[0-9]+}`,
      query: exact({ _fields: listOf('id', 'status', 'link') }),
      // An empty slug: the site makes one of the title.
      json: exact({ status: Type.Literal('publish'), slug: text }),
      source: `${REFERENCE}/posts/#update-a-post`,
      read: READ,
    },
    {
      call: `POST ${ROUTE}/posts/{post:[0-9]+}`,
      query: exact({ _method: Type.Literal('DELETE'), _fields: oneOf('id') }),
      json: exact({}),
      source: 'https://developer.wordpress.org/rest-api/using-the-rest-api/global-parameters/#_method',
      read: READ,
    },
  ],
}

/** https://developer.wordpress.org/rest-api/extending-the-rest-api/adding-custom-endpoints/, with the words of class-wp-rest-server.php and class-wp-rest-request.php. */
function refusal(fault: CallFault): Answered {
  switch (fault.is) {
    case 'path':
    case 'host':
    case 'version':
    case 'method':
      return refused(404, 'rest_no_route', 'No route was found matching the URL and request method.')
    case 'body':
      return refused(400, 'rest_invalid_param', 'Invalid parameter(s): body')
    case 'missing':
      return refused(400, 'rest_missing_callback_param', `Missing parameter(s): ${fault.field.join('.')}`)
    case 'unknown':
    case 'type':
      return refused(400, 'rest_invalid_param', `Invalid parameter(s): ${fault.field.join('.')}`)
    default:
      return fault satisfies never
  }
}

function refused(status: number, code: string, message: string): Answered {
  return { status, body: { code, message, data: { status } } }
}
