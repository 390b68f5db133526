import { expect, test } from 'vitest'
import { startDueLoop } from '../loops/due-loop.ts'
import { runPeriodically } from '../loops/run-periodically.ts'
import { answered as collision } from '../../../test/rigs/database-faults.ts'

/** All background work runs in one of these. */
const loops = {
  'a loop over what is due': (run: () => Promise<void>, onError: (fault: unknown) => void) =>
    startDueLoop({ claim: () => run().then(() => null), maxWaitMs: 60_000, retryAfterMs: 60_000, onError }),
  'a task that is repeated': (run: () => Promise<void>, onError: (fault: unknown) => void) =>
    runPeriodically(run, 0, onError),
}

/** How often it ran until it went through or was told of, and what was told. */
async function runWith(start: (typeof loops)[keyof typeof loops], faults: unknown[]) {
  const { promise: over, resolve: end } = Promise.withResolvers<unknown>()
  let runs = 0
  const loop = start(async () => {
    runs += 1
    if (faults.length > 0) throw faults.shift()
    end(null)
  }, end)
  const told = await over
  const ran = runs
  await loop.stop()
  return { ran, told }
}

test.each(Object.entries(loops))('%s runs again at once, and quietly, after a deadlock', async (_, start) => {
  expect(await runWith(start, [collision('40P01'), collision('40001')])).toEqual({ ran: 3, told: null })
})

test.each(Object.entries(loops))(
  '%s tells of deadlocks that go on, and of every other fault',
  async (_, start) => {
    const last = collision('40P01')
    expect(await runWith(start, [collision('40P01'), collision('40P01'), last])).toEqual({
      ran: 3,
      told: last,
    })
    const other = collision('42P01')
    expect(await runWith(start, [other])).toEqual({ ran: 1, told: other })
  },
)
