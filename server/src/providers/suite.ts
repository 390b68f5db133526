import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { countCharacters } from './characters.ts'
import type {
  Adapter,
  Grant,
  HttpRequest,
  HttpResponse,
  LookupWork,
  PublishWork,
  UploadWork,
  Verdict,
} from './port.ts'

export type SuiteOptions = {
  /** A grant of the adapter's shape, and the texts in it that nobody may ever see. */
  readonly grant: Grant
  readonly secrets: readonly string[]
  /** The answer to a publish call that proves it, for `work`. */
  readonly success: (work: PublishWork) => HttpResponse
}

/** What every adapter must do, whichever its provider. */
export function testAdapter(adapter: Adapter, options: SuiteOptions): void {
  const { grant, secrets, success } = options
  const work: LookupWork = {
    grant,
    text: 'Hello\nworld',
    media: [],
    settings: {},
    parent: null,
    root: null,
    idempotencyKey: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
    armedAt: new Date('2026-11-21T09:00:00Z'),
    page: null,
  }
  const reply: LookupWork = { ...work, parent: { remoteId: '2' }, root: { remoteId: '1' } }
  const poll = { grant, handle: 'handle-1' }
  const file = { contentType: 'image/png', size: 3, open: () => Readable.from([Buffer.from('abc')]) }
  const upload: UploadWork = { grant, kind: 'image', file, altText: 'A bird & a bell' }

  const requests = (): HttpRequest[] => [
    adapter.publish.request(work),
    adapter.publish.request(reply),
    ...(adapter.uploadMedia === null ? [] : [adapter.uploadMedia.request(upload)]),
    ...(adapter.poll === null ? [] : [adapter.poll.request(poll)]),
    ...(adapter.lookup === null ? [] : [adapter.lookup.request(work), adapter.lookup.request(reply)]),
  ]
  const outcomes = (response: HttpResponse): unknown[] => [
    adapter.publish.judge(response, work),
    adapter.publish.judge(response, reply),
    adapter.uploadMedia?.judge(response, upload),
    adapter.poll?.judge(response, poll),
    adapter.lookup?.judge(response, work),
  ]

  describe(`${adapter.provider} as an adapter`, () => {
    test('states limits that can be counted', () => {
      const { maxCharacters, characterCounting } = adapter.limits
      expect(maxCharacters).toBeGreaterThan(0)
      expect(countCharacters('a'.repeat(maxCharacters), characterCounting)).toBe(maxCharacters)
    })

    test('has a schema for its grant that the grant passes and nothing does not', () => {
      expect(Check(adapter.grant, grant)).toBe(true)
      expect(Check(adapter.grant, {})).toBe(false)
    })

    test('lets an author leave out every setting', () => {
      expect(Check(adapter.settings, {})).toBe(true)
    })

    test('builds requests that are what they will be on the wire', () => {
      for (const { url, headers, json, file, method } of requests()) {
        expect(['http:', 'https:']).toContain(url.protocol)
        expect(
          Object.values(headers).every((value) => typeof value === 'string' && !/[\r\n]/.test(value)),
        ).toBe(true)
        expect(Object.keys(headers)).toEqual(Object.keys(headers).map((name) => name.toLowerCase()))
        expect(secrets.some((secret) => url.href.includes(secret))).toBe(false)
        expect(json === undefined && file === undefined).toBe(method === 'GET')
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify([json])), [json ?? null])).toBe(true)
      }
    })

    test('takes media only where it can be uploaded, and within bounds that can be', () => {
      const { maxItems, kinds } = adapter.limits.media
      expect(adapter.uploadMedia === null).toBe(maxItems === 0)
      expect(kinds.length === 0).toBe(maxItems === 0)
      for (const { contentTypes, maxBytes } of kinds) {
        expect(contentTypes.length).toBeGreaterThan(0)
        expect(maxBytes).toBeGreaterThan(0)
      }
    })

    test.runIf(adapter.uploadMedia !== null)('an upload counts only with an id, whatever is answered', () => {
      fc.assert(
        fc.property(anyResponse(success(work)), (response) => {
          const verdict = adapter.uploadMedia?.judge(response, upload)
          const isOk = response.status >= 200 && response.status < 300
          expect(verdict?.is !== 'uploaded' || (isOk && response.body.includes(verdict.remoteId))).toBe(true)
          expect(['uploaded', 'rejected', 'deferred', 'reauthorize']).toContain(verdict?.is)
        }),
      )
    })

    test('builds the same request each time', () => {
      expect(requests()).toEqual(requests())
    })

    test.runIf(adapter.supports.threads)('sends a reply differently from a first part', () => {
      expect(adapter.publish.request(reply).json).not.toEqual(adapter.publish.request(work).json)
    })

    test('understands its success, as a first part and as a reply', () => {
      for (const each of [work, reply]) {
        const verdict = adapter.publish.judge(success(each), each)
        expect(verdict.is).toBe('published')
        expect(verdict.is === 'published' && verdict.remoteId).not.toBe('')
      }
    })

    test.each([200, 201, 202, 204, 301, 302, 400, 404, 408, 409, 418, 425, 500, 502, 503, 504, 520])(
      'status %i without a body that it documents is unknown',
      (status) => {
        for (const body of ['', '<html></html>', '{', '{}', '[]', 'null', '{"id":null}', '{"error":"no"}']) {
          expect(adapter.publish.judge({ status, headers: {}, body }, work).is).toBe('unknown')
        }
      },
    )

    test('a success cut short anywhere is unknown', () => {
      const whole = success(work)
      for (let length = 0; length < whole.body.length; length++) {
        const verdict = adapter.publish.judge({ ...whole, body: whole.body.slice(0, length) }, work)
        expect(verdict.is).toBe('unknown')
      }
    })

    test('nothing is published or accepted without an id, whatever is answered', () => {
      fc.assert(
        fc.property(anyResponse(success(work)), (response) => {
          expect(isEarned(adapter.publish.judge(response, work), response)).toBe(true)
        }),
        { numRuns: 500 },
      )
    })

    test.runIf(adapter.lookup !== null)('a look shows nothing unless its answer can be read', () => {
      fc.assert(
        fc.property(anyResponse(success(work)), (response) => {
          const sighting = adapter.lookup?.judge(response, work)
          expect(sighting?.is !== 'page' || response.status === 200).toBe(true)
        }),
      )
    })

    test('a look at an accepted post never says that it was put off', () => {
      fc.assert(
        fc.property(anyResponse(success(work)), (response) => {
          expect(adapter.poll?.judge(response, poll).is).not.toBe('deferred')
        }),
      )
    })

    test('no secret comes back in what it concludes, even when the provider repeats it', () => {
      fc.assert(
        fc.property(anyResponse(success(work)), fc.constantFrom(...secrets), (response, secret) => {
          const echo = { error: { code: secret, message: secret }, message: secret, id: null }
          for (const body of [response.body, JSON.stringify(echo), secret]) {
            const concluded = JSON.stringify(outcomes({ ...response, body }))
            expect(secrets.some((one) => concluded.includes(one))).toBe(false)
          }
        }),
      )
    })
  })
}

/** Whether a response can bear the verdict: what is out has an id that was in the answer, a delay is a time. */
function isEarned(verdict: Verdict, { status, body }: HttpResponse): boolean {
  switch (verdict.is) {
    case 'published':
      return (
        verdict.remoteId.trim() !== '' && status >= 200 && status < 300 && body.includes(verdict.remoteId)
      )
    case 'accepted':
      return verdict.handle.trim() !== '' && status >= 200 && status < 300
    case 'deferred':
      return verdict.afterMs === null || (Number.isSafeInteger(verdict.afterMs) && verdict.afterMs >= 0)
    case 'rejected':
      return verdict.detail !== ''
    case 'reauthorize':
      return status >= 400
    case 'unknown':
      return verdict.detail !== ''
    default:
      return verdict satisfies never
  }
}

/** Answers of every class: plausible ones with something broken, and nonsense. */
function anyResponse(success: HttpResponse): fc.Arbitrary<HttpResponse> {
  const parsed: unknown = JSON.parse(success.body)
  const fields = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  const broken = fc
    .tuple(
      fc.subarray(fields),
      fc.dictionary(fc.constantFrom('id', 'status', 'url', 'error'), fc.jsonValue()),
    )
    .map(([kept, changed]) => JSON.stringify({ ...Object.fromEntries(kept), ...changed }))
  const refusal = fc
    .constantFrom('invalid_token', 'rate_limited', 'outage', 'internal_error', 'something_new')
    .map((code) => JSON.stringify({ error: { code } }))
  return fc.record({
    status: fc.oneof(
      fc.integer({ min: 100, max: 599 }),
      fc.constantFrom(200, 201, 202, 401, 403, 422, 429, 500, 503),
    ),
    headers: fc.constantFrom<HttpResponse['headers'][]>(
      {},
      { 'idempotent-replayed': 'true' },
      { 'retry-after': '5' },
      { 'retry-after': '-1' },
      { 'retry-after': 'tomorrow' },
      { 'retry-after': '9'.repeat(400) },
      { 'content-type': 'text/html' },
    ),
    body: fc.oneof(broken, refusal, fc.json(), fc.string(), fc.constant(success.body)),
  })
}
