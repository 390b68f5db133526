import type { ApprovalPolicy, CredentialLimits } from '@postrider/contract'
import { asksForAnything } from '../../edge/operations/approval-policy.ts'

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

/** A policy in words. */
export function describePolicy({ all, withinMinutes, firstPosts }: ApprovalPolicy): string {
  const words = [
    ...(all ? ['everything'] : []),
    ...(withinMinutes === null ? [] : [`what is due within ${withinMinutes} min`]),
    ...(firstPosts === null ? [] : [`the first ${firstPosts} posts`]),
  ]
  return words.length === 0 ? 'immediate posts only' : words.join(' and ')
}
