import { noApprovalPolicy, noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import type { Caller } from '../../edge/operations/route.ts'
import type { KeyUse } from './key-store.ts'
import { recordKeyUse } from './key-use.ts'

function callerWith(id: string): Caller {
  return {
    workspaceId: 'w',
    credential: {
      id,
      type: 'agent_key',
      name: 'bot',
      permissions: [],
      expiresAt: null,
      limits: noLimits,
      approval: noApprovalPolicy,
    },
    member: { id: 'm', personId: 'p', name: 'Ada', email: 'ada@example.org', role: 'owner' },
  }
}

test('many uses of one key become one write, at the latest at the stop', async () => {
  const written: KeyUse[][] = []
  const uses = recordKeyUse(
    async (batch) => void written.push(batch),
    (error) => expect.unreachable(String(error)),
  )
  for (let use = 0; use < 100; use++) uses.note(callerWith('a'))
  uses.note(callerWith('b'))

  await uses.stop()
  expect(written.map((batch) => batch.map((use) => use.keyId))).toEqual([['a', 'b']])
})

test('a write that failed is reported and tried again', async () => {
  const errors: unknown[] = []
  const written: string[][] = []
  const failing = recordKeyUse(
    async (batch) => {
      if (errors.length === 0) throw new Error('no database')
      written.push(batch.map((use) => use.keyId))
    },
    (error) => errors.push(error),
    1,
  )
  failing.note(callerWith('a'))
  await expect.poll(() => written).toEqual([['a']])
  await failing.stop()

  expect(errors).toHaveLength(1)
  expect(written).toEqual([['a']])
})
