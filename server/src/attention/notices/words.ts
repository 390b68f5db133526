import { wordsIn } from '../../platform/text/language.ts'
import { plural } from '../../platform/text/plural.ts'

const en = {
  subject: (count: number, workspace: string) =>
    `${plural(count, 'problem needs', 'problems need')} attention in ${workspace}`,
  subjectOfMany: (count: number, workspace: string) =>
    `More than ${count.toLocaleString('en')} problems need attention in ${workspace}`,
  lead: (workspace: string) => `New in the workspace ${workspace}:`,
  headings: {
    posts_failed: 'Posts that failed or were published partly',
    posts_checking: 'Posts that need your decision',
    posts_twice: 'Posts that are live twice',
    channels: 'Channels that need attention',
    series: 'Series that create no posts',
    webhooks: 'Webhooks that fail',
  },
  count: (heading: string, count: number) => `${heading} (${count.toLocaleString('en')})`,
  countOfMany: (heading: string, count: number) => `${heading} (more than ${count.toLocaleString('en')})`,
  quoted: (text: string) => `“${text}”`,
  withoutText: 'A post without text',
  on: (post: string, channel: string) => `${post} on ${channel}`,
  problems: {
    failed: 'Failed. Edit the post and retry.',
    partially_published: 'Partly published. See which parts are missing.',
    checking: 'It’s unconfirmed whether the network published it. Look there, then resolve it.',
    live_twice:
      'A call that was given up was confirmed after all. Nothing was deleted: delete the post that you don’t want on the network.',
    disconnected: 'No access to this account. Reconnect it.',
    access_ending: 'Access ends soon. Reconnect it before then.',
    version_ending:
      'After that, the network may refuse all posts of this server. The server operator has to upgrade Postrider.',
    waiting: 'The next post can’t be created. Edit the series.',
    paused: 'Paused. Edit and resume it.',
    failing: 'It hasn’t answered as it should for at least 15 minutes.',
    disabled: 'It was disabled, and gets no events. Its page says why. Enable it once that is solved.',
  } as Readonly<Record<string, string>>,
  second: (place: string) => `The second post: ${place}`,
  until: (time: string) => `Access ends ${time}.`,
  versionUntil: (time: string) => `The network ends the version of its API that Postrider uses: ${time}.`,
  /** What the server says of an error, in the language of the mail. */
  sentence: (english: string) => english,
  more: (count: number) => `And ${count.toLocaleString('en')} more.`,
  seeAll: 'See everything that needs attention',
  why: (workspace: string) =>
    `You get this email as a member of ${workspace}. Choose what you are emailed about under “Notices” in its settings:`,
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
