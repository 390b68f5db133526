import { hash } from 'node:crypto'
import type { Db, Sql } from '../../../platform/postgres/db.ts'
import { remoteParty } from '../../../platform/outbound/remote-party.ts'
import { type Caller, isSameCaller } from '../../operations/route.ts'
import type { Allowance, OwnRateLimit } from '../http/rate-limits.ts'

/** Whose credential it was; null where there is none, with what is left of the limit. */
export type Authentication = { readonly caller: Caller } | { readonly caller: null; readonly left: Allowance }

/** Whose credential it was when it was last looked up, and whether it still is, nothing of it changed. */
export type Recalled = {
  readonly caller: Caller
  readonly confirm: (sql: Sql) => Promise<boolean>
}

export type CountedAuthentication = {
  readonly authenticate: (secret: string | undefined, address: string) => Promise<Authentication>
  /** What is remembered of a credential. It proves nothing: it has to be confirmed before anything is answered. */
  readonly recall: (secret: string | undefined) => Recalled | null
}

/** How long a credential that was good is asked about without being counted first, and how many such are remembered. */
const GOOD_MS = 600_000
const MAX_GOOD = 10_000

/**
 * Authentication that cannot be used to guess, or to keep the database busy: a failure is counted against the remote
 * address before the database is asked, and taken back where it was none. A credential that was good of late is only
 * counted when it fails, so that its bearer is not shut out by a neighbour who guesses.
 */
export function countedAuthentication(
  db: Db,
  lookUp: (sql: Sql, secret: string) => Promise<Caller | null>,
  failures: OwnRateLimit,
): CountedAuthentication {
  const good = rememberGood()
  const asking = new Map<string, Promise<unknown>>()

  async function askUncounted(secret: string, name: string, party: string): Promise<Authentication> {
    const caller = await lookUp(db, secret)
    if (caller !== null) {
      good.remember(name, caller)
      return { caller }
    }
    good.forget(name)
    return { caller, left: failures.take(party) }
  }

  async function askCounted(secret: string, name: string, party: string): Promise<Authentication> {
    const left = failures.take(party)
    if (!left.allowed) return { caller: null, left }
    let failed = false
    try {
      const caller = await lookUp(db, secret)
      failed = caller === null
      if (caller === null) return { caller, left }
      good.remember(name, caller)
      return { caller }
    } finally {
      // A database that does not answer says nothing of the credential.
      if (!failed) failures.giveBack(party)
    }
  }

  function recall(secret: string | undefined): Recalled | null {
    if (secret === undefined) return null
    const name = nameOf(secret)
    const caller = good.callerOf(name)
    if (caller === null) return null
    return {
      caller,
      confirm: async (sql) => {
        const isSame = await confirm(sql, caller, secret)
        if (!isSame) good.forget(name)
        return isSame
      },
    }
  }

  async function confirm(sql: Sql, caller: Caller, secret: string): Promise<boolean> {
    if (caller.confirm !== undefined) return caller.confirm(sql)
    const found = await lookUp(sql, secret)
    return found !== null && isSameCaller(found, caller)
  }

  async function authenticate(secret: string | undefined, address: string): Promise<Authentication> {
    const party = remoteParty(address)
    if (secret === undefined) return { caller: null, left: failures.take(party) }
    const name = nameOf(secret)
    // The first requests of a new credential often come together: one of them finds out for all.
    while (good.callerOf(name) === null && asking.has(name)) await asking.get(name)
    if (good.callerOf(name) !== null) return askUncounted(secret, name, party)
    const answer = askCounted(secret, name, party)
    const asked = answer.then(
      () => asking.delete(name),
      () => asking.delete(name),
    )
    asking.set(name, asked)
    return answer
  }

  return { authenticate, recall }
}

/** The callers whose credentials were good of late, by the names of these. */
function rememberGood() {
  const good = new Map<string, { caller: Caller; untilMs: number }>()
  return {
    /** Null where it was not looked up of late. */
    callerOf(name: string): Caller | null {
      const known = good.get(name)
      return known !== undefined && known.untilMs > performance.now() ? known.caller : null
    },
    remember(name: string, caller: Caller): void {
      good.delete(name)
      good.set(name, { caller, untilMs: performance.now() + GOOD_MS })
      const [oldest] = good.keys()
      if (good.size > MAX_GOOD && oldest !== undefined) good.delete(oldest)
    },
    forget: (name: string) => void good.delete(name),
  }
}

function nameOf(secret: string): string {
  return hash('sha256', secret, 'base64')
}
