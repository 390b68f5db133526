import { german } from '../../lib/language.ts'
import { plural } from '../../lib/plural.ts'

const en = {
  more: (name: string) => `More for ${name}`,
  planned: (count: number) => plural(count, 'post planned', 'posts planned'),
  openProfile: 'Open profile',
  rename: 'Rename…',
  renameTitle: (name: string) => `Rename ${name}`,
  name: 'Name',
  nameHint: (handle: string) => `Seen in this workspace only. Leave it empty to use the name of @${handle}.`,
  save: 'Save name',
  cancel: 'Cancel',
  renamed: (name: string) => `The channel is now called ${name}.`,
  ownName: 'The channel takes the name of its account when that is next read.',
  enable: 'Enable',
  disable: 'Disable…',
  remove: 'Remove…',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeHint: (network: string) =>
    `Postrider deletes its access to the account and takes the channel out of every list. What was published stays on ${network} and in your posts. To bring the channel back, connect the same account again.`,
  nothingPlanned: 'Nothing is planned on it.',
  whatOfPlanned: (count: number) => `${plural(count, 'planned post', 'planned posts')} on this channel`,
  cancelThem: 'Cancel on this channel',
  cancelHint: 'Their other channels are not affected. This can’t be undone.',
  keepThem: 'Keep',
  keepHint: 'They wait for the account to be connected again, and expire after their deadline.',
  removeIt: 'Remove channel',
  removed: (name: string) => `${name} is removed.`,
  removedAndCancelled: (name: string, count: number) =>
    `${name} is removed, ${plural(count, 'post', 'posts')} cancelled.`,
}
export type Words = typeof en

export const words: Words = german?.channels ?? en
