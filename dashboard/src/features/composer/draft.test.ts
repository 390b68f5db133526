import type { Post } from '@postrider/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  contentFor,
  type Draft,
  type DraftContent,
  draftOfPost,
  emptyDraft,
  follow,
  followersOf,
  groupsOf,
  hasTabs,
  insertPart,
  isBlank,
  isSameDraft,
  mergeDrafts,
  noTimes,
  ownersOf,
  planOf,
  removePart,
  restOf,
  rewritten,
  shownTab,
  textsOf,
  timeOn,
  wholeContent,
  withFirstComment,
  withGenerated,
  withPart,
  write,
} from './draft.ts'
import { publishTimes } from './publish-times.ts'

const [x, sky] = ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a12']
const content = (text: string, ...mediaIds: string[]): DraftContent => ({ parts: [{ text, mediaIds }] })
const written = write(emptyDraft([x, sky]), null, content('Hello'))
const ofAll = (all: Date) => ({ all, own: new Map<string, Date>() })

test('channels follow the shared text until something is typed into their own', () => {
  expect(planOf(written, noTimes)).toEqual({ state: 'draft', channelIds: [x, sky], text: 'Hello' })

  const apart = write(written, x, content('Hello X', 'm'))
  expect(planOf(apart, noTimes)).toEqual({
    state: 'draft',
    targets: [
      { channelId: x, text: 'Hello X', mediaIds: ['m'] },
      { channelId: sky, text: 'Hello' },
    ],
  })
  expect([followersOf(apart), ownersOf(apart)]).toEqual([[sky], [x]])
  expect(planOf(follow(apart, x), noTimes)).toEqual(planOf(written, noTimes))
})

test('what says the same as the shared text again follows it again', () => {
  const [there, back] = [content('Hello!'), content('Hello')]
  expect(write(write(written, x, there), x, back)).toEqual(written)
})

test('a channel that is chosen again has its own text back', () => {
  const apart = write(written, x, content('Hello X'))
  const without = { ...apart, channelIds: [sky] }
  expect(planOf(without, noTimes)).toEqual({ state: 'draft', channelIds: [sky], text: 'Hello' })
  expect(contentFor({ ...without, channelIds: [sky, x] }, x)).toEqual(content('Hello X'))
})

test('one channel with a text of its own shows that, and the way to the shared one', () => {
  const one = { ...write(written, x, content('Hello X')), channelIds: [x] }
  expect([hasTabs(one), shownTab(one, undefined)]).toEqual([true, x])
  expect([hasTabs({ ...written, channelIds: [x] }), shownTab(written, undefined)]).toEqual([false, null])
  // A tab of a channel that was taken out is not shown.
  expect(shownTab({ ...written, channelIds: [sky] }, x)).toBe(null)
})

describe('a saved post', () => {
  type Own = Post['destinations'][number]['content']
  const aPost = (shared: Post['content'], ...own: [channelId: string, content: Own, status?: string][]) =>
    ({
      content: shared,
      destinations: own.map(([channelId, content, status = 'scheduled']) => ({
        channelId,
        content,
        status,
        publishAt: null,
      })),
    }) as unknown as Post
  const opened = (post: Post) => draftOfPost(post, 'UTC')

  test('opens on what its channels get', () => {
    const draft = opened(aPost({ text: 'Shared' }, ['a', null], ['b', { text: 'Own' }]))
    expect([followersOf(draft), ownersOf(draft)]).toEqual([['a'], ['b']])
    expect([shownTab(draft, undefined), draft.shared]).toEqual([null, content('Shared')])
  })

  test('whose channels each carry the same as their own has them follow one text', () => {
    const draft = opened(
      aPost(null, ['a', { text: 'Same' }], ['b', { text: 'Other' }], ['c', { text: 'Same' }]),
    )
    expect([draft.shared, followersOf(draft), ownersOf(draft)]).toEqual([content('Same'), ['a', 'c'], ['b']])
  })

  test('of which one channel is left opens on the text of that channel, whoever shared the other', () => {
    const draft = opened(aPost({ text: 'Shared' }, ['a', null, 'cancelled'], ['b', { text: 'Own' }]))
    expect([draft.channelIds, draft.shared, hasTabs(draft)]).toEqual([['b'], content('Own'), false])
    expect(contentFor(write(draft, null, content('Better')), 'b')).toEqual(content('Better'))
  })

  test('is changed where what a channel gets is another, and nowhere else', () => {
    const draft = opened(aPost({ text: 'Shared' }, ['a', null], ['b', { text: 'Own' }]))
    expect(rewritten(draft, write(draft, null, content('New')))).toEqual(['a'])
    expect(rewritten(draft, write(draft, 'b', content('New')))).toEqual(['b'])
    expect(rewritten(draft, follow(draft, 'b'))).toEqual(['b'])
    expect(rewritten(draft, write(write(draft, 'a', content('x')), 'a', content('Shared')))).toEqual([])
  })
})

describe('whatever is done with the texts', () => {
  const ids = ['a', 'b', 'c']
  const texts = fc.constantFrom('', 'one', 'two', 'three').map((text) => content(text))
  const act = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), tab: fc.constantFrom(null, ...ids), text: texts }),
    fc.record({ kind: fc.constant('follow' as const), id: fc.constantFrom(...ids) }),
    fc.record({ kind: fc.constant('channels' as const), chosen: fc.subarray(ids, { minLength: 1 }) }),
  )
  const apply = (draft: Draft, one: typeof act extends fc.Arbitrary<infer Act> ? Act : never): Draft => {
    if (one.kind === 'write') return write(draft, one.tab, one.text)
    if (one.kind === 'follow') return follow(draft, one.id)
    return { ...draft, channelIds: one.chosen }
  }
  const drafts = fc.array(act, { maxLength: 12 }).map((acts) => acts.reduce(apply, emptyDraft(ids)))
  const shownOf = (draft: Draft) => ids.map((id) => contentFor(draft, id))

  test('typing into the shared text changes those that follow it, and no other', () => {
    fc.assert(
      fc.property(drafts, texts, (before, text) => {
        const after = write(before, null, text)
        for (const id of ids) {
          const wanted = before.variants[id] ?? text
          expect(contentFor(after, id)).toEqual(wanted)
        }
      }),
    )
  })

  test('typing into a channel’s text changes that channel, and no other', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom(...ids), texts, (before, id, text) => {
        const after = write(before, id, text)
        expect(after.shared).toEqual(before.shared)
        expect(shownOf(after)).toEqual(ids.map((one) => (one === id ? text : contentFor(before, one))))
      }),
    )
  })

  test('what is sent is what each chosen channel shows', () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const plan = planOf(draft, noTimes)
        const sent =
          plan.targets?.map(({ channelId, text }) => [channelId, text]) ??
          plan.channelIds?.map((id) => [id, plan.text])
        const shown = draft.channelIds.map((id) => [id, contentFor(draft, id).parts[0]?.text])
        expect(sent).toEqual(shown)
        expect(
          groupsOf(draft)
            .flatMap(({ channelIds }) => channelIds)
            .toSorted(),
        ).toEqual([...draft.channelIds].toSorted())
      }),
    )
  })

  test('the text that opens goes out somewhere', () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const tab = shownTab(draft, undefined)
        expect(tab === null ? followersOf(draft).length > 0 : draft.channelIds.includes(tab)).toBe(true)
      }),
    )
  })

  test('of two versions, both stand in what is merged, on each channel', () => {
    fc.assert(
      fc.property(drafts, drafts, (theirs, ours) => {
        const both = mergeDrafts(theirs, ours)
        for (const id of ours.channelIds) {
          const text = contentFor(both, id).parts[0]?.text
          expect(text).toContain(contentFor(ours, id).parts[0]?.text)
          if (theirs.channelIds.includes(id)) expect(text).toContain(contentFor(theirs, id).parts[0]?.text)
        }
      }),
    )
  })
})

test('a thread is the parts after the first', () => {
  const thread = withPart(insertPart(written.shared, 0), 1, { text: 'more', mediaIds: [] })
  expect(planOf(write(written, null, thread), noTimes)).toMatchObject({
    text: 'Hello',
    thread: [{ text: 'more' }],
  })
  expect(removePart(removePart(thread, 1), 0)).toEqual({ parts: [{ text: '', mediaIds: [] }] })
})

test('only a scheduled post says when', () => {
  const at = new Date('2026-12-01T08:00:00Z')
  const time = {
    state: 'scheduled',
    words: '1 Dec 9am',
    zone: null,
    typedAt: '2026-11-21T09:00:00Z',
  } as const
  expect(planOf({ ...written, time }, ofAll(at))).toMatchObject({
    state: 'scheduled',
    publishAt: '2026-12-01T08:00:00.000Z',
  })
  expect(planOf(written, ofAll(at))).not.toHaveProperty('publishAt')
})

test('blank is what nobody would miss', () => {
  expect(isBlank(emptyDraft([x]))).toBe(true)
  expect(isBlank(write(emptyDraft(), null, content(' \n')))).toBe(true)
  expect(isBlank(written)).toBe(false)
})

describe('texts that a model wrote', () => {
  const variant = (text: string, ...ids: string[]) => ({
    text,
    characters: text.length,
    maxCharacters: 280,
    destinations: ids.map((id) => ({ id, provider: 'p', characters: text.length, maxCharacters: 280 })),
  })
  const before = { ...emptyDraft(['a', 'b']), shared: { parts: [{ text: 'mine', mediaIds: ['m'] }] } }

  test('one for all replaces the shared text, and keeps its media', () => {
    const after = withGenerated(before, [{ ...variant('theirs', 'a', 'b'), thread: [{ text: 'more' }] }])
    expect(after.shared.parts).toEqual([
      { text: 'theirs', mediaIds: ['m'] },
      { text: 'more', mediaIds: [] },
    ])
    expect(after.variants).toEqual({})
  })

  test('one for each gives every channel its text', () => {
    const after = withGenerated(before, [variant('for a', 'a'), variant('for b', 'b')])
    expect(['a', 'b'].map((id) => contentFor(after, id).parts[0]?.text)).toEqual(['for a', 'for b'])
  })
})

describe('a first comment', () => {
  const commented = withFirstComment(content('Hello'), 'The link')

  test('goes with the text, stays when parts change, and is named as gone where there is none', () => {
    expect(planOf(write(written, null, commented), noTimes)).toMatchObject({
      text: 'Hello',
      firstComment: { text: 'The link' },
    })
    const changed = insertPart(withPart(commented, 0, { text: 'Hi', mediaIds: [] }), 0)
    expect(textsOf(changed)).toEqual(['Hi', '', 'The link'])
    expect(textsOf(removePart(changed, 1))).toEqual(['Hi', 'The link'])
    expect(wholeContent(commented)).toMatchObject({ firstComment: { text: 'The link' } })
    expect(wholeContent(withFirstComment(commented, null))).toMatchObject({ firstComment: null })
  })

  test('makes a text another one, and keeps a draft from being blank', () => {
    expect(followersOf(write(written, x, commented))).toEqual([sky])
    expect(isBlank(write(emptyDraft([x]), null, withFirstComment(content(''), 'x')))).toBe(false)
    const [theirs, ours] = [
      write(written, null, commented),
      write(written, null, withFirstComment(content('Hello'), 'Mine')),
    ]
    expect(mergeDrafts(theirs, ours).shared.firstComment).toBe('The link\n\nMine')
    expect(mergeDrafts(theirs, written).shared).toEqual(commented)
  })

  test('that alone is left of a post is the text of a new one, and behind a follow-up stays a comment', () => {
    const left = (...statuses: string[]) =>
      restOf(
        {
          content: { text: 'Hello', thread: [{ text: 'More' }], firstComment: { text: 'The link' } },
          destinations: [
            { channelId: x, content: null, parts: statuses.map((status, index) => ({ index, status })) },
          ],
        } as unknown as Post,
        { state: 'draft' },
        x,
      ).shared
    expect(left('published', 'published', 'failed')).toEqual(content('The link'))
    expect(left('published', 'failed', 'skipped')).toEqual(withFirstComment(content('More'), 'The link'))
  })
})

test('several channels are spread where the post has a time, and one is not', () => {
  const at = new Date('2027-01-10T08:00:00.000Z')
  const time = { state: 'scheduled', words: '10:00', zone: null, typedAt: at.toISOString() } as const
  const spread = { ...written, time, spreadMinutes: 30 }
  expect(planOf(spread, ofAll(at))).toMatchObject({ publishAt: at.toISOString(), spreadMinutes: 30 })
  expect(planOf({ ...spread, channelIds: [x] }, ofAll(at))).not.toHaveProperty('spreadMinutes')
  expect(planOf({ ...spread, time: { state: 'draft' } }, noTimes)).not.toHaveProperty('spreadMinutes')
  expect(isSameDraft(spread, { ...spread, spreadMinutes: 31 })).toBe(false)
})

describe('a time of its own', () => {
  const at = new Date('2027-01-10T08:00:00.000Z')
  const words = (typed: string) => ({ words: typed, zone: null, typedAt: at.toISOString() })
  const time = { state: 'scheduled', ...words('10 Jan 2027 10:00') } as const
  const apart = { ...written, time, ownTimes: { [sky]: words('11 Jan 2027 9:00'), [x]: words(' ') } }

  test('goes out with the channel that has it, and no other', () => {
    const later = new Date(at.getTime() + 82_800_000)
    expect(planOf(apart, { all: at, own: new Map([[sky, later]]) })).toMatchObject({
      publishAt: at.toISOString(),
      targets: [
        { channelId: x, text: 'Hello' },
        { channelId: sky, text: 'Hello', publishAt: later.toISOString() },
      ],
    })
    expect(planOf({ ...apart, spreadMinutes: 30 }, ofAll(at))).not.toHaveProperty('spreadMinutes')
  })

  test('is none where nothing is typed, of one channel alone, of a series, and of what has no time', () => {
    const times = (draft: Draft) => [x, sky].map((id) => timeOn(draft, id)?.words)
    expect(times(apart)).toEqual([time.words, '11 Jan 2027 9:00'])
    expect(times({ ...apart, channelIds: [sky] })).toEqual([time.words, time.words])
    expect(times({ ...apart, time: { state: 'draft' } })).toEqual([undefined, undefined])
    const repeat = {} as NonNullable<Draft['repeat']>
    expect(times({ ...apart, repeat })).toEqual([time.words, time.words])
    expect(isSameDraft(apart, { ...apart, ownTimes: {} })).toBe(false)
    expect(isSameDraft({ ...apart, ownTimes: {} }, { ...written, time })).toBe(true)
  })

  test('is needed where it cannot be read, and that of all only where a channel has it', () => {
    const now = new Date('2027-01-01T00:00:00Z')
    const instants = (change: Partial<Draft>) => publishTimes({ ...apart, ...change }, 'UTC', now)
    expect(instants({})).toEqual({
      all: new Date('2027-01-10T10:00:00Z'),
      own: new Map([[sky, new Date('2027-01-11T09:00:00Z')]]),
    })
    expect(instants({ ownTimes: { [sky]: words('whenever') } })).toBe(null)
    expect(instants({ ownTimes: { [sky]: words('1 Dec 2026 9:00') } })).toBe(null)
    const unread = { state: 'scheduled', ...words('') } as const
    expect(instants({ time: unread })).toBe(null)
    const both = { [x]: words('12 Jan 2027'), [sky]: words('13 Jan 2027') }
    expect(instants({ time: unread, ownTimes: both })).toMatchObject({ all: null })
  })
})
