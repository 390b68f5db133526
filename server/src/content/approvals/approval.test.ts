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

const times = { requestedAt: new Date(0), expiresAt: new Date(1_000) }
const approval = { approvalId: 'id', ...times, decidedAt: null, note: null }

test.each([
  ['pending', 'pending', 'pending', null],
  ['approved', 'approved', 'approved', null],
  ['rejected', 'rejected', 'rejected', null],
  ['expired', 'rejected', 'expired', 'Expired without a decision.'],
  ['superseded', 'rejected', 'rejected', 'The post was cancelled, expired'],
] as const)('a post whose latest request is %s has the review status %s', (status, review, shown, reason) => {
  expect(reviewStatusOf(status)).toBe(review)
  expect(viewApproval({ ...approval, status }, 'https://p.example')).toMatchObject({
    status: shown,
    reason: reason === null ? null : expect.stringContaining(reason),
  })
})

test('only a decision approves, and only a post that never needed one does without', () => {
  expect(reviewStatusOf(null)).toBe('not_required')
  expect(viewApproval(null, 'https://p.example')).toBeNull()
})

test('a pending approval says where to decide', () => {
  expect(viewApproval({ ...approval, status: 'pending' }, 'https://p.example')).toEqual({
    status: 'pending',
    reason: null,
    reviewUrl: 'https://p.example/review/id',
    requestedAt: '1970-01-01T00:00:00.000Z',
    expiresAt: '1970-01-01T00:00:01.000Z',
    decidedAt: null,
    note: null,
  })
})
