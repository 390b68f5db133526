import type { ApprovalPolicy, CredentialLimits } from '@postrider/contract'
import { useChannels } from '../channels/use-channels.ts'

/** What a credential is narrowed to, in a few words for each limit. */
export function LimitWords({ limits }: { limits: CredentialLimits }) {
  const { nameOf } = useChannels()
  return limitWords(limits, nameOf).map((words) => <span key={words}>{words}</span>)
}

function limitWords(limits: CredentialLimits, channelName: (channelId: string) => string): string[] {
  const { channelIds, postsPerDay, publishWithinHours, draftsOnly, networks, approval } = limits
  return [
    draftsOnly ? 'drafts only' : null,
    channelIds === null ? null : `only on ${channelIds.map(channelName).join(', ')}`,
    postsPerDay === null ? null : `${counted(postsPerDay, 'post')} a day`,
    publishWithinHours === null ? null : `at most ${counted(publishWithinHours, 'hour')} ahead`,
    networks === null ? null : `only from ${networks.join(', ')}`,
    ...(approval === null ? [] : policyWords(approval)),
  ].filter((words) => words !== null)
}

function policyWords({ all, withinMinutes, firstPosts }: ApprovalPolicy): (string | null)[] {
  if (all) return ['everything waits for approval']
  return [
    withinMinutes === null ? null : `within ${counted(withinMinutes, 'minute')} only with approval`,
    firstPosts === null ? null : `the first ${counted(firstPosts, 'post')} only with approval`,
  ]
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString()} ${thing}${count === 1 ? '' : 's'}`
}
