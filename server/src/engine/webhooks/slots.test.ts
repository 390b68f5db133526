import { expect, test } from 'vitest'
import { trackDeliveries } from './in-flight.ts'
import { freeCapacity } from './slots.ts'

const none = { quick: 0, overdue: 0, slow: 0, storing: 0 }

test('failing endpoints get a quarter of the room, whatever else is free', () => {
  expect(freeCapacity(256, none).slow).toBe(64)
  expect(freeCapacity(256, { ...none, slow: 60 }).slow).toBe(4)
  expect(freeCapacity(256, { ...none, slow: 64 })).toMatchObject({ slow: 0, quick: 192 })
})

test('three quarters may be filled by bursts, the last only in small shares', () => {
  expect(freeCapacity(256, none)).toMatchObject({ quick: 192, mayBurst: true })
  expect(freeCapacity(256, { ...none, quick: 100 })).toMatchObject({ quick: 92, mayBurst: true })
  expect(freeCapacity(256, { ...none, quick: 192 })).toMatchObject({ quick: 64, mayBurst: false })
  expect(freeCapacity(256, { ...none, quick: 250 })).toMatchObject({ quick: 6, mayBurst: false })
  expect(freeCapacity(256, { ...none, quick: 256 })).toMatchObject({ quick: 0, mayBurst: false })
})

test('what is overdue has left its place, but is bounded all the same', () => {
  expect(freeCapacity(256, { ...none, overdue: 700 }).quick).toBe(192)
  expect(freeCapacity(256, { ...none, overdue: 1_000 })).toMatchObject({ quick: 24, mayBurst: false })
  expect(freeCapacity(256, { ...none, overdue: 2_000 }).quick).toBe(0)
})

test('what has ended and waits to be stored has left its place, but is bounded all the same', () => {
  expect(freeCapacity(256, { ...none, storing: 256 })).toMatchObject({ quick: 192, mayBurst: true })
  expect(freeCapacity(256, { ...none, storing: 400 })).toMatchObject({ quick: 48, mayBurst: true })
  expect(freeCapacity(256, { ...none, quick: 100, storing: 412 }).quick).toBe(0)
})

test('a delivery counts in its lane until its answer, and as a whole until it is stored', async () => {
  const inFlight = trackDeliveries()
  const [quick, slow] = [
    { endpointId: 'a', lane: 'quick' },
    { endpointId: 'b', lane: 'slow' },
  ] as const
  for (const delivery of [quick, slow]) inFlight.begun(delivery)
  expect(inFlight.counts()).toEqual({ quick: 1, overdue: 0, slow: 1, storing: 0 })
  for (const delivery of [quick, slow]) inFlight.answered(delivery)
  expect(inFlight.counts()).toEqual({ quick: 0, overdue: 0, slow: 0, storing: 2 })
  let settled = false
  const waiting = inFlight.settled().then(() => (settled = true))
  inFlight.ended(quick)
  await Promise.resolve()
  expect([settled, inFlight.size()]).toEqual([false, 1])
  inFlight.ended(slow)
  await waiting
  expect(inFlight.counts()).toEqual({ ...none })
})
