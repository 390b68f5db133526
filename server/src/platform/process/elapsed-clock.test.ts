import { expect, test } from 'vitest'
import { elapsedClock } from './elapsed-clock.ts'

const HOUR_MS = 3_600_000

/** A machine whose clocks are set by the test. */
function aMachine() {
  const at = { steady: 5_000, wall: Date.UTC(2026, 0, 1) }
  const clock = elapsedClock({ steady: () => at.steady, wall: () => at.wall })
  const begun = clock()
  return {
    elapsed: () => clock() - begun,
    works(ms: number): void {
      at.steady += ms
      at.wall += ms
    },
    sleeps: (ms: number) => void (at.wall += ms),
    setsClock: (byMs: number) => void (at.wall += byMs),
  }
}

test('time that the machine worked and slept has passed', () => {
  const machine = aMachine()
  machine.works(1_000)
  expect(machine.elapsed()).toBe(1_000)
  machine.sleeps(60_000)
  machine.works(10)
  expect(machine.elapsed()).toBe(61_010)
})

test('a clock that is set back by an hour hides no sleep after it, and takes nothing back', () => {
  const machine = aMachine()
  machine.works(1_000)
  machine.setsClock(-HOUR_MS)
  expect(machine.elapsed()).toBe(1_000)
  machine.sleeps(60_000)
  expect(machine.elapsed()).toBe(61_000)
})

test('a clock that is set ahead and back again never goes back', () => {
  const machine = aMachine()
  machine.setsClock(HOUR_MS)
  expect(machine.elapsed()).toBe(HOUR_MS)
  machine.setsClock(-HOUR_MS)
  machine.works(10)
  expect(machine.elapsed()).toBe(HOUR_MS + 10)
})

test('the rounding of the time of day adds up to nothing', () => {
  const machine = aMachine()
  for (let n = 0; n < 1_000; n += 1) {
    machine.works(0.5)
    machine.setsClock(n % 2 === 0 ? 0.5 : -0.5)
    machine.elapsed()
  }
  expect(machine.elapsed()).toBe(500)
})
