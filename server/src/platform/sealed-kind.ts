import type { Sql, Tx } from './db.ts'

/** How many values one key has sealed. */
export type KeyUse = { readonly keyId: string; readonly count: number }

/** A sealed value, with the context that it was sealed in. */
export type SealedValue = { readonly id: string; readonly context: string; readonly sealed: Buffer }

/** Values that one feature stores sealed: what it takes to seal them anew, and to do without them. */
export type SealedKind = {
  /** In words whose plural ends in s: `channel authorisation`. */
  readonly name: string
  /** Where they are, as `table.column`. */
  readonly column: string
  /** Which keys have sealed those that are still of use. */
  readonly keysInUse: (sql: Sql) => Promise<KeyUse[]>
  /** At most `limit` values that one of these keys has sealed, in the order of their ids from `after` on; locked. */
  readonly find: (
    tx: Tx,
    keyIds: readonly string[],
    page: { readonly after: string | null; readonly limit: number },
  ) => Promise<SealedValue[]>
  readonly replace: (tx: Tx, id: string, sealed: Buffer) => Promise<void>
  /** Marks what these keys have sealed as lost, so that nothing relies on it any more. */
  readonly giveUp: (tx: Tx, keyIds: readonly string[]) => Promise<void>
}

/** The id of the key that has sealed a value, in hexadecimal. */
export function keyIdOf(sql: Sql, column: string) {
  return sql`encode(substring(${sql(column)} from 2 for 8), 'hex')`
}
