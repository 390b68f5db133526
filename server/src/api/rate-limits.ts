import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** What is left of a limit: `resetSeconds` until it is whole again, and the same as clients read it. */
export type Allowance = { allowed: boolean; resetSeconds: number; field: string }

export type RateLimit = {
  /** The policy as clients read it (RateLimit header fields of the IETF's HTTPAPI group). */
  readonly policy: string
  /** Counts one use under `name`, and says whether it is within the limit. */
  readonly take: (name: string) => Promise<Allowance>
  /** Takes a use back that was counted in advance. */
  readonly giveBack: (name: string) => Promise<void>
}

/**
 * A limit of so many uses per minute and name, in windows that begin with the first use. It is kept in this process: with several API
 * processes behind one address, a client gets up to the limit from each of them.
 */
export function rateLimit(policyName: string, perMinute: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return {
    policy: `"${policyName}";q=${perMinute};w=60`,
    async take(name) {
      try {
        return allowance(policyName, await limiter.consume(name), true)
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return allowance(policyName, refused, false)
        throw refused
      }
    },
    giveBack: async (name) => void (await limiter.reward(name)),
  }
}

function allowance(
  policyName: string,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
  allowed: boolean,
): Allowance {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000))
  return { allowed, resetSeconds, field: `"${policyName}";r=${remainingPoints};t=${resetSeconds}` }
}
