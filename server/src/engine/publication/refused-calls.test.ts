import { expect, test } from 'vitest'
import type { LookupResult } from '../../networks/providers/port/port.ts'
import { provenBy, shownBy, type Shown } from './refused-calls.ts'

const list = { replies: true, settings: {} }

test.each([
  [{ is: 'found', remoteId: '1', url: null, exact: true }, 'out'],
  [{ is: 'found', remoteId: '1', url: null, exact: false }, 'out'],
  [{ is: 'out', detail: 'x' }, 'out'],
  [{ is: 'absent', seen: 'by key', keepsKeys: true }, 'nothing'],
  [{ is: 'absent', seen: list, keepsKeys: true }, 'not told'],
  [{ is: 'gone', detail: 'x' }, 'nothing'],
  [{ is: 'unavailable', detail: 'x' }, 'not told'],
  [{ is: 'expired' }, 'not told'],
  [{ is: 'reauthorize' }, 'not told'],
  [null, 'not told'],
] as const satisfies readonly (readonly [LookupResult | null, Shown])[])(
  'a look that says %j shows %s',
  (look, shown) => {
    expect(shownBy(look)).toBe(shown)
  },
)

const rejected = { is: 'rejected', code: 'content_refused', detail: 'No.' } as const
const deferred = { is: 'deferred', code: 'rate_limited', afterMs: 1 } as const

test.each([rejected, deferred, { is: 'expired' }, { is: 'reauthorize' }] as const)(
  'a refusal ($is) stands where nothing is there, and never where something is',
  (refusal) => {
    expect(provenBy(refusal, 'nothing', 400)).toBe(refusal)
    expect(provenBy(refusal, 'out', 401).is).toBe('unknown')
  },
)

test('where the look failed, nothing is called refused for good, and what is put off waits', () => {
  expect(provenBy(rejected, 'not told', 403).is).toBe('unknown')
  // Who is not let in has nothing done for them.
  expect(provenBy(rejected, 'not told', 401)).toBe(rejected)
  for (const refusal of [deferred, { is: 'expired' }, { is: 'reauthorize' }] as const)
    expect(provenBy(refusal, 'not told', 403)).toBe(refusal)
})
