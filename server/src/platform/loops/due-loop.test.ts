import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDueLoop, type DueLoop } from './due-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const maxWaitMs = 15_000
const retryAfterMs = 1_000

/** A loop whose runs are kept open until the test ends them. */
function aLoop() {
  const open: PromiseWithResolvers<number | null>[] = []
  const errors: unknown[] = []
  let runs = 0
  const loop = startDueLoop({
    claim() {
      runs += 1
      const run = Promise.withResolvers<number | null>()
      open.push(run)
      return run.promise
    },
    maxWaitMs,
    retryAfterMs,
    onError: (error) => void errors.push(error),
  })
  const settle = () => vi.advanceTimersByTimeAsync(0)
  return {
    loop,
    errors,
    runs: () => runs,
    async end(dueInMs: number | null) {
      open.shift()!.resolve(dueInMs)
      await settle()
    },
    async fail(error: Error) {
      open.shift()!.reject(error)
      await settle()
    },
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

test('it runs at once, and again when the next row is due', async () => {
  const { runs, end, pass } = aLoop()
  expect(runs()).toBe(1)
  await end(500)
  await pass(499)
  expect(runs()).toBe(1)
  await pass(1)
  expect(runs()).toBe(2)
})

test('it waits no longer than its limit, however far off or unknown the next row is', async () => {
  const { runs, end, pass } = aLoop()
  await end(null)
  await pass(maxWaitMs)
  expect(runs()).toBe(2)
  await end(10 ** 10)
  await pass(maxWaitMs)
  expect(runs()).toBe(3)
})

test('what is due already is claimed in another run', async () => {
  const { runs, end } = aLoop()
  await end(0)
  expect(runs()).toBe(2)
  await end(-300)
  expect(runs()).toBe(3)
})

test('it is woken before its time, and the former alarm is void', async () => {
  const { loop, runs, end, pass } = aLoop()
  await end(1_000)
  await pass(400)
  loop.wake()
  expect(runs()).toBe(2)
  await end(5_000)
  await pass(4_999)
  expect(runs()).toBe(2)
})

test('it never runs twice at a time: woken during a run, it runs once more after it', async () => {
  const { loop, runs, end, pass } = aLoop()
  loop.wake()
  loop.wake()
  await pass(60_000)
  expect(runs()).toBe(1)
  await end(5_000)
  expect(runs()).toBe(2)
  await end(5_000)
  await pass(4_999)
  expect(runs()).toBe(2)
})

test.each([0, 1, 2, 3, 4, 5, 6])(
  'no wake-up is lost that comes %i turns after the end of a run',
  async (turns) => {
    let runs = 0
    const ended = Promise.withResolvers<number>()
    const loop = startDueLoop({
      claim: () => (++runs === 1 ? ended.promise : Promise.resolve(null)),
      maxWaitMs,
      retryAfterMs,
      onError: () => undefined,
    })
    ended.resolve(1_000)
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    loop.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(runs).toBe(2)
  },
)

test('a run that fails is reported and repeated after a while, or when it is woken', async () => {
  const { loop, errors, runs, fail, pass } = aLoop()
  const away = new Error('the database is away')
  await fail(away)
  expect(errors).toEqual([away])
  await pass(retryAfterMs - 1)
  expect(runs()).toBe(1)
  await pass(1)
  expect(runs()).toBe(2)
  await fail(away)
  loop.wake()
  expect(runs()).toBe(3)
})

test('stopped, it waits for the run under way and begins no other', async () => {
  const { loop, runs, end, pass } = aLoop()
  loop.wake()
  const stopped = isSettled(loop.stop())
  await pass(0)
  expect(stopped.settled).toBe(false)
  await end(0)
  expect(stopped.settled).toBe(true)
  loop.wake()
  await pass(60_000)
  expect(runs()).toBe(1)
})

test('stopped between two runs, it is over at once', async () => {
  const { loop, runs, end, pass } = aLoop()
  await end(100)
  await loop.stop()
  await pass(60_000)
  expect(runs()).toBe(1)
})

function isSettled(stopping: ReturnType<DueLoop['stop']>) {
  const state = { settled: false }
  void stopping.then(() => (state.settled = true))
  return state
}
