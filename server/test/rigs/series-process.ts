/*
 * A host that makes the occurrences of series, again and again, for tests that kill it. After so many steps of its transactions it
 * kills itself, as `kill -9` would; it ends with its parent.
 */
import { flushCompileCache } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { agentKeys, holderBy } from '../../src/people/keys/authenticate.ts'
import { type Db, openDb } from '../../src/platform/postgres/db.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { makeOccurrences } from '../../src/content/series/make-occurrences.ts'
import { seriesCaller } from '../../src/content/series/series-caller.ts'

export type SeriesOrder = {
  readonly url: string
  /** Null for one that lives. */
  readonly diesAfter: number | null
}

/** A database whose process is gone after so many steps: statements of a transaction that were sent, and what stands before and after its end. */
function dyingAfter(db: Db, steps: number): Db {
  let left = steps
  const step = () => {
    if (left-- <= 0) process.kill(process.pid, 'SIGKILL')
  }
  async function begin(run: (tx: never) => Promise<unknown>): Promise<unknown> {
    const result = await db.begin(async (tx) => {
      const counted = new Proxy(tx, {
        apply(statement, self, given) {
          const sent: unknown = Reflect.apply(statement as never, self, given)
          step()
          return sent
        },
      })
      const ran = await run(counted as never)
      step()
      return ran
    })
    step()
    return result
  }
  return new Proxy(db, {
    get: (target, name) => (name === 'begin' ? begin : (Reflect.get(target, name) as unknown)),
  })
}

if (import.meta.main) {
  flushCompileCache()
  process.once('disconnect', () => process.exit(1))
  process.once('message', async ({ url, diesAfter }: SeriesOrder) => {
    const db = openDb({ url, applicationName: 'series process', max: 2 })
    const parts = {
      db: diesAfter === null ? db : dyingAfter(db, diesAfter),
      providers,
      recordAct,
      baseUrl: 'https://postrider.test',
      holderOf: seriesCaller(holderBy([agentKeys])),
      onFault: (fault: unknown) => {
        throw fault
      },
    }
    for (;;) {
      await makeOccurrences(parts)
      await turn()
    }
  })
  process.send!('ready')
}
