import { expect, test } from 'vitest'
import { answered, unreachable } from '../../../test/rigs/database-faults.ts'
import { databaseWaits } from '../postgres/database-waits.ts'
import { createLog } from '../process/log.ts'
import { troubleReporter, withoutTroubles } from './report-trouble.ts'

const away = unreachable('ECONNREFUSED')
const blocker = { pid: 7, application: 'psql', state: 'idle in transaction', transactionSeconds: 40 }

/** A log whose lines are kept, and a clock that a test moves. */
function aLog() {
  const lines: Record<string, unknown>[] = []
  const log = createLog({
    level: 'info',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  })
  return { log, lines, messages: () => lines.map(({ msg }) => msg) }
}

test('what is the matter with the database is said once in half a minute, whatever meets it', () => {
  const { log, lines, messages } = aLog()
  let nowMs = 0
  const isTrouble = troubleReporter(log, { clock: () => nowMs })
  for (let second = 0; second < 30; second++, nowMs += 1_000)
    for (const doing of ['claim', 'orphans', 'mail']) expect(isTrouble(away, doing)).toBe(true)
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      code: 'ECONNREFUSED',
      doing: 'claim',
      msg: 'the database is away',
    }),
  ])
  expect(isTrouble(answered('53100'), 'claim')).toBe(true)
  expect(isTrouble(away, 'mail')).toBe(true)
  expect(messages()).toEqual([
    'the database is away',
    'the database has no room left',
    'the database is away',
  ])
})

test('what waited too long is counted each time, and said once with who is in the way', async () => {
  const { log, lines } = aLog()
  const before = { ...databaseWaits }
  const isTrouble = troubleReporter(log, {
    blockers: () => Promise.resolve([{ ...blocker, statement: 'LOCK', waiting: 3 }]),
  })
  for (const code of ['57014', '57014', '55P03', '40P01', '40001'])
    expect(isTrouble(answered(code), 'claim')).toBe(true)
  await expect.poll(() => lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    level: 'warn',
    code: '57014',
    cause: 'timeout',
    doing: 'claim',
    blockedBy: [{ pid: 7, application: 'psql', statement: 'LOCK' }],
    msg: 'the database is slow or locked',
  })
  expect(databaseWaits).toEqual({
    ...before,
    timeout: before.timeout + 2,
    lock: before.lock + 1,
    deadlock: before.deadlock + 1,
    serialization: before.serialization + 1,
  })
})

test('it is said all the same when the database does not say who is in the way', async () => {
  const { log, messages } = aLog()
  troubleReporter(log, { blockers: () => Promise.reject(away) })(answered('57014'), 'claim')
  await expect.poll(messages).toEqual(['the database is slow or locked'])
})

test('what the database is not to blame for is left to who asks', () => {
  const isTrouble = troubleReporter({ warn: () => expect.unreachable() })
  expect(isTrouble(new Error('ours'), 'claim')).toBe(false)
  expect(isTrouble(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'mail')).toBe(false)
})

test('who logs a fault as one of theirs need not know of that', () => {
  const { log, lines, messages } = aLog()
  const sorted = withoutTroubles(log, troubleReporter(log))
  sorted.error({ err: away, doing: 'mail' }, 'mail could not be written')
  sorted.warn({ err: new Error('since', { cause: away }) }, 'a mail could not be sent')
  sorted.error({ err: new Error('ours'), doing: 'mail' }, 'mail could not be written')
  sorted.warn('without facts')
  sorted.warn({ key: 1 }, 'without a fault')
  expect(messages()).toEqual([
    'the database is away',
    'mail could not be written',
    'without facts',
    'without a fault',
  ])
  expect(lines[0]).not.toHaveProperty('err')
  expect(lines[1]).toMatchObject({ level: 'error', err: { message: 'ours' } })
})
