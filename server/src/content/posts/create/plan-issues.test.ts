import Type from 'typebox'
import { expect, test } from 'vitest'
import type { ChannelRow } from '../../../networks/channels/channel-store.ts'
import type { Provider, Providers } from '../../../networks/providers/port/port.ts'
import { line, settingsOf } from '../../../networks/providers/port/settings.ts'
import { sandboxShort } from '../../../networks/providers/sandbox/sandbox.ts'
import { checkPlan } from './plan-issues.ts'
import { readPlan, type Plan } from '../plan/plan.ts'

const plain: Provider = {
  ...sandboxShort,
  provider: 'plain',
  displayName: 'Plain',
  limits: {
    maxCharacters: 5,
    characterCounting: 'graphemes',
    media: { maxItems: 0, mixedKinds: false, maxAltCharacters: 0, kinds: [] },
  },
  supports: { threads: false, lookup: true },
  idAt: () => null,
  settings: settingsOf({
    visibility: Type.Enum(['public', 'unlisted']),
    name: Type.Optional(line(10)),
    tags: Type.Optional(Type.Array(line(10))),
  }),
}
const providers: Providers = new Map([
  ['plain', plain],
  ['sandbox-short', sandboxShort],
])

function aChannelRow(channelId: string, provider: string): [string, ChannelRow] {
  const named = { displayName: channelId, handle: channelId, avatarUrl: null }
  return [
    channelId,
    {
      channelId,
      provider,
      ...named,
      enabled: true,
      connectionStatus: 'connected',
      subscription: null,
      limits: null,
      authorizationEndsAt: null,
      postingTimes: [],
      authorizationLost: false,
    },
  ]
}

const channels = new Map([
  aChannelRow('p', 'plain'),
  aChannelRow('s', 'sandbox-short'),
  aChannelRow('gone', 'gone'),
])
const now = new Date('2026-11-21T09:00:00Z')

function planOf(body: Parameters<typeof readPlan>[0]): Plan {
  const read = readPlan(body)
  if ('errors' in read) throw new Error(read.errors[0]?.detail ?? 'not a plan')
  return read.plan
}

const check = (body: Parameters<typeof readPlan>[0]) => checkPlan(planOf(body), channels, providers, now)

test('a channel without threads refuses a thread, and an empty one is none', () => {
  const plan = (thread: { text: string }[]) =>
    check({
      state: 'draft',
      targets: [{ channelId: 'p', text: 'a', thread, settings: { visibility: 'public' } }],
    })

  expect(plan([{ text: 'b' }]).issues).toMatchObject([
    { code: 'thread_unsupported', pointer: '/targets/0/thread' },
  ])
  expect(plan([]).issues).toEqual([])
})

test('each channel counts in its own way', () => {
  const text = '👨‍👩‍👧‍👦日本語!'
  const settings = { visibility: 'public' }
  const { destinations, issues } = check({
    state: 'draft',
    targets: [
      { channelId: 'p', text, settings },
      { channelId: 's', text },
    ],
  })
  expect(issues).toEqual([])
  expect(destinations.map(({ parts }) => parts[0]?.characters)).toEqual([5, 9])
})

test.each([
  [{}, '/targets/0/settings'],
  [{ visibility: 'secret' }, '/targets/0/settings/visibility'],
  [{ visibility: 'public', more: 1 }, '/targets/0/settings/more'],
])('the settings %j are refused at %s', (settings, pointer) => {
  const { issues } = check({ state: 'draft', targets: [{ channelId: 'p', text: 'a', settings }] })
  expect(issues).toMatchObject([{ code: 'settings_invalid', channelId: 'p', pointer }])
})

test.each([
  [{ visibility: 'public', name: 'a\nb' }, '/name', 'a line break'],
  [{ visibility: 'public', tags: ['b', '\u202ec'] }, '/tags/1', 'changes the direction of writing'],
  [{ visibility: 'public', tags: ['\u200b'] }, '/tags/0', 'invisible characters'],
])('settings that must be lines, and are none, are refused: %j', (settings, path, why) => {
  const { issues } = check({ state: 'draft', targets: [{ channelId: 'p', text: 'a', settings }] })
  expect(issues).toMatchObject([
    {
      code: 'settings_invalid',
      pointer: `/targets/0/settings${path}`,
      message: expect.stringContaining(why),
    },
  ])
})

test('issues stand in the order of the request, and each channel knows whether it is ready', () => {
  const { destinations, issues } = check({
    state: 'scheduled',
    publishAt: '2026-11-21T09:00:00Z',
    channelIds: ['nowhere', 's', 'gone', 'p'],
    text: 'more than five',
  })
  expect(issues.map(({ code, channelId, pointer }) => [code, channelId, pointer])).toEqual([
    ['publish_at_in_past', undefined, '/publishAt'],
    ['channel_unknown', 'nowhere', '/channelIds/0'],
    ['channel_disabled', 'gone', '/channelIds/2'],
    ['text_too_long', 'p', '/text'],
    ['settings_invalid', 'p', '/settings'],
  ])
  expect(
    destinations.map(({ channelId, ready, maxCharacters }) => [channelId, ready, maxCharacters]),
  ).toEqual([
    ['s', true, 280],
    ['gone', false, 0],
    ['p', false, 5],
  ])
})

test('shared text that is empty is said once, and makes no channel ready', () => {
  const { destinations, issues } = check({ state: 'draft', channelIds: ['s', 'gone'], text: '\u2060 \u3000' })
  expect(issues.filter(({ code }) => code === 'text_empty')).toEqual([
    expect.not.objectContaining({ channelId: expect.anything() }),
  ])
  expect(destinations.map(({ ready }) => ready)).toEqual([false, false])
})

test('a part without visible text needs media, and with media needs no text', () => {
  const mediaIds = ['one']
  const codes = (
    text: string,
    thread: { text: string; mediaIds?: string[] }[],
    own: { mediaIds?: string[] },
  ) =>
    check({ state: 'draft', channelIds: ['s'], text, thread, ...own })
      .issues.filter(({ code }) => code === 'text_empty')
      .map(({ pointer }) => pointer)
  expect(codes('', [{ text: ' \u2060', mediaIds }], { mediaIds })).toEqual([])
  expect(codes('', [{ text: 'x' }], {})).toEqual(['/text'])
  expect(codes('x', [{ text: '' }, { text: '', mediaIds }], { mediaIds })).toEqual(['/thread/0/text'])
})

test.each([
  ['2026-11-21T09:00:00.000Z', ['publish_at_in_past']],
  ['2026-11-21T09:00:00.001Z', []],
  ['2026-11-21T10:00:00.001+01:00', []],
  ['2028-11-21T09:00:00.000Z', []],
  ['2028-11-21T09:00:00.001Z', ['publish_at_too_far']],
])('at nine o’clock a post for %s has the issues %j', (publishAt, codes) => {
  const { issues } = check({ state: 'scheduled', publishAt, channelIds: ['s'], text: 'a' })
  expect(issues.map(({ code }) => code)).toEqual(codes)
})

test.each([
  ['draft', undefined, []],
  ['immediate', undefined, []],
  ['scheduled', '2026-11-21T10:59:59.999Z', []],
  ['scheduled', '2026-11-21T11:00:00.000Z', ['channel_authorization_ends']],
  ['scheduled', '2026-11-21T12:00:00.001+01:00', ['channel_authorization_ends']],
] as const)(
  'where the authorization ends at eleven, a %s post for %s has the issues %j',
  (state, at, codes) => {
    const [id, row] = aChannelRow('s', 'sandbox-short')
    const ending = new Map([[id, { ...row, authorizationEndsAt: new Date('2026-11-21T11:00:00Z') }]])
    const plan = planOf({
      state,
      channelIds: [id],
      text: 'a',
      ...(at === undefined ? {} : { publishAt: at }),
    })
    const { issues, destinations } = checkPlan(plan, ending, providers, now)
    expect(issues).toMatchObject(
      codes.map((code) => ({
        code,
        severity: 'warning',
        channelId: 's',
        pointer: '/channelIds/0',
        message: expect.stringContaining('2026-11-21T11:00:00.000Z'),
        fix: expect.stringContaining('Reconnect the channel'),
      })),
    )
    expect(destinations).toMatchObject([{ ready: true }])
  },
)

test.each([
  ['immediate', ['lapsed'], 'error'],
  ['immediate', ['lapsed', 's'], 'warning'],
  ['draft', ['lapsed'], 'warning'],
] as const)(
  'a plan that is %s for %j has an %s where a channel has to be reconnected: it is refused if it can go out nowhere',
  (state, channelIds, severity) => {
    const [id, row] = aChannelRow('lapsed', 'sandbox-short')
    const some = new Map([...channels, [id, { ...row, connectionStatus: 'reconnect_required' as const }]])
    const plan = planOf({ state, channelIds: [...channelIds], text: 'a' })
    const { issues, destinations } = checkPlan(plan, some, providers, now)
    expect(issues).toMatchObject([{ code: 'channel_reconnect_required', severity, channelId: 'lapsed' }])
    expect(destinations[0]).toMatchObject({ ready: severity === 'warning' })
  },
)

test('fifty channels with fifty-one parts each are checked, each text once', { timeout: 20_000 }, () => {
  const many = new Map(Array.from({ length: 50 }, (_, n) => aChannelRow(`c${n}`, 'sandbox-short')))
  const thread = Array.from({ length: 50 }, (_, n) => ({ text: `${'日'.repeat(6_000)}. ${n}` }))
  const plan = planOf({ state: 'draft', channelIds: [...many.keys()], text: 'a', thread })

  const { issues } = checkPlan(plan, many, providers, now)

  expect(issues).toHaveLength(2_500)
})

test('media for a network that cannot fetch it from this server is refused before anything is scheduled', () => {
  const cannotFetch = { why: 'not_https', baseUrl: 'http://post.example.com' } as const
  const own = new Map([['sandbox-short', { ...sandboxShort, cannotFetch }]])
  const mediaId = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  const facts = {
    kind: 'image',
    contentType: 'image/png',
    sizeBytes: 6,
    width: 1,
    height: 1,
    durationMs: null,
    videoCodec: null,
    audioCodec: null,
    frameRate: null,
    audioChannels: null,
    audioSampleRate: null,
  } as const
  const row = { ...facts, mediaId, animated: false, altText: 'A bell', storageKey: 'w/m' }
  const issuesOf = (mediaIds: string[]) =>
    checkPlan(
      planOf({ state: 'draft', channelIds: ['s'], text: 'Hi', mediaIds }),
      channels,
      own,
      now,
      new Map([[mediaId, row]]),
    ).issues
  expect(issuesOf([])).toEqual([])
  expect(issuesOf([mediaId])).toEqual([
    {
      code: 'media_not_reachable',
      severity: 'error',
      channelId: 's',
      partIndex: 0,
      pointer: '/mediaIds',
      message: expect.stringContaining("http://post.example.com doesn't use https"),
      fix: expect.stringContaining('BASE_URL'),
    },
  ])
})
