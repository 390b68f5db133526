import { plural } from '../../lib/plural.ts'
import { german } from '../../lib/language.ts'

const en = {
  limitsLabel: (name: string) => `Limits of ${name}`,
  limits: 'Limits',
  revokeLabel: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  stopLabel: (name: string) => `Revoke and cancel posts: ${name}`,
  stop: 'Revoke and cancel posts',
  revokeHint: 'Stops working now. Scheduled posts stay scheduled. Can’t be undone.',
  stopTitle: (name: string) => `Revoke “${name}” and cancel its posts?`,
  stopAct: 'Revoke and cancel posts',
  stopped: (count: number, underWay: number) => `${count} cancelled. ${underWay} already publishing.`,
  stopHint:
    'Stops working now. Its scheduled posts and approval requests are cancelled, except posts that are already publishing. Can’t be undone.',
  limitsTitle: (name: string) => `Limits of “${name}”`,
  limitsHint: 'Applies to new requests only. Scheduled posts don’t change.',
  close: 'Close',
  limitsChanged: 'Limits changed.',
  changeLimits: 'Change limits',
  onlyLabel: (label: string) => `only posts labeled “${label}”`,
  labelLabel: 'Only posts with the label',
  labelHint: 'Leave it empty for all posts.',
  draftsOnly: 'drafts only',
  onlyChannels: (names: string) => `only on ${names}`,
  postsPerDay: (count: number) => `${plural(count, 'post', 'posts')} a day`,
  hoursAhead: (hours: number) => `at most ${plural(hours, 'hour', 'hours')} ahead`,
  onlyNetworks: (names: string) => `only from ${names}`,
  allNeedApproval: 'every post needs approval',
  soonNeedsApproval: (minutes: number) => `approval if due within ${plural(minutes, 'minute', 'minutes')}`,
  firstNeedApproval: (count: number) => `approval for the first ${plural(count, 'post', 'posts')}`,
  draftsOnlyLabel: 'Drafts only',
  draftsOnlyHint: 'Can create drafts, not schedule them.',
  postsPerDayLabel: 'Posts per day',
  hoursAheadLabel: 'Schedule at most (hours ahead)',
  channels: 'Only these channels',
  allChannels: 'None selected: all channels',
  networks: 'Only from these IP ranges',
  networksHint: 'For example 203.0.113.0/24, 2001:db8::/32',
  allNeedApprovalLabel: 'Require approval for every post',
  soonNeedsApprovalLabel: 'Require approval if due within (minutes)',
  firstNeedApprovalLabel: 'Require approval for the first (posts)',
}
export type Words = typeof en

export const words: Words = german?.credentials ?? en
