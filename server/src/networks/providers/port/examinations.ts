import { toLine } from '@postrider/contract/names'
import { retryAfterMs } from '../shared/answers.ts'
import type { HttpResponse } from './calls.ts'
import type { AccessState, Examination, Quota, Refusal } from './port.ts'

/* What examinations of adapters are made of. */

const UNTOLD = { missing: null, quotas: [], account: null, version: null } as const

export const SUSPENDED = { is: 'suspended' } as const
export const APP_REFUSED = { is: 'app_refused' } as const

export function accepted(endsAt: Date | null = null): AccessState {
  return { is: 'accepted', endsAt }
}

/** An answer that does not say whether the access is accepted. */
export function notSaid({ status }: Pick<HttpResponse, 'status'>): AccessState {
  return { is: 'unknown', status }
}

/** What was told of an account, and nothing of the rest. */
export function examined(access: AccessState, told: Partial<Omit<Examination, 'access'>> = {}): Examination {
  return { access, ...UNTOLD, ...told }
}

const MAX_VERSION = 60

/** A version that a server names itself, as one line. */
export function namedVersion(name: string): Examination['version'] {
  return { name: toLine(name).slice(0, MAX_VERSION), answered: true }
}

/** What the scopes that were granted lack of those that are needed. */
export function lackingOf(needed: readonly string[], granted: Iterable<string>): string[] {
  const has = new Set(granted)
  return needed.filter((one) => !has.has(one))
}

/** A limit of which nothing is left. */
export function usedUp(unit: Quota['unit'], resetsInMs: number | null, of: number | null = null): Quota {
  return { unit, left: 0, of, resetsInMs }
}

/**
 * What an answer that is no account says, by the refusal that the network's own code reads in it. Of a refusal for want of a
 * permission, the adapter says first whose it is: that is `permission`.
 */
export function examinedRefusal(
  response: HttpResponse,
  refusal: Refusal | null,
  permission: AccessState = SUSPENDED,
): Examination {
  switch (refusal?.is) {
    case 'expired':
      return examined({ is: 'expired' })
    case 'reauthorize':
      return examined({ is: 'reauthorize' })
    case 'rejected':
      return examined(refusal.code === 'permission_refused' ? permission : notSaid(response))
    case 'deferred': {
      const over = refusal.code === 'rate_limited'
      const quotas = over ? [usedUp('calls', refusal.afterMs ?? retryAfterMs(response.headers))] : []
      return examined(notSaid(response), { quotas })
    }
    case undefined:
      return examined(notSaid(response))
  }
}
