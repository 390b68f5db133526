import { random, type Random } from './random.ts'

/*
 * A day of a large installation, as a seed gives it: who posts, on which network, at which minute. No schedule of a real
 * service is public, so the shares below are assumptions; each says what it stands for.
 */

export type DaySize = { seed: number; workspaces: number; channels: number; posts: number }

export type Network = {
  readonly name: string
  /** Of all channels. */
  readonly share: number
  /** Of a publish call, in milliseconds; latencies are log-normal around it. */
  readonly medianMs: number
}

/** The first is the one that has the outage. */
export const NETWORKS: readonly Network[] = [
  { name: 'first', share: 0.3, medianMs: 350 },
  { name: 'second', share: 0.22, medianMs: 600 },
  { name: 'third', share: 0.16, medianMs: 150 },
  { name: 'fourth', share: 0.14, medianMs: 250 },
  { name: 'fifth', share: 0.1, medianMs: 100 },
  { name: 'sixth', share: 0.08, medianMs: 200 },
]

/** The standard deviation of the logarithm: a latency in a hundred is 4 times the median. */
export const LATENCY_SIGMA = 0.6

export type Plan = {
  /** By channel: which workspace it belongs to, and which network it is on. */
  readonly workspaceOf: Int32Array
  readonly networkOf: Uint8Array
  /** By post, in the order of their times: the channel, and the minute of the day in UTC. */
  readonly channelOf: Int32Array
  readonly minuteOf: Int16Array
  /** The workspace that sends a campaign, and its minute. */
  readonly campaign: { readonly workspace: number; readonly minute: number; readonly posts: number }
}

const MINUTES = 1_440

/** Where workspaces are: hours from UTC, and their share. India's full hours are half hours elsewhere. */
const ZONES = [
  { offsetHours: -8, share: 0.12 },
  { offsetHours: -5, share: 0.24 },
  { offsetHours: -3, share: 0.08 },
  { offsetHours: 0, share: 0.12 },
  { offsetHours: 1, share: 0.22 },
  { offsetHours: 5.5, share: 0.1 },
  { offsetHours: 9, share: 0.12 },
]

/** How much is scheduled for each local hour: little by night, most at nine, at noon and after work. */
const LOCAL_HOURS = [
  1, 0.6, 0.4, 0.4, 0.5, 1, 2.5, 5, 8, 10, 8, 7, 9, 7, 6, 6, 6.5, 8, 7, 5.5, 5, 4, 2.5, 1.5,
]

/**
 * People choose round times, and pickers offer them: two in five the full hour, one in six the half, the quarters and
 * the other multiples of five less, and every minute some, from agents that compute a time.
 */
function minuteWeight(minute: number): number {
  if (minute === 0) return 0.4
  if (minute === 30) return 0.16
  if (minute % 15 === 0) return 0.06
  if (minute % 5 === 0) return 0.015
  return 0.2 / 48
}

/** Posts that the largest workspace has beside its usual ones, all of them at the hardest full hour. */
const CAMPAIGN_POSTS_PER_DAY = 0.0025

export function planDay({ seed, workspaces, channels, posts }: DaySize): Plan {
  const draw = random(seed)
  const { workspaceOf, channelsOf } = shareChannels(draw, workspaces, channels)
  const networkOf = Uint8Array.from(
    workspaceOf,
    picker(
      draw,
      NETWORKS.map(({ share }) => share),
    ),
  )

  const zoneOfWorkspace = Uint8Array.from(
    { length: workspaces },
    picker(
      draw,
      ZONES.map(({ share }) => share),
    ),
  )
  // How busy a channel is differs by much: log-normal with a sigma of one, so that a tenth of them has two fifths of all.
  const busy = Float64Array.from({ length: channels }, () => Math.exp(draw.normal()))
  const pickChannel = picker(draw, busy)
  const pickHour = picker(draw, LOCAL_HOURS)
  const pickMinute = picker(
    draw,
    Array.from({ length: 60 }, (_, minute) => minuteWeight(minute)),
  )

  const campaignPosts = Math.round(posts * CAMPAIGN_POSTS_PER_DAY)
  const usual = posts - campaignPosts
  const channelOfDrawn = new Int32Array(posts)
  const minuteOfDrawn = new Int16Array(posts)
  for (let n = 0; n < usual; n++) {
    const channel = pickChannel()
    const zone = ZONES[zoneOfWorkspace[workspaceOf[channel] ?? 0] ?? 0]
    const local = pickHour() * 60 + pickMinute()
    channelOfDrawn[n] = channel
    minuteOfDrawn[n] = (local - (zone?.offsetHours ?? 0) * 60 + MINUTES) % MINUTES
  }
  const ofMinute = countByMinute(minuteOfDrawn.subarray(0, usual))
  const campaign = { workspace: 0, minute: ofMinute.indexOf(Math.max(...ofMinute)), posts: campaignPosts }
  const theirs = channelsOf[campaign.workspace] ?? []
  for (let n = usual; n < posts; n++) {
    channelOfDrawn[n] = theirs[n % theirs.length] ?? 0
    minuteOfDrawn[n] = campaign.minute
  }
  return { workspaceOf, networkOf, ...inOrder(channelOfDrawn, minuteOfDrawn), campaign }
}

/** How many posts each minute of the day has. */
export function countByMinute(minuteOf: Int16Array): Int32Array {
  const counts = new Int32Array(MINUTES)
  for (const minute of minuteOf) counts[minute] = (counts[minute] ?? 0) + 1
  return counts
}

/** Where the posts of a minute begin in a plan, and end. */
export function postsOfMinute({ minuteOf }: Plan, minute: number): { from: number; to: number } {
  return { from: firstAtLeast(minuteOf, minute), to: firstAtLeast(minuteOf, minute + 1) }
}

/** Each workspace has a channel, and a few have hundreds: the rest is shared by Zipf's law. The largest is the first. */
function shareChannels(draw: Random, workspaces: number, channels: number) {
  const pickWorkspace = picker(
    draw,
    Array.from({ length: workspaces }, (_, rank) => 1 / (rank + 20)),
  )
  const workspaceOf = Int32Array.from({ length: channels }, (_, channel) =>
    channel < workspaces ? channel : pickWorkspace(),
  )
  const channelsOf: number[][] = Array.from({ length: workspaces }, () => [])
  workspaceOf.forEach((workspace, channel) => channelsOf[workspace]?.push(channel))
  return { workspaceOf, channelsOf }
}

/** A function that draws an index, each as often as its weight says. */
function picker(draw: Random, weights: ArrayLike<number>): () => number {
  const sums = new Float64Array(weights.length)
  let sum = 0
  for (let n = 0; n < weights.length; n++) sums[n] = sum += weights[n] ?? 0
  return () => firstAtLeast(sums, draw.uniform() * sum)
}

/** The first index whose value is not below this one, of values in order. */
function firstAtLeast(values: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** Sorted by minute, with the posts of a minute in the order they were drawn in. */
function inOrder(channelOf: Int32Array, minuteOf: Int16Array): Pick<Plan, 'channelOf' | 'minuteOf'> {
  const next = new Int32Array(MINUTES)
  countByMinute(minuteOf).reduce((from, count, minute) => ((next[minute] = from), from + count), 0)
  const sorted = { channelOf: new Int32Array(channelOf.length), minuteOf: new Int16Array(minuteOf.length) }
  channelOf.forEach((channel, n) => {
    const minute = minuteOf[n] ?? 0
    const place = next[minute] ?? 0
    next[minute] = place + 1
    sorted.channelOf[place] = channel
    sorted.minuteOf[place] = minute
  })
  return sorted
}
