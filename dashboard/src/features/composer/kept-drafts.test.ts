import { expect, test } from 'vitest'
import { emptyDraft, write } from './draft.ts'
import {
  discard,
  draftOf,
  keep,
  listKept,
  openDraft,
  type Place,
  putBack,
  readKept,
  type Store,
} from './kept-drafts.ts'

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

const first = { id: 'one', editToken: null }

test('several drafts are kept side by side, those of a post apart from new ones', () => {
  const store = openStore()
  keep(place, { ...first, draft: saying('This') }, store)
  keep(place, { ...first, id: 'two', draft: saying('That') }, store)
  keep({ ...place, postId: 'p' }, { ...first, draft: saying('An edit'), editToken: 't' }, store)
  expect(textsOf(store)).toEqual(['That', 'This'])
  expect(readKept({ ...place, postId: 'p' }, 'one', store)).toMatchObject({ editToken: 't' })
})

/**
 * Tabs that share a store as those of a browser do: each reads its own copy of it, into which the writes of the others come only
 * when they are delivered, each with a `storage` event.
 */
function openTabs(count: number, begun: ReturnType<typeof saying> | null) {
  const undelivered: { to: number; key: string; value: string | null }[] = []
  const before = openStore()
  if (begun !== null) keep(place, { ...first, draft: begun }, before)
  const tabs = Array.from({ length: count }, (_, at) => {
    const seen = openStore()
    const key = before.key(0)
    if (key !== null) seen.setItem(key, before.getItem(key)!)
    const send = (key: string, value: string | null) => {
      for (let to = 0; to < count; to++) if (to !== at) undelivered.push({ to, key, value })
    }
    const store: Store = {
      get length() {
        return seen.length
      },
      key: (place) => seen.key(place),
      getItem: (key) => seen.getItem(key),
      setItem(key, value) {
        seen.setItem(key, value)
        send(key, value)
      },
      removeItem(key) {
        seen.removeItem(key)
        send(key, null)
      },
    }
    const told: string[] = []
    const draft = openDraft({
      place,
      id: 'one',
      store,
      own: false,
      kept: readKept(place, 'one', store),
      onMoved: (id) => told.push(draftOf(id)),
      onOtherTab: () => told.push('other tab'),
    })
    return {
      seen,
      store,
      told,
      draft,
      type: (text: string) => draft.change({ draft: saying(text), editToken: null }),
    }
  })
  return {
    tabs,
    deliver() {
      for (let next = undelivered.shift(); next !== undefined; next = undelivered.shift()) {
        const { to, key, value } = next
        const tab = tabs[to]!
        if (value === null) tab.seen.removeItem(key)
        else tab.seen.setItem(key, value)
        tab.draft.onStorage({ key, newValue: value })
      }
    },
  }
}

const nameOfTab = ['A', 'B'] as const

test.each([true, false])(
  'of tabs with one draft, none writes over another, however late they see each other (stored before: %s)',
  (before) => {
    // Each order of two changes in each tab, with and without a delivery after each.
    for (let order = 0; order < 2 ** 7; order++) {
      const { tabs, deliver } = openTabs(2, before ? saying('Begun') : null)
      const left = [2, 2]
      for (let step = 0; step < 4; step++) {
        const wanted = (order >> step) & 1
        const at = left[wanted]! > 0 ? wanted : 1 - wanted
        tabs[at]!.type(`${nameOfTab[at]} ${3 - left[at]!}`)
        left[at]!--
        if (step < 3 && ((order >> (4 + step)) & 1) === 1) deliver()
      }
      deliver()
      for (const { store, told } of tabs) {
        const texts = textsOf(store)
        expect({ order, texts, told: told.toSorted((a, b) => a.localeCompare(b)) }).toEqual({
          order,
          texts: ['A 2', 'B 2'],
          told: ['one', 'other tab'],
        })
      }
    }
  },
)

test('what one tab removes while another writes it is stored again', () => {
  const { tabs, deliver } = openTabs(2, saying('Begun'))
  const [writer, list] = tabs as [(typeof tabs)[number], (typeof tabs)[number]]
  writer.type('Written')
  deliver()
  const [kept] = listKept(place, list.store)
  discard(place, kept!.id, undefined, list.store)
  deliver()
  expect(textsOf(list.store)).toEqual(['Written'])
  writer.draft.forget()
  deliver()
  expect(textsOf(list.store)).toEqual([])
})

test('a tab that is done with a draft leaves what another wrote', () => {
  const { tabs, deliver } = openTabs(2, saying('Begun'))
  tabs[0]!.type('Theirs')
  tabs[1]!.draft.forget()
  deliver()
  expect(textsOf(tabs[0]!.store)).toEqual(['Theirs'])
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
