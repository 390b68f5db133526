import {
  commandNames,
  destinationStatusNames,
  type CommandName,
  type DestinationStatus,
} from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { allowedActions, isActive, rule, statusesFor, type CommandFacts } from './destination-commands.ts'
import { moves } from './destination-states.ts'

const calm = {
  partOut: false,
  refusedHalfway: false,
  restWaits: false,
  doubt: false,
  review: 'not_required',
  anyPartOut: false,
} as const
const alone = (status: DestinationStatus): CommandFacts => ({ ...calm, status, siblings: [status] })

/** The table of the documented preconditions, written out by hand. */
const documented: Record<CommandName, readonly DestinationStatus[]> = {
  edit: ['draft', 'scheduled', 'cancelled', 'expired'],
  schedule: ['draft'],
  reschedule: ['scheduled'],
  cancel: ['draft', 'scheduled', 'delayed', 'reconnect_required'],
  retry: ['failed'],
}

describe.each(commandNames)('%s', (command) => {
  test('is allowed in the documented statuses and in no other', () => {
    const allowed = destinationStatusNames.filter((status) => rule(command, alone(status)).allowed)
    expect(allowed.toSorted()).toEqual(documented[command].toSorted())
  })

  test('says why not, and in which statuses it would be allowed', () => {
    for (const status of destinationStatusNames) {
      const decision = rule(command, alone(status))
      const shown = allowedActions(alone(status))[command]
      const reason = decision.allowed ? null : decision.reason
      expect(shown).toEqual({ allowed: decision.allowed, reason })
      expect(reason).toSatisfy((said: string | null) => said === null || said.includes(`\`${status}\``))
      if (decision.allowed) continue
      // The one status in which commands are allowed at times: the rest of a thread that was refused can be gone on with, and waits then.
      const ofRest = command !== 'edit' && command !== 'schedule'
      if (!ofRest || status !== 'partially_published') expect(decision.from).not.toContain(status)
      const named: readonly DestinationStatus[] = ofRest
        ? [...documented[command], 'partially_published']
        : documented[command]
      expect(named).toEqual(expect.arrayContaining([...decision.from]))
      expect(decision.from).toEqual(statusesFor(command))
      if (command !== 'edit') expect(decision.from.toSorted()).toEqual([...named].toSorted())
    }
  })
})

test('an edit is held back by any other destination that is active and neither draft nor scheduled', () => {
  for (const status of destinationStatusNames) {
    const { allowed } = rule('edit', { ...alone('draft'), siblings: ['draft', status, 'cancelled'] })
    expect(allowed).toBe(!isActive(status) || status === 'draft' || status === 'scheduled')
  }
})

test.each(['partOut', 'doubt'] as const)('with %s nothing is cancelled or retried, in any status', (fact) => {
  for (const status of destinationStatusNames) {
    const facts = { ...alone(status), [fact]: true }
    expect([rule('cancel', facts).allowed, rule('retry', facts).allowed]).toEqual([false, false])
  }
  expect(rule('retry', { ...alone('failed'), [fact]: true })).toMatchObject({ code: 'unsafe_retry' })
  expect(rule('retry', { ...alone('scheduled'), [fact]: true })).toMatchObject({ code: 'invalid_state' })
})

test('a thread that was refused halfway is retried from there, but not while a call of it is in doubt', () => {
  const halfway = { ...alone('partially_published'), partOut: true, refusedHalfway: true }
  expect(rule('retry', halfway)).toEqual({ allowed: true })
  expect(rule('retry', { ...halfway, doubt: true })).toMatchObject({ code: 'unsafe_retry' })
  expect(rule('retry', { ...halfway, refusedHalfway: false })).toMatchObject({ code: 'invalid_state' })
})

test('the rest of a thread that waits for its time is moved and cancelled, but not while a call of it is in doubt', () => {
  const waiting = { ...alone('partially_published'), partOut: true, anyPartOut: true, restWaits: true }
  const allowed = (facts: CommandFacts) => commandNames.filter((command) => rule(command, facts).allowed)
  expect(allowed(waiting)).toEqual(['reschedule', 'cancel'])
  expect(allowed({ ...waiting, doubt: true })).not.toContain('cancel')
  expect(allowed({ ...waiting, restWaits: false })).toEqual([])
})

test.each([
  ['not_required', true],
  ['approved', true],
  ['pending', false],
  ['rejected', false],
] as const)('a draft whose review is %s may be scheduled: %s', (review, allowed) => {
  expect(rule('schedule', { ...alone('draft'), review }).allowed).toBe(allowed)
  expect(rule('cancel', { ...alone('draft'), review }).allowed).toBe(true)
  expect(rule('edit', { ...alone('draft'), review }).allowed).toBe(true)
})

test('nothing in doubt can be moved by a command', () => {
  expect(
    Object.values(allowedActions({ ...alone('checking'), doubt: true })).map(({ allowed }) => allowed),
  ).toEqual(commandNames.map(() => false))
})

test('commands move only along the documented moves', () => {
  expect(documented.cancel).toEqual(moves.cancel.from)
  expect(moves.cancel.to).toBe('cancelled')
  for (const command of ['schedule', 'reschedule', 'retry'] as const) {
    expect([moves[command].from, moves[command].to]).toEqual([documented[command], 'scheduled'])
  }
})
