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

type Caller = { resolve: (connection: Connection) => void; reject: (error: unknown) => void }

const LIFETIME_MS = 30 * 60_000
/** A database that restarts is back within one or two seconds. */
const RECONNECT_MAX_MS = 1_000

/**
 * Connections that are opened when they are needed and lent to one caller at a time, first come, first served. While
 * there is none and none can be opened, callers are refused at once; the next try waits longer each time.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #idle: Connection[] = []
  /** Every open connection, lent or idle, and when it is to be replaced. */
  readonly #retireAt = new Map<Connection, number>()
  #opening = 0
  #callers: Caller[] = []
  #failures = 0
  #retryAt = 0
  #ended: Promise<void> | null = null
  #onEmpty: () => void = () => undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  acquire(): Promise<Connection> {
    if (this.#ended !== null) return Promise.reject(new DatabaseAway('CONNECTION_ENDED'))
    const idle = this.#idle.pop()
    if (idle !== undefined) return Promise.resolve(idle)
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    this.#enqueue({ resolve, reject })
    this.#openMore()
    return promise
  }

  release(connection: Connection): void {
    if (connection.lost !== null) return
    // What somebody left open must not become the next caller's.
    if (connection.isInTransaction) return connection.destroy(new DatabaseAway('CONNECTION_CLOSED'))
    const retired = connection.isFull || performance.now() > (this.#retireAt.get(connection) ?? 0)
    if (retired || (this.#ended !== null && this.#callers.length === 0)) return void connection.end()
    this.#lend(connection)
  }

  /** Lets nobody in any more, serves those who are in, but no longer than that where it is given, and closes all. */
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
    }
    const timer = withinMs === null ? undefined : setTimeout(cutOff, withinMs)
    await empty
    clearTimeout(timer)
  }

  get #size(): number {
    return this.#retireAt.size + this.#opening
  }

  #enqueue({ resolve, reject }: Caller): void {
    const { waitMs } = this.#options
    const giveUp = () => {
      this.#callers = this.#callers.filter((other) => other !== caller)
      reject(new DatabaseAway('POOL_TIMEOUT'))
    }
    const timer = waitMs === 0 ? undefined : setTimeout(giveUp, waitMs)
    const caller: Caller = {
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
    const caller = this.#callers.shift()
    if (caller === undefined) this.#idle.push(connection)
    else caller.resolve(connection)
  }

  #refuseAll(error: unknown): void {
    for (const { reject } of this.#callers.splice(0)) reject(error)
  }

  #openMore(): void {
    while (this.#opening < this.#callers.length && this.#size < this.#options.max) {
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
