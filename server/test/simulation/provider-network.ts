import Type from 'typebox'
import type { CallAnswer, HttpRequest } from '../../src/networks/providers/port/calls.ts'
import type {
  Adapter,
  LookupResult,
  LookupWork,
  PollVerdict,
  PublishWork,
  Verdict,
} from '../../src/networks/providers/port/port.ts'
import { call, type Steps } from '../../src/networks/providers/port/procedure.ts'

/*
 * Social networks that misbehave on demand. A create makes a new post each time, except where a network
 * remembers keys; every create is counted, so a duplicate cannot hide. The clock is the simulation's.
 */

export const callTimeoutMs = 30_000
export const settlingMs = 60_000
/** So long the slow network processes what it accepted, at most; the engine is told the second figure. */
const processedAfterMs = 150_000
export const processingMs = 200_000
export const keyWindowMs = 600_000

/** `plain` can be looked at, `blind` cannot, `keyed` remembers keys, `slow` processes what it accepted. */
export const networkNames = ['plain', 'keyed', 'slow', 'blind'] as const
export type NetworkName = (typeof networkNames)[number]

/** What becomes of one publish call. */
export const fates = [
  'accepted',
  'accepted, then silence',
  'accepted late, after silence',
  'accepted slowly',
  'refused: rate limit',
  'refused: rate limit with a time',
  'refused: authorization',
  'refused: content',
  'dropped before it was sent',
  'lost on the way',
  'accepted, then garbage',
  'garbage, and nothing accepted',
  'processed, then published',
  'processed, then refused',
  'processed and forgotten, then published',
  'dropped in processing',
] as const
export type Fate = (typeof fates)[number]

export const lookFates = ['answered', 'unavailable', 'silence', 'unauthorized'] as const
export type LookFate = (typeof lookFates)[number]

export type NetworkPost = {
  readonly remoteId: string
  readonly key: string
  readonly channelId: string
  readonly text: string
  readonly parent: string | null
  readonly root: string | null
  readonly at: number
  readonly visibleAt: number
}

type Processing = {
  readonly doneAt: number
  remoteId: string | null
  readonly refused: boolean
  readonly forgotten: boolean
}

type Acceptance = {
  readonly at: number
  readonly visibleAt: number
  readonly body: CreateBody
  readonly handle: string | null
}

export type Network = {
  readonly posts: NetworkPost[]
  readonly byKey: Map<string, NetworkPost>
  readonly processing: Map<string, Processing>
  pending: Acceptance[]
  creates: number
  forgetsKeysEarly: boolean
}

export type CreateBody = {
  readonly network: NetworkName
  readonly channelId: string
  readonly text: string
  readonly parent: string | null
  readonly root: string | null
  readonly key: string
}

type LookBody = CreateBody & { readonly armedAt: number }

export function openNetwork(): Network {
  return {
    posts: [],
    byKey: new Map(),
    processing: new Map(),
    pending: [],
    creates: 0,
    forgetsKeysEarly: false,
  }
}

/** A publish call begins: what it will do is fixed, and happens although its caller may be gone by then. */
export function create(network: Network, body: CreateBody, fate: Fate, now: number) {
  network.creates += 1
  const shown = (network.creates * 7_919) % settlingMs
  const accept = (afterMs: number, handle: string | null = null) =>
    network.pending.push({
      at: now + afterMs,
      visibleAt: now + afterMs + (shown % 3 === 0 ? shown : 0),
      body,
      handle,
    })
  const silence = (reason: string): CallAnswer => ({
    arrived: false,
    maybeSent: true,
    reason,
    durationMs: callTimeoutMs,
  })

  switch (fate) {
    case 'accepted':
    case 'accepted slowly': {
      const tookMs = fate === 'accepted' ? 20 : callTimeoutMs - 5_000
      accept(tookMs)
      return { afterMs: tookMs + 1, answer: () => created(network, body) }
    }
    case 'accepted, then silence':
      accept(20)
      return { afterMs: callTimeoutMs, answer: () => silence('no answer') }
    case 'accepted late, after silence':
      accept(callTimeoutMs)
      return { afterMs: callTimeoutMs, answer: () => silence('no answer') }
    case 'refused: rate limit':
      return { afterMs: 20, answer: () => response(429, {}) }
    case 'refused: rate limit with a time':
      return { afterMs: 20, answer: () => response(429, { afterMs: 45_000 }) }
    case 'refused: authorization':
      return { afterMs: 20, answer: () => response(401, {}) }
    case 'refused: content':
      return { afterMs: 20, answer: () => response(422, {}) }
    case 'dropped before it was sent':
      return {
        afterMs: 5,
        answer: (): CallAnswer => ({ arrived: false, maybeSent: false, reason: 'refused', durationMs: 5 }),
      }
    case 'lost on the way':
      return { afterMs: callTimeoutMs, answer: () => silence('no answer') }
    case 'accepted, then garbage':
      accept(20)
      return { afterMs: 25, answer: () => response(500, {}) }
    case 'garbage, and nothing accepted':
      return { afterMs: 25, answer: () => response(500, {}) }
    case 'processed, then published':
    case 'processed, then refused':
    case 'processed and forgotten, then published':
    case 'dropped in processing': {
      const handle = `job-${network.creates}`
      const doneAt = now + processedAfterMs
      const forgotten = fate === 'processed and forgotten, then published' || fate === 'dropped in processing'
      const refused = fate === 'processed, then refused'
      network.processing.set(handle, { doneAt, remoteId: null, refused, forgotten })
      if (!refused && fate !== 'dropped in processing') {
        network.pending.push({ at: doneAt, visibleAt: doneAt, body, handle })
      }
      return { afterMs: 25, answer: () => response(202, { handle }) }
    }
  }
}

function created(network: Network, body: CreateBody): CallAnswer {
  const post = network.byKey.get(body.key)
  return post === undefined ? response(500, {}) : response(201, { remoteId: post.remoteId })
}

/** Accepts the next call whose moment has come by `now`; null when there is none. */
export function acceptNext(network: Network, now: number): NetworkPost | null {
  let next: Acceptance | undefined
  for (const one of network.pending) if (one.at <= now && (next === undefined || one.at < next.at)) next = one
  if (next === undefined) return null
  network.pending = network.pending.filter((one) => one !== next)

  const { body, at, visibleAt, handle } = next
  const known = network.byKey.get(body.key)
  if (
    body.network === 'keyed' &&
    known !== undefined &&
    at - known.at < keyWindowMs &&
    !network.forgetsKeysEarly
  ) {
    return acceptNext(network, now)
  }
  const { channelId, text, parent, root, key } = body
  const post = { remoteId: `r${network.posts.length + 1}`, key, channelId, text, parent, root, at, visibleAt }
  network.posts.push(post)
  network.byKey.set(key, post)
  const job = handle === null ? undefined : network.processing.get(handle)
  if (job !== undefined) job.remoteId = post.remoteId
  return post
}

/** What a read at this moment shows: equal posts of the channel since the call was armed. */
export function lookAt(network: Network, body: LookBody, fate: LookFate, now: number): CallAnswer {
  if (fate === 'silence')
    return { arrived: false, maybeSent: true, reason: 'no answer', durationMs: callTimeoutMs }
  if (fate === 'unavailable') return response(503, {})
  if (fate === 'unauthorized') return response(401, {})
  const seen = network.posts.filter(
    (post) =>
      post.channelId === body.channelId &&
      post.text === body.text &&
      post.parent === body.parent &&
      post.at >= body.armedAt &&
      post.visibleAt <= now,
  )
  return response(200, { seen: seen.map(({ remoteId }) => remoteId) })
}

/** How the processing of an accepted call stands. */
export function pollAt(network: Network, handle: string, fate: LookFate, now: number): CallAnswer {
  if (fate === 'silence')
    return { arrived: false, maybeSent: true, reason: 'no answer', durationMs: callTimeoutMs }
  if (fate !== 'answered') return response(fate === 'unavailable' ? 503 : 401, {})
  const job = network.processing.get(handle)
  if (job?.forgotten === true) return response(404, {})
  if (job === undefined || job.doneAt > now) return response(202, { handle })
  if (job.refused) return response(422, {})
  return job.remoteId === null ? response(202, { handle }) : response(201, { remoteId: job.remoteId })
}

function response(status: number, body: object): CallAnswer {
  return { arrived: true, response: { status, headers: {}, body: JSON.stringify(body) }, durationMs: 20 }
}

export type Exchanged = { readonly kind: 'create' | 'look' | 'poll'; readonly body: unknown }

const noMedia = { maxItems: 0, mixedKinds: false, maxAltCharacters: 0, kinds: [] }

const addresses: Record<NetworkName, URL> = {
  plain: new URL('http://plain.invalid/'),
  keyed: new URL('http://keyed.invalid/'),
  slow: new URL('http://slow.invalid/'),
  blind: new URL('http://blind.invalid/'),
}

function requestTo(network: NetworkName, exchanged: Exchanged): HttpRequest {
  return { method: 'POST', url: addresses[network], headers: {}, json: exchanged }
}

/** The adapter of one network: all that the engine knows of it. */
export function networkAdapter(network: NetworkName): Adapter {
  const bodyOf = (work: PublishWork): CreateBody => ({
    network,
    channelId: String(work.settings['channelId']),
    text: work.text,
    parent: work.parent?.remoteId ?? null,
    root: work.root?.remoteId ?? null,
    key: work.idempotencyKey,
  })
  const judge = ({ status, body }: { status: number; body: string }): Verdict => {
    const told = JSON.parse(body) as { remoteId?: string; handle?: string; afterMs?: number }
    if (status === 201 && told.remoteId !== undefined)
      return { is: 'published', remoteId: told.remoteId, url: null }
    if (status === 202 && told.handle !== undefined) return { is: 'accepted', handle: told.handle }
    if (status === 429) return { is: 'deferred', code: 'rate_limited', afterMs: told.afterMs ?? null }
    if (status === 401) return { is: 'reauthorize' }
    if (status === 422) return { is: 'rejected', code: 'content_refused', detail: 'refused' }
    return { is: 'unknown', detail: `HTTP status ${status}` }
  }
  function* lookup(work: LookupWork): Steps<LookupResult> {
    const body = { ...bodyOf(work), armedAt: work.armedAt.getTime() }
    const { status, body: text } = yield* call(requestTo(network, { kind: 'look', body }))
    if (status === 401) return { is: 'reauthorize' }
    if (status !== 200) return { is: 'unavailable', detail: `HTTP status ${status}` }
    const { seen } = JSON.parse(text) as { seen: string[] }
    const remoteId = seen.find((id) => !work.knownRemoteIds.includes(id))
    if (remoteId === undefined) return { is: 'absent', seen: 'by key', keepsKeys: network === 'keyed' }
    return { is: 'found', remoteId, url: null, exact: false }
  }
  return {
    provider: network,
    displayName: network,
    atHandles: null,
    limits: { maxCharacters: 500, characterCounting: 'code_points', media: noMedia },
    bounds: [],
    supports: { threads: true, lookup: network !== 'blind', firstComment: true },
    idAt: () => null,
    repeatable: network === 'keyed' ? { windowMs: keyWindowMs } : null,
    ...(network === 'slow' ? { settlingMs: processingMs } : {}),
    settings: Type.Object({}),
    authorization: Type.Object({}),
    authorizationTimes: () => ({ accessEndsAt: null, authorizationEndsAt: null }),
    origin: () => addresses[network].origin,
    connecting: { form: null, oauth: null },
    upload: null,
    sendsFiles: false,
    findAddress: null,
    keepsUploads: false,
    prepare: null,
    form: null,
    oauth: null,
    refresh: null,
    refreshRepeatable: () => false,
    profile: null,
    examine: null,
    budget: () => null,
    publish: { request: (work) => requestTo(network, { kind: 'create', body: bodyOf(work) }), judge },
    poll:
      network === 'slow'
        ? {
            request: ({ handle }) => requestTo(network, { kind: 'poll', body: { handle } }),
            judge: (response): PollVerdict => {
              if (response.status === 404) return { is: 'forgotten' }
              const verdict = judge(response)
              return verdict.is === 'deferred' ? { is: 'unknown', detail: 'refused' } : verdict
            },
          }
        : null,
    leftovers: null,
    lookup: network === 'blind' ? null : lookup,
    looksByKey: () => false,
  }
}
