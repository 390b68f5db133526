import Type from 'typebox'
import { expect, test } from 'vitest'
import { anEngine, aSubject } from '../../../test/rigs/engine-rig.ts'
import type { Adapter, LookupResult, LookupWork, PollVerdict } from '../../networks/providers/port/port.ts'
import { call } from '../../networks/providers/port/procedure.ts'
import type { Doubt, Evidence } from '../queue/work.ts'
import { resolveDoubt } from './resolve-doubt.ts'

type Handled = { readonly polled: PollVerdict; readonly ageMs: number }

const LATE_MS = 900_000

/**
 * A doubt whose call is long over, and a provider whose lookups end like this, each after so many calls. With `handled`
 * the provider gave a handle for the call, and polls end so.
 */
function rig(
  result: LookupResult,
  calls = 1,
  handled: Handled | null = null,
  more: Partial<Doubt> = {},
  repeatable: Adapter['repeatable'] = null,
) {
  const called: string[] = []
  const works: LookupWork[] = []
  const disconnected: string[] = []
  const noted: Evidence[] = []
  const adapter = {
    provider: 'listed',
    repeatable,
    publish: {
      request: () => ({ method: 'POST', url: new URL('https://listed.test/'), headers: {} }),
      judge: () => ({ is: 'published', remoteId: '8', url: null }),
    },
    poll:
      handled === null
        ? null
        : {
            request: () => ({ method: 'GET', url: new URL('https://listed.test/job'), headers: {} }),
            judge: () => handled.polled,
          },
    settings: Type.Object({}),
    *lookup(work) {
      works.push(work)
      for (let made = 0; made < calls; made++) {
        yield* call({ method: 'GET', url: new URL('https://listed.test/'), headers: {} })
      }
      return result
    },
  } as Partial<Adapter> as Adapter
  const doubt: Doubt = {
    ...aSubject,
    provider: 'listed',
    origin: null,
    authorization: {},
    tries: 3,
    expired: false,
    rounds: 0,
    knownRemoteIds: [],
    parts: [{ index: 0, firstComment: false, status: 'checking', text: 'Hello', media: [], remoteId: null }],
    attempt: {
      id: 'a',
      partIndex: 0,
      armedAt: new Date(0),
      media: [],
      ageMs: handled?.ageMs ?? 3_600_000,
      handle: handled === null ? null : 'job',
    },
    ...more,
  }
  const { engine, settled } = anEngine({
    store: {
      noteLook: async (_doubt, evidence) => void noted.push(evidence),
      disconnect: async ({ channelId, connection }) => void disconnected.push(`${channelId} ${connection}`),
    },
    providers: new Map([['listed', { ...adapter, load: async () => adapter }]]),
    call: async ({ method }) => {
      called.push(method)
      return { arrived: true, response: { status: 200, headers: {}, body: '' }, durationMs: 1 }
    },
    armWindowMs: 1,
    callTimeoutMs: 1,
    settlingMs: 1,
    lateCallMs: LATE_MS,
  })
  return {
    asked: () => called.length,
    calls: () => called,
    works,
    settled,
    disconnected,
    noted,
    look: () => resolveDoubt(engine, doubt, 0),
  }
}

const ABSENT = { is: 'absent', seen: 'by key', keepsKeys: true } as const
const found = { is: 'found', remoteId: '7', url: null, exact: true } as const

test.each([true, false])('what is found is published; exactly (%s) or by what it says', async (exact) => {
  const { settled, look } = rig({ ...found, exact }, 3)
  await look()
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'published', inferred: !exact }, outcome: { remoteId: '7' } },
  ])
})

test('it is absent once it was looked for in vain', async () => {
  const { settled, look } = rig(ABSENT)
  await look()
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'absent', inferred: true }, outcome: { move: 'requeue' } },
  ])
})

const list = (replies: boolean, settings = {}) =>
  ({ is: 'absent', seen: { replies, settings }, keepsKeys: true }) as const
const asReply = {
  parts: [
    { index: 0, firstComment: false, status: 'published', text: 'First', media: [], remoteId: '1' },
    { index: 1, firstComment: false, status: 'checking', text: 'Hello', media: [], remoteId: null },
  ],
  attempt: { id: 'a', partIndex: 1, armedAt: new Date(0), media: [], ageMs: 3_600_000, handle: null },
} as const

test.each([
  ['a post like all others', list(false), {}, 1],
  ['a reply, in a list that shows replies', list(true), asReply, 1],
  ['a reply, in a list that may leave out replies', list(false), asReply, 0],
  [
    'a setting that the list is known for',
    list(true, { visibility: ['private'] }),
    { settings: { visibility: 'private' } },
    1,
  ],
  ['any value of a setting', list(true, { visibility: 'any' }), { settings: { visibility: 'private' } }, 1],
  [
    'another value of a setting',
    list(true, { visibility: ['public'] }),
    { settings: { visibility: 'private' } },
    0,
  ],
  ['a setting that nothing is known of', list(true), { settings: { sensitive: true } }, 0],
  ['a setting with the name of something else', list(true), { settings: { constructor: 1 } }, 0],
])('that a list does not have %s', async (_, result, more, absences) => {
  const { settled, noted, look } = rig(result, 1, null, more)
  await look()
  expect(settled.map(({ attempt }) => attempt?.conclusion)).toEqual(Array(absences).fill('absent'))
  expect(noted.map(({ verdict }) => verdict)).toEqual(Array(1 - absences).fill('unavailable'))
})

const aged = (ageMs: number, answered: number | null = null) =>
  ({
    attempt: { id: 'a', partIndex: 0, armedAt: new Date(0), media: [], ageMs, handle: null, answered },
  }) as const

test.each([
  ['while a call may still be on its way', LATE_MS, 0],
  ['once none can be any more', LATE_MS + 10, 1],
])('that nothing is there counts %s, also where the server keeps keys', async (_, ageMs, count) => {
  for (const keepsKeys of [true, false]) {
    const { settled, noted, look } = rig({ ...ABSENT, keepsKeys }, 1, null, aged(ageMs))
    await look()
    expect(settled).toHaveLength(count)
    expect(noted).toMatchObject(count === 1 ? [] : [{ by: 'lookup', verdict: 'not_yet' }])
  }
})

const ifServerKeepsKeys = { windowMs: 60_000, ifServerKeepsKeys: true } as const

test.each([
  ['is repeated once it is over', 10, null, true, true],
  ['is not repeated before it is over', 2, null, true, false],
  ['is not repeated when its key may be forgotten', 60_000, null, true, false],
  ['is not repeated where its server may keep no keys', 10, null, false, false],
  ['is not repeated when the network said no to it', 10, 422, true, false],
])('a call of which a look finds nothing %s', async (_, ageMs, answered, keepsKeys, repeated) => {
  const { settled, calls, look } = rig(
    { ...ABSENT, keepsKeys },
    1,
    null,
    aged(ageMs, answered),
    ifServerKeepsKeys,
  )
  await look()
  expect(calls()).toEqual(repeated ? ['GET', 'POST'] : ['GET'])
  expect(settled.map(({ attempt }) => attempt?.conclusion)).toEqual(
    repeated ? ['published'] : answered === null ? [] : ['rejected'],
  )
})

test.each([
  ['the only one', false, LATE_MS + 10, 1],
  ['repeated', true, LATE_MS + 10, 0],
  ['repeated', true, LATE_MS + 60_010, 1],
])('the wait for a call that may arrive begins with the last one: %s', async (_, keepsKeys, ageMs, count) => {
  const { settled, look } = rig({ ...ABSENT, keepsKeys }, 1, null, aged(ageMs), ifServerKeepsKeys)
  await look()
  expect(settled).toHaveLength(count)
})

test.each([
  [null, 0, 'absent', 'requeue', 0],
  [503, 0, 'absent', 'requeue', 0],
  [429, 0, 'absent', 'requeue', 0],
  [401, 0, 'absent', 'requeue', 0],
  [503, 1, 'absent', 'requeue', 60_000],
  [503, 9, 'absent', 'requeue', 3_600_000],
  [400, 0, 'rejected', 'reject', null],
  [422, 0, 'rejected', 'reject', null],
])(
  'a call that was answered with %s, and left nothing after %i others, is %s',
  async (answered, rounds, conclusion, move, dueInMs) => {
    const attempt = {
      id: 'a',
      partIndex: 0,
      armedAt: new Date(0),
      media: [],
      ageMs: 3_600_000,
      handle: null,
      answered,
    }
    const { settled, look } = rig(ABSENT, 1, null, { attempt, rounds })
    await look()
    expect(settled).toMatchObject([{ attempt: { conclusion }, outcome: { move, dueInMs } }])
  },
)

test('a look that proves nothing is kept with its reason', async () => {
  const { noted, look } = rig({ is: 'unavailable', detail: 'Too many posts.' })
  await look()
  expect(noted).toEqual([
    { by: 'lookup', verdict: 'unavailable', detail: 'Too many posts.', httpStatus: 200, durationMs: 1 },
  ])
})

test('it is told the time by the clock that the call was armed by', async () => {
  const { works, look } = rig(ABSENT, 1, null)
  await look()
  expect(works).toMatchObject([{ armedAt: new Date(0), now: new Date(3_600_000) }])
})

test.each<[string, LookupResult, number]>([
  ['the network cannot be asked', { is: 'unavailable', detail: 'down' }, 1],
  ['the look takes more calls than it may', found, 60],
])('nothing is proven when %s', async (_why, result, calls) => {
  const { asked, settled, look } = rig(result, calls)
  await look()
  expect(settled).toEqual([])
  expect(asked()).toBeLessThanOrEqual(50)
})

test('a look that is refused for want of an authorization proves nothing, and has the channel reconnected', async () => {
  const { settled, disconnected, look } = rig({ is: 'reauthorize' })
  await look()
  expect(settled).toEqual([])
  expect(disconnected).toEqual(['c first'])
})

test('nobody is asked about a doubt whose authorization cannot be decrypted here', async () => {
  const { asked, settled, disconnected, look } = rig({ is: 'reauthorize' }, 1, null, {
    authorizationUnreadable: true,
  })
  await look()
  expect([asked(), settled, disconnected]).toEqual([0, [], []])
})

const processingMs = 1_800_000

test('where the provider has forgotten the handle, the post itself is looked up', async () => {
  const { settled, look } = rig(found, 1, { polled: { is: 'forgotten' }, ageMs: 60_000 })
  await look()
  expect(settled).toMatchObject([{ attempt: { conclusion: 'published' }, outcome: { remoteId: '7' } }])
})

test.each([
  ['not while it may still come out of the processing', processingMs, 0],
  ['once any processing is over, and no call can be on its way', processingMs + LATE_MS + 10, 1],
])('that nothing is there behind a forgotten handle counts %s', async (_, ageMs, count) => {
  const { settled, look } = rig({ ...ABSENT, keepsKeys: false }, 1, { polled: { is: 'forgotten' }, ageMs })
  await look()
  expect(settled.map(({ attempt }) => attempt?.conclusion)).toEqual(Array(count).fill('absent'))
})

test('where a poll is not understood, what is found counts, and that nothing is there never does', async () => {
  const handled = { polled: { is: 'unknown', detail: 'odd' }, ageMs: 10 * processingMs } as const
  const there = rig(found, 1, handled)
  await there.look()
  expect(there.settled).toMatchObject([{ attempt: { conclusion: 'published' } }])
  const nothing = rig(ABSENT, 1, handled)
  await nothing.look()
  expect(nothing.settled).toEqual([])
})

test('what the provider is still processing is not looked up', async () => {
  const { asked, settled, look } = rig(found, 1, { polled: { is: 'accepted', handle: 'job' }, ageMs: 60_000 })
  await look()
  expect([asked(), settled]).toEqual([1, []])
})

const restored = {
  attempt: {
    id: 'a',
    partIndex: 0,
    armedAt: new Date(0),
    media: [],
    ageMs: 3_600_000,
    handle: null,
    restored: true,
  },
} as const

test.each<[string, LookupResult, readonly string[]]>([
  ['nothing is there', ABSENT, []],
  ['something like it is there', { ...found, exact: false }, []],
  ['it is there itself', found, ['published']],
])(
  'of a restored call a look counts only where it finds the very post: %s',
  async (_, result, conclusions) => {
    const { settled, look } = rig(result, 1, null, restored)
    await look()
    expect(settled.map(({ attempt }) => attempt?.conclusion)).toEqual(conclusions)
  },
)

test('a restored call is not repeated, however long its key is remembered', async () => {
  const repeatable = { windowMs: 100 * 3_600_000 }
  const { settled, calls, look } = rig(ABSENT, 1, null, restored, repeatable)
  await look()
  expect([calls(), settled]).toEqual([['GET'], []])
})

test('where a network says that a restored call was refused, that is no proof about others', async () => {
  const polled = { is: 'rejected', code: 'content_refused', detail: 'No.' } as const
  const handled = { ...restored, attempt: { ...restored.attempt, handle: 'job' } }
  const { settled, look } = rig(found, 1, { polled, ageMs: 60_000 }, handled)
  await look()
  expect(settled).toEqual([])
})
