import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batched, batchedBy } from './batch.ts'

/** A run that waits to be told to go on, and remembers what it was given. */
function rig(maxItems = 10, gatherMs = 0) {
  const batches: number[][] = []
  const gates: PromiseWithResolvers<void>[] = []
  const bad = new Set<number>()
  const call = batched(
    async (items: number[]) => {
      batches.push(items)
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
      if (items.some((item) => bad.has(item))) throw new Error(`bad: ${items.join()}`)
      return items.map((item) => item * 10)
    },
    maxItems,
    gatherMs,
  )
  return {
    batches,
    bad,
    call,
    async releaseNext() {
      await nextTurn()
      gates.shift()!.resolve()
      await nextTurn()
    },
  }
}

test('a lone call goes out at once, by itself', async () => {
  const { batches, call, releaseNext } = rig()
  const result = call(1)
  await releaseNext()
  expect(await result).toBe(10)
  expect(batches).toEqual([[1]])
})

test('calls of the same turn go out together, and each gets its own result', async () => {
  const { batches, call, releaseNext } = rig()
  const results = Promise.all([call(1), call(2), call(3)])
  await releaseNext()
  expect(await results).toEqual([10, 20, 30])
  expect(batches).toEqual([[1, 2, 3]])
})

test('calls that come while a batch is under way wait, and go out together as the next', async () => {
  const { batches, call, releaseNext } = rig()
  const first = call(1)
  await nextTurn()
  const others = Promise.all([call(2), call(3)])
  expect(batches).toEqual([[1]])
  await releaseNext()
  expect(await first).toBe(10)
  await releaseNext()
  expect(await others).toEqual([20, 30])
  expect(batches).toEqual([[1], [2, 3]])
})

test('a batch holds no more than it may', async () => {
  const { batches, call, releaseNext } = rig(2)
  const results = Promise.all([1, 2, 3, 4, 5].map(call))
  for (let turn = 0; turn < 3; turn += 1) await releaseNext()
  expect(await results).toEqual([10, 20, 30, 40, 50])
  expect(batches).toEqual([[1, 2], [3, 4], [5]])
})

test('one bad item is refused, and takes no other one along', async () => {
  const { batches, bad, call, releaseNext } = rig()
  bad.add(2)
  const results = Promise.allSettled([call(1), call(2), call(3)])
  for (let turn = 0; turn < 4; turn += 1) await releaseNext()
  expect((await results).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual(
    [10, 'Error: bad: 2', 30],
  )
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3]])
})

test('a bad item that is alone is not tried twice', async () => {
  const { batches, bad, call, releaseNext } = rig()
  bad.add(1)
  const result = call(1).catch(String)
  await releaseNext()
  expect(await result).toBe('Error: bad: 1')
  expect(batches).toEqual([[1]])
})

test('what has another key is in another batch, and is not run again when one fails', async () => {
  const batches: [string, string[]][] = []
  const call = batchedBy(
    (item: string) => item[0] ?? '',
    async (items, key) => {
      batches.push([key, items])
      if (key === 'b') throw new Error('bad')
      return items
    },
    10,
  )
  const results = await Promise.allSettled(['a1', 'b1', 'a2'].map(call))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(batches).toEqual([
    ['a', ['a1', 'a2']],
    ['b', ['b1']],
  ])
})

test('after a fault it works as before', async () => {
  const { bad, call, releaseNext } = rig()
  bad.add(1)
  const first = call(1).catch(String)
  await releaseNext()
  await first
  const second = call(2)
  await releaseNext()
  expect(await second).toBe(20)
})

test('a call waits as long as it is told for others to go out with it', async () => {
  const { batches, call, releaseNext } = rig(10, 300)
  const results = [call(1)]
  await nextTurn()
  results.push(call(2))
  await expect.poll(() => batches).toEqual([[1, 2]])
  await releaseNext()
  expect(await Promise.all(results)).toEqual([10, 20])
})
