import { setTimeout as delay } from 'node:timers/promises'

/** How long a channel stays silent after a signal: those raised meanwhile are sent as one. */
const SILENCE_MS = 20

/**
 * Sends notifications that follow a commit instead of being a part of it: PostgreSQL writes commits that carry one to
 * disk one after the other, and without them many at once. One can get lost; listeners poll as well.
 */
export class Signals {
  readonly #notify: (channel: string) => Promise<unknown>
  readonly #raised = new Set<string>()
  readonly #busy = new Set<string>()
  readonly #ending = new AbortController()

  constructor(notify: (channel: string) => Promise<unknown>) {
    this.#notify = notify
  }

  raise(channel: string): void {
    this.#raised.add(channel)
    if (!this.#busy.has(channel)) void this.#sendRaised(channel)
  }

  /** Sends what is raised without waiting. */
  async end(): Promise<void> {
    this.#ending.abort()
    await Promise.all([...this.#raised].map((channel) => this.#send(channel)))
  }

  async #sendRaised(channel: string): Promise<void> {
    this.#busy.add(channel)
    while (this.#raised.has(channel)) {
      await this.#send(channel)
      await delay(SILENCE_MS, undefined, { signal: this.#ending.signal, ref: false }).catch(ignore)
    }
    this.#busy.delete(channel)
  }

  async #send(channel: string): Promise<void> {
    this.#raised.delete(channel)
    await this.#notify(channel).catch(ignore)
  }
}

const ignore = () => undefined
