/*
 * What a check of a connection can find: each outcome by its code, with its sentence, made from the values of the finding. German is in
 * `german-connection-findings.ts`. There is no other text of a check.
 */

/** What of a connection is checked. `network` is whether it answers at all. */
export const connectionAspects = [
  'network',
  'access',
  'scopes',
  'quota',
  'limits',
  'version',
  'clock',
] as const
export type ConnectionAspect = (typeof connectionAspects)[number]

/** From what says least to what is worst. `unknown`: the network does not tell, which is no fault. */
export const findingLevels = ['unknown', 'ok', 'warn', 'fail'] as const
export type FindingLevel = (typeof findingLevels)[number]

type Facts = { readonly aspect: ConnectionAspect; readonly level: FindingLevel }

export const connectionFindings = {
  network_away: { aspect: 'network', level: 'fail' },
  target_refused: { aspect: 'network', level: 'fail' },
  provider_disabled: { aspect: 'network', level: 'fail' },
  check_failed: { aspect: 'network', level: 'fail' },
  access_accepted: { aspect: 'access', level: 'ok' },
  access_ends_soon: { aspect: 'access', level: 'warn' },
  access_over: { aspect: 'access', level: 'warn' },
  access_refused: { aspect: 'access', level: 'fail' },
  reconnect_required: { aspect: 'access', level: 'fail' },
  access_unreadable: { aspect: 'access', level: 'fail' },
  account_suspended: { aspect: 'access', level: 'fail' },
  app_refused: { aspect: 'access', level: 'fail' },
  signer_away: { aspect: 'access', level: 'fail' },
  access_not_told: { aspect: 'access', level: 'warn' },
  scopes_granted: { aspect: 'scopes', level: 'ok' },
  scopes_missing: { aspect: 'scopes', level: 'fail' },
  rights_missing: { aspect: 'scopes', level: 'fail' },
  scopes_not_told: { aspect: 'scopes', level: 'unknown' },
  quota_left: { aspect: 'quota', level: 'ok' },
  quota_used_up: { aspect: 'quota', level: 'warn' },
  quota_not_told: { aspect: 'quota', level: 'unknown' },
  limits_same: { aspect: 'limits', level: 'ok' },
  limits_changed: { aspect: 'limits', level: 'warn' },
  limits_not_told: { aspect: 'limits', level: 'unknown' },
  version_answered: { aspect: 'version', level: 'ok' },
  version_ending: { aspect: 'version', level: 'warn' },
  version_gone: { aspect: 'version', level: 'fail' },
  version_not_told: { aspect: 'version', level: 'unknown' },
  clock_right: { aspect: 'clock', level: 'ok' },
  clock_off: { aspect: 'clock', level: 'fail' },
  clock_not_told: { aspect: 'clock', level: 'unknown' },
} as const satisfies Record<string, Facts>

export type FindingCode = keyof typeof connectionFindings
export const findingCodes = Object.keys(connectionFindings) as FindingCode[]

/** What a limit counts; `percent`: the network tells its use in percent of calls alone. */
export const quotaUnits = ['posts', 'replies', 'calls', 'percent'] as const
export type QuotaUnit = (typeof quotaUnits)[number]

export const changedLimits = [
  'characters',
  'files',
  'altCharacters',
  'imageBytes',
  'videoBytes',
  'other',
] as const
export type ChangedLimit = {
  readonly limit: (typeof changedLimits)[number]
  /** What Postrider checks posts against, and what the network says now; null for no such limit, and for `other`. */
  readonly kept: number | null
  readonly now: number | null
}

/** What the sentence of a finding is made from: those that its code has. Times are in ISO 8601. */
export type FindingValues = {
  /** As the network calls itself. */
  readonly network: string
  /** When the access or the version ends. */
  readonly until?: string
  /** A code of the fault, or the status of the answer. */
  readonly reason?: string
  readonly missing?: readonly string[]
  readonly unit?: QuotaUnit
  readonly left?: number
  /** Of how many; null where it is not told. */
  readonly of?: number | null
  /** When the limit is whole again; null where it is not told. */
  readonly resetsAt?: string | null
  readonly changes?: readonly ChangedLimit[]
  readonly version?: string
  /** By how much the clock of this server is ahead of the network's; negative where it is behind. */
  readonly seconds?: number
}

/** How values are written, for its reader. */
export type ShowValues = {
  readonly time: (instant: string) => string
  readonly number: (value: number) => string
  readonly list: (items: readonly string[]) => string
}

type Write = (values: FindingValues, show: ShowValues) => string
/** What was found, and what to do about it; null where nothing is to be done. */
export type FindingWords = { readonly said: Write; readonly fix: Write | null }

const RECONNECT: Write = () => 'Reconnect the channel.'

export const findingWords: Readonly<Record<FindingCode, FindingWords>> = {
  network_away: {
    said: ({ network, reason = '' }) => `${network} did not answer (${reason}).`,
    fix: () =>
      'Try again in a few minutes. If no network answers, the server operator has to check the server’s connection to the internet.',
  },
  target_refused: {
    said: () => 'This server does not call the address that the account is at.',
    fix: () => 'The server operator can permit the address by TRUSTED_ORIGINS.',
  },
  provider_disabled: {
    said: ({ network }) => `${network} is not set up on this server.`,
    fix: ({ network }) => `The server operator has to set up ${network} in the settings.`,
  },
  check_failed: {
    said: () => 'The check itself failed.',
    fix: () => 'The server operator finds the reason in the server’s log.',
  },
  access_accepted: {
    said: ({ network, until }, { time }) =>
      until === undefined
        ? `${network} accepts the access.`
        : `${network} accepts the access, which ends on ${time(until)}.`,
    fix: null,
  },
  access_ends_soon: {
    said: ({ network, until = '' }, { time }) =>
      `${network} accepts the access, but ends it on ${time(until)}.`,
    fix: () => 'Reconnect the channel before then.',
  },
  access_over: {
    said: () => 'The access token has ended.',
    fix: () =>
      'Postrider gets a new one before the next post. If it hasn’t within an hour, reconnect the channel.',
  },
  access_refused: {
    said: ({ network }) => `${network} no longer accepts the access.`,
    fix: RECONNECT,
  },
  reconnect_required: { said: () => 'The channel is disconnected.', fix: RECONNECT },
  access_unreadable: {
    said: () => 'The stored access can’t be decrypted.',
    fix: () => 'Reconnect the channel, unless the server operator can restore the secret key.',
  },
  account_suspended: {
    said: ({ network }) => `${network} has suspended, locked or closed this account.`,
    fix: ({ network }) => `Sign in to ${network} to see why.`,
  },
  app_refused: {
    said: ({ network }) => `${network} refuses this server’s app.`,
    fix: ({ network }) =>
      `The server operator has to check the app at ${network}: its access level, its permissions and its credits.`,
  },
  signer_away: {
    said: () => 'The remote signer of the account did not answer.',
    fix: () => 'Check that it is running and connected to its relays.',
  },
  access_not_told: {
    said: ({ network, reason = '' }) => `${network} did not say whether it accepts the access (${reason}).`,
    fix: () => 'Try again later.',
  },
  scopes_granted: { said: () => 'Everything that publishing needs is allowed.', fix: null },
  scopes_missing: {
    said: ({ missing = [] }, { list }) => `Publishing needs more than was allowed: ${list(missing)}.`,
    fix: () => 'Reconnect the channel and allow everything it asks for.',
  },
  rights_missing: {
    said: ({ missing = [] }, { list }) => `Publishing needs a right that was not given: ${list(missing)}.`,
    fix: ({ network }) => `Give it on ${network}.`,
  },
  scopes_not_told: { said: ({ network }) => `${network} does not tell what was allowed.`, fix: null },
  quota_left: {
    said: ({ unit = 'calls', left = 0, of = null, resetsAt = null }, { number, time }) => {
      const until = resetsAt === null ? '' : ` until ${time(resetsAt)}`
      if (unit === 'percent') return `${number(left)}% of the calls are left${until}.`
      const total = of === null ? '' : ` of ${number(of)}`
      return `${number(left)}${total} ${unit} are left${until}.`
    },
    fix: null,
  },
  quota_used_up: {
    said: ({ network, unit = 'calls', of = null }, { number }) => {
      const what = unit === 'percent' ? 'calls' : unit
      return of === null || unit === 'percent'
        ? `${network} takes no more ${what} for now: its limit is used up.`
        : `All ${number(of)} ${what} that ${network} takes are used up.`
    },
    fix: ({ resetsAt = null }, { time }) =>
      resetsAt === null ? 'Posts wait until there is room again.' : `Posts wait until ${time(resetsAt)}.`,
  },
  quota_not_told: {
    said: ({ network }) => `${network} does not tell how much of its limits is left.`,
    fix: null,
  },
  limits_same: { said: () => 'The limits are those that posts are checked against.', fix: null },
  limits_changed: {
    said: ({ changes = [] }, { list, number }) => {
      const shown = changes.map(({ limit, kept, now }) =>
        limit === 'other'
          ? 'file types or sizes'
          : `${LIMITS[limit]} ${kept === null ? 'none' : number(kept)} → ${now === null ? 'none' : number(now)}`,
      )
      return `The limits have changed: ${list(shown)}.`
    },
    fix: () => 'Postrider reads them again within a day. To use them now, reconnect the channel.',
  },
  limits_not_told: { said: ({ network }) => `${network} does not tell its limits.`, fix: null },
  version_answered: {
    said: ({ network, version = '' }) => `${network} answers version ${version}.`,
    fix: null,
  },
  version_ending: {
    said: ({ network, version = '', until = '' }, { time }) =>
      `${network} can end version ${version} of its API from ${time(until)} on.`,
    fix: () => 'The server operator has to upgrade Postrider before then.',
  },
  version_gone: {
    said: ({ network, version = '' }) => `${network} no longer answers version ${version} of its API.`,
    fix: () => 'The server operator has to upgrade Postrider.',
  },
  version_not_told: {
    said: ({ network }) => `${network} does not tell the version that answers.`,
    fix: null,
  },
  clock_right: {
    said: ({ network, seconds = 0 }, { number }) =>
      `The clocks of this server and of ${network} are ${number(Math.abs(seconds))} s apart.`,
    fix: null,
  },
  clock_off: {
    said: ({ network, seconds = 0 }, { number }) =>
      `This server’s clock is ${number(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock of ${network}.`,
    fix: () => 'The server operator has to have the server keep its time by NTP.',
  },
  clock_not_told: { said: ({ network }) => `${network} does not tell its time.`, fix: null },
}

const LIMITS: Readonly<Record<Exclude<ChangedLimit['limit'], 'other'>, string>> = {
  characters: 'characters',
  files: 'files',
  altCharacters: 'characters of alt text',
  imageBytes: 'bytes of an image',
  videoBytes: 'bytes of a video',
}

/** The worst of them. */
export function worstLevel(levels: readonly FindingLevel[]): FindingLevel {
  return findingLevels.toReversed().find((level) => levels.includes(level)) ?? 'unknown'
}
