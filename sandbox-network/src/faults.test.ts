import { expect, test } from 'vitest'
import { effectOf, planFor } from './faults.ts'
import type { Call, Fault, FaultPlan } from './faults.ts'

const create: Call = { kind: 'create', accountId: 'acc_1', text: 'hello world' }

function aPlan(plan: Partial<FaultPlan> = {}): FaultPlan {
  return { id: '1', match: {}, fault: { kind: 'hang' }, times: 1, fired: 0, ...plan }
}

test('the first plan that matches strikes', () => {
  const plans = [aPlan({ id: '1', match: { accountId: 'acc_2' } }), aPlan({ id: '2' }), aPlan({ id: '3' })]
  expect(planFor(plans, create)?.id).toBe('2')
})

test('a plan that fired its times strikes no more; one for always does', () => {
  expect(planFor([aPlan({ times: 2, fired: 1 })], create)).not.toBeNull()
  expect(planFor([aPlan({ times: 2, fired: 2 })], create)).toBeNull()
  expect(planFor([aPlan({ times: 'always', fired: 1000 })], create)).not.toBeNull()
})

test.each<[FaultPlan['match'], boolean]>([
  [{}, true],
  [{ accountId: 'acc_1' }, true],
  [{ accountId: 'acc_2' }, false],
  [{ textIncludes: 'world' }, true],
  [{ textIncludes: 'World' }, false],
  [{ accountId: 'acc_1', textIncludes: 'absent' }, false],
  [{ calls: 'read' }, false],
  [{ calls: 'every' }, true],
])('match %j strikes the create: %s', (match, strikes) => {
  expect(planFor([aPlan({ match })], create) !== null).toBe(strikes)
})

test('only an outage strikes reads unless the plan says so', () => {
  const read: Call = { kind: 'read', accountId: 'acc_1', text: null }
  expect(planFor([aPlan()], read)).toBeNull()
  expect(planFor([aPlan({ fault: { kind: 'outage' } })], read)).not.toBeNull()
  expect(planFor([aPlan({ match: { calls: 'read' } })], read)).not.toBeNull()
})

test('processing is of creates alone, so a read never uses such a plan up', () => {
  const plan = aPlan({ fault: { kind: 'slow_processing', ms: 1 }, match: { calls: 'every' } })
  expect(planFor([plan], { kind: 'read', accountId: 'acc_1', text: null })).toBeNull()
  expect(planFor([plan], create)).not.toBeNull()
})

test.each<[Fault, boolean]>([
  [{ kind: 'latency', ms: 1 }, true],
  [{ kind: 'refuse', status: 422, code: 'no' }, false],
  [{ kind: 'rate_limit', retryAfterSeconds: 1 }, false],
  [{ kind: 'unauthorized' }, false],
  [{ kind: 'revoke' }, false],
  [{ kind: 'accept_then_drop' }, true],
  [{ kind: 'drop_before' }, false],
  [{ kind: 'accept_then_500' }, true],
  [{ kind: 'error_500_before' }, false],
  [{ kind: 'garbage' }, true],
  [{ kind: 'slow_processing', ms: 1 }, true],
  [{ kind: 'outage' }, false],
  [{ kind: 'hang' }, true],
  [{ kind: 'truncate' }, true],
])('%j stores the post: %s', (fault, stores) => {
  expect(effectOf(fault).stores).toBe(stores)
})
