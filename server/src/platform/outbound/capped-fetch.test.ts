import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { failureOf } from '../../../test/rigs/failure-of.ts'
import { openRawReceiver, openReceiver } from '../../../test/rigs/receiver.ts'
import { openCappedFetch } from './capped-fetch.ts'

const capped = await openCappedFetch({ maxBytes: 10_000, connectMs: 1_000 })
afterAll(capped.close)

const flood = (beginning: string, unit: string) => (socket: Socket) => {
  socket.write(beginning)
  const more = () => {
    while (!socket.destroyed && socket.write(unit.repeat(1_000)));
  }
  socket.on('drain', more)
  more()
}

test('answers are those of the standard, with their status, headers and body', async () => {
  await using receiver = await openReceiver((_, response) => response.writeHead(201, { 'x-a': 'b' }).end('c'))
  const answer = await capped.fetch(receiver.origin, { method: 'POST', body: 'a' })
  expect(answer).toBeInstanceOf(Response)
  expect([answer.status, answer.headers.get('x-a'), await answer.text()]).toEqual([201, 'b', 'c'])
  await using empty = await openReceiver()
  expect((await capped.fetch(empty.origin)).status).toBe(204)
})

test.each([
  ['interim answers without end', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['tiny chunks without end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\na\r\n'],
  ['a body without end', 'HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(1_000)],
])('%s fail the call', async (_, beginning, unit) => {
  await using receiver = await openRawReceiver(flood(beginning, unit))
  const read = async () => (await capped.fetch(receiver.origin)).text()
  expect(await failureOf(read())).toBeInstanceOf(Error)
})
