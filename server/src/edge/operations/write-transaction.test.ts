import { expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { refuse } from './refusal.ts'
import { commitDespiteRefusal, writeInTransaction } from './write-transaction.ts'

const { world } = await openFileWorld()
const { db } = world
await db`create table written (by text)`

const refusal = refuse('invalid_state', 'Not now.')

function refusedAfterWriting(by: string) {
  return async (tx: Tx) => {
    await tx`insert into written values (${by})`
    tx.defer(() => tx`insert into written values (${by})`)
    return refusal
  }
}

test.each([
  ['begin', (by: string) => db.begin(refusedAfterWriting(by)), 0],
  ['writeInTransaction', (by: string) => writeInTransaction(db, refusedAfterWriting(by)), 0],
  ['commitDespiteRefusal', (by: string) => commitDespiteRefusal(db, refusedAfterWriting(by)), 2],
])('%s gives the refusal back, and keeps what it should of the writes before', async (by, run, kept) => {
  expect(await run(by)).toBe(refusal)
  expect(await db`select from written where by = ${by}`).toHaveLength(kept)
})
