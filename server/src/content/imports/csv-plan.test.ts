import { newPost, type PlannedPost, readPlan } from '@postrider/contract/plan'
import { expect, test } from 'vitest'
import { csvPlan } from './csv-plan.ts'

const channels = ['ada', 'bob'].map((handle, index) => ({
  channelId: `0199c1de-7c3a-7b52-9d0e-00000000000${index}`,
  provider: `network-${index}`,
  handle,
  name: handle,
  displayName: handle,
  groups: [],
}))

function read(...lines: string[]): { faults: string[]; made: ReturnType<typeof newPost>[] } {
  const known = { channels, timeZone: 'UTC', findFile: (_: string, path: string) => ({ path }) }
  const { posts, faults } = readPlan(csvPlan(lines.join('\n'), { name: 'autumn', channels: [] }), known)
  return {
    faults: faults.map(({ line, column, message }) => `${line}:${column} ${message}`),
    made: posts.map((post: PlannedPost) => newPost(post, () => null)),
  }
}

test('a row of a post that leaves its first comment empty has none', () => {
  const { made, faults } = read('id,channels,text,firstComment', 'a,ada,Hello,A comment', 'a,bob,Hello,')
  expect(faults).toEqual([])
  expect(made).toEqual([
    {
      state: 'draft',
      targets: [
        { channelId: channels[0]!.channelId, text: 'Hello', firstComment: { text: 'A comment' } },
        { channelId: channels[1]!.channelId, text: 'Hello' },
      ],
    },
  ])
})

test('a cell of yes or no is one of them in any case, or a fault', () => {
  const words = ['yes', 'TRUE', 'No', 'false', ' no ', 'maybe']
  const { faults } = read(
    'id,channels,text,tagLinks',
    ...words.map((word, n) => `${n},ada,Hello ${n},${word}`),
  )
  expect(faults).toEqual(['7:4 Write `tagLinks` as yes or no, not maybe.'])
  const { made } = read(
    'id,channels,text,tagLinks',
    ...words.slice(0, -1).map((word, n) => `${n},ada,Hello ${n},${word}`),
  )
  expect(made.map((post) => 'tagLinks' in post)).toEqual([false, false, true, true, true])
})

test.each([
  ['the second', 'a,ada,Hello,2027-01-10T09:00', 'a,bob,Hello,', 3],
  ['the first', 'a,ada,Hello,', 'a,bob,Hello,2027-01-10T09:00', 2],
])('where %s row of a post has no time, it does not take that of the other', (_, one, other, line) => {
  const { faults } = read('id,channels,text,publishAt', one, other)
  expect(faults).toEqual([
    `${line}:4 Some channels have a time and others have none. Give all of them a time, or none.`,
  ])
})

test('a post that is there already may be scheduled on some channels only', () => {
  const postId = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  const { faults } = read(
    'id,postId,channels,text,publishAt',
    `a,${postId},ada,Hello,2027-01-10T09:00`,
    `a,${postId},bob,Hello,`,
  )
  expect(faults).toEqual([])
})

test('what a post has once is not said otherwise by a later row', () => {
  const head = 'id,channels,text,publishAt,timeZone,labels'
  const { faults } = read(
    head,
    'a,ada,Hello,2027-01-10T09:00,Europe/Berlin,Launch',
    'a,bob,Hello,2027-01-10T09:00,America/New_York,Sale',
  )
  expect(faults).toEqual([
    expect.stringMatching(/^3:5 Line 2 has another `timeZone` for a\./),
    expect.stringMatching(/^3:6 Line 2 has another `labels` for a\./),
  ])
  const same = read(
    head,
    'a,ada,Hello,2027-01-10T09:00,Europe/Berlin,Launch',
    'a,bob,Hello,2027-01-10T09:00,Europe/Berlin,',
  )
  expect(same.faults).toEqual([])
})
