import { expect, test } from 'vitest'
import { anEngine, anImage, aWork } from '../../../test/rigs/engine-rig.ts'
import type { ProviderFacts } from '../../networks/providers/port/port.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { Work } from '../queue/work.ts'
import { publishWork } from './publish-destination.ts'

/** What becomes of this work at an engine that may neither arm nor call. */
async function settle(work: Work, facts: Partial<ProviderFacts>) {
  const adapter = { ...(await sandboxShort.load()), ...facts }
  const { engine, settled } = anEngine({
    store: { arm: () => expect.unreachable('armed') },
    call: () => expect.unreachable('called'),
    providers: new Map([['sandbox-short', { ...adapter, load: async () => adapter }]]),
  })
  await publishWork(engine, work)
  return settled
}

const long = 'x'.repeat(281)
const { limits } = sandboxShort
const subscribed = {
  limits: { ...limits, subscribed: { subscriptions: ['Premium'], maxCharacters: 25_000 } },
}
function withMedia(change: Partial<typeof anImage>) {
  const media = [{ ...anImage, ...change }]
  return {
    parts: [{ index: 0, firstComment: false, status: 'pending', text: '', media, remoteId: null }],
  } as const
}

test.each<[string, Work, Partial<ProviderFacts>, object]>([
  [
    'its text, since the account has no subscription any more',
    aWork([long], { subscription: 'none' }),
    subscribed,
    {
      code: 'content_refused',
      message:
        'The post has 281 characters by weight (a link is 23, most emoji and CJK characters are 2); Sandbox (short posts) allows 280. Shorten it by 1, or continue in a follow-up.',
    },
  ],
  [
    'its text, since its server takes less',
    aWork(['Hello'], { limits: { ...limits, maxCharacters: 4 } }),
    {},
    { code: 'content_refused', message: expect.stringContaining('allows 4') },
  ],
  [
    'its video, since its server takes no more than pictures',
    aWork([], {
      ...withMedia({ kind: 'video', contentType: 'video/mp4' }),
      limits: { ...limits, media: { ...limits.media, kinds: limits.media.kinds.slice(0, 1) } },
    }),
    {},
    { code: 'media_refused', message: expect.stringContaining('takes no videos') },
  ],
  [
    'what its network has a rule against',
    aWork(['Hello']),
    { check: () => [{ severity: 'error', message: 'Not so.', fix: 'Otherwise.' }] },
    { code: 'content_refused', message: 'Not so. Otherwise.' },
  ],
])('a channel that does not take %s, has the post fail before any call', async (_, work, facts, error) => {
  expect(await settle(work, facts)).toMatchObject([
    { attempt: null, refusedPart: 0, outcome: { move: 'reject', part: 'failed', error, endsThread: true } },
  ])
})

test('of a thread whose last part no longer fits, nothing goes out', async () => {
  expect(await settle(aWork(['one', 'two', long]), {})).toMatchObject([
    { attempt: null, refusedPart: 2, outcome: { move: 'reject', error: { retryable: false } } },
  ])
})

test('what is out already is not judged again', async () => {
  const [out, left] = aWork([long, 'two']).parts
  const parts = [{ ...out!, status: 'published' as const, remoteId: 'r1' }, left!]
  const { engine, settled } = anEngine({ store: { arm: async () => false } })
  await publishWork(engine, aWork([], { parts }))
  expect(settled).toEqual([])
})

test('a subscription that is known lets through what it pays for', async () => {
  const { engine, settled } = anEngine({
    store: { arm: async () => false },
    providers: new Map([['sandbox-short', { ...sandboxShort, ...subscribed }]]),
  })
  await publishWork(engine, aWork([long], { subscription: 'Premium' }))
  expect(settled).toEqual([])
})
