import { german } from '../../lib/language.ts'
import { plural } from '../../lib/plural.ts'

const posts = (count: number) => plural(count, 'post', 'posts')

const en = {
  runs: 'Changes to several posts',
  stop: 'Stop',
  undo: 'Undo',
  hide: 'Hide',
  by: (name: string, what: string) => `${name}: ${what}`,
  waiting: {
    move: (count: number) => `Moves ${posts(count)} soon.`,
    submit: (count: number) => `Requests approval of ${posts(count)} soon.`,
    cancel: (count: number) => `Cancels ${posts(count)} in a few seconds.`,
    discard: (count: number) => `Discards ${posts(count)} in a few seconds.`,
    approve: (count: number) => `Approves ${posts(count)} soon.`,
    reject: (count: number) => `Rejects ${posts(count)} soon.`,
  },
  running: {
    move: (done: number, of: number) => `Moving posts: ${done} of ${of}.`,
    submit: (done: number, of: number) => `Requesting approval: ${done} of ${of}.`,
    cancel: (done: number, of: number) => `Cancelling posts: ${done} of ${of}.`,
    discard: (done: number, of: number) => `Discarding drafts: ${done} of ${of}.`,
    approve: (done: number, of: number) => `Approving posts: ${done} of ${of}.`,
    reject: (done: number, of: number) => `Rejecting posts: ${done} of ${of}.`,
  },
  ended: {
    move: (count: number) => `Moved ${posts(count)}.`,
    submit: (count: number) => `Approval requested: ${posts(count)}.`,
    cancel: (count: number) => `Cancelled ${posts(count)}.`,
    discard: (count: number) => `Discarded ${posts(count)}.`,
    approve: (count: number) => `Approved ${posts(count)}.`,
    reject: (count: number) => `Rejected ${posts(count)}.`,
  },
  moved: {
    undoing: (done: number, of: number) => `Moving posts back: ${done} of ${of}.`,
    undone: (count: number) => `Moved back ${posts(count)}.`,
  },
  decided: {
    undoing: (done: number, of: number) => `Undoing decisions: ${done} of ${of}.`,
    undone: (count: number) => `Waiting for approval again: ${posts(count)}.`,
  },
  stopped: (left: number) => `Stopped: ${posts(left)} left as they were.`,
  notChanged: (count: number) => `${posts(count)} not changed`,
  postWithout: 'Post',
  andMore: (count: number) => `and ${count} more`,
}
export type Words = typeof en

export const words: Words = german?.bulk ?? en
