import { findingCodes, findingWords, type FindingCode, type ShowValues } from '@postrider/contract'
import { germanFindings } from '@postrider/contract/german'
import { expect, test } from 'vitest'
import type { Examination, Limits } from '../providers/port/port.ts'
import { providers } from '../providers/registry.ts'
import { type Checked, judgeConnection, type KeptConnection } from './judge-connection.ts'
import { viewFinding } from './view-finding.ts'

const now = new Date('2026-11-29T10:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const untold = { missing: null, quotas: [], account: null, version: null }
const accepted = { is: 'accepted', endsAt: null } as const

function kept(change: Partial<KeptConnection> = {}): KeptConnection {
  const ends = { authorizationEndsAt: null, accessEndsAt: null }
  return { provider: 'mastodon', subscription: null, limits: null, ...ends, ...change }
}
function examined(change: Partial<Examination>): Checked {
  return { is: 'examined', examination: { access: accepted, ...untold, ...change } }
}
const judge = (of: KeptConnection, checked: Checked, skewMs: number | null = 400) =>
  judgeConnection(of, checked, { skewMs, now, providers })
const found = (of: KeptConnection, change: Partial<Examination>, aspect: string) =>
  judge(of, examined(change))
    .map((one) => viewFinding(of.provider, one))
    .filter((one) => one.aspect === aspect)
    .map(({ code, detail }) => [code, detail])

const own = providers.get('mastodon')!.limits
const fewer: Limits = { ...own, maxCharacters: 400, media: { ...own.media, maxItems: 0, kinds: [] } }
const notAsked = ['reconnect_required', 'access_unreadable', 'provider_disabled', 'check_failed'] as const

/** Something of each outcome. */
const everything: readonly Checked[] = [
  ...notAsked.map((why) => ({ is: 'not_asked', why }) as const),
  { is: 'silent', reason: 'ECONNREFUSED' },
  { is: 'silent', reason: 'ADDRESS_REFUSED' },
  examined({}),
  examined({ missing: { scopes: [] }, account: { subscription: null, limits: null } }),
  examined({ missing: { scopes: ['write'] }, account: { subscription: null, limits: fewer } }),
  examined({ missing: { rights: ['publish_posts'] }, version: { name: 'v1', answered: true } }),
  examined({ version: { name: 'v1', answered: false } }),
  examined({ access: { is: 'accepted', endsAt: inDays(1) } }),
  ...(['expired', 'reauthorize', 'suspended', 'app_refused', 'signer_away'] as const).map((is) =>
    examined({ access: { is } }),
  ),
  examined({ access: { is: 'unknown', status: 404 } }),
  examined({
    quotas: [
      { unit: 'posts', left: 0, of: 50, resetsInMs: null },
      { unit: 'replies', left: 9, of: 1_000, resetsInMs: 60_000 },
      { unit: 'percent', left: 72, of: 100, resetsInMs: null },
    ],
  }),
]

test('the end of a version is told a month before, and later, unless the version is gone', () => {
  const told = (day: string, version: Examination['version'], provider = 'facebook') =>
    judgeConnection(kept({ provider }), examined({ version }), {
      skewMs: 0,
      now: new Date(`${day}T10:00:00Z`),
      providers,
    })
      .map((one) => viewFinding(provider, one))
      .filter(({ aspect }) => aspect === 'version')
      .map(({ code, detail }) => [code, detail])
  const answered = { name: 'v27.0', answered: true }
  const ending = ['version_ending', 'Facebook can end version v27.0 of its API from 2028-11-04 00:00 UTC on.']
  expect(told('2028-10-03', answered).map(([code]) => code)).toEqual(['version_answered'])
  expect(told('2028-10-04', answered)[1]).toEqual(ending)
  expect(told('2028-12-01', answered)[1]).toEqual(ending)
  expect(told('2028-10-04', null)[0]).toEqual(ending)
  expect(told('2028-12-01', { name: 'v27.0', answered: false }).map(([code]) => code)).toEqual([
    'version_gone',
  ])
  expect(told('2030-01-01', null, 'mastodon').map(([code]) => code)).toEqual(['version_not_told'])
})

test('every outcome that has a name can be found, and reads in English and in German', () => {
  const judged = [
    ...everything.flatMap((checked) => judge(kept(), checked)),
    ...judge(kept({ accessEndsAt: now }), examined({ access: { is: 'expired' } })),
    ...judgeConnection(kept({ provider: 'linkedin' }), examined({}), {
      skewMs: 0,
      now: new Date('2027-09-01'),
      providers,
    }),
    ...judge(kept(), examined({}), 300_000),
    ...judge(kept(), examined({}), null),
  ]
  expect([...new Set(judged.map(({ code }) => code))].toSorted()).toEqual(findingCodes.toSorted())
  const show: ShowValues = { time: (at) => at, number: String, list: (items) => items.join() }
  for (const { code, values: own } of judged) {
    const values = { network: 'Mastodon', ...own }
    const pairs = [findingWords[code], germanFindings[code]].map(({ said, fix }) => [
      said(values, show),
      fix?.(values, show) ?? null,
    ])
    const [[english, fix], [german, germanFix]] = pairs as [[string, string | null], [string, string | null]]
    for (const text of [english, fix ?? '', german, germanFix ?? ''])
      expect(text).not.toMatch(/undefined|null|NaN| {2}|\(\)/)
    expect([code, german]).not.toEqual([code, english])
    expect([code, fix === null]).toEqual([code, germanFix === null])
  }
})

test('what has to be done is said of every fault, and of nothing that is in order', () => {
  const level = (code: FindingCode) => viewFinding('mastodon', { code, values: {} }).level
  expect(
    findingCodes.filter(
      (code) => (findingWords[code].fix !== null) !== ['warn', 'fail'].includes(level(code)),
    ),
  ).toEqual([])
})

test.each([
  ['no end is known', kept(), null, 'access_accepted', 'Mastodon accepts the access.'],
  [
    'the network names an end',
    kept(),
    inDays(30),
    'access_accepted',
    'Mastodon accepts the access, which ends on 2026-12-29 10:00 UTC.',
  ],
  [
    'the end is near',
    kept({ authorizationEndsAt: inDays(6) }),
    inDays(30),
    'access_ends_soon',
    'Mastodon accepts the access, but ends it on 2026-12-05 10:00 UTC.',
  ],
  // The end of a token that is refreshed is no end of the access.
  [
    'the token is refreshed',
    kept({ accessEndsAt: now }),
    inDays(1),
    'access_accepted',
    'Mastodon accepts the access.',
  ],
])('an access that is accepted, where %s', (_, of, endsAt, code, detail) => {
  expect(found(of, { access: { is: 'accepted', endsAt } }, 'access')).toEqual([[code, detail]])
})

test('an access token that has ended is no fault where the server gets another', () => {
  const access = { is: 'expired' } as const
  expect(found(kept({ accessEndsAt: now }), { access }, 'access')[0]?.[0]).toBe('access_over')
  expect(found(kept(), { access }, 'access')[0]?.[0]).toBe('access_refused')
})

test('limits that differ from those posts are checked against are told by name', () => {
  const account = { subscription: null, limits: fewer }
  expect(found(kept(), { account }, 'limits')).toEqual([
    [
      'limits_changed',
      'The limits have changed: characters 500 → 400, files 4 → 0, bytes of an image 16,777,216 → none, and bytes of a video 103,809,024 → none.',
    ],
  ])
  // As a database gives them back: in another order, and without what JSON does not have.
  const stored = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(fewer).toReversed()))) as Limits
  expect(found(kept({ limits: stored }), { account }, 'limits')[0]?.[0]).toBe('limits_same')
  const [video] = own.media.kinds.filter(({ kind }) => kind === 'video')
  const other = {
    ...own,
    media: {
      ...own.media,
      kinds: own.media.kinds.map((kind) => (kind === video ? { ...kind, contentTypes: [] } : kind)),
    },
  }
  expect(found(kept(), { account: { subscription: null, limits: other } }, 'limits')[0]?.[1]).toBe(
    'The limits have changed: file types or sizes.',
  )
})

test('a subscription that has ended is a changed limit', () => {
  const of = kept({ provider: 'x', subscription: 'Premium' })
  expect(found(of, { account: { subscription: 'None', limits: null } }, 'limits')).toEqual([
    ['limits_changed', 'The limits have changed: characters 25,000 → 280.'],
  ])
})

test.each([
  [29_000, 'clock_right'],
  [-29_000, 'clock_right'],
  [31_000, 'clock_off'],
  [-31_000, 'clock_off'],
  [null, 'clock_not_told'],
])('a clock that is %s ms ahead: %s', (skewMs, code) => {
  expect(judge(kept(), examined({}), skewMs).at(-1)?.code).toBe(code)
})

test('of an access that is refused, nothing is called untold that was not asked', () => {
  const codes = judge(kept(), examined({ access: { is: 'reauthorize' } })).map(({ code }) => code)
  expect(codes).toEqual(['access_refused', 'clock_right'])
})
