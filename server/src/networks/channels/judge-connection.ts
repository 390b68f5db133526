import type { MediaKind } from '@postrider/contract'
import {
  type ChangedLimit,
  connectionAspects,
  type FindingCode,
  connectionFindings,
  type FindingValues,
} from '@postrider/contract/names'
import { isRefusedTarget } from '../../platform/outbound/outbound-http.ts'
import type {
  AccessState,
  ApiVersion,
  Examination,
  Limits,
  Providers,
  Quota,
} from '../providers/port/port.ts'
import { endsAt, isEnding } from './version-ends.ts'
import { limitsOf } from './channel.ts'

/** What is kept of a connected account, which a check compares with what its network tells. */
export type KeptConnection = {
  readonly provider: string
  readonly subscription: string | null
  readonly limits: Limits | null
  /** When the network ends the authorization for good; null where it named no such time. */
  readonly authorizationEndsAt: Date | null
  /** When its access token ends, where a refresh gets another. */
  readonly accessEndsAt: Date | null
}

/** How a check ended. */
export type Checked =
  | { readonly is: 'examined'; readonly examination: Examination }
  /** A call that it cannot do without was not answered. */
  | { readonly is: 'silent'; readonly reason: string }
  /** Nothing was asked, or nothing came of it. */
  | {
      readonly is: 'not_asked'
      readonly why: 'reconnect_required' | 'access_unreadable' | 'provider_disabled' | 'check_failed'
    }

/** One outcome, with the values of its sentence; the name of the network is added to them. */
export type ConnectionFinding = {
  readonly code: FindingCode
  readonly values: Omit<FindingValues, 'network'>
}

/** How long before the end of an access its owner is warned. */
const WARN_BEFORE_MS = 7 * 86_400_000
/** Further apart than this, signatures and tokens can be refused for their times. */
const MAX_SKEW_MS = 30_000

/**
 * What a check found, aspect by aspect. That a network does not tell something is said only where it accepts the access: of any other,
 * nothing more was asked. `skewMs` is by how much the clock of this server is ahead of the network's; null where no answer had a time.
 */
export function judgeConnection(
  kept: KeptConnection,
  checked: Checked,
  at: { readonly skewMs: number | null; readonly now: Date; readonly providers: Providers },
): ConnectionFinding[] {
  if (checked.is === 'not_asked') return [finding(checked.why)]
  const clock = judgeSkew(at.skewMs)
  if (checked.is === 'silent') {
    const { reason } = checked
    const found = isRefusedTarget(reason) ? finding('target_refused') : finding('network_away', { reason })
    return at.skewMs === null ? [found] : [found, clock]
  }
  const { access, missing, quotas, account, version } = checked.examination
  const ending = judgeVersionEnd(at.providers.get(kept.provider)?.apiVersion, at.now)
  const told = [
    ...judgeMissing(missing),
    ...judgeQuotas(quotas, at.now),
    ...(account === null ? [] : [judgeLimits(kept, account, at.providers)]),
    ...(version === null
      ? []
      : [finding(version.answered ? 'version_answered' : 'version_gone', { version: version.name })]),
    ...(version?.answered === false ? [] : ending),
  ]
  const untold = [
    ...(missing === null ? [finding('scopes_not_told')] : []),
    ...(quotas.length === 0 ? [finding('quota_not_told')] : []),
    ...(account === null ? [finding('limits_not_told')] : []),
    ...(version === null ? [finding('version_not_told')] : []),
  ]
  // That the version is gone is why nothing was said of the access.
  const saysNothing = access.is === 'unknown' && version?.answered === false
  return [
    ...(saysNothing ? [] : [judgeAccess(kept, access, at.now)]),
    ...told,
    ...(access.is === 'accepted' ? untold : []),
    clock,
  ].toSorted((one, other) => placeOf(one) - placeOf(other))
}

function finding(code: FindingCode, values: ConnectionFinding['values'] = {}): ConnectionFinding {
  return { code, values }
}

function placeOf({ code }: ConnectionFinding): number {
  return connectionAspects.indexOf(connectionFindings[code].aspect)
}

function judgeAccess(kept: KeptConnection, access: AccessState, now: Date): ConnectionFinding {
  const isRefreshed = kept.accessEndsAt !== null
  switch (access.is) {
    case 'accepted': {
      // The end of a token that is refreshed is no end of the access.
      const ends = [kept.authorizationEndsAt, isRefreshed ? null : access.endsAt].filter(
        (end) => end !== null,
      )
      if (ends.length === 0) return finding('access_accepted')
      const endsMs = Math.min(...ends.map((end) => end.getTime()))
      const isSoon = endsMs < now.getTime() + WARN_BEFORE_MS
      return finding(isSoon ? 'access_ends_soon' : 'access_accepted', {
        until: new Date(endsMs).toISOString(),
      })
    }
    case 'expired':
      return finding(isRefreshed ? 'access_over' : 'access_refused')
    case 'reauthorize':
      return finding('access_refused')
    case 'suspended':
      return finding('account_suspended')
    case 'app_refused':
      return finding('app_refused')
    case 'signer_away':
      return finding('signer_away')
    case 'unknown': {
      const reason = `HTTP ${access.status}`
      return finding(access.status >= 500 ? 'network_away' : 'access_not_told', { reason })
    }
  }
}

function judgeMissing(missing: Examination['missing']): ConnectionFinding[] {
  if (missing === null) return []
  const [code, names] =
    'scopes' in missing
      ? (['scopes_missing', missing.scopes] as const)
      : (['rights_missing', missing.rights] as const)
  return [names.length === 0 ? finding('scopes_granted') : finding(code, { missing: names })]
}

/** Percents say nothing more of calls that are known to be used up. */
function judgeQuotas(quotas: readonly Quota[], now: Date): ConnectionFinding[] {
  const callsAreUsedUp = quotas.some(({ unit, left }) => unit === 'calls' && left === 0)
  return quotas
    .filter(({ unit }) => unit !== 'percent' || !callsAreUsedUp)
    .map(({ unit, left, of, resetsInMs }) => {
      const resetsAt = resetsInMs === null ? null : new Date(now.getTime() + resetsInMs).toISOString()
      return finding(left === 0 ? 'quota_used_up' : 'quota_left', { unit, left, of, resetsAt })
    })
}

function judgeLimits(
  kept: KeptConnection,
  account: NonNullable<Examination['account']>,
  providers: Providers,
): ConnectionFinding {
  const { provider } = kept
  const changes = changesBetween(limitsOf(kept, providers), limitsOf({ provider, ...account }, providers))
  return changes.length === 0 ? finding('limits_same') : finding('limits_changed', { changes })
}

/** What differs, by what people know of it; all that differs otherwise is one change more. */
function changesBetween(kept: Limits, now: Limits): ChangedLimit[] {
  const named = Object.entries(measures).flatMap(([limit, measure]): ChangedLimit[] => {
    const [was, is] = [measure(kept), measure(now)]
    return was === is ? [] : [{ limit: limit as keyof typeof measures, kept: was, now: is }]
  })
  if (named.length > 0 || JSON.stringify(sorted(kept)) === JSON.stringify(sorted(now))) return named
  return [{ limit: 'other', kept: null, now: null }]
}

const bytesOf = (kind: MediaKind) => (limits: Limits) =>
  limits.media.kinds.find((one) => one.kind === kind)?.maxBytes ?? null

const measures = {
  characters: ({ maxCharacters }: Limits) => maxCharacters,
  files: ({ media }: Limits) => media.maxItems,
  altCharacters: ({ media }: Limits) => media.maxAltCharacters,
  imageBytes: bytesOf('image'),
  videoBytes: bytesOf('video'),
}

/** With the members of each object in one order: a database gives them back in its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

function judgeVersionEnd(version: ApiVersion | undefined, now: Date): ConnectionFinding[] {
  if (version === undefined || version.endsOn === null || !isEnding(version.endsOn, now)) return []
  return [finding('version_ending', { version: version.name, until: endsAt(version.endsOn).toISOString() })]
}

function judgeSkew(skewMs: number | null): ConnectionFinding {
  if (skewMs === null) return finding('clock_not_told')
  const seconds = Math.round(skewMs / 1_000)
  return finding(Math.abs(skewMs) < MAX_SKEW_MS ? 'clock_right' : 'clock_off', { seconds })
}
