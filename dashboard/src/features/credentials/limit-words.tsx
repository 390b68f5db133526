import type { ApprovalPolicy, CredentialLimits } from '@postrider/contract'
import { useChannels } from '../channels/use-channels.ts'
import { words } from './words.ts'

/** What a credential is narrowed to, in a few words for each limit. */
export function LimitWords({ limits }: { limits: CredentialLimits }) {
  const { nameOf } = useChannels()
  return limitWords(limits, nameOf).map((words) => <span key={words}>{words}</span>)
}

function limitWords(limits: CredentialLimits, channelName: (channelId: string) => string): string[] {
  const { channelIds, label, postsPerDay, publishWithinHours, draftsOnly, networks, approval } = limits
  return [
    draftsOnly ? words.draftsOnly : null,
    channelIds === null ? null : words.onlyChannels(channelIds.map(channelName).join(', ')),
    label === null ? null : words.onlyLabel(label),
    postsPerDay === null ? null : words.postsPerDay(postsPerDay),
    publishWithinHours === null ? null : words.hoursAhead(publishWithinHours),
    networks === null ? null : words.onlyNetworks(networks.join(', ')),
    ...(approval === null ? [] : policyWords(approval)),
  ].filter((words) => words !== null)
}

function policyWords({ all, withinMinutes, firstPosts }: ApprovalPolicy): (string | null)[] {
  if (all) return [words.allNeedApproval]
  return [
    withinMinutes === null ? null : words.soonNeedsApproval(withinMinutes),
    firstPosts === null ? null : words.firstNeedApproval(firstPosts),
  ]
}
