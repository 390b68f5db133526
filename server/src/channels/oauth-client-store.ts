import type { Sql } from '../platform/db.ts'

/** Where a client is known, and to which address a person comes back with it. */
export type ClientPlace = { readonly provider: string; readonly server: string; readonly redirectUri: string }

export async function findClient(
  sql: Sql,
  { provider, server, redirectUri }: ClientPlace,
): Promise<Buffer | null> {
  const [row] = await sql<{ clientSealed: Buffer }[]>`
    select client_sealed as "clientSealed"
    from   oauth_client
    where  provider = ${provider} and server = ${server} and redirect_uri = ${redirectUri}`
  return row?.clientSealed ?? null
}

/** Keeps a client unless there is one already, and gives the one that is there then. */
export async function keepClient(
  sql: Sql,
  { provider, server, redirectUri }: ClientPlace,
  clientSealed: Buffer,
): Promise<Buffer> {
  await sql`
    insert into oauth_client (provider, server, redirect_uri, client_sealed)
    values (${provider}, ${server}, ${redirectUri}, ${clientSealed})
    on     conflict do nothing`
  return (await findClient(sql, { provider, server, redirectUri })) ?? clientSealed
}
