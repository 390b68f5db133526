import { wordsIn } from '../platform/language.ts'

const en = {
  subject: (workspace: string) => `Approval needed in ${workspace}`,
  wantsToPublish: (author: string, channels: string, workspace: string) =>
    `${author} wants to publish a post on ${channels} (workspace ${workspace}).`,
  publishesNow: 'Publishes as soon as it’s approved.',
  publishesAt: (time: string) => `Publishes at ${time} once approved.`,
  review: 'Review post',
  decideBy: (time: string) => `Decide by ${time}, or it won’t be published.`,
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
