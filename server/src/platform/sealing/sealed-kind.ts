import type { Fragment, Sql, Tx } from '../postgres/db.ts'

/** How many values one key has sealed. */
export type KeyUse = { readonly keyId: string; readonly count: number }

/** A sealed value, with the context that it was sealed in. */
export type SealedValue = { readonly id: string; readonly context: string; readonly sealed: Buffer }

/** Values that one feature stores sealed: what it takes to re-seal them, and to do without them. */
export type SealedKind = {
  /** In words whose plural ends in s: `channel authorization`. */
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
  /** All values of one workspace that are still of use; left out where they are of none. */
  readonly ofWorkspace?: (sql: Sql, workspaceId: string) => Promise<SealedValue[]>
  /** Marks what these keys have sealed as lost, so that nothing relies on it any more. */
  readonly giveUp: (tx: Tx, keyIds: readonly string[]) => Promise<void>
}

/** A column whose values are sealed, one per row. `Row` is what the context is made of, besides the row's id. */
export type SealedColumn<Row extends object> = {
  readonly name: string
  readonly table: string
  readonly column: string
  /** The column of the row's id; `id` unless it says otherwise. */
  readonly idColumn?: string
  /** The condition for a value that is still of use; every value is unless it says otherwise. */
  readonly inUse?: (sql: Sql) => Fragment
  /** Whether the rows are those of workspaces. */
  readonly inWorkspaces?: boolean
  /** The columns of `Row`, for a select list. */
  readonly contextColumns?: (sql: Sql) => Fragment
  readonly contextOf: (row: Row & { readonly id: string }) => string
  readonly giveUp: SealedKind['giveUp']
}

/** What is stored sealed in one column of one table. */
export function sealedColumn<Row extends object = object>({
  name,
  table,
  column,
  idColumn = 'id',
  inUse = (sql) => sql`true`,
  inWorkspaces = false,
  contextColumns,
  contextOf,
  giveUp,
}: SealedColumn<Row>): SealedKind {
  type Found = Row & { id: string; sealed: Buffer }
  const columns = (sql: Sql) =>
    sql`${sql(idColumn)} as id, ${sql(column)} as sealed ${contextColumns === undefined ? sql`` : sql`, ${contextColumns(sql)}`}`
  const valueOf = (row: Found) => ({ id: row.id, sealed: row.sealed, context: contextOf(row) })
  return {
    name,
    column: `${table}.${column}`,
    keysInUse: (sql) => sql`
      select ${keyIdOf(sql, column)} as "keyId", count(*)::int as count
      from   ${sql(table)}
      where  ${sql(column)} is not null and ${inUse(sql)}
      group  by 1
      order  by 1`,
    async find(tx, keyIds, { after, limit }) {
      const rows = await tx<Found[]>`
        select ${columns(tx)}
        from   ${tx(table)}
        where  ${keyIdOf(tx, column)} = any (${[...keyIds]}) and (${after}::uuid is null or ${tx(idColumn)} > ${after})
        order  by ${tx(idColumn)}
        limit  ${limit}
        for    no key update`
      return rows.map(valueOf)
    },
    ...(inWorkspaces
      ? {
          async ofWorkspace(sql: Sql, workspaceId: string) {
            const rows = await sql<Found[]>`
              select ${columns(sql)}
              from   ${sql(table)}
              where  workspace_id = ${workspaceId} and ${sql(column)} is not null and ${inUse(sql)}
              order  by ${sql(idColumn)}`
            return rows.map(valueOf)
          },
        }
      : {}),
    async replace(tx, id, sealed) {
      await tx`update ${tx(table)} set ${tx(column)} = ${sealed} where ${tx(idColumn)} = ${id}`
    },
    giveUp,
  }
}

/** The id of the key that has sealed a value, in hexadecimal. */
export function keyIdOf(sql: Sql, column: string) {
  return sql`encode(substring(${sql(column)} from 2 for 8), 'hex')`
}
