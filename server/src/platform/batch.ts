import { setTimeout as delay } from 'node:timers/promises'

/**
 * Gathers single calls into batches: while one batch is under way, the calls that come in wait and go out
 * together as the next (group commit). A lone call goes out at once, or after `gatherMs`, with those that came
 * meanwhile. Results come back in the order of the items. When a batch fails, its items are tried one by one, so that
 * one bad item cannot take others along.
 */
export function batched<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  maxItems: number,
  gatherMs = 0,
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (cause: unknown) => void }
  const queue: Waiting[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    while (queue.length > 0) {
      if (gatherMs > 0 && queue.length < maxItems) await delay(gatherMs)
      await runBatch(queue.splice(0, maxItems))
    }
    running = false
  }

  async function runBatch(batch: Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [place, { resolve }] of batch.entries()) resolve(results[place] as Result)
    } catch (cause) {
      if (batch.length === 1) batch[0]?.reject(cause)
      else for (const waiting of batch) await runBatch([waiting])
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      // The turn of the event loop that brings one finished call often brings others.
      if (!running) {
        running = true
        setImmediate(() => void drain())
      }
    })
}
