import { german } from '../../lib/language.ts'
import { plural } from '../../lib/plural.ts'
import type { Span } from './results-range.ts'

/* What is said of labels. */

const moreOf = (by: number) => (by === 0 ? 'as many' : `${Math.abs(by)} ${by > 0 ? 'more' : 'fewer'}`)

const en = {
  labels: 'Labels',
  label: 'Label',
  all: 'All labels',
  add: 'Add label',
  addHint: 'Press Enter after each. Labels aren’t published.',
  remove: (label: string) => `Remove the label ${label}`,
  added: (label: string) => `Labeled ${label}.`,
  removed: (label: string) => `Label ${label} removed.`,
  labelPosts: 'Label posts',
  removeThese: 'Remove',
  save: 'Save labels',
  close: 'Close',
  willAdd: (label: string, count: number, had: number) =>
    `Adds ${label} to ${plural(count, 'post', 'posts')}.${had === 0 ? '' : ` ${had} already ${had === 1 ? 'has' : 'have'} it.`}`,
  willRemove: (label: string, count: number) => `Removes ${label} from ${plural(count, 'post', 'posts')}.`,
  nothing: 'Type a label to add, or choose one to remove.',
  saved: (count: number) => `Labels changed on ${plural(count, 'post', 'posts')}.`,
  results: (label: string) => `Results for ${label}`,
  range: 'Time',
  spans: {
    all: 'All time',
    '7': 'Last 7 days',
    '30': 'Last 30 days',
    '90': 'Last 90 days',
    own: 'Choose days…',
  } satisfies Record<Span, string>,
  from: 'From',
  to: 'To',
  noRange: 'Choose a day that isn’t before the first.',
  compared: (days: string, by: { posts: number; published: number }) =>
    `Compared with ${days}: ${moreOf(by.posts)} ${Math.abs(by.posts) === 1 ? 'post' : 'posts'}, ${moreOf(by.published)} published.`,
  posts: (count: number) => plural(count, 'post', 'posts'),
  published: (first: string, last: string) => `Published from ${first} to ${last}.`,
  publishedOnce: (when: string) => `Published ${when}.`,
  next: (when: string) => `Next: ${when}.`,
  channel: 'Channel',
  troubled: 'Needs attention',
  open: 'Open post',
}
export type Words = typeof en

export const words: Words = german?.labels ?? en
