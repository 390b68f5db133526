import type { Sql } from '../../platform/postgres/db.ts'
import { keyIdOf, sealedColumn } from '../../platform/sealing/sealed-kind.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

/** Where a client is known, and to which address a person comes back with it. */
export type ClientPlace = { readonly provider: string; readonly server: string; readonly redirectUri: string }

export async function findClient(
  sql: Sql,
  { provider, server, redirectUri }: ClientPlace,
): Promise<Buffer | null> {
  const [row] = await sql<{ clientSealed: Buffer }[]>`
    select client_sealed as "clientSealed"
    from   network_client
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
    insert into network_client (id, provider, server, redirect_uri, client_sealed)
    values (${uuidv7()}, ${provider}, ${server}, ${redirectUri}, ${clientSealed})
    on     conflict do nothing`
  return (await findClient(sql, { provider, server, redirectUri })) ?? clientSealed
}

export async function deleteClient(sql: Sql, { provider, server, redirectUri }: ClientPlace): Promise<void> {
  await sql`
    delete from network_client where provider = ${provider} and server = ${server} and redirect_uri = ${redirectUri}`
}

/** What a client is sealed for. */
export function clientContext({ provider, server, redirectUri }: ClientPlace): string {
  return `network-client:${provider}:${server}:${redirectUri}`
}

/** Our clients at networks. One that cannot be opened is of no use, and another is made when it is needed. */
export const sealedClients = sealedColumn<ClientPlace>({
  name: 'network client',
  table: 'network_client',
  column: 'client_sealed',
  contextColumns: (sql) => sql`provider, server, redirect_uri as "redirectUri"`,
  contextOf: clientContext,
  async giveUp(tx, keyIds) {
    await tx`delete from network_client where ${keyIdOf(tx, 'client_sealed')} = any (${[...keyIds]})`
  },
})
