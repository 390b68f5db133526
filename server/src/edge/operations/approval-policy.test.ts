import { type ApprovalPolicy, noApprovalPolicy } from '@postrider/contract'
import { expect, test } from 'vitest'
import { needsApproval, type PlannedPublication, strictest } from './approval-policy.ts'

const now = new Date('2026-11-21T12:00:00Z')
const soon = new Date('2026-11-21T12:30:00Z')
const later = new Date('2026-11-21T12:30:00.001Z')
const planned: PlannedPublication = { times: [later], isNew: true, approvedPosts: 0 }

test.each<[string, Partial<ApprovalPolicy>, Partial<PlannedPublication>, boolean]>([
  ['nothing asks for nothing', {}, { times: [now] }, false],
  ['everything waits', { all: true }, {}, true],
  ['but no draft', { all: true }, { times: [] }, false],
  ['nor a mere change of its time', { all: true }, { isNew: false }, false],
  ['the first posts', { firstPosts: 2 }, { approvedPosts: 1 }, true],
  ['and no further', { firstPosts: 2 }, { approvedPosts: 2 }, false],
  ['nor a change of time', { firstPosts: 2 }, { isNew: false }, false],
  ['due soon', { withinMinutes: 30 }, { times: [soon] }, true],
  ['due later', { withinMinutes: 30 }, { times: [later] }, false],
  ['one of them soon', { withinMinutes: 30 }, { times: [later, soon] }, true],
  ['pulled nearer', { withinMinutes: 30 }, { times: [soon], isNew: false }, true],
  ['past', { withinMinutes: 30 }, { times: [new Date(0)] }, true],
])('%s', (_, policy, change, waits) => {
  expect(needsApproval({ ...noApprovalPolicy, ...policy }, { ...planned, ...change }, now)).toBe(waits)
})

test('of two policies the stricter one holds, point by point', () => {
  const one = { all: false, withinMinutes: 10, firstPosts: null }
  const other = { all: true, withinMinutes: 5, firstPosts: 3 }
  expect(strictest([one, other])).toEqual({ all: true, withinMinutes: 10, firstPosts: 3 })
  expect(strictest([noApprovalPolicy, noApprovalPolicy])).toEqual(noApprovalPolicy)
})
