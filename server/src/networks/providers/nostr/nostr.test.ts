import { describe, expect, test } from 'vitest'
import { loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { aLookupWork, answer, anUpload, nine } from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse, Json } from '../port/calls.ts'
import {
  eventJson,
  isSigned,
  publicKeyOf,
  signEvent,
  type EventDraft,
  type SignedEvent,
} from '../shared/nostr-events.ts'
import type { PrepareWork, PublishWork } from '../port/port.ts'
import type { RelayReport } from '../shared/relay-reports.ts'
import { eventIn, neventOf, npubOf, profileIn, secretKeyIn } from './nip19.ts'
import { nostr, nostrOn } from './nostr.ts'
import { hashtagsIn } from './note.ts'
import { readRelay } from './relays.ts'

const secretKey = '67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa'
const pubkey = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e'
const friend = '3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d'
const friendKey = '1'.repeat(64)
const first = 'wss://one.example'
const second = 'wss://two.example'
const mediaServer = 'https://media.example'
const authorization = { secretKey, pubkey, named: [first], listed: [second], mediaServer }
const sha256 = 'd1'.repeat(32)

const by = (key: string, kind: number, draft: Partial<EventDraft> = {}) =>
  signEvent(key, { kind, created_at: 1_790_000_000, tags: [], content: '', ...draft })
const metadata = by(secretKey, 0, {
  content: JSON.stringify({ name: 'alice', display_name: 'Alice', picture: 'https://media.example/a.png' }),
})
const list = by(secretKey, 10_002, {
  tags: [
    ['r', second],
    ['r', 'wss://read.example', 'read'],
  ],
})

type Said = readonly (readonly Json[])[]

type Told = Said | Pick<RelayReport, 'sent' | 'silence'>

/** What relays said, each of them. */
function reports(...each: readonly Told[]): HttpResponse {
  const body = each.map((one, at) => ({
    relay: [first, second][at] ?? `wss://${at}.example`,
    sent: true,
    silence: null,
    said: [],
    ...('silence' in one ? one : { said: one }),
  }))
  return answer(101, body)
}
const refusedBy = (words: string) => (id: string) => [['OK', id, false, words]]

/** Relays that have these events, and take each that they are given. */
function relaysWith(events: readonly SignedEvent[]) {
  return ({ url, relays, headers = {} }: HttpRequest): HttpResponse => {
    if (url.pathname === '/upload')
      return answer(201, {
        url: `${mediaServer}/${sha256}.png`,
        sha256,
        size: 3,
        type: 'image/png',
        uploaded: 1,
      })
    if (headers['accept'] === 'application/nostr+json')
      return answer(200, { limitation: { max_content_length: 5_000, max_message_length: 20_000 } })
    if (relays === undefined) throw new Error(`nobody answers ${url.href}`)
    const [message] = relays.messages as readonly Json[][]
    if (message?.[0] === 'EVENT') return reports(taken(message[1] as unknown as SignedEvent))
    return reports(
      ...[url, ...relays.others].map(() => [
        ...events.map((event) => ['EVENT', 'postrider', eventJson(event)]),
        ['EOSE', 'postrider'],
      ]),
    )
  }
}
const taken = ({ id }: { id: string }): Said => [['OK', id, true, '']]

const { prepare, publish, upload, lookup, form, profile } = await loadWith(nostr, [
  ...(['prepare', 'upload', 'lookup', 'form', 'profile'] as const),
])

const noteOf = ({ prepared }: Pick<PublishWork, 'prepared'>) => (prepared as { event: SignedEvent }).event

await testAdapter(nostr, {
  authorization,
  secrets: [secretKey],
  success: (work) => reports(taken(noteOf(work)), { sent: false, silence: 'ECONNREFUSED' }),
  network: relaysWith([metadata, list]),
  refusals: [reports(refusedBy('blocked: not here')('x')), { error: 'no' }],
  text: 'Hello #World nostr:npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6',
  settings: { contentWarning: 'Birds', tags: ['Birds'] },
  absence: [{ server: 'relays that have nothing', network: relaysWith([]), proves: () => true }],
  form: { secretKey, relays: 'one.example' },
})

const work: PrepareWork = {
  kind: 'post',
  authorization,
  text: 'Hello',
  media: [],
  settings: {},
  parent: null,
  root: null,
  idempotencyKey: 'k',
  now: nine,
  former: null,
  refusals: 0,
  checkpoint: null,
  mediaAddresses: [],
  discarded: [],
}
function preparedOf(change: Partial<PrepareWork> = {}, network = relaysWith([])) {
  const { outcome } = play(prepare({ ...work, ...change }), network)
  if (outcome.is !== 'prepared') throw new Error(outcome.is)
  return outcome.prepared as { event: SignedEvent; relays: string[] }
}
const publishWork = (): PublishWork => ({ ...work, prepared: preparedOf(), files: [] })

test('a remote signer is asked to sign, and one that does not sign rejects the note', () => {
  const signer = { pubkey: friend, relays: [first] }
  const { requests, outcome } = play(
    prepare({ ...work, authorization: { ...authorization, signer } }),
    (request) =>
      request.toSigner === undefined
        ? relaysWith([])(request)
        : request.toSigner.method === 'sign_event'
          ? answer(101, { result: null, error: 'no' })
          : answer(101, { result: pubkey, error: null }),
  )
  expect(requests.flatMap(({ toSigner }) => (toSigner === undefined ? [] : [toSigner.method]))).toEqual([
    'sign_event',
    'get_public_key',
  ])
  expect(outcome).toMatchObject({ is: 'rejected', code: 'permission_refused' })
})

describe('keys and addresses', () => {
  // https://github.com/nostr-protocol/nips/blob/master/19.md, its own examples.
  test('are read and written as NIP-19 has them', () => {
    expect(secretKeyIn('nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5')).toBe(secretKey)
    expect(publicKeyOf(secretKey)).toBe(pubkey)
    expect(npubOf(pubkey)).toBe('npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg')
    expect(profileIn('npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6')).toBe(friend)
    expect(
      profileIn(
        'nprofile1qqsrhuxx8l9ex335q7he0f09aej04zpazpl0ne2cgukyawd24mayt8gpp4mhxue69uhhytnc9e3k7mgpz4mhxue69uhkg6nzv9ejuumpv34kytnrdaksjlyr9p',
      ),
    ).toBe(friend)
  })

  test('with one letter wrong are none', () => {
    const key = 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5'
    for (const at of [5, 30, 62]) {
      const letter = key[at] === 'q' ? 'p' : 'q'
      expect(secretKeyIn(key.slice(0, at) + letter + key.slice(at + 1))).toBeNull()
    }
    expect(publicKeyOf('0'.repeat(64))).toBeNull()
  })

  test('of a note say its id, its author and a relay', () => {
    const nevent = neventOf({ id: friend, relay: first, author: pubkey })
    expect(eventIn(nevent)).toEqual({ id: friend, author: pubkey })
    expect(nostr.idAt(new URL(`https://njump.me/${nevent}`), { remoteAccountId: pubkey })).toBe(friend)
    expect(nostr.idAt(new URL(`https://njump.me/${npubOf(pubkey)}`), { remoteAccountId: pubkey })).toBeNull()
  })

  test.each([
    ['relay.example.com', 'wss://relay.example.com'],
    ['WSS://Relay.example.com/', 'wss://relay.example.com'],
    ['wss://relay.example.com/inbox', 'wss://relay.example.com/inbox'],
    ['https://relay.example.com', null],
    ['wss://user:word@relay.example.com', null],
    ['relay', null],
    ['', null],
  ])('%s as a relay is %s', (typed, relay) => expect(readRelay(typed)).toBe(relay))
})

describe('a note', () => {
  test('has the id and signature of its account, and the time of the server', () => {
    const { event } = preparedOf()
    expect(isSigned(event)).toBe(true)
    expect(isSigned({ ...event, content: 'Hello!' })).toBe(false)
    expect(event).toMatchObject({
      pubkey,
      kind: 1,
      content: 'Hello',
      tags: [],
      created_at: nine.getTime() / 1_000,
    })
  })

  test('goes to the relays that its owner named, those of the newest list, and those the mentioned read from', () => {
    const newer = by(secretKey, 10_002, { created_at: 1_790_000_001, tags: [['r', 'wss://three.example']] })
    const forged = { ...newer, created_at: 1_790_000_002, tags: [['r', 'wss://evil.example']] }
    const theirs = by(friendKey, 10_002, {
      tags: [
        ['r', 'wss://write.example', 'write'],
        ['r', 'wss://inbox.example'],
      ],
    })
    const text = `Hello nostr:${npubOf(publicKeyOf(friendKey)!)}`
    const { relays, event } = preparedOf({ text }, relaysWith([list, newer, forged, theirs]))
    expect(relays).toEqual([first, 'wss://three.example', 'wss://inbox.example'])
    expect(event.tags).toEqual([['p', publicKeyOf(friendKey)]])
  })

  test('goes to the relays that were known, where nobody tells the list', () => {
    expect(preparedOf().relays).toEqual([first, second])
  })

  test('that was taken for absent is sent again as it is', () => {
    const former = preparedOf() as unknown as Json
    expect(preparedOf({ former, now: new Date(0) })).toEqual(former)
  })

  test('names the first note of its thread, and the one before', () => {
    const [root, parent] = [{ remoteId: 'a'.repeat(64) }, { remoteId: 'b'.repeat(64) }]
    const tags = (change: Partial<PrepareWork>) => preparedOf(change).event.tags
    expect(tags({ parent: root, root })).toEqual([
      ['e', root.remoteId, first, 'root', pubkey],
      ['p', pubkey],
    ])
    expect(tags({ parent, root })).toEqual([
      ['e', root.remoteId, first, 'root', pubkey],
      ['e', parent.remoteId, first, 'reply', pubkey],
      ['p', pubkey],
    ])
  })

  test('has hashtags in lower case, once each, and what is set for it', () => {
    const settings = { tags: ['News', 'birds'], contentWarning: 'Feathers' }
    expect(preparedOf({ text: 'Look #Birds', settings }).event.tags).toEqual([
      ['t', 'birds'],
      ['t', 'news'],
      ['content-warning', 'Feathers'],
    ])
    // What a relay takes of a tag in bytes (`maxTagValSize`): a longer one stays text, and the note is not refused for it.
    const [longest, longer] = ['ä'.repeat(512), 'ä'.repeat(513)]
    expect(hashtagsIn(`#${longest} #${longer}`)).toEqual([longest])
    expect(hashtagsIn('#one https://example.com/#two a#three #4 (#Fünf)')).toEqual(['one', 'fünf'])
  })

  test('has the address of each file below its text, and what it shows in a tag', () => {
    const details = { url: `${mediaServer}/a.png`, sha256, type: 'image/png' }
    const item = { remoteId: sha256, details, kind: 'image', altText: 'A bird', width: 3, height: 4 } as const
    expect(preparedOf({ media: [item] }).event).toMatchObject({
      content: `Hello\n\n${mediaServer}/a.png`,
      tags: [['imeta', `url ${mediaServer}/a.png`, 'm image/png', `x ${sha256}`, 'dim 3x4', 'alt A bird']],
    })
    expect(preparedOf({ media: [item], text: '' }).event.content).toBe(`${mediaServer}/a.png`)
  })

  test('with media may be too long by their addresses', () => {
    const limits = { ...nostr.limits, maxCharacters: 500 }
    const part = {
      kind: 'post',
      text: 'a'.repeat(301),
      index: 0,
      mediaKinds: [],
      mediaSizes: [],
      settings: {},
      limits,
    } as const
    expect(nostr.check?.({ ...part, mediaCount: 0 })).toEqual([])
    expect(nostr.check?.({ ...part, mediaCount: 1 })).toMatchObject([
      { fix: expect.stringContaining('1 characters') },
    ])
  })
})

describe('what the answers of relays prove', () => {
  const verdictOf = (...each: readonly Told[]) => publish.judge(reports(...each), publishWork())
  const { id } = preparedOf().event
  const no = (words: string): Said => refusedBy(words)(id)
  const unreached = { sent: false, silence: 'ECONNREFUSED' }
  const silent = { sent: true, silence: 'TIMEOUT' }

  test('one that has the note is enough', () => {
    const published = {
      is: 'published',
      remoteId: id,
      url: expect.stringMatching(/^https:\/\/njump\.me\/nevent1/),
    }
    expect(verdictOf(taken({ id }), silent)).toMatchObject(published)
    expect(verdictOf(no('blocked: no'), taken({ id }))).toMatchObject(published)
    expect(verdictOf([['OK', id, true, 'duplicate: have it']])).toMatchObject(published)
    expect(verdictOf(no('duplicate: have it'))).toMatchObject(published)
  })

  test('the answer to another note proves nothing', () => {
    expect(verdictOf(taken({ id: friend })).is).toBe('unknown')
  })

  test.each([
    ['unknown', [no('blocked: no'), silent]],
    ['unknown', [no('error: disk')]],
    ['unknown', [no('Error: disk')]],
    ['rejected', [no('no')]],
    ['rejected', [no('')]],
    ['rejected', [no('Blocked: no')]],
    ['deferred', [no('Rate-limited: slow down')]],
    ['unknown', [silent]],
    ['deferred', [unreached, unreached]],
    ['deferred', [no('blocked: no'), unreached]],
    ['deferred', [no('rate-limited: slow down'), no('blocked: no')]],
    ['rejected', [no('blocked: no'), no('pow: 28 bits')]],
    ['rejected', [no('restricted: pay')]],
    ['rejected', [no('invalid: too large')]],
    ['rejected', [no('auth-required: who are you?')]],
  ] as const)('it is %s where they say %j', (is, each) => expect(verdictOf(...each).is).toBe(is))
})

describe('a look for a note', () => {
  const looked = (response: HttpResponse) =>
    play(lookup(aLookupWork(authorization, publishWork())), () => response).outcome
  const { event } = preparedOf()
  const has: Said = [
    ['EVENT', 'postrider', eventJson(event)],
    ['EOSE', 'postrider'],
  ]
  const none: Said = [['EOSE', 'postrider']]

  test('finds it where one relay has it, as it was signed', () => {
    expect(looked(reports(none, has))).toMatchObject({ is: 'found', remoteId: event.id, exact: true })
    const forged: Said = [
      ['EVENT', 'postrider', { ...(eventJson(event) as object), content: 'No' }],
      ['EOSE', 'postrider'],
    ]
    expect(looked(reports(none, forged)).is).toBe('absent')
  })

  test('takes it for absent only once every relay has said so', () => {
    expect(looked(reports(none, none))).toMatchObject({ is: 'absent', seen: 'by key', keepsKeys: true })
    expect(looked(reports(none, { sent: true, silence: 'TIMEOUT' })).is).toBe('unavailable')
    expect(looked(reports(none, [['CLOSED', 'postrider', 'error: no']])).is).toBe('unavailable')
    expect(looked(reports(none)).is).toBe('unavailable')
  })
})

describe('a file', () => {
  const sent = (response: HttpResponse) =>
    play(upload(anUpload(authorization, 'image')), () => response).outcome
  const stored = { url: `${mediaServer}/a.png`, sha256 }

  test('is stored under its digest', () => {
    expect(sent(answer(200, stored))).toMatchObject({ is: 'uploaded', media: { remoteId: sha256 } })
    expect(sent(answer(200, { ...stored, sha256: 'e2'.repeat(32) })).is).toBe('rejected')
  })

  test.each([
    [429, {}, 'deferred'],
    [413, {}, 'rejected'],
    [415, {}, 'rejected'],
    [402, {}, 'rejected'],
    [403, { 'x-reason': 'no' }, 'rejected'],
    [403, {}, 'deferred'],
    [500, {}, 'deferred'],
  ] as const)('that is answered with %i %j is %s', (status, headers, is) =>
    expect(sent(answer(status, '', headers)).is).toBe(is),
  )
})

describe('connecting', () => {
  const connected = (fields: Record<string, string>, network = relaysWith([metadata, list])) =>
    play(form({ fields, now: nine }), network)

  test('reads the profile, the write relays and what they take', () => {
    expect(connected({ secretKey }).outcome).toMatchObject({
      is: 'connected',
      authorization: {
        secretKey,
        pubkey,
        named: [],
        listed: [second],
        mediaServer: 'https://blossom.primal.net',
      },
      account: {
        remoteAccountId: pubkey,
        displayName: 'Alice',
        handle: npubOf(pubkey),
        avatarUrl: 'https://media.example/a.png',
        limits: { maxCharacters: 5_000, maxBytes: 16_000 },
      },
    })
  })

  test('takes the media server that is named, or the first of the account', () => {
    const servers = by(secretKey, 10_063, {
      tags: [
        ['server', 'http://plain.example'],
        ['server', 'https://cdn.example/'],
      ],
    })
    const network = relaysWith([list, servers])
    const at = (fields: Record<string, string>) => connected({ secretKey, ...fields }, network).outcome
    expect(at({})).toMatchObject({ authorization: { mediaServer: 'https://cdn.example' } })
    expect(at({ mediaServer })).toMatchObject({ authorization: { mediaServer } })
  })

  test.each([
    [{ secretKey: npubOf(pubkey) }, 'secretKey'],
    [{ secretKey: 'f'.repeat(64) }, 'secretKey'],
    [{ secretKey, relays: 'https://no.example' }, 'relays'],
    [{ secretKey, mediaServer: 'https://media.example/path' }, 'mediaServer'],
  ])('refuses %j, and asks nobody', (fields, field) => {
    const { outcome, requests } = connected(fields)
    expect([outcome, requests]).toMatchObject([{ is: 'refused', code: 'invalid_field', field }, []])
  })

  test('wants relays where no list is known', () => {
    expect(connected({ secretKey }, relaysWith([])).outcome).toMatchObject({ is: 'refused', field: 'relays' })
    expect(connected({ secretKey, relays: first }, relaysWith([])).outcome).toMatchObject({
      is: 'connected',
      account: { displayName: expect.stringMatching(/^npub10elfcs4…$/) },
    })
  })

  test('asks the directory that it is given', () => {
    const own = nostrOn({ directory: ['wss://directory.example'], mediaServer })
    expect(own.provider).toBe('nostr')
    const { requests } = play(profile({ authorization, now: nine }), relaysWith([metadata]))
    expect(requests[0]?.relays?.others.map(({ href }) => href)).toContain('https://purplepag.es/')
  })
})
