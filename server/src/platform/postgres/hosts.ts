import type { Address } from './address.ts'
import { DatabaseAway } from './errors.ts'

/** What a server reports of itself. Each promotion of a standby raises the timeline; null where it is not known. */
export type ServerRole = { readonly refusesWrites: boolean; readonly timeline: number | null }

/** The addresses of one database, and what the connections of a pool have learnt of its servers. */
export class Hosts {
  /** Whether a server is asked for its role before it is used. */
  readonly checksRole: boolean
  readonly #addresses: readonly Address[]
  #preferred: Address | null = null
  #timeline = 0

  constructor(addresses: readonly Address[], { checksRole }: { checksRole: boolean }) {
    this.#addresses = addresses
    this.checksRole = checksRole
  }

  /** In the order of the URL, but what was connected last comes first: a host that is down costs its time limit once. */
  inOrder(): readonly Address[] {
    const preferred = this.#preferred
    if (preferred === null) return this.#addresses
    return [preferred, ...this.#addresses.filter((address) => address !== preferred)]
  }

  prefer(address: Address): void {
    this.#preferred = address
  }

  /**
   * Why a server cannot be used; null when it can. One on an earlier timeline was the primary before a failover and has
   * come back: it takes writes, but knows nothing of what has been published since.
   */
  explainRefusal({ refusesWrites, timeline }: ServerRole): DatabaseAway | null {
    if (refusesWrites) return new DatabaseAway('READ_ONLY')
    if (timeline !== null && timeline < this.#timeline) return new DatabaseAway('OLD_TIMELINE')
    this.#timeline = timeline ?? this.#timeline
    return null
  }
}

export function isRoleRefusal(error: unknown): boolean {
  return error instanceof DatabaseAway && (error.code === 'READ_ONLY' || error.code === 'OLD_TIMELINE')
}
