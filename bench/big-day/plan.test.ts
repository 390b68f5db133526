import { expect, test } from 'vitest'
import { concat, queueDelays, spreadOf } from './delays.ts'
import { countByMinute, planDay, postsOfMinute } from './plan.ts'

const size = { seed: 1, workspaces: 200, channels: 1_000, posts: 40_000 }

test('a seed gives one day, in the order of its minutes, whose hardest minute is a full hour', () => {
  const plan = planDay(size)
  expect(plan).toEqual(planDay(size))
  expect(plan).not.toEqual(planDay({ ...size, seed: 2 }))
  expect(plan.minuteOf).toEqual(plan.minuteOf.toSorted())
  expect(plan.campaign.minute % 60).toBe(0)
  const { from, to } = postsOfMinute(plan, plan.campaign.minute)
  expect(to - from).toBe(Math.max(...countByMinute(plan.minuteOf)))
})

test('every workspace has a channel, and the largest sends the campaign', () => {
  const { workspaceOf, channelOf, minuteOf, campaign } = planDay(size)
  expect(new Set(workspaceOf).size).toBe(size.workspaces)
  const theirs = channelOf.filter(
    (channel, n) => workspaceOf[channel] === campaign.workspace && minuteOf[n] === campaign.minute,
  )
  expect(theirs.length).toBeGreaterThanOrEqual(campaign.posts)
})

test('a queue that is served too slowly hands its backlog to the next minute', () => {
  const delays = queueDelays([90, 30, 0], 1)
  expect(delays.map((ofMinute) => ofMinute[0])).toEqual([0, 30_000, undefined])
  expect(spreadOf(concat(delays))).toMatchObject({ count: 120, p50: 44_000, over60s: 29 / 120 })
})
