import Type from 'typebox'
import { expect, test } from 'vitest'
import {
  type CallTable,
  changesOf,
  digits,
  exact,
  fieldsIn,
  fieldsOf,
  jsonText,
  readCall,
  type SeenCall,
} from './call-table.ts'

/* What reads the tables of calls, on a table of three rows. */

const about = { source: 'https://example.com/docs', read: '2026-11' }
const table: CallTable = {
  version: { segment: 'v2' },
  refusal: ({ is }) => ({ status: 400, body: is }),
  rows: [
    {
      call: 'POST api.example.com/v2/{page:[0-9]+}/posts',
      json: exact({ text: Type.String(), media: Type.Optional(Type.Array(exact({ id: digits }))) }),
      ...about,
    },
    { call: 'GET api.example.com/v2/{page:[0-9]+}/posts', query: exact({ limit: digits }), ...about },
    {
      call: 'POST upload.example.com/v2/files',
      headers: Type.Object({ 'x-size': digits }),
      form: exact({ what: Type.Literal('start'), options: jsonText(exact({ fast: Type.Boolean() })) }),
      ...about,
    },
  ],
}
const [post, list, upload] = table.rows

const call = (change: Partial<SeenCall>): SeenCall => ({
  method: 'POST',
  host: 'api.example.com',
  path: '/v2/12/posts',
  query: {},
  headers: {},
  body: { as: 'json', value: { text: 'Hello' } },
  ...change,
})
const json = (value: unknown) => call({ body: { as: 'json', value } })
const uploading = (options: string) =>
  call({
    host: 'upload.example.com',
    path: '/v2/files',
    headers: { 'x-size': '3', 'x-other': 'y' },
    body: { as: 'form', value: { what: 'start', options } },
  })
const noBody = { as: 'none', value: null } as const

test.each([
  [call({}), post],
  [json({ text: '', media: [{ id: '7' }] }), post],
  [call({ host: null }), post],
  [call({ method: 'GET', query: { limit: '5' }, body: noBody }), list],
  [uploading('{"fast":true}'), upload],
])('a call that is as in a row (%#)', (seen, row) => {
  expect(readCall(table, seen)).toEqual({ row })
})

test.each([
  ['an address that nothing has', call({ path: '/v2/12/likes' }), { is: 'path' }],
  ['a page that is none', call({ path: '/v2/me/posts' }), { is: 'path' }],
  ['another host', call({ host: 'upload.example.com' }), { is: 'host' }],
  ['another version', call({ path: '/v1/12/posts' }), { is: 'version' }],
  ['another method', call({ method: 'PUT' }), { is: 'method' }],
  ['no body', call({ body: noBody }), { is: 'body', wanted: 'json' }],
  ['a form', call({ body: { as: 'form', value: { text: 'Hello' } } }), { is: 'body', wanted: 'json' }],
  ['a field too few', json({}), { is: 'missing', place: 'body', field: ['text'] }],
  ['a field too many', json({ text: '', now: true }), { is: 'unknown', place: 'body', field: ['now'] }],
  ['another type', json({ text: 5 }), { is: 'type', place: 'body', field: ['text'] }],
  [
    'another type, deeper',
    json({ text: '', media: [{ id: 7 }] }),
    { is: 'type', place: 'body', field: ['media', '0', 'id'] },
  ],
  ['a body that is no object', json(null), { is: 'type', place: 'body', field: [] }],
  [
    'a query where there is none',
    call({ query: { a: 'b' } }),
    { is: 'unknown', place: 'query', field: ['a'] },
  ],
  [
    'a header too few',
    { ...uploading('{"fast":true}'), headers: {} },
    { is: 'missing', place: 'header', field: ['x-size'] },
  ],
  ['no JSON in a text', uploading('fast'), { is: 'type', place: 'body', field: ['options'] }],
  [
    'another type in a text',
    uploading('{"fast":1}'),
    { is: 'type', place: 'body', field: ['options', 'fast'] },
  ],
] as const)('%s', (_, seen, fault) => {
  expect(readCall(table, seen)).toEqual({ fault })
})

test('a version in a header is one', () => {
  const inHeader = { ...table, version: { header: 'x-size' } }
  expect(readCall(inHeader, { ...uploading('{"fast":true}'), headers: {} })).toEqual({
    fault: { is: 'version' },
  })
})

test('the fields of a call are those of its row, however deep', () => {
  const all = fieldsOf(upload!)
  expect(all).toHaveLength(5)
  expect(fieldsIn(upload!, uploading('{"fast":true}'))).toEqual(expect.arrayContaining(all))
  expect(fieldsOf(post!).filter((field) => !fieldsIn(post!, call({})).includes(field))).toEqual([
    'POST api.example.com/v2/{page:[0-9]+}/posts json: body media',
    'POST api.example.com/v2/{page:[0-9]+}/posts json: body media [] id',
  ])
})

test('each change of a call is of another kind, and no call of the table', () => {
  const changes = [
    ...changesOf(table, post!, json({ text: '', media: [{ id: '7' }] })),
    ...changesOf(table, upload!, uploading('{"fast":true}')),
  ]
  for (const { what, call: changed } of changes)
    expect([what, readCall(table, changed)]).toEqual([what, { fault: expect.anything() }])
  expect(changes.map(({ what }) => what)).toEqual([
    'body text left out',
    'body text as 0.5',
    'body media as "~wrong~"',
    'body media [] id left out',
    'body media [] id as "~wrong~"',
    'body media [] no_such_field added',
    'body no_such_field added',
    'query: no_such_field added',
    'by PUT',
    'by PATCH',
    'by DELETE',
    'another path',
    'no body',
    'a form',
    'at upload.example.com',
    'another version',
    'header x-size left out',
    'header x-size as "~wrong~"',
    'body what left out',
    'body what as "~wrong~"',
    'body options left out',
    'body options as "~wrong~"',
    'body options fast left out',
    'body options fast as "~wrong~"',
    'body options no_such_field added',
    'body no_such_field added',
    'query: no_such_field added',
    'by GET',
    'by PUT',
    'by PATCH',
    'by DELETE',
    'another path',
    'no body',
    'JSON',
    'at api.example.com',
    'another version',
  ])
})
