import { memberHolder } from '../../people/keys/member-holder.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import type { OccurrenceParts } from './make-occurrences.ts'

type HolderOf = (
  sql: Sql,
  credential: { readonly type: Caller['credential']['type']; readonly id: string },
) => Promise<Caller | null>

/** The caller in whose name a series publishes, as they are now: a credential with what it may do, or a member with the rights of their role. */
export function seriesCaller(holderOf: HolderOf): OccurrenceParts['holderOf'] {
  return (sql, { type, id }, workspaceId) =>
    type === 'person' ? memberHolder(sql, workspaceId, id) : holderOf(sql, { type, id })
}
