import { expect, test } from 'vitest'
import { contentDigest, reviewStatusOf, viewApproval } from './approval.ts'

const one = { channelId: 'a', settings: { x: 1, y: 2 }, parts: ['one', 'two'], media: [[], ['m']] }
const two = { channelId: 'b', settings: {}, parts: ['one'], media: [[]] }
const hex = (...reviewed: Parameters<typeof contentDigest>[0]) => contentDigest(reviewed).toString('hex')

test('the digest does not depend on the order of channels or of settings', () => {
  expect(hex(one, two)).toBe(hex(two, { ...one, settings: { y: 2, x: 1 } }))
  expect(contentDigest([one])).toHaveLength(32)
})

test.each([
  [{ ...one, channelId: 'c' }],
  [{ ...one, settings: { x: 1 } }],
  [{ ...one, parts: ['two', 'one'] }],
  [{ ...one, parts: ['onetwo'] }],
  [{ ...one, media: [['m'], []] }],
  [{ ...one, media: [[], ['n']] }],
  [{ ...one, parts: ['one', 'two', ''] }],
])('the digest changes with what would be published: %j', (changed) => {
  expect(hex(changed, two)).not.toBe(hex(one, two))
})

const approval = { approvalId: 'id', requestedAt: new Date(0), decidedAt: null, note: null }

test.each([
  ['pending', 'pending'],
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  ['superseded', 'not_required'],
] as const)('a post whose approval is %s has the review status %s', (status, reviewStatus) => {
  expect(reviewStatusOf(status)).toBe(reviewStatus)
  expect(viewApproval({ ...approval, status }, 'https://p.example') === null).toBe(
    reviewStatus === 'not_required',
  )
})

test('a pending approval says where to decide', () => {
  expect(viewApproval({ ...approval, status: 'pending' }, 'https://p.example')).toEqual({
    status: 'pending',
    reviewUrl: 'https://p.example/review/id',
    requestedAt: '1970-01-01T00:00:00.000Z',
    decidedAt: null,
    note: null,
  })
})
