import {
  type NewDestination,
  type PlannedTime,
  signalDue,
} from '../../engine/destinations/destination-store.ts'
import {
  allTakenAfter,
  findSlots,
  type HeldSlot,
  holdSlots,
  lockSlots,
} from '../../engine/destinations/queue-slot-store.ts'
import { readCredentialDay } from '../../people/keys/credential-day-store.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Change } from '../../engine/outbox/envelope.ts'
import { announceAtCommit } from '../../engine/outbox/outbox-store.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { takeBreaks } from '../../platform/process/take-breaks.ts'
import { countCreate, refuseCreate } from './create/limit-posts.ts'
import type { Plan } from './plan/plan.ts'
import type { Issue } from './create/plan-issues.ts'
import type { NewPost } from './post-store.ts'
import { refuseIssues } from './plan/refuse-plan.ts'
import { noTimes } from './slot-issues.ts'
import { type PlanWithSlots, wishesOf, withSlots } from './slots/take-slots.ts'
import { Timetable } from './timetable.ts'

type Create = { readonly post: NewPost; readonly plan: Plan; readonly changes: readonly Change[] }
type Wish = ReturnType<typeof wishesOf>[number]

/**
 * The creates of one transaction, however many, beside those of others. What others want, too, is taken in its last moment, so that they
 * wait for no more than that: posting times, and what a credential may still create today. Until then each post is written with a
 * posting time that is free, and holds none. One that somebody else has in the end is left to them: the post moves to the next free one, and
 * those behind it with it.
 */
export class ManyCreates {
  readonly #tx: Tx
  readonly #caller: Pick<Caller, 'workspaceId' | 'credential'>
  readonly #timetables = new Map<string, Timetable>()
  readonly #creates: Create[] = []
  #postsBefore: number | null = null

  constructor(tx: Tx, caller: Pick<Caller, 'workspaceId' | 'credential'>) {
    this.#tx = tx
    this.#caller = caller
  }

  /** How many posts the credential has made today, these included; null where that is not limited. */
  async postsToday(): Promise<number | null> {
    const { workspaceId, credential } = this.#caller
    if (credential.limits.postsPerDay === null) return null
    this.#postsBefore ??=
      (await readCredentialDay(this.#tx, workspaceId, credential.id)).posts - this.#creates.length
    return this.#postsBefore + this.#creates.length
  }

  /** The plan of a post with posting times that none of the others has. */
  async place(plan: Plan): Promise<PlanWithSlots> {
    const wishes = wishesOf(plan)
    const unread = wishes.map(({ channelId }) => channelId).filter((id) => !this.#timetables.has(id))
    for (const [id, timetable] of await this.#readTimetables(unread)) this.#timetables.set(id, timetable)
    return withSlots(
      plan,
      wishes.map((wish) => timeFor(wish, this.#timetables, (timetable) => timetable.give(wish.queueRequest))),
    )
  }

  /** A post that was written as `withoutSlots` has it, by the plan that `place` gave. */
  add(create: Create): void {
    this.#creates.push(create)
    avoidTimesOf(create, this.#timetables)
  }

  /** Takes for all of them what they need, and announces them, with the commit, which has to follow. Gives those that have other times now. */
  async claim(): Promise<{ readonly moved: readonly NewPost[]; readonly refused: Map<string, Refusal> }> {
    const tx = this.#tx
    const queued = this.#creates.filter(({ plan }) => wishesOf(plan).length > 0)
    const ids = [...new Set(queued.flatMap(({ plan }) => wishesOf(plan).map(({ channelId }) => channelId)))]
    // Sent together, in this order: what is read is what those before have taken.
    const [posts, , timetables] = await Promise.all([
      countCreate(tx, this.#caller),
      ids.length === 0 ? null : lockSlots(tx, this.#caller.workspaceId, ids),
      this.#readTimetables(ids, { exceptOwn: true }),
    ])
    const postsBefore = posts === null ? null : posts - this.#creates.length
    for (const create of this.#creates) avoidTimesOf(create, timetables)
    const moved: NewPost[] = []
    const refused = new Map<string, Refusal>()
    const pause = takeBreaks()
    for (const [place, create] of this.#creates.entries()) {
      const postsToday = postsBefore === null ? null : postsBefore + place
      const claimed = this.#claimFor(create, timetables, postsToday)
      if (isRefusal(claimed)) refused.set(create.post.postId, claimed)
      else {
        if (claimed.post !== create.post) moved.push(claimed.post)
        this.#creates[place] = claimed
      }
      await pause()
    }
    if (refused.size === 0) this.#write()
    return { moved, refused }
  }

  #claimFor(
    create: Create,
    timetables: ReadonlyMap<string, Timetable>,
    postsToday: number | null,
  ): Create | Refusal {
    const { post, plan } = create
    const times = wishesOf(plan).map((wish) =>
      timeFor(wish, timetables, (timetable) => {
        const given = post.destinations[wish.place]?.publishAt
        return given == null ? timetable.give(wish.queueRequest) : timetable.keep(given, wish.queueRequest)
      }),
    )
    const { plan: placed, issues } = withSlots(plan, times)
    if (issues.length > 0) return refuseIssues(issues)
    return refuseCreate(this.#caller, placed, { now: post.createdAt, postsToday }) ?? movedTo(create, placed)
  }

  #write(): void {
    const { workspaceId } = this.#caller
    const held = this.#creates.flatMap(({ post }) =>
      post.destinations.flatMap(({ destinationId, publishAt, expiresAt, queued }): HeldSlot[] =>
        queued && publishAt !== null ? [{ destinationId, at: publishAt, expiresAt }] : [],
      ),
    )
    const changes = this.#creates.flatMap((create) => create.changes)
    holdSlots(this.#tx, workspaceId, held)
    announceAtCommit(this.#tx, changes)
    signalDue(this.#tx, changes)
  }

  async #readTimetables(
    channelIds: readonly string[],
    taking: { readonly exceptOwn?: boolean } = {},
  ): Promise<Map<string, Timetable>> {
    if (channelIds.length === 0) return new Map()
    const { workspaceId } = this.#caller
    const found = await findSlots(this.#tx, { workspaceId }, channelIds)
    const read = found.map(async (channel) => {
      const taken = await allTakenAfter(this.#tx, { workspaceId, ...taking }, channel.channelId, channel.now)
      return [channel.channelId, new Timetable(channel, taken)] as const
    })
    return new Map(await Promise.all(read))
  }
}

/** The post as it is written at first: what others would have to wait for is written in the end. */
export function withoutSlots(post: NewPost): NewPost {
  return { ...post, destinations: post.destinations.map((row) => ({ ...row, queued: false })) }
}

function timeFor(
  { channelId, queueRequest: { pointer } }: Wish,
  timetables: ReadonlyMap<string, Timetable>,
  ask: (timetable: Timetable) => Date | Issue,
): PlannedTime | Issue {
  const timetable = timetables.get(channelId)
  // Whether the workspace has the channel is what the check says.
  const time =
    timetable === undefined ? noTimes({ channelId, displayName: 'The channel' }, pointer) : ask(timetable)
  return time instanceof Date ? { at: time, queued: true } : time
}

function avoidTimesOf({ post }: Create, timetables: ReadonlyMap<string, Timetable>): void {
  for (const { channelId, status, queued, publishAt } of post.destinations)
    if (status === 'scheduled' && !queued && publishAt !== null) timetables.get(channelId)?.avoid(publishAt)
}

/** The create with the times of a plan; itself where it has them already. */
function movedTo({ post, plan, changes }: Create, placed: Plan): Create {
  const later = post.destinations.map((row, place): NewDestination => {
    const at = placed.destinations[place]?.time?.at ?? null
    if (!row.queued || at === null || row.publishAt === null || at.getTime() === row.publishAt.getTime())
      return row
    const byMs = at.getTime() - row.publishAt.getTime()
    const expiresAt = row.expiresAt === null ? null : new Date(row.expiresAt.getTime() + byMs)
    return { ...row, publishAt: at, expiresAt }
  })
  if (later.every((row, place) => row === post.destinations[place])) return { post, plan, changes }
  return {
    post: { ...post, destinations: later },
    plan: placed,
    changes: changes.map((change, place) => ({ ...change, publishAt: later[place]?.publishAt ?? null })),
  }
}
