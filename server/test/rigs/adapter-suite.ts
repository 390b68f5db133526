import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { PartKind } from '@postrider/contract'
import * as fc from 'fast-check'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { countCharacters } from '../../src/networks/providers/shared/characters.ts'
import { notKnownToShow } from '../../src/networks/providers/port/list-shows.ts'
import type { FileToSend, HttpRequest, HttpResponse } from '../../src/networks/providers/port/calls.ts'
import type {
  AccessState,
  Adapter,
  AuthorizeVerdict,
  ConnectFields,
  DiscardVerdict,
  Examination,
  ExchangeVerdict,
  Authorization,
  LookupResult,
  LookupWork,
  MediaAddress,
  NetworkClient,
  PrepareVerdict,
  PrepareWork,
  ProfileVerdict,
  Provider,
  PublishWork,
  RefreshVerdict,
  RegisterVerdict,
  RemoteMedia,
  UploadVerdict,
  Verdict,
} from '../../src/networks/providers/port/port.ts'
import { isKnown, recordOf } from '../../src/networks/providers/port/record-call.ts'
import { arrived, namesOf, planted, plantedIn, plantedInAnswer, tracesIn } from './planted-secrets.ts'
import type { CardLack, LinkCard, Steps } from '../../src/networks/providers/port/procedure.ts'
import { testCalls, watched } from './watched-adapter.ts'

export type SuiteOptions = {
  /** An authorization of the adapter's shape, and the texts in it that nobody may ever see. */
  readonly authorization: Authorization
  readonly secrets: readonly string[]
  /** The answer to a publish call that proves it, for `work`. */
  readonly success: (work: PublishWork) => HttpResponse
  /** What the network answers to every other request, when all goes well. */
  readonly network: (request: HttpRequest) => HttpResponse
  /** Bodies of refusals as the network words them: answers are made of these, too. */
  readonly refusals?: readonly object[]
  /** A text that makes `prepare` do all that it can, and its settings. */
  readonly text?: string
  readonly settings?: Readonly<Record<string, unknown>>
  /** What each post has to show, where the network takes no text alone. */
  readonly media?: readonly RemoteMedia[]
  /** The same, where the network fetches media. */
  readonly mediaAddresses?: readonly MediaAddress[]
  /** What stands for a post that the network has accepted. */
  readonly handle?: string
  /** The parts of a thread are posts one after the other, which do not name each other. */
  readonly successiveParts?: boolean
  /** Servers where no post of the call is to be seen, and of which kinds of posts that proves that it was not made. */
  readonly absence?: readonly AbsenceCase[]
  /** What a person fills in, for a form. */
  readonly form?: ConnectFields
  readonly oauth?: {
    readonly fields: ConnectFields
    readonly client: NetworkClient
    readonly callback: Readonly<Record<string, string>>
  }
}

export type AbsenceCase = {
  readonly server: string
  /** It reads the list back to posts of before the call, by their dates. */
  readonly byDates?: true
  readonly network: (request: HttpRequest) => HttpResponse
  readonly proves: (kind: PostKind) => boolean
}

/** A part with one setting, or none; `setting` is its name and value. */
export type PostKind = {
  readonly reply: boolean
  readonly setting: string
  readonly settings: Readonly<Record<string, unknown>>
}

const now = new Date('2026-11-21T09:00:00Z')
const idempotencyKey = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
const key = { kty: 'EC', crv: 'P-256', x: 'x-of-the-key', y: 'y-of-the-key', d: 'secret-of-the-key' }
const card: LinkCard = { title: 'A title', description: 'A description', picture: fileOf('picture') }
/** What stands for the digest of every file. */
const DIGEST = 'd1'.repeat(32)
const redirectUri = 'https://postrider.example/connect/callback'

type Ending =
  | UploadVerdict
  | PrepareVerdict
  | LookupResult
  | DiscardVerdict
  | ExchangeVerdict
  | AuthorizeVerdict
  | RegisterVerdict
  | RefreshVerdict
  | ProfileVerdict
  | (Examination & Pick<AccessState, 'is'>)

/** A talk that the suite can begin again and again, and how it ends when all goes well. */
type Talk = {
  readonly name: string
  readonly begin: () => Steps<Ending>
  readonly good: readonly string[]
  readonly ends: readonly string[]
}

const refusals = ['rejected', 'deferred', 'expired', 'reauthorize'] as const
const connectRefusals = ['refused', 'unavailable'] as const
const otherStates = ['expired', 'reauthorize', 'suspended', 'app_refused', 'signer_away', 'unknown'] as const
/** By its page it only reads: https://learn.microsoft.com/en-us/linkedin/shared/authentication/token-introspection */
const READING_POST = '/oauth/v2/introspectToken'

type Having<Name extends keyof Adapter> = Adapter & { readonly [Key in Name]: NonNullable<Adapter[Key]> }

/** The adapter of a network that has these procedures; throws where it lacks one. */
export async function loadWith<Name extends keyof Adapter>(
  provider: Provider,
  procedures: readonly Name[],
): Promise<Having<Name>> {
  const adapter = await watched(provider, await provider.load())
  const lacking = procedures.filter((name) => adapter[name] === null)
  if (lacking.length > 0) throw new Error(`${provider.provider} lacks ${lacking.join(', ')}`)
  return adapter as Having<Name>
}

/** What every adapter must do, whichever its network. */
export async function testAdapter(provider: Provider, options: SuiteOptions): Promise<void> {
  const { authorization, secrets, success, network } = options
  const adapter = await watched(provider, await provider.load())

  const first = {
    kind: 'post' as PartKind,
    authorization,
    text: options.text ?? 'Hello\nworld',
    media: options.media ?? [],
    settings: options.settings ?? {},
  }
  const none = { parent: null, root: null }
  const unbegun = {
    former: null,
    refusals: 0,
    mediaAddresses: options.mediaAddresses ?? [],
    discarded: [],
    checkpoint: null,
  }
  const part = { ...first, ...none, ...unbegun, idempotencyKey, now }
  const root = { remoteId: remoteIdOf(1) }
  const replyPart = { ...part, kind: 'reply' as const, parent: { remoteId: remoteIdOf(2) }, root }
  const comment = lookupWorkOf({ ...part, kind: 'first_comment', parent: root, root })
  const work = lookupWorkOf(part)
  const reply = lookupWorkOf(replyPart)
  const poll = { authorization, handle: options.handle ?? 'handle-1' }
  const kind = options.media?.[0]?.kind ?? 'image'
  const file = fileOf('abc', kind === 'video' ? 'video/mp4' : 'image/png')
  const { settings } = first
  const altText = 'A bird & a bell'
  const upload = { authorization, settings, kind, file, altText, before: [], checkpoint: null }
  const talks = talksOf()

  /** The ids of posts, as this network writes them: the suite's own success says how. */
  function remoteIdOf(place: number): string {
    const bare = { ...first, ...none, idempotencyKey, prepared: preparedOf(part), files: [] }
    const verdict = adapter.publish.judge(success(bare), bare)
    return verdict.is === 'published' ? verdict.remoteId : String(place)
  }
  function preparedOf(one: Omit<PrepareWork, 'prepared'>): PublishWork['prepared'] {
    if (adapter.prepare === null) return null
    const { outcome } = play(adapter.prepare(one), network)
    return outcome.is === 'prepared' ? outcome.prepared : null
  }
  function lookupWorkOf(one: PrepareWork): LookupWork {
    return { ...one, prepared: preparedOf(one), files: [], armedAt: now, knownRemoteIds: [] }
  }

  function renewed(client: NetworkClient | null): Steps<RefreshVerdict> {
    if (adapter.refresh === null) throw new Error('it refreshes nothing')
    return adapter.refresh({ authorization, client, now })
  }

  function lookedUp(one: LookupWork): Steps<LookupResult> {
    if (adapter.lookup === null) throw new Error('it looks nothing up')
    return adapter.lookup(one)
  }

  function* examined(client: NetworkClient | null): Steps<Examination & Pick<AccessState, 'is'>> {
    if (adapter.examine === null) throw new Error('it examines nothing')
    const examination = yield* adapter.examine.ask({ authorization, client, now })
    return { ...examination, is: examination.access.is }
  }

  function talksOf(): Talk[] {
    const { prepare, lookup, form, oauth, refresh, profile } = adapter
    const found: Talk[] = []
    const add = (name: string, begin: Talk['begin'], good: string[], rest: readonly string[]) =>
      found.push({ name, begin, good, ends: [...good, ...rest] })
    const { upload: send } = adapter
    if (send !== null) {
      const size = { width: 3, height: 4 }
      add('upload', () => send({ ...upload, ...size }), ['uploaded'], refusals)
    }
    if (prepare !== null) {
      add('prepare a first part', () => prepare(part), ['prepared'], refusals)
      add('prepare a reply', () => prepare(replyPart), ['prepared'], refusals)
    }
    const looks = ['unavailable', 'expired', 'reauthorize']
    if (lookup !== null) add('lookup', () => lookedUp(work), ['found', 'absent'], [...looks, 'out', 'gone'])
    const { leftovers } = adapter
    const made = { media: first.media, prepared: preparedOf(part), checkpoint: null }
    for (const name of leftovers?.named(made) ?? []) {
      const discard = () => leftovers!.discard({ authorization, name })
      add(`discard a ${name.split(':')[0]}`, discard, ['removed', 'gone', 'used'], looks)
    }
    if (form !== null) {
      const fields = options.form ?? {}
      add('connect by a form', () => form({ fields, now }), ['connected'], connectRefusals)
    }
    if (oauth !== null && options.oauth !== undefined) {
      const { fields, client, callback } = options.oauth
      const begun = { fields, client, redirectUri, state: 'the-state', codeChallenge: 'the-challenge', now }
      add('authorize', () => oauth.authorize(begun), ['authorize'], [...connectRefusals, 'unknown_client'])
      const { outcome } = play(oauth.authorize(begun), network)
      const kept = 'kept' in outcome ? outcome.kept : null
      const codeVerifier = 'the-verifier'
      add(
        'exchange',
        () => oauth.exchange({ client, redirectUri, codeVerifier, kept, callback, now }),
        [provider.connecting.oauth?.several === true ? 'granted' : 'connected'],
        connectRefusals,
      )
      const { register } = oauth
      const server = oauth.server(fields)
      if (register !== null && typeof server === 'string') {
        add('register', () => register({ server, redirectUri }), ['registered'], connectRefusals)
      }
    }
    const client = options.oauth?.client ?? null
    if (refresh !== null) add('refresh', () => renewed(client), ['refreshed'], ['ended', 'unavailable'])
    if (profile !== null) add('profile', () => profile({ authorization, now }), ['profile'], looks)
    add('examine', () => examined(client), ['accepted'], [...otherStates])
    return found
  }

  const withFiles = { ...work, files: [{ ...file, kind, altText, width: 3, height: 4 }] }
  const requests = (): HttpRequest[] => [
    adapter.publish.request(work),
    adapter.publish.request(reply),
    ...(adapter.sendsFiles ? [adapter.publish.request(withFiles)] : []),
    ...(adapter.poll === null ? [] : [adapter.poll.request(poll)]),
    ...talks.flatMap(({ begin }) => play(begin(), network).requests),
  ]

  await testCalls(provider)

  /** What the network answers to it: its success to a call that publishes. */
  function answerTo(request: HttpRequest): HttpResponse {
    try {
      return network(request)
    } catch {
      return success(work)
    }
  }

  function shapeOf(request: HttpRequest): string {
    return JSON.stringify(recordOf(request, arrived(answerTo(request))))
  }

  describe(`${provider.provider} as a provider`, () => {
    test('says of itself what its code says', () => {
      const { load, ...facts } = provider
      expect(adapter).toMatchObject(facts)
      expect(typeof load).toBe('function')
      expect(provider.supports.lookup).toBe(adapter.lookup !== null)
      expect(provider.connecting.form === null).toBe(adapter.form === null)
      expect(provider.connecting.oauth === null).toBe(adapter.oauth === null)
      expect(provider.connecting.oauth?.client === 'registered').toBe(
        adapter.oauth !== null && adapter.oauth.register !== null,
      )
    })

    test('states limits that can be counted', () => {
      const { maxCharacters, characterCounting } = provider.limits
      expect(maxCharacters).toBeGreaterThan(0)
      expect(countCharacters('a'.repeat(maxCharacters), characterCounting)).toBe(maxCharacters)
    })

    test('has a schema for its authorization that the authorization passes and nothing does not', () => {
      expect(Check(adapter.authorization, authorization)).toBe(true)
      expect(Check(adapter.authorization, {})).toBe(false)
    })

    test('reads times and the origin of an authorization', () => {
      const { accessEndsAt, authorizationEndsAt } = adapter.authorizationTimes(authorization)
      for (const at of [accessEndsAt, authorizationEndsAt]) expect(Number.isNaN(at?.getTime())).toBe(false)
      expect(new URL(adapter.origin(authorization)).origin).toBe(adapter.origin(authorization))
    })

    test('lets an author leave out every setting, and refuses one that it does not know', () => {
      expect(Check(provider.settings, {})).toBe(true)
      expect(Check(provider.settings, { noSuchSetting: true })).toBe(false)
    })

    test('builds requests that are what they will be on the wire', () => {
      for (const request of requests()) expectSound(request, secrets)
    })

    test('examines an account by calls that change nothing, and says where each thing is told', () => {
      const client = options.oauth?.client ?? null
      const { requests: made } = play(examined(client), network)
      const changing = made.filter(({ method, url }) => method !== 'GET' && url.pathname !== READING_POST)
      expect([made.length > 0, changing]).toEqual([true, []])
      const ofOthers = !provider.provider.startsWith('sandbox-')
      for (const { by, source, read } of Object.values(adapter.examine?.told ?? {})) {
        expect(by).not.toBe('')
        expect(read).toMatch(/^\d{4}-\d\d(?:-\d\d)?$/)
        if (ofOthers) expect(source).toMatch(/^https:\/\//)
      }
    })

    test('builds the calls of each kind of post that its settings and files allow', () => {
      const alone = provider.limits.media.kinds.map((one) => {
        const [contentType = ''] = one.contentTypes
        return { ...file, contentType, kind: one.kind, altText, width: 3, height: 4 }
      })
      const needsFile = (options.mediaAddresses ?? options.media ?? []).length > 0
      const sets = [
        ...(needsFile ? [] : [[]]),
        ...alone.map((one) => [one]),
        alone.slice(0, 2),
        alone.slice(0, 1).flatMap((one) => [one, one]),
      ]
      const addressed = { url: 'https://post.example.com/public-media/a', size: 3 }
      for (const { reply: isReply, settings: chosen } of kindsOf(provider)) {
        const one = { ...(isReply ? replyPart : part), settings: chosen }
        for (const files of sets) {
          if (adapter.fetchesMedia === true && adapter.prepare !== null) {
            const mediaAddresses = files.map((item) => ({ ...item, ...addressed }))
            for (const request of play(adapter.prepare({ ...one, mediaAddresses }), network).requests)
              expectSound(request, secrets)
          } else if (adapter.sendsFiles || files.length === 0)
            expectSound(adapter.publish.request({ ...lookupWorkOf(one), files }), secrets)
        }
      }
    })

    test('is recorded by names that are all known, so that a record says what was asked', () => {
      const unknown = requests()
        .flatMap(namesOf)
        .filter((name) => !isKnown(name))
      expect([...new Set(unknown)]).toEqual([])
    })

    test('leaves no secret, text, name or id in a record, wherever it stands and however it is written', () => {
      // What has the same shape in a record has the same places for what is planted.
      const different = new Map(requests().map((request) => [shapeOf(request), request]))
      const lines = [...different.values()].flatMap((request) => {
        const told = answerTo(request)
        return planted.flatMap((text) => {
          const asked = plantedIn(request, text)
          return [200, 400].flatMap((status) => [
            recordOf(asked, arrived({ ...plantedInAnswer(told, text), status })),
            recordOf(request, arrived({ status, headers: {}, body: text })),
          ])
        })
      })
      expect(lines.length).toBeGreaterThan(0)
      expect(tracesIn(lines)).toEqual([])
    })

    test('takes media only where it can be sent, and within bounds that can be', () => {
      const { maxItems, kinds } = provider.limits.media
      const ways = [adapter.upload !== null, adapter.sendsFiles, adapter.fetchesMedia === true]
      expect(ways.filter(Boolean)).toHaveLength(maxItems === 0 ? 0 : 1)
      expect(adapter.fetchesMedia === true && adapter.prepare === null).toBe(false)
      expect(kinds.length === 0).toBe(maxItems === 0)
      for (const { contentTypes, maxBytes } of kinds) {
        expect(contentTypes.length).toBeGreaterThan(0)
        expect(maxBytes).toBeGreaterThan(0)
      }
    })

    test.runIf(provider.drafts !== undefined)(
      'makes a draft before the call, flips the very same again, and asks it what became of it',
      () => {
        const { prepare, leftovers } = adapter
        if (prepare === null || adapter.lookup === null) throw new Error('there is no draft')
        const prepared = preparedOf(part)
        const again = play(prepare({ ...part, former: prepared }), network)
        expect(again.outcome).toEqual({ is: 'prepared', prepared })
        // Either the network removes it, or the adapter.
        expect(leftovers === null).toBe(provider.drafts?.endAfterMs !== null)
        if (leftovers === null) {
          expect(prepared).not.toBeNull()
          expect(again.requests.every(({ method }) => method === 'GET')).toBe(true)
        } else {
          expect(leftovers.named({ media: part.media, prepared, checkpoint: null })).not.toEqual([])
        }
        expect(adapter.publish.request(work).method).not.toBe('GET')
        for (const one of options.absence ?? []) {
          const { outcome } = play(lookedUp(work), one.network)
          expect(outcome).toMatchObject({ is: 'absent', seen: 'by key' })
        }
      },
    )

    test('says of each kind of part whether its look asks for the very thing that the call makes or shows', () => {
      // A draft is flipped by its id, so that it can be asked by it.
      if (provider.drafts !== undefined) expect(adapter.looksByKey(work)).toBe(true)
      const comments = provider.supports.firstComment === true ? [comment] : []
      for (const each of [work, ...(provider.supports.threads ? [reply] : []), ...comments]) {
        const looks = (options.absence ?? []).map((one) => play(lookedUp(each), one.network).outcome)
        const byKey = looks.map((look) => look.is === 'absent' && look.seen === 'by key')
        expect([each.kind, byKey]).toEqual([each.kind, byKey.map(() => adapter.looksByKey(each))])
      }
    })

    test('builds the same requests each time', () => {
      expect(requests()).toEqual(requests())
    })

    test('puts nothing into the publish call that another authorization would change', () => {
      for (const each of adapter.sendsFiles ? [work, withFiles] : [work]) {
        const { authorization, ...kept } = adapter.publish.request(each)
        expect(secrets.some((secret) => JSON.stringify(kept).includes(secret))).toBe(false)
        expect(JSON.stringify(authorization ?? {}).length).toBeGreaterThan(2)
      }
    })

    test.runIf(adapter.sendsFiles)(
      'divides each body by what no author can know, and no other intent has',
      () => {
        const boundaryFor = (intent: string) =>
          adapter.publish.request({ ...withFiles, idempotencyKey: intent }).multipart?.boundary
        expect(boundaryFor('one')).toMatch(/^[0-9a-f]{40}$/)
        expect(boundaryFor('another')).not.toBe(boundaryFor('one'))
      },
    )

    test.runIf(provider.supports.threads)('names the part before in a reply, where the network can', () => {
      const madeBy = (one: LookupWork, before: typeof part) => [
        adapter.publish.request(one),
        // A draft says it before the call.
        ...(provider.drafts === undefined || adapter.prepare === null
          ? []
          : play(adapter.prepare(before), network).requests),
      ]
      const same = isDeepStrictEqual(madeBy(reply, replyPart as never), madeBy(work, part))
      expect(same).toBe(options.successiveParts === true)
    })

    test.runIf(provider.supports.firstComment === true)('names the first part in a first comment', () => {
      expect(adapter.publish.request(comment)).not.toEqual(adapter.publish.request(work))
    })

    test('understands its success, as a first part, as a reply and as a first comment', () => {
      const comments = provider.supports.firstComment === true ? [comment] : []
      for (const each of [work, reply, ...comments]) {
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

    test.each([401, 402, 403, 405, 422, 426, 451])(
      'the page of a proxy with status %i is unknown',
      (status) => {
        expect(adapter.publish.judge({ status, headers: {}, body: '<html>A proxy</html>' }, work).is).toBe(
          'unknown',
        )
      },
    )

    test('a refusal proves nothing with the status of a server that failed', () => {
      for (const refusal of options.refusals ?? []) {
        for (const status of [500, 502, 504]) {
          const response = { status, headers: {}, body: JSON.stringify(refusal) }
          expect(adapter.publish.judge(response, work).is).toBe('unknown')
        }
      }
    })

    test('a success cut short anywhere is unknown', () => {
      const whole = success(work)
      for (let length = 0; length < whole.body.length; length++) {
        const verdict = adapter.publish.judge({ ...whole, body: whole.body.slice(0, length) }, work)
        expect(verdict.is).toBe('unknown')
      }
    })

    test('nothing is published or accepted without an id, whatever is answered', () => {
      fc.assert(
        fc.property(answers(), (response) => {
          const verdict = adapter.publish.judge(response, work)
          expect(isEarned(verdict, response)).toBe(true)
          expect(verdict.is !== 'expired' || adapter.refresh !== null).toBe(true)
        }),
        { numRuns: 500 },
      )
    })

    test('a look at an accepted post never says that it was put off', () => {
      fc.assert(
        fc.property(answers(), (response) => {
          expect(adapter.poll?.judge(response, poll).is).not.toBe('deferred')
        }),
      )
    })

    test('reads rate limits as numbers, or not at all', () => {
      fc.assert(
        fc.property(answers(), (response) => {
          const budget = adapter.budget(response, 'publish', now)
          const numbers = budget === null ? [] : [budget.remaining, budget.resetsInMs]
          expect(numbers.every((number) => Number.isFinite(number) && number >= 0)).toBe(true)
        }),
      )
    })

    test.each(talks.map((talk) => [talk.name, talk] as const))('%s ends well', (_, { begin, good }) => {
      expect(good).toContain(play(begin(), network).outcome.is)
    })

    test.each(talks.map((talk) => [talk.name, talk] as const))(
      '%s ends in words that it has, whatever is answered wherever',
      (_, { begin, ends }) => {
        const calls = play(begin(), network).requests.length
        fc.assert(
          fc.property(answers(), fc.nat(Math.max(0, calls - 1)), (response, at) => {
            const { outcome, heard } = play(begin(), network, { at, response })
            expect(ends).toContain(outcome.is)
            expect(faultOf(outcome, heard)).toBeNull()
          }),
          { numRuns: 200 },
        )
      },
    )

    const renewals = talks.filter(({ name }) => name === 'refresh')
    test.each(renewals)('a $name keeps what its answer leaves out', ({ begin }) => {
      const { outcome, heard } = play(begin(), network)
      const given = heard.at(-1) ?? { status: 0, headers: {}, body: '{}' }
      const told: unknown = JSON.parse(given.body, (name, value: unknown) =>
        name === 'scope' || name === 'refresh_token' ? undefined : value,
      )
      const response = { ...given, body: JSON.stringify(told) }
      expect(play(begin(), network, { at: heard.length - 1, response }).outcome).toEqual(outcome)
    })

    test.runIf(adapter.refresh !== null && provider.connecting.oauth?.client === 'configured')(
      'without an app there is no refresh, and no authorization is over',
      () => {
        const { outcome, requests } = play(renewed(null), network)
        expect([outcome.is, requests]).toEqual(['unavailable', []])
      },
    )

    test('says of every look-up what it proves that a post is not there', () => {
      expect((options.absence ?? []).length > 0).toBe(adapter.lookup !== null)
    })

    test.each(
      (options.absence ?? []).flatMap((one) =>
        kindsOf(provider).map(
          (kind) => [kind.reply ? 'reply' : 'post', kind.setting, one.server, kind, one] as const,
        ),
      ),
    )(
      'a %s with %s that is not seen at %s is absent only if one of its kind would be',
      (...[, , , kind, one]) => {
        const { settings } = kind
        const looked = { ...(kind.reply ? reply : work), settings }
        const { outcome } = play(lookedUp(looked), one.network)
        const proven =
          outcome.is === 'absent' &&
          (outcome.seen === 'by key' || notKnownToShow(outcome.seen, looked) === null)
        expect([outcome.is, proven]).toEqual([expect.any(String), one.proves(kind)])
      },
    )

    const byDates = (options.absence ?? []).filter((one) => one.byDates === true)
    test.each(
      byDates.flatMap((one) => [
        { one, clock: 'ahead of it', date: 'Sat, 21 Nov 2026 07:00:00 GMT', is: 'unavailable' },
        { one, clock: 'not to be compared with its', date: '', is: 'unavailable' },
        { one, clock: 'behind it', date: 'Sat, 21 Nov 2026 11:00:00 GMT', is: 'absent' },
      ]),
    )('a database whose clock is $clock concludes of what is not seen: $is', ({ one, date, is }) => {
      const dated = (request: HttpRequest) => ({ ...one.network(request), headers: { date } })
      expect(play(lookedUp(work), dated).outcome).toMatchObject({ is })
    })

    const nonsense = [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in to this network</html>' },
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
      { status: 500, headers: {}, body: '' },
      { status: 503, headers: { 'retry-after': '5' }, body: '{"error":"busy"}' },
      { status: 408, headers: {}, body: '' },
      { status: 429, headers: { 'retry-after': '5' }, body: '' },
      { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
      ...[401, 403, 404].map((status) => ({ status, headers: {}, body: '<html>A proxy</html>' })),
    ]

    test.each(nonsense)(
      'an answer of a stranger ($status) proves nothing and ends no authorization',
      (response) => {
        for (const { begin, name } of talks) {
          const { outcome } = play(begin(), network, { at: 0, response })
          expect([
            name,
            ['found', 'absent', 'out', 'gone', 'uploaded', 'ended', 'reauthorize'].includes(outcome.is),
          ]).toEqual([name, false])
        }
      },
    )

    test('no secret comes back in what it concludes, even when the provider repeats it', () => {
      fc.assert(
        fc.property(answers(), fc.constantFrom(...secrets), (response, secret) => {
          const echo = { error: { code: secret, message: secret }, message: secret, id: null }
          for (const body of [response.body, JSON.stringify(echo), secret]) {
            const answer = { ...response, body }
            const concluded = JSON.stringify([
              adapter.publish.judge(answer, work),
              adapter.publish.judge(answer, reply),
              adapter.poll?.judge(answer, poll),
            ])
            expect(secrets.some((one) => concluded.includes(one))).toBe(false)
          }
        }),
      )
    })
  })

  /** What an ending claims without ground, or gives away; null for nothing. */
  function faultOf(outcome: Ending, heard: readonly HttpResponse[]): string | null {
    if (outcome.is === 'uploaded') {
      const { remoteId } = outcome.media
      if (remoteId.trim() === '') return 'the upload has no id'
      return heard.some(({ body }) => body.includes(remoteId)) ? null : 'the id of the upload is made up'
    }
    if (outcome.is === 'connected' || outcome.is === 'refreshed') {
      return Check(adapter.authorization, outcome.authorization)
        ? null
        : 'the authorization has not the shape of one'
    }
    if (outcome.is === 'granted') {
      const fit = outcome.grants.every((grant) => Check(adapter.authorization, grant.authorization))
      return fit ? null : 'an authorization has not the shape of one'
    }
    // What is kept of these is sealed at rest.
    if (outcome.is === 'authorize' || outcome.is === 'registered') return null
    const told = JSON.stringify(outcome)
    return secrets.some((secret) => told.includes(secret)) ? 'a secret is told' : null
  }

  function answers(): fc.Arbitrary<HttpResponse> {
    return anyResponse(success(work), options.refusals ?? [])
  }
}

/** A part without settings and one for each value that a setting can have, as a first part and as a reply. */
function kindsOf({ settings, supports }: Provider): PostKind[] {
  const { properties = {} } = settings as { properties?: Record<string, SettingSchema> }
  const values = Object.entries(properties).flatMap(([name, schema]) =>
    valuesOf(schema).map((value) => ({
      setting: `${name} ${JSON.stringify(value)}`,
      settings: { [name]: value },
    })),
  )
  return [{ setting: 'no settings', settings: {} }, ...values].flatMap((kind) =>
    (supports.threads ? [false, true] : [false]).map((reply) => ({ ...kind, reply })),
  )
}

type SettingSchema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SettingSchema[]
  readonly items?: SettingSchema
  readonly examples?: readonly unknown[]
}

function valuesOf({ type, enum: named, anyOf, items, examples }: SettingSchema): readonly unknown[] {
  if (named !== undefined) return named
  if (anyOf !== undefined) return anyOf.flatMap(valuesOf)
  if (type === 'boolean') return [true, false]
  if (items !== undefined) return valuesOf(items).map((value) => [value])
  return examples ?? ['words']
}

/** What a test of an adapter does with a procedure: it answers each call by itself. */
export type Played<Outcome> = {
  readonly outcome: Outcome
  readonly requests: HttpRequest[]
  /** The answers that were given. */
  readonly heard: HttpResponse[]
  /** What it says that it goes without. */
  readonly lacks: CardLack[]
}

/** Carries a procedure out on answers made up by `network`; the call number `at` gets another one instead. */
export function play<Outcome>(
  steps: Steps<Outcome>,
  network: (request: HttpRequest) => HttpResponse,
  instead?: { at: number; response: HttpResponse },
): Played<Outcome> {
  const requests: HttpRequest[] = []
  const heard: HttpResponse[] = []
  const lacks: CardLack[] = []
  let reply: unknown
  for (let taken = 0; taken < 1_000; taken++) {
    const { done, value } = steps.next(reply)
    if (done === true) return { outcome: value, requests, heard, lacks }
    reply = undefined
    if (value.is === 'call') {
      const response = instead?.at === requests.length ? instead.response : network(value.request)
      requests.push(value.request)
      heard.push(response)
      reply = response
    } else if (value.is === 'card') reply = card
    else if (value.is === 'lack') lacks.push(value.lack)
    else if (value.is === 'key') reply = key
    else if (value.is === 'digest') reply = DIGEST
    else if (value.is === 'sign') reply = `signed.${JSON.stringify(value.claims)}`
  }
  throw new Error('the procedure does not end')
}

/** A network that answers otherwise at some paths. */
export function answeringAt(
  network: (request: HttpRequest) => HttpResponse,
  answers: Readonly<Record<string, HttpResponse | ((request: HttpRequest) => HttpResponse)>>,
): (request: HttpRequest) => HttpResponse {
  return (request) => {
    const given = answers[decodeURIComponent(request.url.pathname)]
    if (given === undefined) return network(request)
    return typeof given === 'function' ? given(request) : given
  }
}

function fileOf(text: string, contentType = 'image/png'): FileToSend {
  const bytes = Buffer.from(text)
  return {
    contentType,
    size: bytes.byteLength,
    open: ({ from, to } = { from: 0, to: bytes.byteLength }) => Readable.from([bytes.subarray(from, to)]),
  }
}

function expectSound(
  { url, headers = {}, json, form, multipart, file, method }: HttpRequest,
  secrets: readonly string[],
) {
  expect(['http:', 'https:']).toContain(url.protocol)
  expect(Object.values(headers).every((value) => typeof value === 'string' && !/[\r\n]/.test(value))).toBe(
    true,
  )
  expect(Object.keys(headers)).toEqual(Object.keys(headers).map((name) => name.toLowerCase()))
  expect(headers['authorization']).toBeUndefined()
  const seen = [url.href, ...Object.values(headers)].join('\n')
  expect(secrets.some((secret) => seen.includes(secret))).toBe(false)
  const bodies = [json, form, multipart, file].filter((body) => body !== undefined)
  expect(bodies.length).toBeLessThanOrEqual(method === 'GET' ? 0 : 1)
  expect(isDeepStrictEqual(JSON.parse(JSON.stringify([json])), [json ?? null])).toBe(true)
}

/** Whether a response can bear the verdict: what is out has an id that was in the answer, a delay is a time. */
function isEarned(verdict: Verdict, { status, body, headers }: HttpResponse): boolean {
  switch (verdict.is) {
    case 'published':
      return (
        verdict.remoteId.trim() !== '' &&
        // 101 is a talk over a socket.
        ((status >= 200 && status < 300) || status === 101) &&
        [body, ...Object.values(headers)].some((told) => told.includes(verdict.remoteId))
      )
    case 'accepted':
      return verdict.handle.trim() !== '' && status >= 200 && status < 300
    case 'deferred':
      return verdict.afterMs === null || (Number.isSafeInteger(verdict.afterMs) && verdict.afterMs >= 0)
    case 'rejected':
      return verdict.detail !== ''
    case 'reauthorize':
    case 'expired':
      return status >= 400 && status < 500
    case 'unknown':
      return verdict.detail !== ''
    default:
      return verdict satisfies never
  }
}

/** Answers of every class: plausible ones with something broken, and nonsense. */
function anyResponse(success: HttpResponse, refusals: readonly object[]): fc.Arbitrary<HttpResponse> {
  const parsed: unknown = success.body === '' ? null : JSON.parse(success.body)
  const fields = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  const broken = fc
    .tuple(
      fc.subarray(fields),
      fc.dictionary(fc.constantFrom('id', 'status', 'url', 'uri', 'cid', 'error'), fc.jsonValue()),
    )
    .map(([kept, changed]) => JSON.stringify({ ...Object.fromEntries(kept), ...changed }))
  const codes = ['invalid_token', 'rate_limited', 'outage', 'internal_error', 'something_new']
  const refusal = fc
    .constantFrom<object>(
      ...codes.map((code) => ({ error: { code } })),
      { error: 'invalid_grant' },
      ...refusals,
    )
    .map((body) => JSON.stringify(body))
  return fc.record({
    status: fc.oneof(
      fc.integer({ min: 100, max: 599 }),
      fc.constantFrom(200, 201, 202, 400, 401, 403, 422, 429, 500, 503),
    ),
    headers: fc.constantFrom<HttpResponse['headers'][]>(
      {},
      success.headers,
      { 'idempotent-replayed': 'true' },
      { 'retry-after': '5' },
      { 'retry-after': '-1' },
      { 'retry-after': 'tomorrow' },
      { 'retry-after': '9'.repeat(400) },
      { 'ratelimit-remaining': '0', 'ratelimit-reset': '1795251600' },
      { 'x-rate-limit-remaining': '-1', 'x-rate-limit-reset': 'soon' },
      { 'x-ratelimit-remaining': '1e9', 'x-ratelimit-reset': '2026-11-21T09:05:00.000Z' },
      { 'content-type': 'text/html' },
    ),
    body: fc.oneof(broken, refusal, fc.json(), fc.string(), fc.constant(success.body)),
  })
}
