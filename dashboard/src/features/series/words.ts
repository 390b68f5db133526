import { german } from '../../lib/language.ts'
import { plural } from '../../lib/plural.ts'

/* What is said of series. */

const suffixes = { one: 'st', two: 'nd', few: 'rd', other: 'th' } as const
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const nth = (n: number) => `${n}${suffixes[ordinals.select(n) as keyof typeof suffixes]}`
const last = (n: number) => (n === 1 ? 'last' : `${nth(n)}-to-last`)

type Rule = { every: string; days: string | null; at: string; end: string }

const en = {
  title: 'Series',
  lead: 'Posts that repeat on a schedule.',
  none: 'No series yet',
  noneHint: 'Write a post, choose its first time, and turn on “Repeat”.',
  write: 'New post',
  older: 'Show older',
  statuses: { active: 'Active', paused: 'Paused', ended: 'Ended' },
  next: (when: string) => `Next: ${when}`,
  noNext: 'No occurrence planned',
  withoutText: 'Without text',
  every: {
    DAILY: (n: number) => (n === 1 ? 'Every day' : `Every ${n} days`),
    WEEKLY: (n: number) => (n === 1 ? 'Every week' : `Every ${n} weeks`),
    MONTHLY: (n: number) => (n === 1 ? 'Every month' : `Every ${n} months`),
  },
  nth: (n: number, name: string) => `the ${n < 0 ? last(-n) : nth(n)} ${name}`,
  monthDay: (n: number) => (n < 0 ? `the ${last(-n)} day` : `the ${nth(n)}`),
  at: (clock: string, place: string) => `at ${clock} in ${place}`,
  times: (count: number) => plural(count, 'time', 'times'),
  until: (day: string) => `until ${day}`,
  rule: ({ every, days, at, end }: Rule) => `${every}${days === null ? '' : ` on ${days}`} ${at}, ${end}`,
  repeat: {
    every: 'Repeat every',
    unit: 'Unit',
    units: { DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months' },
    on: 'On',
    onDay: (day: string) => `On ${day} of the month. Months without that day are skipped.`,
    ends: 'Ends',
    endTimes: 'After a number of times',
    endUntil: 'On a date',
    times: 'Number of times',
    until: 'Last day',
    first: (moments: string) => `Publishes ${moments}.`,
    clock: (days: string) => `Clocks change: this time doesn’t exist, or exists twice, on ${days}.`,
    leaveOut: (days: string) => `Leave out ${days}`,
    leftOut: (days: string) => `Left out: ${days}.`,
    putBack: 'Put back',
  },
  content: 'Content',
  contentTurn: (n: number) => `Text ${n}`,
  leftOut: (days: string) => `Left out: ${days}.`,
  postsBy: (name: string) => `Posts are created in the name of ${name}.`,
  occurrences: 'Occurrences',
  noOccurrences: 'No occurrences left.',
  states: {
    planned: 'Planned',
    waiting: 'Waiting',
    missed: 'Missed',
    skipped: 'Skipped',
    made: 'Post created',
  },
  changed: 'Changed',
  openPost: 'Open post',
  openPostOf: (when: string) => `Open post of ${when}`,
  skip: 'Skip',
  skipOf: (when: string) => `Skip ${when}`,
  skipped: (when: string) => `Skipped: ${when}.`,
  takeUp: 'Don’t skip',
  takeUpOf: (when: string) => `Don’t skip ${when}`,
  takenUp: (when: string) => `Planned again: ${when}.`,
  edit: 'Edit…',
  editOf: (when: string) => `Edit ${when}…`,
  editTitle: 'Edit series',
  pause: 'Pause',
  paused: 'Series paused.',
  resume: 'Resume',
  resumed: 'Series resumed.',
  end: 'End…',
  endTitle: 'End this series?',
  endHint: 'Its posts that aren’t published yet are cancelled. An ended series can’t be resumed.',
  endAct: 'End series',
  ended: 'Series ended.',
  scope: 'Change',
  scopes: { only: 'This occurrence only', later: 'This and later ones', all: 'All future ones' },
  isMade: 'Its post already exists. Edit the post instead.',
  editPost: 'Edit post',
  text: 'Text',
  textFor: (name: string) => `Text for ${name}`,
  publishAt: 'Publish at',
  timeOfDay: (place: string) => `Time of day in ${place}`,
  close: 'Close',
  save: 'Save changes',
  saved: 'Series changed.',
  /** What the last change did to posts that were there. */
  did: {
    effects: 'What the change did',
    cancelled: (days: string) => `Posts cancelled: ${days}. Days still in the series get new ones.`,
    cancelledOnly: (days: string) => `Posts cancelled: ${days}.`,
    kept: (day: string, reason: string) => `Post unchanged on ${day}: ${reason}`,
    noEffects: 'No existing post was changed.',
  },
  /** What a change will do, before it is saved. */
  willDo: {
    effects: 'What saving does',
    cancelled: (days: string) => `Cancels the posts of ${days}. Days still in the series get new ones.`,
    cancelledOnly: (days: string) => `Cancels the posts of ${days}.`,
    kept: (day: string, reason: string) => `Doesn’t change the post of ${day}: ${reason}`,
    noEffects: 'Changes no existing post.',
  },
  channels: 'Channels',
  onChannels: (names: string) => `On ${names}`,
  noChannel: 'Choose a channel.',
  otherRule: 'This rule can’t be chosen here. What you choose replaces it.',
  countedFrom: (day: string) => `Counted from ${day}, the first day.`,
}
export type Words = typeof en

export const words: Words = german?.series ?? en
