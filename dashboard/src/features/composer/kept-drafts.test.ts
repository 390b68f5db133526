import { expect, test } from 'vitest'
import { emptyDraft, write } from './draft.ts'
import { discard, keep, listKept, type Place, putBack, readKept, type Store } from './kept-drafts.ts'

const place: Place = { workspaceId: 'w', personId: 'ada', postId: null }
const saying = (text: string) => write(emptyDraft(['a']), null, { parts: [{ text, mediaIds: [] }] })

/** What a browser keeps for all tabs of an origin. */
function openStore(room = Number.POSITIVE_INFINITY): Store {
  const kept = new Map<string, string>()
  return {
    get length() {
      return kept.size
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem(key, value) {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError')
      kept.set(key, value)
    },
  }
}

const textsOf = (store: Store, of = place) =>
  listKept(of, store)
    .map(({ draft }) => draft.shared.parts[0]?.text ?? '')
    .toSorted((a, b) => a.localeCompare(b))

const first = { id: 'one', editToken: null, seen: null }

test('several drafts are kept side by side, those of a post apart from new ones', () => {
  const store = openStore()
  keep(place, { ...first, draft: saying('This') }, store)
  keep(place, { ...first, id: 'two', draft: saying('That') }, store)
  keep({ ...place, postId: 'p' }, { ...first, draft: saying('An edit'), editToken: 't' }, store)
  expect(textsOf(store)).toEqual(['That', 'This'])
  expect(readKept({ ...place, postId: 'p' }, 'one', store)).toMatchObject({ editToken: 't' })
})

test('of two tabs with one draft, neither writes over the other', () => {
  const store = openStore()
  const begun = keep(place, { ...first, draft: saying('Begun') }, store)!
  // Both have read it, as after a tab was duplicated.
  const one = keep(place, { ...first, draft: saying('Of tab one'), seen: begun.revision }, store)!
  const two = keep(place, { ...first, draft: saying('Of tab two'), seen: begun.revision }, store)!
  expect(one.id).toBe('one')
  expect(two.id).not.toBe('one')
  keep(place, { ...first, draft: saying('More of tab one'), seen: one.revision }, store)
  keep(place, { ...first, id: two.id, draft: saying('More of tab two'), seen: two.revision }, store)
  expect(textsOf(store)).toEqual(['More of tab one', 'More of tab two'])
})

test('a tab that is done with a draft leaves what another wrote', () => {
  const store = openStore()
  const begun = keep(place, { ...first, draft: saying('Begun') }, store)!
  keep(place, { ...first, draft: saying('Theirs'), seen: begun.revision }, store)
  discard(place, 'one', begun.revision, store)
  expect(textsOf(store)).toEqual(['Theirs'])
})

test('what was discarded can be put back', () => {
  const store = openStore()
  keep(place, { ...first, draft: saying('Wanted after all') }, store)
  const kept = readKept(place, 'one', store)!
  discard(place, 'one', undefined, store)
  expect(textsOf(store)).toEqual([])
  putBack(place, kept, store)
  expect(readKept(place, 'one', store)).toEqual(kept)
})

test('who signs in after another in one browser does not see their drafts', () => {
  const store = openStore()
  keep(place, { ...first, draft: saying('Of Ada') }, store)
  expect(textsOf(store, { ...place, personId: 'grace' })).toEqual([])
})

test('a browser that is full says so', () => {
  expect(keep(place, { ...first, draft: saying('Too much') }, openStore(10))).toBe(null)
})

test('what is no draft is passed over, and a time of an earlier form is understood', () => {
  const store = openStore()
  store.setItem('postrider.draft.w.new.broken', '{')
  store.setItem('postrider.draft.w.new.future', JSON.stringify({ version: 99 }))
  const draft = { ...saying('Kept before'), time: { state: 'scheduled', local: '2026-12-24T18:00' } }
  const kept = { version: 1, draft, editToken: null, savedAt: '2026-11-21T10:00:00.000Z' }
  store.setItem('postrider.draft.w.new.old', JSON.stringify(kept))
  const [only, ...others] = listKept(place, store)
  expect(others).toEqual([])
  expect(only?.draft.time).toMatchObject({ words: 'Thu 24 Dec 2026 18:00' })
})
