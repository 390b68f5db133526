import { expect, test } from 'vitest'
import { onFirstUse } from './on-first-use.ts'

test('it is opened once, however many ask at the same time', async () => {
  let times = 0
  const one = onFirstUse(async () => ++times)
  expect(one.opened()).toBeNull()
  expect(await Promise.all([one.get(), one.get(), one.get()])).toEqual([1, 1, 1])
  expect(await one.opened()).toBe(1)
})

test('an opening that fails is told to all who wait for it, and forgotten', async () => {
  const outcomes = [Promise.reject(new Error('away')), Promise.resolve('there')]
  const one = onFirstUse(() => outcomes.shift()!)
  const waiting = await Promise.allSettled([one.get(), one.get()])
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(one.opened()).toBeNull()
  expect(await one.get()).toBe('there')
})
