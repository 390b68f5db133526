import { expect, test } from 'vitest'
import { parseText } from './parse-text.ts'
import { readPlan } from './read-plan.ts'
import { planText, type WrittenPost, writePlan } from './write-plan.ts'

const channels = ['ada', 'bob'].map((handle, index) => ({
  channelId: `0199c1de-7c3a-7b52-9d0e-00000000000${index}`,
  provider: `network-${index}`,
  handle,
  name: handle,
  displayName: handle,
  groups: [],
}))
const AT = '2027-01-10T09:00:00.000Z'

/** A post on both channels. */
function aPost(
  of: readonly Partial<WrittenPost['destinations'][number]>[],
  content: WrittenPost['content'] = null,
) {
  const destinations = of.map((each, index) => ({
    channelId: channels[index]!.channelId,
    status: 'scheduled',
    publishAt: AT,
    content: null,
    ...each,
  }))
  const postId = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  return { postId, reference: null, labels: [], media: [], content, destinations } as unknown as WrittenPost
}

function readAgain(post: WrittenPost) {
  const written = planText(writePlan([post], { plan: 'again', timeZone: 'UTC', channels }))
  const { source } = parseText('file', written, '')
  const known = { channels, timeZone: 'UTC', findFile: (_: string, path: string) => ({ path }) }
  const { posts, faults } = readPlan({ plan: source, posts: [], faults: [] }, known)
  expect(faults).toEqual([])
  return posts[0]!.targets
}

test('a channel without a first comment is read without one, whatever the others have', () => {
  const content = { text: 'Hello', firstComment: { text: 'A comment' } }
  const own = [{ content }, { content: { text: 'Hello' } }]
  expect(readAgain(aPost(own)).map(({ beside }) => beside.firstComment?.text)).toEqual([
    'A comment',
    undefined,
  ])
  const shared = [{}, { content: { text: 'Hello' } }]
  expect(readAgain(aPost(shared, content)).map(({ beside }) => beside.firstComment?.text)).toEqual([
    'A comment',
    undefined,
  ])
})

test('a channel without a time is read without one, whatever the others have', () => {
  const content = { text: 'Hello' }
  const mixed = [{}, { status: 'draft' as const, publishAt: null }]
  expect(readAgain(aPost(mixed, content)).map(({ at }) => at)).toEqual([Date.parse(AT), null])
})
