import { random } from './random.ts'

/** What a network does with a publish call. All but the first two leave the caller without a proof. */
export type Fate =
  | 'stored'
  | 'rate limited'
  | 'refused for now'
  | 'failed'
  | 'stored in silence'
  | 'never answered'

/** Of all calls; what remains is stored. */
const shares: readonly (readonly [Fate, number])[] = [
  ['rate limited', 0.004],
  ['refused for now', 0.002],
  ['failed', 0.001],
  ['stored in silence', 0.001],
  ['never answered', 0.000_5],
]

/** What becomes of the n-th call for a post: the same for the same seed. */
export function fateOf(seed: number, post: number, call: number): Fate {
  let left = random(seed + Math.imul(post + 1, 31) + call).uniform()
  for (const [fate, share] of shares) {
    if (left < share) return fate
    left -= share
  }
  return 'stored'
}

const ENDED_SHARE = 0.001

/** Whether the network has ended the access of this channel's account. */
export function hasEnded(seed: number, channel: number): boolean {
  return random(Math.imul(seed + 7, channel + 1)).uniform() < ENDED_SHARE
}

/** The text of a post: what the network knows it by, and about as long as posts are. */
export function textOf(post: number): string {
  return `${post} ${WORDS}`
}

export function postOf(text: string): number {
  return Number.parseInt(text, 10)
}

export const WORDS =
  'is the number of this post. Our new timetable begins on Monday: more trains in the evening, and one every ten minutes.'
