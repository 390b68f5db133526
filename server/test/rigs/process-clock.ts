import { onTestFinished } from 'vitest'

const RealDate = globalThis.Date

/** Sets the clock of this process so far ahead of the database's until the end of the test; behind it when negative. */
export function setProcessClock(aheadMs: number): void {
  onTestFinished(() => {
    globalThis.Date = RealDate
  })
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(RealDate.now() + aheadMs)
      else super(...given)
    }

    static override now(): number {
      return RealDate.now() + aheadMs
    }
  } as DateConstructor
}
