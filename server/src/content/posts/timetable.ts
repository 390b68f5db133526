import { isSlot, slotsBetween } from '../../networks/channels/posting-times.ts'
import type { ChannelSlots } from '../../engine/destinations/queue-slot-store.ts'
import { isGone, noneFree, noTimes, unknown } from './slot-issues.ts'
import { type Issue, latestTime } from './create/plan-issues.ts'
import type { QueueRequest } from './plan/publish-time.ts'

type Wish = QueueRequest & { readonly pointer: string }
type Order = 'next' | 'first'

/** The posting times of one channel for many posts, which are given in memory, each once. None becomes free meanwhile. */
export class Timetable {
  readonly #channel: ChannelSlots
  readonly #taken: Set<number>
  readonly #avoided = new Set<number>()
  readonly #runs = new Map<Order, TakenRun>()
  /** What is queued next comes after this. */
  #last: number

  /** `taken`: what is planned on the channel after its `now`, in milliseconds since 1970. */
  constructor(channel: ChannelSlots, taken: Iterable<number>) {
    this.#channel = channel
    this.#taken = new Set(taken)
    this.#last = Math.max(channel.now.getTime(), channel.last?.getTime() ?? 0)
  }

  /** A posting time for a post, or why there is none. */
  give({ queue, pointer }: Wish): Date | Issue {
    const { postingTimes, timeZone, now } = this.#channel
    if (postingTimes.length === 0) return noTimes(this.#channel, pointer)
    if (!(queue instanceof Date))
      return this.#giveFrom(queue, (queue === 'next' ? this.#last : now.getTime()) + 1, pointer)
    if (!isSlot(postingTimes, timeZone, queue)) return unknown(this.#channel, queue, pointer)
    return this.#isFree(queue.getTime()) ? this.#hold(queue) : isGone(this.#channel, queue, pointer)
  }

  /**
   * The posting time that a post was given by an earlier timetable. Where it is taken by now, the next one that is free, unless the post
   * names it.
   */
  keep(given: Date, { queue, pointer }: Wish): Date | Issue {
    if (!this.#taken.has(given.getTime())) return this.#hold(given)
    if (queue instanceof Date) return isGone(this.#channel, queue, pointer)
    return this.#giveFrom(queue, given.getTime(), pointer)
  }

  /** Gives this time to no post, since one is scheduled for it without the queue. A post that has it keeps it. */
  avoid(at: Date): void {
    this.#avoided.add(at.getTime())
  }

  #isFree(at: number): boolean {
    return !this.#taken.has(at) && !this.#avoided.has(at)
  }

  #hold(at: Date): Date {
    this.#taken.add(at.getTime())
    this.#last = Math.max(this.#last, at.getTime())
    return at
  }

  #giveFrom(order: Order, from: number, pointer: string): Date | Issue {
    const run = this.#runFrom(order, from)
    return run.end === null ? noneFree(this.#channel, order, pointer) : this.#hold(new Date(run.end))
  }

  /** The run of taken posting times that begins at `from`, or has it within: the free one is at its end. */
  #runFrom(order: Order, from: number): TakenRun {
    const isFree = (at: number) => this.#isFree(at)
    const known = this.#runs.get(order)
    known?.goOn(isFree)
    if (known !== undefined && known.from <= from && (known.end === null || from <= known.end)) return known
    const { postingTimes, timeZone, now } = this.#channel
    const range = { after: new Date(from - 1), before: latestTime(now) }
    const run = new TakenRun(from, slotsBetween(postingTimes, timeZone, range))
    run.goOn(isFree)
    this.#runs.set(order, run)
    return run
  }
}

/** Posting times that are all taken, from an instant on. It only grows, so that each is looked at once, however many posts come there. */
class TakenRun {
  readonly from: number
  readonly #slots: Generator<Date>
  /** The first posting time behind it; null for none. */
  end: number | null

  constructor(from: number, slots: Generator<Date>) {
    this.from = from
    this.#slots = slots
    this.end = this.#read()
  }

  goOn(isFree: (at: number) => boolean): void {
    while (this.end !== null && !isFree(this.end)) this.end = this.#read()
  }

  #read(): number | null {
    const { value, done } = this.#slots.next()
    return done === true ? null : value.getTime()
  }
}
