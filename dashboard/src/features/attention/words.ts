import { plural } from '../../lib/plural.ts'
import { german } from '../../lib/language.ts'

const en = {
  title: 'Needs attention',
  editAndRetry: 'Edit and retry',
  seeMissing: 'See what is missing',
  seeWhy: 'See why',
  liveTwice: 'Live twice',
  liveTwiceHint:
    'A call that was given up was confirmed late. Nothing was deleted: delete the post that you do not want.',
  openSecond: 'Open second post',
  secondId: (id: string) => `ID of the second post: ${id}`,
  withoutText: 'Post without text',
  dismissLabel: (title: string) => `Dismiss: “${title}”`,
  dismissed: 'Dismissed in this browser.',
  undo: 'Undo',
  dismiss: 'Dismiss',
  open: 'Open',
  waiting: (count: number) => `${plural(count, 'post waits', 'posts wait')} for it.`,
  endsSoon: 'Access ends soon',
  reconnectNeeded: 'Reconnect needed',
  endsAt: (time: string) => `Access ends ${time}.`,
  versionEndsSoon: 'Network change',
  versionEnds: (network: string, version: string, time: string) =>
    `${network} can end version ${version} of its API from ${time} on, and then refuse posts. The server operator has to upgrade Postrider before then.`,
  noAccess: (more: string) => `No access to this account. ${more}`,
  reconnect: 'Reconnect',
  seriesPaused: 'Series paused',
  seriesWaiting: 'Not created',
  disabled: 'Disabled',
  failing: 'Failing',
  since: (when: string) => `Since ${when}`,
  seeDeliveries: 'See deliveries',
  lead: 'Problems that need a decision, and what you can do about them.',
  none: 'Nothing needs attention',
  noneHint:
    'Failed posts, posts that are live twice, channels without access, stopped series and failing webhooks appear here.',
  seeAll: (count: number) => `See all ${count}`,
}
export type Words = typeof en

export const words: Words = german?.attention ?? en
