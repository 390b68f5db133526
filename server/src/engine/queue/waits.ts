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
  signer_away: 'signer',
  media_unavailable: 'media',
  adapter_fault: 'adapter',
  access_renewed: 'access',
  not_shown_yet: 'showing',
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
  "This server can't decrypt the channel's access. Nothing was sent, and it retries automatically. `postrider doctor` says which key is missing."

export const deferralMessages: Record<DelayCode, string> = {
  rate_limited: "The network's rate limit for the account is reached. Publishing resumes automatically.",
  provider_unavailable: 'The network is not available. Publishing resumes automatically.',
  media_unavailable:
    "A media file of the post can't be read right now. Nothing was sent. If it is lost, upload the same file again, and publishing resumes automatically.",
  signer_away:
    'The remote signer of the account did not answer. Nothing was sent, and publishing resumes automatically once it does.',
  not_reached: 'The network could not be reached. Nothing was sent, and publishing resumes automatically.',
  not_recorded:
    'This server could not record the attempt in time, so nothing was sent. Publishing resumes automatically. `/readyz` shows whether the database is away or slow.',
  target_refused:
    "The network's address is private or not https, and this server calls no such address. Nothing was sent. Your server operator can allow it with TRUSTED_ORIGINS; publishing then resumes automatically.",
  access_renewed:
    'The access to the account had to be renewed. Nothing is published yet, and publishing resumes automatically.',
  not_shown_yet: 'The network does not show yet what was just made there. Publishing resumes automatically.',
  adapter_fault:
    'Internal error. Nothing was sent, and the server retries automatically. Its log has the cause.',
  secret_unreadable: SECRET_UNREADABLE,
}
