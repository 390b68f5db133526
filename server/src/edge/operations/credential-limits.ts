import type { CredentialLimits } from '@postrider/contract'
import { type LimitName, noLimits } from '@postrider/contract/names'
import ipaddr from 'ipaddr.js'
import { nameKey } from '../../platform/text/name-key.ts'
import { refuse, type Refusal } from './refusal.ts'

/** What a caller is about to do, as far as a limit may forbid it. */
export type LimitedAct = {
  /** The address that the request comes from. */
  readonly address?: string
  /** The channels that it writes to, or whose posts it changes. */
  readonly channelIds?: readonly string[]
  /** The labels of a post that it creates, or as it leaves them. */
  readonly labels?: readonly string[]
  /** Whether anything is published by it, or what is to be published is changed. */
  readonly publishes?: boolean
  /** The time that something is given; null for none. */
  readonly publishAt?: Date | null
  /** Of a create: how many posts the credential has created today. */
  readonly postsToday?: number
  /** Of a check of several: how many would be created before this one. */
  readonly postsBefore?: number
}

/** A limit that an act would exceed, and what it says, in a sentence. */
export type ExceededLimit = { readonly limit: LimitName; readonly message: string }

const HOUR_MS = 3_600_000

/** The one decision on what a narrowed credential may do; null where nothing forbids it. */
export function exceededLimit(limits: CredentialLimits, act: LimitedAct, now: Date): ExceededLimit | null {
  const { networks, channelIds, label, draftsOnly, publishWithinHours, postsPerDay } = limits
  if (networks !== null && act.address !== undefined && !isWithin(act.address, networks)) {
    return { limit: 'networks', message: `This credential may not be used from the address ${act.address}.` }
  }
  const foreign = act.channelIds?.find((id) => channelIds !== null && !channelIds.includes(id))
  if (foreign !== undefined) {
    return {
      limit: 'channelIds',
      message: `This credential is limited to ${channelIds?.length} of the channels, and ${foreign} is not among them.`,
    }
  }
  if (label !== null && act.labels !== undefined && !hasLabel(act.labels, label)) {
    return { limit: 'label', message: `This credential is limited to posts with the label “${label}”.` }
  }
  if (draftsOnly && act.publishes === true) {
    return {
      limit: 'draftsOnly',
      message: 'This credential can only check posts and create drafts: it cannot schedule or publish.',
    }
  }
  const latest = latestPublishAt(limits, now)
  if (latest !== null && act.publishAt != null && act.publishAt > latest) {
    return {
      limit: 'publishWithinHours',
      message: `This credential can schedule at most ${publishWithinHours} hours ahead, now until ${latest.toISOString()}.`,
    }
  }
  const { postsToday, postsBefore = 0 } = act
  if (postsPerDay !== null && postsToday !== undefined && postsToday + postsBefore >= postsPerDay) {
    const ofRows = postsBefore === 0 ? '' : `, and the rows before this one are ${postsBefore} more`
    return {
      limit: 'postsPerDay',
      message: `This credential is limited to ${postsPerDay} posts a day, and has created ${postsToday} today${ofRows}.`,
    }
  }
  return null
}

/** The refusal of an act that exceeds a limit; null where none does. */
export function refuseBeyond(
  limits: CredentialLimits,
  act: LimitedAct,
  now: Date = new Date(),
): Refusal<'credential_limit'> | null {
  const exceeded = exceededLimit(limits, act, now)
  if (exceeded === null) return null
  const { limit, message } = exceeded
  return refuse('credential_limit', `${message} ${fixes[limit]}`, { limit })
}

/** What to do about each limit. */
export const fixes: Record<LimitName, string> = {
  networks: 'Send the request from one of its networks, or ask an owner or admin to change the limit.',
  channelIds: 'Leave the channel out, or ask an owner or admin to change the limit.',
  label: 'Add the label to `labels`, or ask an owner or admin to change the limit.',
  draftsOnly: 'Create a draft for a person to schedule, or ask an owner or admin to change the limit.',
  publishWithinHours: 'Choose an earlier `publishAt`, or ask an owner or admin to change the limit.',
  postsPerDay:
    'Continue tomorrow (`GET /agent/v1/me` tells when that begins), or ask an owner or admin to change the limit.',
}

/** The latest `publishAt` that the credential may give now; null for any. */
export function latestPublishAt({ publishWithinHours }: CredentialLimits, now: Date): Date | null {
  return publishWithinHours === null ? null : new Date(now.getTime() + publishWithinHours * HOUR_MS)
}

/** Whether no limit hides anything from a credential. */
export function seesAll({ channelIds, label }: CredentialLimits): boolean {
  return channelIds === null && label === null
}

/** The answer to a create that was made before, of what the limits of a credential hide: as if it were new. */
export function refuseHidden({ channelIds }: CredentialLimits): Refusal<'credential_limit'> {
  const limit = channelIds === null ? 'label' : 'channelIds'
  return refuse('credential_limit', `This is beyond the limits of this credential. ${fixes[limit]}`, {
    limit,
  })
}

/** Whether a credential sees what belongs to these channels: one of them has to be its own. */
export function seesChannels({ channelIds }: CredentialLimits, of: readonly string[]): boolean {
  return channelIds === null || of.some((channelId) => channelIds.includes(channelId))
}

/** Whether a credential sees a post: it has to have its label, and one of its channels. */
export function seesPost(
  limits: CredentialLimits,
  { channelIds, labels }: { channelIds: readonly string[]; labels: readonly string[] },
): boolean {
  return seesChannels(limits, channelIds) && (limits.label === null || hasLabel(labels, limits.label))
}

/** Labels that all have to be there, as they are compared: that of the credential, and another that is asked for. */
export function labelKeys({ label }: CredentialLimits, asked?: string): string[] | null {
  const wanted = [asked, label].flatMap((one) => (one == null ? [] : [nameKey(one.trim())]))
  return wanted.length === 0 ? null : [...new Set(wanted)]
}

function hasLabel(labels: readonly string[], wanted: string): boolean {
  return labels.some((label) => nameKey(label) === nameKey(wanted))
}

/** The network as it is kept, its address without the bits of a host; null for what is no CIDR network. */
export function readNetwork(text: string): string | null {
  const bits = text.split('/')[1]
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text))
    return `${ipaddr.IPv4.networkAddressFromCIDR(text).toString()}/${bits}`
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValidCIDR(text)) return null
  const network = ipaddr.IPv6.networkAddressFromCIDR(text)
  // No request comes from a mapped address: what is IPv4 is judged as IPv4.
  return network.isIPv4MappedAddress() ? null : `${network.toString()}/${bits}`
}

function isWithin(address: string, networks: readonly string[]): boolean {
  const bare = address.replace(/%.*$/, '')
  if (!ipaddr.isValid(bare)) return false
  // IPv4 that came in over an IPv6 socket is IPv4.
  const from = ipaddr.process(bare)
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network)
    return range.kind() === from.kind() && from.match(range, bits)
  })
}

/** Limits as they are stored: only what narrows. */
export function storedLimits(limits: CredentialLimits): Partial<CredentialLimits> {
  return Object.fromEntries(
    Object.entries(limits).filter(([name, value]) => value !== noLimits[name as keyof CredentialLimits]),
  )
}

/** Limits as they were stored. */
export function readStoredLimits(stored: Partial<CredentialLimits>): CredentialLimits {
  return { ...noLimits, ...stored }
}

/** A credential whose limits are as they were stored, with all of them. */
export function withStoredLimits<Row extends { readonly limits: Partial<CredentialLimits> }>(row: Row) {
  return { ...row, limits: readStoredLimits(row.limits) }
}
