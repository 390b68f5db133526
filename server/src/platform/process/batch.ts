import { setTimeout as delay } from 'node:timers/promises'

/**
 * Gathers single calls into batches: while one batch is under way, the calls that come in wait and go out
 * together as the next (group commit). A lone call goes out at once, or after `gatherMs`, with those that came
 * meanwhile. Results come back in the order of the items. When a batch fails, its items are tried one by one, so that
 * one bad item cannot take others along: a batch has to be written as a whole or not at all.
 */
export function batched<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  maxItems: number,
  gatherMs = 0,
): (item: Item) => Promise<Result> {
  return batchedBy(() => null, run, maxItems, gatherMs)
}

/** As `batched`, in batches of items that have the same key, one batch after the other. */
export function batchedBy<Key, Item, Result>(
  keyOf: (item: Item) => Key,
  run: (items: Item[], key: Key) => Promise<Result[]>,
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
      const batches = Map.groupBy(queue.splice(0, maxItems), ({ item }) => keyOf(item))
      for (const [key, batch] of batches) await runBatch(batch, key)
    }
    running = false
  }

  async function runBatch(batch: Waiting[], key: Key): Promise<void> {
    try {
      const items = batch.map(({ item }) => item)
      const results = await run(items, key)
      for (const [place, { resolve }] of batch.entries()) resolve(results[place] as Result)
    } catch (cause) {
      if (batch.length === 1) batch[0]?.reject(cause)
      else for (const waiting of batch) await runBatch([waiting], key)
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
