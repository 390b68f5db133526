import { setTimeout as delay } from 'node:timers/promises'
import { Connection, type Session } from './connection.ts'
import { DatabaseAway } from './errors.ts'

export type PoolOptions = Session & {
  readonly max: number
  /** Keeps each connection for good; else each is replaced within the hour, with all that its backend has gathered. */
  readonly permanent: boolean
  /** How long a caller waits for a connection; 0 for ever. */
  readonly waitMs: number
  /** Called each time a connection is gone, wanted or not. */
  readonly onClose: () => void
}

/** How many connections a pool lends, has and may have, and how many callers wait for one. */
export type PoolCounts = {
  readonly used: number
  readonly open: number
  readonly max: number
  readonly waiting: number
}

type Caller = {
  /** The share that its connection is counted for; null for none. */
  share: string | null
  resolve: (connection: Connection) => void
  reject: (error: unknown) => void
}

const LIFETIME_MS = 30 * 60_000
/** A database that restarts is back within one or two seconds. */
const RECONNECT_MAX_MS = 1_000

/**
 * Connections that are opened when they are needed and lent to one caller at a time. The caller whose share holds the fewest
 * is served first, then the one that came first; no share may hold more than three quarters. While there is no connection
 * and none can be opened, callers are refused at once; the next try waits longer each time.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #idle: Connection[] = []
  /** Every open connection, lent or idle, and when it is to be replaced. */
  readonly #retireAt = new Map<Connection, number>()
  readonly #lentTo = new Map<Connection, string>()
  /** How many connections each share holds. */
  readonly #held = new Map<string, number>()
  readonly #shareMax: number
  #opening = 0
  #callers: Caller[] = []
  #failures = 0
  #retryAt = 0
  #ended: Promise<void> | null = null
  #onEmpty: () => void = () => undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#shareMax = Math.max(1, options.max - Math.ceil(options.max / 4))
  }

  acquire(share: string | null): Promise<Connection> {
    if (this.#ended !== null) return Promise.reject(new DatabaseAway('CONNECTION_ENDED'))
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const idle = this.#mayTake(share) ? this.#idle.pop() : undefined
    if (idle !== undefined) {
      this.#note(idle, share)
      resolve(idle)
    } else {
      this.#enqueue({ share, resolve, reject })
      this.#openMore()
    }
    return promise
  }

  release(connection: Connection): void {
    this.#settle(connection)
    if (connection.lost !== null) return
    // A transaction that was left open must not become the next caller's.
    if (connection.isInTransaction) return connection.destroy(new DatabaseAway('CONNECTION_CLOSED'))
    const retired = connection.isFull || performance.now() > (this.#retireAt.get(connection) ?? 0)
    if (retired || (this.#ended !== null && this.#callers.length === 0)) return void connection.end()
    this.#lend(connection)
  }

  /** Takes a connection back that may not be used again. */
  retire(connection: Connection): void {
    this.#settle(connection)
    if (connection.lost === null) void connection.end()
  }

  /** Accepts no new caller, serves those that wait, within `withinMs` where it is given, and closes all connections. */
  end(withinMs: number | null): Promise<void> {
    this.#ended ??= this.#close(withinMs)
    return this.#ended
  }

  async #close(withinMs: number | null): Promise<void> {
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve))
    for (const connection of this.#idle.splice(0)) void connection.end()
    if (this.#size === 0) return
    const cutOff = () => {
      this.#refuseAll(new DatabaseAway('CONNECTION_ENDED'))
      for (const connection of this.#retireAt.keys()) connection.destroy(new DatabaseAway('CONNECTION_ENDED'))
      // Those that are being opened end by themselves.
      this.#onEmpty()
    }
    const timer = withinMs === null ? undefined : setTimeout(cutOff, withinMs)
    await empty
    clearTimeout(timer)
  }

  get counts(): PoolCounts {
    const open = this.#retireAt.size
    return {
      used: open - this.#idle.length,
      open,
      max: this.#options.max,
      waiting: this.#callers.length,
    }
  }

  get #size(): number {
    return this.#retireAt.size + this.#opening
  }

  #mayTake(share: string | null): boolean {
    return share === null || this.#holds(share) < this.#shareMax
  }

  #holds(share: string | null): number {
    return share === null ? 0 : (this.#held.get(share) ?? 0)
  }

  #note(connection: Connection, share: string | null): void {
    if (share === null) return
    this.#lentTo.set(connection, share)
    this.#held.set(share, this.#holds(share) + 1)
  }

  #settle(connection: Connection): void {
    const share = this.#lentTo.get(connection)
    if (share === undefined) return
    this.#lentTo.delete(connection)
    const held = this.#holds(share) - 1
    if (held === 0) this.#held.delete(share)
    else this.#held.set(share, held)
  }

  #enqueue({ share, resolve, reject }: Caller): void {
    const { waitMs } = this.#options
    const giveUp = () => {
      this.#callers = this.#callers.filter((other) => other !== caller)
      reject(new DatabaseAway('POOL_TIMEOUT'))
    }
    const timer = waitMs === 0 ? undefined : setTimeout(giveUp, waitMs)
    const caller: Caller = {
      share,
      resolve(connection) {
        clearTimeout(timer)
        resolve(connection)
      },
      reject(error) {
        clearTimeout(timer)
        reject(error)
      },
    }
    this.#callers.push(caller)
  }

  #lend(connection: Connection): void {
    const caller = this.#takeCaller()
    if (caller === undefined) return void this.#idle.push(connection)
    this.#note(connection, caller.share)
    caller.resolve(connection)
  }

  #takeCaller(): Caller | undefined {
    let next: Caller | undefined
    for (const caller of this.#callers) {
      if (!this.#mayTake(caller.share)) continue
      if (next === undefined || this.#holds(caller.share) < this.#holds(next.share)) next = caller
    }
    if (next !== undefined) this.#callers.splice(this.#callers.indexOf(next), 1)
    return next
  }

  /** How many of the callers in line could be lent a connection if there were enough. */
  #admissible(): number {
    const waiting = new Map<string, number>()
    let count = 0
    for (const { share } of this.#callers) {
      const ahead = share === null ? 0 : (waiting.get(share) ?? 0)
      if (share !== null) waiting.set(share, ahead + 1)
      if (share === null || this.#holds(share) + ahead < this.#shareMax) count += 1
    }
    return count
  }

  #refuseAll(error: unknown): void {
    for (const { reject } of this.#callers.splice(0)) reject(error)
  }

  #openMore(): void {
    const room = this.#options.max - this.#size
    if (room <= 0) return
    const wanted = Math.min(room, this.#admissible() - this.#opening)
    for (let n = 0; n < wanted; n++) {
      this.#opening += 1
      void this.#openOne()
    }
  }

  async #openOne(): Promise<void> {
    try {
      await delay(Math.max(0, this.#retryAt - performance.now()))
      const connection = await Connection.open(this.#options)
      this.#failures = 0
      this.#admit(connection)
    } catch (error) {
      this.#backOff()
      // Where some are lent, one of them is given back sooner or later.
      if (this.#retireAt.size === 0) this.#refuseAll(error)
    }
    this.#opening -= 1
    this.#onChange()
  }

  #admit(connection: Connection): void {
    const lifetime = this.#options.permanent ? Infinity : LIFETIME_MS * (1 + Math.random())
    this.#retireAt.set(connection, performance.now() + lifetime)
    connection.onLost(() => this.#forget(connection))
    if (this.#ended === null || this.#callers.length > 0) this.#lend(connection)
    else void connection.end()
  }

  #forget(connection: Connection): void {
    this.#retireAt.delete(connection)
    this.#settle(connection)
    const place = this.#idle.indexOf(connection)
    if (place !== -1) this.#idle.splice(place, 1)
    this.#options.onClose()
    this.#onChange()
  }

  #onChange(): void {
    this.#openMore()
    if (this.#ended !== null && this.#size === 0) this.#onEmpty()
  }

  #backOff(): void {
    const nowMs = performance.now()
    if (nowMs < this.#retryAt) return
    this.#failures += 1
    this.#retryAt = nowMs + Math.min(10 * 3 ** this.#failures, RECONNECT_MAX_MS)
  }
}
