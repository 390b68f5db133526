import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** What is left of a limit: `resetSeconds` until it is whole again. */
export type Allowance = { allowed: boolean; remaining: number; resetSeconds: number }

export type RateLimit = {
  readonly perMinute: number
  /** Counts one use under `name`, and says whether it is within the limit. */
  readonly take: (name: string) => Promise<Allowance>
}

/**
 * A limit of so many uses per minute and name, in fixed windows. It is kept in this process: with several API
 * processes behind one address, a client gets up to the limit from each of them.
 */
export function rateLimit(perMinute: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return {
    perMinute,
    async take(name) {
      try {
        return allowance(await limiter.consume(name), true)
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return allowance(refused, false)
        throw refused
      }
    },
  }
}

function allowance({ remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): Allowance {
  return { allowed, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) }
}

/** The party behind an address, for counting: an IPv6 customer has a whole /64 to send from. */
export function partyOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
}
