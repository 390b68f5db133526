import { setTimeout as delay } from 'node:timers/promises'
import { Connection, type Session } from './connection.ts'
import { DatabaseAway } from './errors.ts'
import { Identifier, nameOf, type Statement } from './query.ts'

export type Subscription = {
  readonly channel: string
  readonly onNotify: (payload: string) => void
  readonly onListen: () => void
}

const RECONNECT_MS = 250
const LIMIT_MS = 10_000
/** A connection that hears nothing may have been cut without a word. */
const CHECK_EVERY_MS = 30_000

/** One connection of its own for all that is listened for. When it is lost it is opened again. */
export class Listener {
  readonly #session: Session
  readonly #subscriptions = new Set<Subscription>()
  #connecting: Promise<Connection> | null = null
  #connection: Connection | null = null
  #ended = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Resolves once notifications come in; rejects if the database cannot be reached now. */
  async listen(subscription: Subscription): Promise<{ unlisten: () => Promise<void> }> {
    if (this.#ended) throw new DatabaseAway('CONNECTION_ENDED')
    const connection = this.#connection ?? (await this.#connect())
    await connection.sendOne(statement('listen', subscription), LIMIT_MS)
    this.#subscriptions.add(subscription)
    subscription.onListen()
    return { unlisten: () => this.#unlisten(subscription) }
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#connection?.end()
  }

  #connect(): Promise<Connection> {
    this.#connecting ??= this.#open().finally(() => (this.#connecting = null))
    return this.#connecting
  }

  async #open(): Promise<Connection> {
    const connection = await Connection.open(this.#session)
    try {
      connection.onNotification((channel, payload) => this.#notify(channel, payload))
      for (const subscription of this.#subscriptions)
        await connection.sendOne(statement('listen', subscription), LIMIT_MS)
      if (this.#ended) throw new DatabaseAway('CONNECTION_ENDED')
    } catch (error) {
      void connection.end()
      throw error
    }
    this.#watch(connection)
    for (const { onListen } of this.#subscriptions) onListen()
    return connection
  }

  #watch(connection: Connection): void {
    this.#connection = connection
    const check = setInterval(() => void connection.send([CHECK], LIMIT_MS), CHECK_EVERY_MS)
    connection.onLost(() => {
      clearInterval(check)
      this.#connection = null
      void this.#reconnect()
    })
  }

  async #reconnect(): Promise<void> {
    while (!this.#ended && this.#connection === null) {
      try {
        await this.#connect()
      } catch {
        await delay(RECONNECT_MS)
      }
    }
  }

  async #unlisten(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription)
    if ([...this.#subscriptions].some(({ channel }) => channel === subscription.channel)) return
    await this.#connection?.send([statement('unlisten', subscription)], LIMIT_MS)
  }

  #notify(channel: string, payload: string): void {
    for (const subscription of this.#subscriptions)
      if (subscription.channel === channel) subscription.onNotify(payload)
  }
}

const CHECK: Statement = { text: 'select', name: 'check', values: [] }

function statement(command: 'listen' | 'unlisten', { channel }: Subscription): Statement {
  const text = `${command} ${new Identifier(channel).sql}`
  return { text, name: nameOf(text), values: [] }
}
