import type { CredentialLimits, CredentialLimitsInput } from '@postrider/contract'
import type { Command } from 'commander'
import { readLimits } from '../identity/read-limits.ts'
import { readNetwork } from '../platform/credential-limits.ts'
import type { Sql } from '../platform/db.ts'
import { isRefusal } from '../platform/refusal.ts'
import { parseId, parseSpan, parseWhole } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'

/** What a credential is limited to, as it was typed. */
export type LimitOptions = {
  channels?: string
  postsPerDay?: string
  within?: string
  draftsOnly?: boolean
  networks?: string
}

export function addLimitOptions(command: Command): void {
  command
    .option('--channels <ids>', 'only these channels, and what is posted to them')
    .option('--posts-per-day <number>', 'create at most so many posts a day of the workspace’s time zone')
    .option('--within <span>', 'plan at most so far ahead (12h, 30d)')
    .option('--drafts-only', 'only check, and write drafts: a person schedules them')
    .option('--networks <list>', 'only from these networks (203.0.113.0/24,2001:db8::/32)')
}

/** The limits as a request would have them. Throws UsageError on what is none. */
export function parseLimits(options: LimitOptions): CredentialLimitsInput {
  const { channels, postsPerDay, within, draftsOnly, networks } = options
  return {
    ...(channels === undefined
      ? {}
      : { channelIds: listOf(channels).map((id) => parseId('--channels', id)) }),
    ...(postsPerDay === undefined
      ? {}
      : { postsPerDay: parseWhole('--posts-per-day', postsPerDay, 100_000) }),
    ...(within === undefined ? {} : { publishWithinHours: parseSpan('--within', within) / 3_600_000 }),
    ...(draftsOnly === undefined ? {} : { draftsOnly }),
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
  const { channelIds, postsPerDay, publishWithinHours, draftsOnly, networks } = limits
  const words = [
    ...(draftsOnly ? ['drafts only'] : []),
    ...(channelIds === null
      ? []
      : [`${channelIds.length} ${channelIds.length === 1 ? 'channel' : 'channels'}`]),
    ...(postsPerDay === null ? [] : [`${postsPerDay} posts a day`]),
    ...(publishWithinHours === null ? [] : [`${publishWithinHours} h ahead`]),
    ...(networks === null ? [] : [`from ${networks.join(' ')}`]),
  ]
  return words.length === 0 ? 'not limited' : `limited to ${words.join(', ')}`
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
