import type { Sql } from '../../../platform/postgres/db.ts'

/** No account is connected any more by a link that the person made, even if its browser is back from the network already. */
export async function endConnectLinks(sql: Sql, personId: string): Promise<void> {
  await sql`
    update connect_flow set expires_at = now(), kept_sealed = null, choosing = false
    where  actor ->> 'personId' = ${personId} and expires_at > now()`
}

/** Forgets every link and everybody who is at a network just now. */
export async function endAllConnecting(sql: Sql): Promise<void> {
  await sql`delete from connect_flow`
}
