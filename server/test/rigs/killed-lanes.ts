import { type Db, openDb } from '../../src/platform/postgres/db.ts'

/** What a process that is to be killed is told: what to do, and once for each lane, with which database and what else. */
export type Lanes = {
  readonly what: string
  readonly lanes: readonly { readonly url: string; readonly given: object }[]
}

/** By which the connections of such a process are known. */
export const KILLED = 'killed process'

/**
 * The whole of a process that is to be killed: it does one thing in all lanes at once, each over a connection of its own,
 * and reports the lanes that come to their end.
 */
export function runLanes(ways: Record<string, (db: Db, given: never) => Promise<unknown>>): void {
  process.once('message', ({ what, lanes }: Lanes) => {
    for (const [lane, { url, given }] of lanes.entries()) {
      // A lane that is halted waits for as long as it takes until the process is killed.
      const db = openDb({ url, applicationName: KILLED, max: 1, statementTimeoutMs: 0 })
      void ways[what]!(db, given as never).then(() => process.send!(lane))
    }
  })
}
