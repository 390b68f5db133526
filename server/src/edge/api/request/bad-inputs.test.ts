import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AN_ID, type Edge, openEdge } from '../../../../test/rigs/edge.ts'

type Bad = {
  name: string
  request: {
    method?: 'GET' | 'POST'
    url: string
    headers?: Record<string, string>
    payload?: string | Buffer
  }
  status: number
  code: string
  /** Every pointer of `errors`, in any order. */
  pointers?: string[]
  /** A part of what must be said. */
  says?: string
}

const good = { authorization: 'Bearer good' }
const json = { ...good, 'content-type': 'application/json' }

function create(change: object | string | Buffer, headers: Record<string, string> = json): Bad['request'] {
  const whole = { confirmed: true, idempotencyKey: 'k', state: 'draft', text: 'Hello', channelIds: [AN_ID] }
  const payload =
    typeof change === 'string' || Buffer.isBuffer(change) ? change : JSON.stringify({ ...whole, ...change })
  return { method: 'POST', url: '/agent/v1/posts', headers, payload }
}

function knock(change: object, headers: Record<string, string> = { 'idempotency-key': 'k' }): Bad['request'] {
  const payload = JSON.stringify({ confirmed: true, ...change })
  return { method: 'POST', url: `/agent/v1/doors/${AN_ID}/knock`, headers: { ...json, ...headers }, payload }
}

function list(query: string): Bad['request'] {
  return { url: `/agent/v1/posts?${query}`, headers: good }
}

const invalid = { status: 400, code: 'validation_failed' }
const malformed = { status: 400, code: 'malformed_request' }
const unconfirmed = { status: 400, code: 'confirmation_required' }
const keyless = { status: 400, code: 'idempotency_key_required' }
const absent = { status: 404, code: 'not_found' }
const unsupported = { status: 415, code: 'malformed_request' }
const deep = (levels: number) => `{"a":`.repeat(levels) + '1' + '}'.repeat(levels)

const table: Bad[] = [
  // Addresses
  { name: 'an unknown path', request: { url: '/agent/v1/nothing', headers: good }, ...absent },
  {
    name: 'an unknown path with a broken body',
    request: { method: 'POST', url: '/no', headers: json, payload: '{' },
    ...absent,
  },
  {
    name: 'a method the path has not',
    request: { method: 'POST', url: '/agent/v1/me', headers: json, payload: '{}' },
    status: 405,
    code: 'method_not_allowed',
  },
  {
    name: 'a broken escape in the path',
    request: { url: '/agent/v1/posts/%zz', headers: good },
    ...malformed,
  },
  {
    name: 'an escape in the path that is not UTF-8',
    request: { url: '/agent/v1/posts/%ff', headers: good },
    ...malformed,
  },
  { name: 'an id that is none', request: { url: '/agent/v1/posts/42', headers: good }, ...absent },
  {
    name: 'an id in capitals',
    request: { url: `/agent/v1/posts/${AN_ID.toUpperCase()}`, headers: good },
    ...absent,
    says: 'has capitals',
  },
  { name: 'an id with NUL', request: { url: '/agent/v1/posts/%00', headers: good }, ...absent },
  {
    name: 'an id of great length',
    request: { url: `/agent/v1/posts/${'a'.repeat(2_000)}`, headers: good },
    ...absent,
  },

  // Queries
  { name: 'limit 0', request: list('limit=0'), ...invalid, pointers: ['?limit'], says: 'between 1 and 100' },
  { name: 'limit 101', request: list('limit=101'), ...invalid, pointers: ['?limit'] },
  { name: 'limit 1.5', request: list('limit=1.5'), ...invalid, pointers: ['?limit'], says: 'a whole number' },
  { name: 'limit abc', request: list('limit=abc'), ...invalid, pointers: ['?limit'] },
  { name: 'limit empty', request: list('limit='), ...invalid, pointers: ['?limit'] },
  { name: 'limit in hexadecimal', request: list('limit=0x10'), ...invalid, pointers: ['?limit'] },
  {
    name: 'limit beyond safe integers',
    request: list('limit=99999999999999999999'),
    ...invalid,
    pointers: ['?limit'],
  },
  {
    name: 'limit twice',
    request: list('limit=1&limit=2'),
    ...invalid,
    pointers: ['?limit'],
    says: 'sent 2 times',
  },
  {
    name: 'an unknown parameter',
    request: list('limt=1'),
    ...invalid,
    pointers: ['?limt'],
    says: 'Did you mean `limit`',
  },
  {
    name: 'a parameter called __proto__',
    request: list('__proto__=1'),
    ...invalid,
    pointers: ['?__proto__'],
  },
  {
    name: 'a parameter where none is known',
    request: { url: '/agent/v1/me?x=1', headers: good },
    ...invalid,
    pointers: ['?x'],
  },
  {
    name: 'an unknown status',
    request: list('status=gone'),
    ...invalid,
    pointers: ['?status'],
    says: '`"published"`',
  },
  { name: 'NUL in q', request: list('q=a%00b'), ...invalid, pointers: ['?q'] },
  { name: 'q empty', request: list('q='), ...invalid, pointers: ['?q'] },
  {
    name: 'q too long',
    request: list(`q=${'a'.repeat(201)}`),
    ...invalid,
    pointers: ['?q'],
    says: '201 were sent',
  },
  { name: 'a broken escape in the query', request: list('q=%zz'), ...malformed },
  { name: 'half a UTF-8 sequence in the query', request: list('q=%e2%82'), ...malformed },
  {
    name: 'several errors at once',
    request: list('limit=0&status=x&z=1'),
    ...invalid,
    pointers: ['?limit', '?status', '?z'],
  },
  {
    name: 'a time without an offset',
    request: { url: '/agent/v1/calendar?from=2026-11-21T10:00:00&to=2026-11-22T10:00:00Z', headers: good },
    ...invalid,
    pointers: ['?from'],
  },
  {
    name: 'a missing parameter',
    request: { url: '/agent/v1/calendar?from=2026-11-21T10:00:00Z', headers: good },
    ...invalid,
    pointers: ['?to'],
    says: 'missing',
  },

  // Bodies that cannot be read
  { name: 'broken JSON', request: create('{"a":'), ...malformed },
  { name: 'an empty body', request: create(''), ...malformed },
  {
    name: 'no body and no type',
    request: { method: 'POST', url: '/agent/v1/posts', headers: good },
    ...malformed,
  },
  {
    name: 'invalid UTF-8',
    request: create(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    ...malformed,
  },
  {
    name: 'an overlong UTF-8 sequence',
    request: create(Buffer.from([0x22, 0xc0, 0xaf, 0x22])),
    ...malformed,
  },
  {
    name: 'another type',
    request: create('a=1', { ...good, 'content-type': 'application/x-www-form-urlencoded' }),
    ...unsupported,
  },
  { name: 'plain text', request: create('{}', { ...good, 'content-type': 'text/plain' }), ...unsupported },
  { name: 'no type', request: create('{}', { ...good, 'content-type': '' }), ...unsupported },
  {
    name: 'two types in one',
    request: create('{}', { ...good, 'content-type': 'application/json, text/plain' }),
    ...unsupported,
  },
  {
    name: 'another charset',
    request: create('{}', { ...good, 'content-type': 'application/json; charset=utf-16' }),
    ...unsupported,
  },
  {
    name: 'a body above 1 MiB',
    request: create(`{"text":"${'a'.repeat(1_048_576)}"}`),
    status: 413,
    code: 'malformed_request',
  },

  // Bodies of the wrong shape
  { name: 'a list', request: create('[]'), ...invalid, pointers: [''], says: 'an object' },
  { name: 'null', request: create('null'), ...invalid, pointers: [''] },
  { name: 'a number', request: create('7'), ...invalid, pointers: [''] },
  {
    name: 'not confirmed',
    request: create({ confirmed: undefined }),
    ...unconfirmed,
    pointers: ['/confirmed'],
  },
  {
    name: 'confirmed as false',
    request: create({ confirmed: false }),
    ...unconfirmed,
    pointers: ['/confirmed'],
  },
  {
    name: 'confirmed as text',
    request: create({ confirmed: 'true' }),
    ...unconfirmed,
    pointers: ['/confirmed'],
  },
  {
    name: 'confirmed as null',
    request: create({ confirmed: null }),
    ...unconfirmed,
    pointers: ['/confirmed'],
  },
  {
    name: 'no key',
    request: create({ idempotencyKey: undefined }),
    ...keyless,
    pointers: ['/idempotencyKey'],
  },
  {
    name: 'an empty key',
    request: create({ idempotencyKey: '' }),
    ...keyless,
    pointers: ['/idempotencyKey'],
  },
  {
    name: 'a key with a space',
    request: create({ idempotencyKey: 'a b' }),
    ...invalid,
    pointers: ['/idempotencyKey'],
  },
  {
    name: 'a key of 256 characters',
    request: create({ idempotencyKey: 'k'.repeat(256) }),
    ...invalid,
    pointers: ['/idempotencyKey'],
  },
  {
    name: 'a key that is a number',
    request: create({ idempotencyKey: 7 }),
    ...invalid,
    pointers: ['/idempotencyKey'],
  },
  {
    name: 'not confirmed, and more',
    request: create({ confirmed: 1, idempotencyKey: '', state: 'x' }),
    ...unconfirmed,
    pointers: ['/confirmed', '/idempotencyKey', '/state'],
  },
  {
    name: 'an empty object',
    request: create('{}'),
    ...unconfirmed,
    pointers: ['/confirmed', '/idempotencyKey', '/state'],
  },
  {
    name: 'an unknown field',
    request: create({ publshAt: 1 }),
    ...invalid,
    pointers: ['/publshAt'],
    says: 'Did you mean `publishAt`',
  },
  {
    name: 'an unknown field deep inside',
    request: create({ thread: [{ text: 'a', txt: 1 }] }),
    ...invalid,
    pointers: ['/thread/0/txt'],
    says: '`thread[0].txt`',
  },
  {
    name: 'an unknown field with a slash',
    request: create({ 'a/b~c': 1 }),
    ...invalid,
    pointers: ['/a~1b~0c'],
  },
  {
    name: 'a field called __proto__',
    request: create('{"__proto__":{"confirmed":true}}'),
    ...unconfirmed,
    pointers: ['/__proto__', '/confirmed', '/idempotencyKey', '/state'],
  },
  {
    name: '__proto__ where any field goes',
    request: knock({ notes: JSON.parse('{"__proto__":1}') as object }),
    ...invalid,
    pointers: ['/notes/__proto__'],
  },
  {
    name: 'constructor where any field goes',
    request: knock({ notes: { constructor: { prototype: 1 } } }),
    ...invalid,
    pointers: ['/notes/constructor', '/notes/constructor/prototype'],
  },
  { name: 'NUL in a text', request: create({ text: 'a\u0000b' }), ...invalid, pointers: ['/text'] },
  {
    name: 'half a surrogate pair in a text',
    request: create({ text: 'a\ud800b' }),
    ...invalid,
    pointers: ['/text'],
  },
  {
    name: 'half a surrogate pair in a free field name',
    request: knock({ notes: { 'a\udc00': 1 } }),
    ...invalid,
    pointers: ['/notes/a\ufffd'],
  },
  {
    name: 'a number beyond all numbers',
    request: { ...knock({}), payload: '{"confirmed":true,"notes":{"n":1e999}}' },
    ...invalid,
    pointers: ['/notes/n'],
  },
  { name: 'a text that is a number', request: create({ text: 7 }), ...invalid, pointers: ['/text'] },
  {
    name: 'an id that is none, in a list',
    request: create({ channelIds: ['x'] }),
    ...invalid,
    pointers: ['/channelIds/0'],
    says: 'a lower-case UUID',
  },
  {
    name: 'an empty list',
    request: create({ channelIds: [] }),
    ...invalid,
    pointers: ['/channelIds'],
    says: 'at least 1 item;',
  },
  {
    name: 'the same id twice',
    request: create({ channelIds: [AN_ID, AN_ID] }),
    ...invalid,
    pointers: ['/channelIds'],
    says: 'twice',
  },
  {
    name: 'too many follow-ups',
    request: create({ thread: Array.from({ length: 51 }, () => ({ text: 'a' })) }),
    ...invalid,
    pointers: ['/thread'],
  },
  {
    name: 'too long a text',
    request: create({ text: '😀'.repeat(100_001) }),
    ...invalid,
    pointers: ['/text'],
    says: '100001 were sent',
  },
  {
    name: 'nested 65 deep',
    request: { ...knock({}), payload: `{"confirmed":true,"notes":${deep(64)}}` },
    ...invalid,
    pointers: [`/notes${'/a'.repeat(63)}`],
    says: 'nested deeper than 64 levels',
  },
  {
    name: 'nested 100,000 deep',
    request: { ...knock({}), payload: `{"confirmed":true,"notes":${deep(100_000)}}` },
    ...invalid,
  },
  {
    name: 'lists nested 500,000 deep',
    request: create('['.repeat(500_000) + ']'.repeat(500_000)),
    ...invalid,
  },
  {
    name: 'half a million values',
    request: create({ channelIds: Array.from({ length: 400_000 }, () => 0) }),
    ...invalid,
    pointers: ['/channelIds'],
    says: 'more than 20000 values',
  },
  {
    name: 'an object with more than 1,000 fields',
    request: create({ settings: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`k${n}`, n])) }),
    ...invalid,
    pointers: ['/settings'],
    says: 'more than 1000 fields',
  },
  {
    name: 'thousands of wrong values',
    request: create({ channelIds: Array.from({ length: 10_000 }, (_, i) => i) }),
    ...invalid,
  },
  {
    name: '30 February',
    request: create({ publishAt: '2026-02-30T10:00:00Z' }),
    ...invalid,
    pointers: ['/publishAt'],
    says: 'a day that exists',
  },
  {
    name: 'a time that is finer than a millisecond',
    request: create({ publishAt: '2026-12-31T23:59:59.0001Z' }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'a time without an offset in a body',
    request: create({ publishAt: '2026-11-21T10:00:00' }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'a date without a time',
    request: create({ publishAt: '2026-11-21' }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'a year before 1970',
    request: create({ publishAt: '1969-12-31T23:59:59Z' }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'a year after 9999',
    request: create({ publishAt: '9999-12-31T23:59:59-01:00' }),
    ...invalid,
    pointers: ['/publishAt'],
  },
  {
    name: 'a shape of none of the kinds',
    request: knock({ door: { right: [1] } }),
    ...invalid,
    pointers: ['/door/right/0'],
  },
  { name: 'neither kind at all', request: knock({ door: 7 }), ...invalid, pointers: ['/door'] },

  // The key in the header
  { name: 'no header', request: knock({}, {}), ...keyless, pointers: ['@Idempotency-Key'] },
  {
    name: 'an empty header',
    request: knock({}, { 'idempotency-key': '' }),
    ...keyless,
    pointers: ['@Idempotency-Key'],
  },
  {
    name: 'an empty quoted header',
    request: knock({}, { 'idempotency-key': '""' }),
    ...keyless,
    pointers: ['@Idempotency-Key'],
  },
  {
    name: 'a header with a space',
    request: knock({}, { 'idempotency-key': 'a b' }),
    ...invalid,
    pointers: ['@Idempotency-Key'],
  },
  {
    name: 'a header with a quote left open',
    request: knock({}, { 'idempotency-key': '"k' }),
    ...invalid,
    pointers: ['@Idempotency-Key'],
  },
  {
    name: 'two keys',
    request: knock({}, { 'idempotency-key': '"a", "b"' }),
    ...invalid,
    pointers: ['@Idempotency-Key'],
  },
  {
    name: 'a header of 256 characters',
    request: knock({}, { 'idempotency-key': 'k'.repeat(256) }),
    ...invalid,
    pointers: ['@Idempotency-Key'],
  },
  {
    name: 'neither header nor confirmation',
    request: knock({ confirmed: undefined, times: 10 }, {}),
    ...unconfirmed,
    pointers: ['/confirmed', '/times', '@Idempotency-Key'],
  },
]

describe('what is wrong is refused, and named', () => {
  let edge: Edge
  beforeAll(async () => {
    edge = await openEdge()
  })
  afterAll(() => edge[Symbol.asyncDispose]())

  test.each(table)('$name', async ({ request, status, code, pointers, says }) => {
    const answer = await edge.app.inject({ method: 'GET', ...request })

    const problem = answer.json<{
      code: string
      status: number
      requestId: string
      detail: string
      errors?: { pointer: string; detail: string }[]
    }>()
    expect({ status: answer.statusCode, code: problem.code, body: problem.status }).toEqual({
      status,
      code,
      body: status,
    })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.headers['x-request-id']).toBe(problem.requestId)
    const found = (problem.errors ?? []).map(({ pointer }) => pointer)
    if (pointers !== undefined) expect(found.toSorted()).toEqual(pointers.toSorted())
    const said = [problem, ...(problem.errors ?? [])].map(({ detail }) => detail)
    if (says !== undefined) expect(said.join('\n')).toContain(says)
    expect(found.length).toBeLessThanOrEqual(20)
    expect(edge.knocks.begun).toBe(0)
  })

  test('no answer to any of them takes the server down or reveals its inside', async () => {
    expect((await edge.app.inject('/healthz')).json()).toEqual({ status: 'ok' })
    expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([])
  })
})
