import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isAhead, isWebAddress, jsonOf, retryAfterMs } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type {
  Adapter,
  Examination,
  ExamineWork,
  ListShows,
  LookupResult,
  LookupWork,
  PartWork,
  PollVerdict,
  ProviderFacts,
  PublishWork,
  UploadVerdict,
  UploadWork,
  Verdict,
} from '../port/port.ts'
import { defineAdapter } from '../port/define-adapter.ts'
import { accepted, examined, notSaid, SUSPENDED, usedUp } from '../port/examinations.ts'
import { call, type Steps } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { AWAY, rateLimited, rejected, unavailable } from '../port/verdicts.ts'
import { RemoteId, SandboxAuthorization, sandboxAuthorization } from './authorization.ts'

const RemotePost = Type.Object({
  id: RemoteId,
  url: Type.String(),
  text: Type.String(),
  inReplyTo: Type.Union([RemoteId, Type.Null()]),
  mediaIds: Type.Optional(Type.Array(Type.String())),
  createdAt: Type.String(),
  account: Type.Object({ id: RemoteId }),
  status: Type.Optional(Type.Literal('published')),
})
type RemotePost = Static<typeof RemotePost>

const Processing = Type.Object({ id: RemoteId, status: Type.Literal('processing') })
const Failed = Type.Object({ id: RemoteId, status: Type.Literal('failed') })
const Refused = Type.Object({ error: Type.Object({ code: Type.String() }) })
const Uploaded = Type.Object({ id: RemoteId, contentType: Type.String() })
const RemotePosts = Type.Object({ items: Type.Array(RemotePost) })

/** How many posts a page of a look-up has: the most that the network gives at once. */
const PAGE = 100

/** How far back from the call posts are read: the clocks of the network and of the database may be half as far apart. */
const CLOCK_SKEW_MS = 5 * 60_000

/** Its list has every post of an account, and there are no settings. */
const SHOWS: ListShows = { replies: true, settings: {} }

/** What talks to the sandbox network, for either profile. */
export function sandboxAdapter(facts: ProviderFacts): Adapter {
  return defineAdapter(facts, {
    authorization: SandboxAuthorization,
    origin: (authorization) => new URL(sandboxAuthorization(authorization).baseUrl).origin,
    upload,
    publish: { request: publishRequest, judge: judgePublish },
    poll: {
      request: ({ authorization, handle }) =>
        read(sandboxAuthorization(authorization), `/api/v1/posts/${encodeURIComponent(handle)}`),
      judge: (response, { authorization, handle }) =>
        judgePoll(response, sandboxAuthorization(authorization), handle),
    },
    lookup,
    examine: {
      told: {
        access: { by: 'GET /api/v1/accounts/me', source: 'docs/sandbox.md', read: '2026-11' },
        quota: { by: 'any call, with 429', source: 'docs/sandbox.md', read: '2026-11', faultsOnly: true },
      },
      ask: examine,
    },
  })
}

function* examine({ authorization: stored }: ExamineWork): Steps<Examination> {
  const authorization = sandboxAuthorization(stored)
  const response = yield* call(read(authorization, '/api/v1/accounts/me'))
  const { status, headers } = response
  if (status === 200 && hasId(jsonOf(response), authorization.accountId)) return examined(accepted())
  if (isInvalidToken(status, jsonOf(response))) return examined({ is: 'reauthorize' })
  if (status === 403 && Check(Refused, jsonOf(response))) return examined(SUSPENDED)
  const quotas = status === 429 ? [usedUp('calls', retryAfterMs(headers))] : []
  return examined(notSaid(response), { quotas })
}

function* upload(work: UploadWork): Steps<UploadVerdict> {
  return judgeUpload(yield* call(uploadRequest(work)))
}

function uploadRequest({ authorization: stored, file, altText }: UploadWork): HttpRequest {
  const authorization = sandboxAuthorization(stored)
  const url = withQuery(new URL('/api/v1/media', authorization.baseUrl), altText === null ? {} : { altText })
  return { method: 'POST', url, authorization: bearer(authorization), file }
}

function judgeUpload(response: HttpResponse): UploadVerdict {
  const { status, headers } = response
  const body = jsonOf(response)
  if (status === 201 && Check(Uploaded, body)) return { is: 'uploaded', media: { remoteId: body.id } }
  if (Check(Refused, body)) {
    if (isInvalidToken(status, body)) return { is: 'reauthorize' }
    if (status === 400 || status === 413 || status === 422) {
      return rejected('media_refused', 'The sandbox network does not accept this file.')
    }
  }
  const afterMs = retryAfterMs(headers)
  return status === 429 ? rateLimited(afterMs) : { ...AWAY, afterMs }
}

function publishRequest(work: PublishWork): HttpRequest {
  const { text, media, parent, idempotencyKey } = work
  const authorization = sandboxAuthorization(work.authorization)
  return {
    method: 'POST',
    url: new URL('/api/v1/posts', authorization.baseUrl),
    headers: { 'idempotency-key': idempotencyKey },
    authorization: bearer(authorization),
    json: {
      text,
      ...(media.length === 0 ? {} : { mediaIds: media.map(({ remoteId }) => remoteId) }),
      ...(parent === null ? {} : { inReplyTo: parent.remoteId }),
    },
  }
}

/** The network refuses before it stores, and says so by status and code; every other answer proves nothing. */
function judgePublish(response: HttpResponse, work: PublishWork): Verdict {
  const { status, headers } = response
  const body = jsonOf(response)
  const replayed = status === 200 && headers['idempotent-replayed'] === 'true'
  if (status === 201 || replayed) {
    if (Check(RemotePost, body) && isOurs(body, work)) return published(body)
  }
  if ((status === 202 || replayed) && Check(Processing, body)) return { is: 'accepted', handle: body.id }
  if (replayed && Check(Failed, body)) return PROCESSING_FAILED
  if (Check(Refused, body)) return judgeRefusal(response, body.error.code)
  if (status === 429 && retryAfterMs(headers) !== null) return rateLimited(retryAfterMs(headers))
  return {
    is: 'unknown',
    detail: `The answer with status ${status} has no form that the network documents.`,
  }
}

function isInvalidToken(status: number, body: unknown): boolean {
  return status === 401 && Check(Refused, body) && body.error.code === 'invalid_token'
}

function judgeRefusal({ status, headers }: HttpResponse, code: string): Verdict {
  if (status === 401 && code === 'invalid_token') return { is: 'reauthorize' }
  if (status === 403) {
    return rejected('permission_refused', 'The sandbox network does not let this account post.')
  }
  if (status === 422) return refusals.get(code) ?? CONTENT_REFUSED
  if (status === 429 && (code === 'rate_limited' || retryAfterMs(headers) !== null))
    return rateLimited(retryAfterMs(headers))
  if (status === 503 && code === 'outage') {
    return { ...AWAY, afterMs: retryAfterMs(headers) }
  }
  return { is: 'unknown', detail: `A refusal with status ${status} does not say that nothing was stored.` }
}

const CONTENT_REFUSED = rejected('content_refused', 'The sandbox network refuses this content.')

const refusals: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['text_empty', rejected('content_refused', 'The sandbox network takes no post without text or media.')],
  [
    'text_too_long',
    rejected('content_refused', 'The text is longer than the sandbox network allows this account.'),
  ],
  ['media_not_found', rejected('content_refused', 'The sandbox network no longer has a file of this post.')],
  [
    'unknown_directive',
    rejected('content_refused', 'The text asks for a fault that the sandbox network does not know.'),
  ],
  [
    'parent_not_found',
    rejected('parent_missing', 'The post that this one replies to is no longer on the sandbox network.'),
  ],
])

const PROCESSING_FAILED = rejected(
  'processing_failed',
  'The sandbox network accepted the post but could not process it.',
)

/**
 * What a later look at an accepted post shows. That the network could not be asked just now changes nothing for the
 * post, so the look is repeated; a refusal here never means that the post was refused.
 */
function judgePoll(response: HttpResponse, authorization: SandboxAuthorization, handle: string): PollVerdict {
  const { status } = response
  const body = jsonOf(response)
  if (status === 200 && hasId(body, handle)) {
    if (Check(RemotePost, body) && body.account.id === authorization.accountId && isWebAddress(body.url))
      return published(body)
    if (Check(Processing, body)) return { is: 'accepted', handle }
    if (Check(Failed, body)) return PROCESSING_FAILED
  }
  if (status === 429 || status === 503) return { is: 'accepted', handle }
  if (isInvalidToken(status, body)) return { is: 'reauthorize' }
  if (status === 404 && Check(Refused, body) && body.error.code === 'post_not_found')
    return { is: 'forgotten' }
  return { is: 'unknown', detail: `The check of a post in processing was answered with status ${status}.` }
}

/** Reads the account's posts back to before the call: what is not among them was not public then. */
function* lookup(work: LookupWork): Steps<LookupResult> {
  for (let beforeId: string | null = null; ;) {
    const page: Page = readPage(yield* call(lookupRequest(work, beforeId)), work)
    if (page.is !== 'page') return page
    const seen = page.candidates.find(({ remoteId }) => !work.knownRemoteIds.includes(remoteId))
    // Each upload has an id of its own, which only this call carried; a text anybody may have sent.
    if (seen !== undefined) return { is: 'found', ...seen, exact: work.media.length > 0 }
    if (page.more === null) return { is: 'absent', seen: SHOWS, keepsKeys: false }
    beforeId = page.more
  }
}

function lookupRequest(work: LookupWork, beforeId: string | null): HttpRequest {
  const authorization = sandboxAuthorization(work.authorization)
  const before = beforeId === null ? '' : `&beforeId=${encodeURIComponent(beforeId)}`
  const account = encodeURIComponent(authorization.accountId)
  return read(authorization, `/api/v1/accounts/${account}/posts?limit=${PAGE}${before}`)
}

type Page =
  | {
      readonly is: 'page'
      readonly candidates: readonly { remoteId: string; url: string }[]
      /** Where the next page begins; null on the one that reaches back to before the call. */
      readonly more: string | null
    }
  | Extract<LookupResult, { is: 'unavailable' | 'reauthorize' }>

function readPage(response: HttpResponse, work: LookupWork): Page {
  const body = jsonOf(response)
  if (isInvalidToken(response.status, body)) return { is: 'reauthorize' }
  if (response.status !== 200 || !Check(RemotePosts, body)) {
    return unavailable(`The check of the account was answered with status ${response.status}.`)
  }
  if (isAhead(work.now, response, CLOCK_SKEW_MS / 2)) {
    return unavailable('The database clock is ahead of the clock of the network.')
  }
  const since = work.armedAt.getTime() - CLOCK_SKEW_MS
  const times = body.items.map(({ createdAt }) => Date.parse(createdAt))
  if (times.some(Number.isNaN)) {
    return unavailable("The account's list contains a time that can't be read.")
  }

  const ours = body.items.filter((item, place) => isOurs(item, work) && (times[place] ?? 0) >= since)
  const reachesBack = body.items.length < PAGE || times.some((time) => time < since)
  return {
    is: 'page',
    candidates: ours.map(({ id, url }) => ({ remoteId: id, url })),
    more: reachesBack ? null : (body.items.at(-1)?.id ?? null),
  }
}

function isOurs(
  { text, mediaIds = [], inReplyTo, account, url }: RemotePost,
  { authorization, media, parent, ...work }: PartWork,
): boolean {
  return (
    text === work.text &&
    mediaIds.join() === media.map(({ remoteId }) => remoteId).join() &&
    inReplyTo === (parent?.remoteId ?? null) &&
    account.id === sandboxAuthorization(authorization).accountId &&
    isWebAddress(url)
  )
}

function published({ id, url }: RemotePost) {
  return { is: 'published', remoteId: id, url } as const
}

function read(authorization: SandboxAuthorization, path: string): HttpRequest {
  return get(new URL(path, authorization.baseUrl), bearer(authorization))
}

function hasId(body: unknown, id: string): boolean {
  return Check(WithId, body) && body.id === id
}

const WithId = Type.Object({ id: RemoteId })
