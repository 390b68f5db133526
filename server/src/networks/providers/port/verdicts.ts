import { toLine } from '@postrider/contract/names'
import { isWebAddress } from '../shared/answers.ts'
import type { HttpResponse } from './calls.ts'
import type {
  Account,
  ConnectRefusal,
  ConnectRefusalCode,
  LookupResult,
  Refusal,
  RejectionCode,
} from './port.ts'

/* What adapters conclude, in the words of the port. */

export function rejected(code: RejectionCode, detail: string) {
  return { is: 'rejected', code, detail } as const
}

export function rateLimited(afterMs: number | null) {
  return { is: 'deferred', code: 'rate_limited', afterMs } as const
}

/** The answer of a network that cannot be understood before anything was made public: to be tried again. */
export const AWAY = { is: 'deferred', code: 'provider_unavailable', afterMs: null } as const

/** The network does not show yet what was just made there: half a minute later it does, as a rule. */
export const NOT_SHOWN_YET = { is: 'deferred', code: 'not_shown_yet', afterMs: 30_000 } as const

/** The network no longer has an upload: it is made again with the next try. */
export const MEDIA_GONE = { is: 'deferred', code: 'media_unavailable', afterMs: null } as const

/**
 * The network says, in its own words, that it has no such call: not at this address, by this method or in this version. So nothing was
 * made, and the same call would be refused each time.
 */
export function notOffered(network: string) {
  return rejected(
    'not_published',
    `${network} no longer offers a call that this post needs. Ask your server operator to upgrade Postrider, then retry.`,
  )
}

/** `what` is what the answer to a publish call leaves open: "the post was made". */
export function unknown({ status }: HttpResponse, what: string) {
  return { is: 'unknown', detail: `The answer with status ${status} does not tell whether ${what}.` } as const
}

export function unavailable(detail: string) {
  return { is: 'unavailable', detail } as const
}

/** What the call was to show is public, or no longer ours to show; which post it is, is not known. */
export function out(detail: string) {
  return { is: 'out', detail } as const
}

/** What the call was to show is not there any more. */
export function gone(detail: string) {
  return { is: 'gone', detail } as const
}

/** What a list of posts that cannot be read shows: that the authorization is over, or nothing. */
export function unreadable({ status }: HttpResponse, refusal: Refusal | null): LookupResult {
  if (refusal?.is === 'expired' || refusal?.is === 'reauthorize') return refusal
  return unavailable(`The check of the posts was answered with status ${status}.`)
}

/** Why nothing was connected, and the field that is at fault. */
export function refused(code: ConnectRefusalCode, detail: string, field?: string): ConnectRefusal {
  return { is: 'refused', code, detail, ...(field === undefined ? {} : { field }) }
}

/** An account, with names that fit into a line, whatever the network says; `avatar` is shown only where it is an address of the web. */
export function accountOf({
  avatar = '',
  displayName,
  handle,
  ...told
}: Pick<Account, 'remoteAccountId' | 'displayName' | 'handle'> &
  Partial<Account> & { readonly avatar?: string | undefined }): Account {
  const shownHandle = toLine(handle) || told.remoteAccountId
  return {
    avatarUrl: isWebAddress(avatar) ? avatar : null,
    subscription: null,
    limits: null,
    ...told,
    handle: shownHandle,
    displayName: toLine(displayName) || shownHandle,
  }
}
