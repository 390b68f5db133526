import { createPublicKey, verify } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { CallAnswer, HttpRequest } from './calls.ts'
import {
  call,
  leaveOutPicture,
  newKey,
  type ProcedureTools,
  readCard,
  runProcedure,
  signJwt,
  type Steps,
  tryCall,
  wait,
} from './procedure.ts'

const request: HttpRequest = { method: 'GET', url: new URL('https://network.example/'), headers: {} }
const picture = { contentTypes: ['image/jpeg'], maxBytes: 1_000, maxWidth: 100, maxHeight: 100 }

function answered(status: number): CallAnswer {
  return { arrived: true, response: { status, headers: {}, body: '' }, durationMs: 1 }
}
const silence: CallAnswer = { arrived: false, maybeSent: true, reason: 'TIMEOUT', durationMs: 1 }

/** Runs a procedure on these answers, given out in order. */
function run<Outcome>(
  steps: () => Steps<Outcome>,
  answers: CallAnswer[] = [],
  more: Partial<ProcedureTools> = {},
) {
  const waited: number[] = []
  const seen: CallAnswer[] = []
  const stop = new AbortController()
  const ran = runProcedure(
    steps,
    null,
    {
      call: async () => answers.shift() ?? answered(200),
      wait: async (ms) => void waited.push(ms),
      readCard: async () => ({ card: null, lack: null, done: async () => undefined }),
      ...more,
    },
    { signal: stop.signal, maxCalls: 5, maxWaitMs: 60_000, onAnswer: (answer) => void seen.push(answer) },
  )
  return { ran, waited, seen, stop }
}

test('calls are made in turn, and every answer is seen', async () => {
  const { ran, seen } = run(
    function* () {
      const first = yield* call(request)
      const second = yield* call(request)
      return [first.status, second.status]
    },
    [answered(202), answered(200)],
  )
  expect(await ran).toMatchObject({ is: 'done', outcome: [202, 200], last: answered(200) })
  expect(seen).toEqual([answered(202), answered(200)])
})

test('silence ends the run, unless the procedure can do without an answer', async () => {
  const needs = run(
    function* () {
      yield* call(request)
      throw new Error('not reached')
    },
    [silence],
  )
  expect(await needs.ran).toEqual({ is: 'silent', answer: silence })
  const { ran } = run(
    function* () {
      return yield* tryCall(request)
    },
    [silence],
  )
  expect(await ran).toMatchObject({ is: 'done', outcome: null })
})

test('a long wait pauses the run with what a later one goes on from', async () => {
  const { ran, waited } = run(function* () {
    for (;;) yield* wait(25_000, { job: 'j1' })
  })
  expect(await ran).toEqual({ is: 'paused', checkpoint: { job: 'j1' }, afterMs: 25_000 })
  expect(waited).toEqual([25_000, 25_000])
})

test('a talk without an end is stopped', async () => {
  const { ran, seen } = run(function* () {
    for (;;) yield* call(request)
  })
  expect(await ran).toEqual({ is: 'stopped', why: 'calls' })
  expect(seen).toHaveLength(5)
})

test('once it is to stop, no further step is taken', async () => {
  const { ran, stop, seen } = run(function* () {
    yield* call(request)
    stop.abort()
    yield* call(request)
    return 'not reached'
  })
  expect(await ran).toEqual({ is: 'stopped', why: 'signal' })
  expect(seen).toHaveLength(1)
})

test('what an adapter throws is a fault, and no rejection', async () => {
  const fault = new Error('a bug')
  const { ran } = run(function* () {
    yield* call(request)
    throw fault
  })
  expect(await ran).toEqual({ is: 'fault', fault })
})

test('the picture of a card can be read until the procedure ends, however it ends', async () => {
  const doings: string[] = []
  const file = { contentType: 'image/jpeg', size: 1, open: () => Readable.from([Buffer.from('x')]) }
  const { ran } = run(
    function* () {
      const card = yield* readCard(new URL('https://page.example/'), picture)
      doings.push(`has ${card?.title}`)
      yield* call(request)
      return 'not reached'
    },
    [silence],
    {
      readCard: async () => ({
        card: { title: 'T', description: '', picture: file },
        lack: null,
        done: async () => void doings.push('done'),
      }),
    },
  )
  expect(await ran).toMatchObject({ is: 'silent' })
  expect(doings).toEqual(['has T', 'done'])
})

test('what a card lacks, and a picture that is left out, is said at the end', async () => {
  const lack = { of: 'card', why: 'refused', host: 'page.example', status: 403 } as const
  const cards = [{ card: null, lack, done: async () => undefined }]
  const whole = {
    card: { title: 'T', description: '', picture: null },
    lack: null,
    done: async () => undefined,
  }
  const { ran } = run(
    function* () {
      const url = new URL('https://page.example/')
      const missing = yield* readCard(url, picture)
      const there = yield* readCard(url, picture)
      yield* leaveOutPicture()
      return [missing, there?.title]
    },
    [],
    { readCard: async () => cards.shift() ?? whole },
  )
  expect(await ran).toMatchObject({
    is: 'done',
    outcome: [null, 'T'],
    lacks: [lack, { of: 'picture', why: 'network' }],
  })
})

test('a key signs what its public half verifies', async () => {
  const { ran } = run(function* () {
    const key = yield* newKey()
    return { key, jwt: yield* signJwt({ ...key, kid: 'k1' }, { iss: 'me', aud: 'you' }) }
  })
  const ended = await ran
  if (ended.is !== 'done') throw new Error(ended.is)
  const { key, jwt } = ended.outcome
  const [head = '', claims = '', signature = ''] = jwt.split('.')
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
    alg: 'ES256',
    typ: 'JWT',
    kid: 'k1',
  })
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 'me', aud: 'you' })
  const { kty, crv, x, y } = key
  const verifier = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const options = { key: verifier, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', signed, options, Buffer.from(signature, 'base64url'))).toBe(true)
})
