import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isAhead, isWebAddress } from '../shared/answers.ts'
import type { HttpResponse, Json } from '../port/calls.ts'
import { mayBeSameText } from '../shared/compare-words.ts'
import type {
  LookupResult,
  LookupWork,
  MediaAddress,
  PrepareVerdict,
  PrepareWork,
  Refusal,
} from '../port/port.ts'
import { wait, type Steps } from '../port/procedure.ts'
import { AWAY, gone, out, rateLimited, unreadable } from '../port/verdicts.ts'

/*
 * How posts are made at Instagram and Threads: a container, which nobody sees and which ends after 24 hours, and its publication. Each
 * item of a carousel has a container of its own before.
 */

export const containerStatuses = ['EXPIRED', 'ERROR', 'FINISHED', 'IN_PROGRESS', 'PUBLISHED'] as const

/** What a container is at, and, where it failed, why in the network's words. */
export type Container = { readonly status: (typeof containerStatuses)[number]; readonly fault: string }

/** What is known before the call, and says later what became of it. */
export const PreparedContainer = Type.Object({ container: Type.String({ minLength: 1 }) })

export type ContainerForm = Readonly<Record<string, string>>

/** What differs between the networks. */
export type Containers = {
  /** That the account has nothing left to publish within these 24 hours; null where it has. */
  readonly refuseFull: () => Steps<Refusal | null>
  readonly create: (form: ContainerForm) => Steps<string | Refusal>
  readonly look: (id: string) => Steps<Container | { readonly response: HttpResponse }>
  /** What an answer means that is not understood: nothing is public by a container. */
  readonly refusedBy: (response: HttpResponse) => Refusal
  readonly isMissing: (response: HttpResponse) => boolean
  readonly failed: (fault: string) => Refusal
  readonly itemForm: (item: MediaAddress) => ContainerForm
  /** Of the post itself; `items` are the containers of a carousel, empty for no carousel. */
  readonly postForm: (items: readonly string[]) => ContainerForm
}

/** How far the containers of a part came. */
const Progress = Type.Object({
  items: Type.Array(Type.String()),
  container: Type.Union([Type.String(), Type.Null()]),
})
type Progress = Static<typeof Progress>

const BEGINNING: Progress = { items: [], container: null }
/** How long the network is left to work on a container; it wants to be asked seldom. */
const POLL_MS = 5_000
const VIDEO_POLL_MS = 20_000

/** How long a channel pauses whose posts of the last 24 hours are used up: the network names no time. */
export const FULL_MS = 3_600_000

export const DAY_MS = 24 * 60 * 60_000

/** Makes the container of a part, or takes that of an earlier call of this very intent. */
export function* prepareContainer(network: Containers, work: PrepareWork): Steps<PrepareVerdict> {
  const begun = Check(Progress, work.checkpoint) ? work.checkpoint : yield* formerContainer(network, work)
  if ('is' in begun) return begun
  const full = begun === BEGINNING ? yield* network.refuseFull() : null
  if (full !== null) return full
  const made = yield* makeContainer(network, work, begun)
  if (typeof made !== 'string') return made
  const ended = yield* awaitContainer(network, made, work, { items: [], container: made })
  if (typeof ended !== 'string') return ended
  return { is: 'prepared', prepared: { container: made } }
}

/**
 * That the posts of the last 24 hours are used up. What cannot be read of them is no reason to wait: the call says so itself.
 */
export function refuseUsed(
  quota: { readonly used: number; readonly total: number } | null,
  refusal: Refusal | null,
): Refusal | null {
  if (quota === null) return refusal?.is === 'reauthorize' ? refusal : null
  return quota.used < quota.total ? null : rateLimited(FULL_MS)
}

/** How many calls to publish one container the network may refuse: then another one is made. */
const MAX_REFUSALS = 2

/** The container of an earlier call, unless nothing can come of it any more. */
function* formerContainer(network: Containers, { former, refusals }: PrepareWork): Steps<Progress | Refusal> {
  if (!Check(PreparedContainer, former) || refusals >= MAX_REFUSALS) return BEGINNING
  const { container } = former
  const shown = yield* network.look(container)
  if ('response' in shown) return network.isMissing(shown.response) ? BEGINNING : unseen(network, shown)
  return shown.status === 'EXPIRED' || shown.status === 'ERROR' ? BEGINNING : { items: [], container }
}

/**
 * A look at a container that is refused says nothing of the post: who may make one may see it. In May 2026 Meta refused such looks for days,
 * with 100/33 and with 10 (https://github.com/geoff-maddock/events-tracker/issues/1900, 2026-05-26).
 */
function unseen(network: Containers, { response }: { readonly response: HttpResponse }): Refusal {
  const refusal = network.isMissing(response) ? AWAY : network.refusedBy(response)
  return refusal.is === 'rejected' ? AWAY : refusal
}

function* makeContainer(
  network: Containers,
  work: PrepareWork,
  { items: made, container }: Progress,
): Steps<string | Refusal> {
  if (container !== null) return container
  const { mediaAddresses: media } = work
  const items = [...made]
  if (media.length > 1) {
    for (const item of media.slice(items.length)) {
      const id = yield* network.create({ is_carousel_item: 'true', ...network.itemForm(item) })
      if (typeof id !== 'string') return id
      items.push(id)
    }
    for (const id of items) {
      const ended = yield* awaitContainer(network, id, work, { items, container: null })
      if (typeof ended !== 'string') return ended
    }
  }
  return yield* network.create(network.postForm(items))
}

/** Waits until a container is ready. One that is public already cannot be published again. */
function* awaitContainer(
  network: Containers,
  id: string,
  { mediaAddresses }: PrepareWork,
  progress: Progress,
): Steps<Refusal | 'ready'> {
  const pollMs = mediaAddresses.some(({ kind }) => kind === 'video') ? VIDEO_POLL_MS : POLL_MS
  for (;;) {
    const shown = yield* network.look(id)
    // A container that was just made may not be shown yet.
    if ('response' in shown) return unseen(network, shown)
    switch (shown.status) {
      case 'FINISHED':
      case 'PUBLISHED':
        return 'ready'
      case 'IN_PROGRESS':
        yield* wait(pollMs, progress)
        break
      case 'EXPIRED':
        return AWAY
      case 'ERROR':
        return network.failed(shown.fault)
      default:
        shown.status satisfies never
    }
  }
}

export function containerOf({ prepared }: { readonly prepared: Json }): string {
  return Check(PreparedContainer, prepared) ? prepared.container : ''
}

/** A post in a list of an account's own. */
export type ListedMedia = {
  readonly id: string
  readonly permalink?: string
  readonly text: string
  readonly timestamp: string
  /** Whether it stands where the part was meant to. */
  readonly inPlace: boolean
}

/**
 * What an answer shows of a container, where it does not say what it is at. That there is none counts only once it has ended: in May 2026
 * Meta answered reads of new containers with 100/33 for days, while they could be published
 * (https://github.com/gitroomhq/postiz-app/issues/1562).
 */
export function unseenContainer(
  response: HttpResponse,
  { armedAt, now }: Pick<LookupWork, 'armedAt' | 'now'>,
  { refusal, isMissing }: { readonly refusal: Refusal | null; readonly isMissing: boolean },
): LookupResult {
  const hasEnded = now.getTime() - armedAt.getTime() > DAY_MS
  return isMissing && hasEnded ? gone('The container of this post has ended.') : unreadable(response, refusal)
}

/** That a container was published, where the list of posts cannot be read. */
export function unlisted({ status }: HttpResponse, refusal: Refusal | null): LookupResult {
  return refusal?.is === 'expired' || refusal?.is === 'reauthorize'
    ? refusal
    : out(
        `The network says that the post is published, and answered with status ${status} when asked for the list of posts.`,
      )
}

/** How far the clocks of the network and of the database may be apart. */
const CLOCKS_MS = 10 * 60_000

/**
 * A container does not name its post, so it is found among the account's own by its words and its place. That it is out is proven;
 * which one it is, only where a single one can be it.
 */
export function findPublished(
  posts: readonly ListedMedia[],
  response: HttpResponse,
  { text, armedAt, now, knownRemoteIds }: LookupWork,
  says: { readonly ahead: string; readonly unlisted: string },
): LookupResult {
  if (isAhead(now, response, CLOCKS_MS)) return out(says.ahead)
  const since = armedAt.getTime() - CLOCKS_MS
  const candidates = posts.filter(
    ({ id, timestamp, inPlace }) =>
      inPlace && !knownRemoteIds.includes(id) && !(Date.parse(timestamp) < since),
  )
  const same = candidates.filter((post) => plain(post.text) === plain(text))
  const found = same.at(-1) ?? candidates.findLast((post) => mayBeSameText(post.text, text))
  if (found === undefined) return out(says.unlisted)
  return {
    is: 'found',
    remoteId: found.id,
    url: shownAt(found.permalink),
    exact: same.length === 1,
  }
}

const plain = (one: string) => one.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** The address that the network tells, where it is one. */
export function shownAt(permalink = ''): string | null {
  return isWebAddress(permalink) ? permalink : null
}
