import { app } from '@postrider/contract'
import { expect, test } from 'vitest'
import { actionWords, changesOf, csvOf } from './audit-words.ts'
import { de } from './words.de.ts'

test('an entry says what was changed from what to what, and leaves out what stayed', () => {
  const before = { name: 'Acme', timeZone: 'UTC', approval: { always: false } }
  const after = { name: 'Acme Ltd', timeZone: 'UTC', approval: { always: true } }
  expect(changesOf({ before, after })).toEqual([
    { what: 'Name', from: 'Acme', to: 'Acme Ltd' },
    { what: 'Approval', from: 'always no', to: 'always yes' },
  ])
  expect(changesOf({ before: null, after: { note: null, channelIds: [] } })).toEqual([
    { what: 'Note', from: null, to: 'none' },
    { what: 'Channel ids', from: null, to: 'none' },
  ])
  expect(actionWords('appRescheduleDestination')).toBe('Change time of post')
  expect(actionWords('changeMemberRole')).toBe('Change member role')
})

test('every act that can be in the audit log has a German name', () => {
  const acts = app.appOperations
    .filter(({ at }) => !at.startsWith('GET '))
    .map(({ id }) => id.replace(/^app([A-Z])/, (_, first: string) => first.toLowerCase()))
  expect(acts.filter((act) => !(act in de.acts))).toEqual([])
})

test('what is exported is one line each, and no formula to a spreadsheet', () => {
  const actor = { type: 'person', id: null, name: '=HYPERLINK("https://evil.example")' } as const
  const entry = {
    auditId: '1',
    at: '2026-11-23T09:00:00.000Z',
    actor,
    action: 'updateWorkspace',
    subject: {},
    before: { name: 'A' },
    after: { name: 'B, "C"' },
    address: null,
    requestId: null,
  }
  const [, line] = csvOf([entry]).split('\r\n')
  expect(line).toBe(
    `2026-11-23T09:00:00.000Z,"'=HYPERLINK(""https://evil.example"")",person,Update workspace,,"Name: A -> B, ""C""",,`,
  )
})
