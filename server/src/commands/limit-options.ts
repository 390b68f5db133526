import type { ApprovalPolicy, CredentialLimits, CredentialLimitsInput } from '@postrider/contract'
import { noApprovalPolicy } from '@postrider/contract/names'
import type { Command } from 'commander'
import { readLimits } from '../keys/read-limits.ts'
import { asksForAnything } from '../operations/approval-policy.ts'
import { readNetwork } from '../operations/credential-limits.ts'
import type { Sql } from '../platform/db.ts'
import { isRefusal } from '../operations/refusal.ts'
import { parseId, parseSpan, parseWhole } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'

/** What a credential is limited to, as it was typed. */
export type LimitOptions = {
  channels?: string
  postsPerDay?: string
  within?: string
  draftsOnly?: boolean
  networks?: string
  approval?: string
}

/** What waits for a person, as it is typed. */
export const APPROVAL_HELP =
  'what waits for a person: "all", "within=30m" (due so soon), "first=5" (until so many were approved), "none"'

export function addLimitOptions(command: Command): void {
  command
    .option('--channels <ids>', 'only these channels, and what is posted to them')
    .option('--posts-per-day <number>', 'create at most so many posts a day of the workspace’s time zone')
    .option('--within <span>', 'plan at most so far ahead (12h, 30d)')
    .option('--drafts-only', 'only check, and write drafts: a person schedules them')
    .option('--networks <list>', 'only from these networks (203.0.113.0/24,2001:db8::/32)')
    .option('--approval <policy>', APPROVAL_HELP)
}

/** The limits as a request would have them. Throws UsageError on what is none. */
export function parseLimits(options: LimitOptions): CredentialLimitsInput {
  const { channels, postsPerDay, within, draftsOnly, networks, approval } = options
  return {
    ...(channels === undefined
      ? {}
      : { channelIds: listOf(channels).map((id) => parseId('--channels', id)) }),
    ...(postsPerDay === undefined
      ? {}
      : { postsPerDay: parseWhole('--posts-per-day', postsPerDay, 100_000) }),
    ...(within === undefined ? {} : { publishWithinHours: parseSpan('--within', within) / 3_600_000 }),
    ...(draftsOnly === undefined ? {} : { draftsOnly }),
    ...(approval === undefined ? {} : { approval: parsePolicy('--approval', approval) }),
    ...(networks === undefined ? {} : { networks: parseNetworks(networks) }),
  }
}

/** The same, checked against the workspace. Throws CommandFault on what it does not have. */
export async function readLimitsOf(
  sql: Sql,
  workspaceId: string,
  sent: CredentialLimitsInput,
): Promise<CredentialLimits> {
  const limits = await readLimits(sql, workspaceId, sent)
  if (isRefusal(limits)) throw new CommandFault(limits.detail)
  return limits
}

/** The limits in words. */
export function describeLimits(limits: CredentialLimits): string {
  const { channelIds, postsPerDay, publishWithinHours, draftsOnly, networks, approval } = limits
  const words = [
    ...(draftsOnly ? ['drafts only'] : []),
    ...(channelIds === null
      ? []
      : [`${channelIds.length} ${channelIds.length === 1 ? 'channel' : 'channels'}`]),
    ...(postsPerDay === null ? [] : [`${postsPerDay} posts a day`]),
    ...(publishWithinHours === null ? [] : [`${publishWithinHours} h ahead`]),
    ...(networks === null ? [] : [`from ${networks.join(' ')}`]),
    ...(approval === null || !asksForAnything(approval) ? [] : [`approval of ${describePolicy(approval)}`]),
  ]
  return words.length === 0 ? 'not limited' : `limited to ${words.join(', ')}`
}

/** A policy as it was typed: `none`, or some of `all`, `within=30m` and `first=5`. Throws UsageError. */
export function parsePolicy(option: string, text: string): ApprovalPolicy {
  let policy = noApprovalPolicy
  if (text === 'none') return policy
  for (const word of listOf(text)) {
    const [name, value = ''] = word.split('=')
    if (word === 'all') policy = { ...policy, all: true }
    else if (name === 'within')
      policy = { ...policy, withinMinutes: Math.min(parseSpan(option, value) / 60_000, 525_600) }
    else if (name === 'first') policy = { ...policy, firstPosts: parseWhole(option, value, 1_000) }
    else
      throw new UsageError(
        `${option} does not understand "${word}". Give none, or some of all,within=30m,first=5.`,
      )
  }
  return policy
}

/** A policy in words. */
export function describePolicy({ all, withinMinutes, firstPosts }: ApprovalPolicy): string {
  const words = [
    ...(all ? ['everything'] : []),
    ...(withinMinutes === null ? [] : [`what is due within ${withinMinutes} min`]),
    ...(firstPosts === null ? [] : [`the first ${firstPosts} posts`]),
  ]
  return words.length === 0 ? 'immediate posts only' : words.join(' and ')
}

function parseNetworks(text: string): string[] {
  return listOf(text).map((network) => {
    const read = readNetwork(network)
    if (read !== null) return read
    throw new UsageError(
      `--networks does not understand "${network}". Give networks such as 203.0.113.0/24 or 2001:db8::/32.`,
    )
  })
}

function listOf(text: string): string[] {
  return [...new Set(text.split(',').map((one) => one.trim()))]
}
