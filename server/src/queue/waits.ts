import type { DelayCode } from './work.ts'

/* What work waits for, how that is announced, and in what words. */

const MINUTE_MS = 60_000

/** Waits between lookups of a doubtful result. The last one repeats. */
export const LOOKUP_WAITS_MS = [
  2_000,
  5_000,
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  60 * MINUTE_MS,
] as const

/** How long what is due is held before that is announced. */
export const ANNOUNCE_HOLD_AFTER_MS = 5_000

const kindOfWait: Record<DelayCode | 'provider_disabled', string> = {
  rate_limited: 'pause',
  // In one outage the calls may fail in either way.
  provider_unavailable: 'network',
  not_reached: 'network',
  not_recorded: 'database',
  target_refused: 'target',
  media_unavailable: 'media',
  adapter_fault: 'adapter',
  access_renewed: 'access',
  secret_unreadable: 'secret key',
  provider_disabled: 'provider',
}

/** Whether it is the network that a deferral waits for. */
export function isNetworkWait(code: DelayCode): boolean {
  return kindOfWait[code] === 'network'
}

/** Names a wait: two tries that end in the same one are announced once. */
export function waitOf(
  status: 'delayed' | 'partially_published',
  code: DelayCode | 'provider_disabled',
): string {
  return `${status}: ${kindOfWait[code]}`
}

const SECRET_UNREADABLE =
  "This server's secret keys do not decrypt the channel's authorization, and nothing was sent. It is retried automatically; `postrider doctor` tells its operator which key is missing."

export const deferralMessages: Record<DelayCode, string> = {
  rate_limited: "The provider's rate limit for the account is reached; publishing resumes automatically.",
  provider_unavailable: 'The provider is not available; publishing resumes automatically.',
  media_unavailable:
    'A media file of the post cannot be read at the moment, and nothing was sent. If it is lost, upload the same file again: publishing then resumes automatically.',
  not_reached: 'The provider could not be reached, and nothing was sent; publishing resumes automatically.',
  not_recorded:
    'This server could not record the call in time, and did not make it; publishing resumes automatically. Its operator finds out whether the database is away or slow at `/readyz`.',
  target_refused:
    'The address of the network is private, or not https, and this server calls no such address; nothing was sent. The operator can permit it by TRUSTED_ORIGINS; publishing then resumes automatically.',
  access_renewed:
    'The access to the account had to be renewed, and nothing was published yet; publishing resumes automatically.',
  adapter_fault:
    'The part of this server that speaks to the provider failed, and nothing was sent. It is tried again automatically; the operator finds the cause in the log.',
  secret_unreadable: SECRET_UNREADABLE,
}
