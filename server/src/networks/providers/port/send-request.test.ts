import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { OutboundRequest } from '../../../platform/outbound/outbound-http.ts'
import { newKey } from './signing-keys.ts'
import {
  type CallAnswer,
  type HttpRequest,
  type HttpResponse,
  SECRET_IN_PATH,
  SERVER_ADDRESS,
} from './calls.ts'
import { openSender } from './send-request.ts'

function fileOf(content: string) {
  const bytes = Buffer.from(content)
  return { contentType: 'image/png', size: bytes.byteLength, open: () => Readable.from([bytes]) }
}

/** A sender on a line that answers so, in turn, and keeps what it was given. */
function aSender(...responses: Partial<HttpResponse>[]) {
  const sent: OutboundRequest[] = []
  const send = openSender({
    totalMs: 1_000,
    serverAddress: 'https://posts.example',
    talk: async () => ({ maybeSent: false, messages: [], reason: 'ECONNREFUSED' }),
    call: async (request): Promise<CallAnswer> => {
      sent.push(request)
      const { status = 200, headers = {}, body = '' } = responses.shift() ?? {}
      return { arrived: true, response: { status, headers: { ...headers }, body }, durationMs: 1 }
    },
  })
  return { send, sent }
}

const url = new URL('https://network.example/api/posts?x=1')
const plain: HttpRequest = { method: 'POST', url, headers: {} }

test.each([
  ['Bearer', 'Bearer t0ken'],
  ['Basic', 'Basic t0ken'],
] as const)('%s credentials go into the header', async (scheme, header) => {
  const { send, sent } = aSender()
  await send({ ...plain, json: {}, authorization: { scheme, credentials: 't0ken' } })
  expect(sent).toMatchObject([{ headers: { authorization: header }, json: {} }])
})

test('a secret goes into the path where it is wanted, and not into the request itself', async () => {
  const { send, sent } = aSender()
  const path = new URL(`https://network.example/bot${SECRET_IN_PATH}/sendMessage`)
  await send({ ...plain, url: path, authorization: { scheme: 'path', credentials: '123:ABC$&-d' } })
  expect(sent[0]?.url.href).toBe('https://network.example/bot123:ABC$&-d/sendMessage')
  expect(path.href).toContain(SECRET_IN_PATH)
})

test('a network that asks who calls is given the address of this server', async () => {
  const { send, sent } = aSender()
  await send({ ...plain, headers: { 'user-agent': `DiscordBot (${SERVER_ADDRESS}, 1)`, accept: '*/*' } })
  expect(sent[0]?.headers).toEqual({ 'user-agent': 'DiscordBot (https://posts.example, 1)', accept: '*/*' })
})

test('a form is written as forms are', async () => {
  const { send, sent } = aSender()
  await send({ ...plain, form: { grant_type: 'refresh_token', token: 'a+b&c' } })
  expect(sent[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(Buffer.from(sent[0]?.body ?? []).toString()).toBe('grant_type=refresh_token&token=a%2Bb%26c')
})

test('a multipart body has the size that it says, and reads the same each time', async () => {
  const { send, sent } = aSender()
  const parts = [
    { name: 'payload', value: '{"a":"ü"}', contentType: 'application/json' },
    { name: 'files[0]', fileName: 'a "b".png', file: fileOf('PNG…') },
  ]
  await send({ ...plain, multipart: { boundary: 'b0undary', parts } })
  const file = sent[0]?.file
  if (file === undefined) throw new Error('no body')
  const body = await text(file.open())
  expect(file.contentType).toBe('multipart/form-data; boundary=b0undary')
  expect(file.size).toBe(Buffer.byteLength(body))
  expect(body).toBe(await text(file.open()))
  expect(body).toBe(
    '--b0undary\r\ncontent-disposition: form-data; name="payload"\r\ncontent-type: application/json\r\n\r\n' +
      '{"a":"ü"}\r\n' +
      '--b0undary\r\ncontent-disposition: form-data; name="files[0]"; filename="a %22b%22.png"\r\n' +
      'content-type: image/png\r\n\r\nPNG…\r\n--b0undary--\r\n',
  )
})

const withDpop = (credentials: string | null): HttpRequest => ({
  ...plain,
  json: {},
  authorization: { scheme: 'DPoP', credentials, key: newKey() },
})

function proofOf(request: OutboundRequest | undefined) {
  const [, claims = ''] = (request?.headers['dpop'] ?? '').split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
}

const wantsNonce = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n1' }

test('a DPoP proof is made for each sending: method, address without its query, token', async () => {
  const { send, sent } = aSender()
  const request = withDpop('t0ken')
  await send(request)
  await send(request)
  expect(sent[0]?.headers['authorization']).toBe('DPoP t0ken')
  expect(proofOf(sent[0])).toMatchObject({ htm: 'POST', htu: 'https://network.example/api/posts' })
  expect(proofOf(sent[0])['ath']).toMatch(/^[\w-]{43}$/)
  expect(proofOf(sent[0])['jti']).not.toBe(proofOf(sent[1])['jti'])
})

test.each([
  ['at a resource', { status: 401, headers: wantsNonce }, 't0ken'],
  [
    'at a token endpoint',
    { status: 400, headers: { 'dpop-nonce': 'n1' }, body: '{"error":"use_dpop_nonce"}' },
    null,
  ],
])('a nonce that is asked for %s is given at once, and with every later call', async (_, refusal, token) => {
  const { send, sent } = aSender(refusal, { headers: { 'dpop-nonce': 'n2' } })
  expect(await send(withDpop(token))).toMatchObject({ response: { status: 200 }, durationMs: 2 })
  await send(withDpop(token))
  expect(sent.map((request) => proofOf(request)['nonce'])).toEqual([undefined, 'n1', 'n2'])
})

test('a server that asks for ever is asked twice, and any other refusal once', async () => {
  const again = aSender(...Array.from({ length: 5 }, () => ({ status: 401, headers: wantsNonce })))
  expect(await again.send(withDpop('t'))).toMatchObject({ response: { status: 401 } })
  expect(again.sent).toHaveLength(2)
  const other = aSender({ status: 401, headers: { 'dpop-nonce': 'n1' }, body: '{"error":"invalid_token"}' })
  await other.send(withDpop('t'))
  expect(other.sent).toHaveLength(1)
})
