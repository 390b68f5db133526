import { wordsIn } from '../../platform/text/language.ts'
import { plural } from '../../platform/text/plural.ts'

const en = {
  subject: (workspace: string) => `Approval needed in ${workspace}`,
  subjectOfSeveral: (count: number, workspace: string) => `${count} posts need approval in ${workspace}`,
  waiting: (workspace: string) => `Waiting for approval in the workspace ${workspace}`,
  withoutText: 'A post without text',
  quoted: (text: string) => `“${text}”`,
  publishesOn: (author: string, channels: string) => `${author} wants to publish it on ${channels}.`,
  andMore: (count: number) => `And ${count.toLocaleString('en')} more.`,
  reviewAll: 'See all requests',
  wantsToPublish: (author: string, channels: string, workspace: string) =>
    `${author} wants to publish a post on ${channels} (workspace ${workspace}).`,
  more: (count: number) => `${count} more`,
  publishesNow: (several: boolean) =>
    `If approved, it’s published right away${several ? ', and later on other channels' : ''}.`,
  publishesAt: (time: string, several: boolean) =>
    `If approved, it’s published on ${time}${several ? ', and later on other channels' : ''}.`,
  files: (count: number) => `With ${plural(count, 'file', 'files')} attached.`,
  differs: 'On other channels, the post differs.',
  review: 'Review post',
  decideBy: (time: string) => `Decide by ${time}, or it won’t be published.`,
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
