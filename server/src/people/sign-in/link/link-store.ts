import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { hashSecret, newSecret } from '../../../platform/sealing/bearer-secret.ts'

export type LinkKind = 'owner' | 'reset' | 'email'

export type Link = {
  readonly personId: string
  /** Of which the person is to become the owner; null for everything else. */
  readonly workspaceId: string | null
  readonly email: EmailAddress
  /** The address that the person is to have; null unless it is a link to change it. */
  readonly newEmail: EmailAddress | null
  readonly byMail: boolean
  readonly is: 'good' | 'used' | 'expired'
}

/** How long a link is good; one that travels by mail shorter than one that a person hands over. */
const LASTS = { owner: '24 hours', reset: '24 hours', 'reset by mail': '1 hour', email: '1 hour' } as const

/** Makes a link that works once, and gives its secret, which is kept nowhere else. */
export async function makeLink(
  sql: Sql,
  kind: LinkKind,
  {
    personId,
    workspaceId,
    byMail = false,
    email = null,
  }: { personId: string; workspaceId: string | null; byMail?: boolean; email?: EmailAddress | null },
): Promise<string> {
  const secret = newSecret()
  const lasts = LASTS[kind === 'reset' && byMail ? 'reset by mail' : kind]
  await sql`
    insert into one_time_link (token_hash, kind, person_id, workspace_id, by_mail, email, expires_at)
    values (${hashSecret(secret)}, ${kind}, ${personId}, ${workspaceId}, ${byMail}, ${email}, now() + ${lasts}::interval)`
  return secret
}

/** The link with this secret; null when there never was one. */
export async function findLink(sql: Sql, kind: LinkKind, secret: string): Promise<Link | null> {
  const [row] = await sql<Link[]>`
    select l.person_id as "personId", l.workspace_id as "workspaceId", p.email, l.by_mail as "byMail",
           l.email as "newEmail",
           case when l.used_at is not null then 'used' when l.expires_at <= now() then 'expired' else 'good' end as is
    from   one_time_link l
    join   person p on p.id = l.person_id
    where  l.token_hash = ${hashSecret(secret)} and l.kind = ${kind}`
  return row ?? null
}

/** Uses a link up, for one of those who come at once; false for the others, and for a link that is not good. */
export async function consumeLink(tx: Tx, kind: LinkKind, secret: string): Promise<boolean> {
  const { count } = await tx`
    update one_time_link
    set    used_at = now()
    where  token_hash = ${hashSecret(secret)} and kind = ${kind} and used_at is null and expires_at > now()`
  return count === 1
}

/** Whether a `person p` has a way to sign in. */
export function canSignIn(sql: Sql) {
  return sql`(
    p.password_hash is not null or exists (select from passkey k where k.person_id = p.id)
    or exists (select from person_identity i where i.person_id = p.id))`
}

/** Whether a person has a way to sign in. */
export async function hasWayIn(sql: Sql, personId: string): Promise<boolean> {
  const rows = await sql`select from person p where p.id = ${personId} and ${canSignIn(sql)}`
  return rows.length === 1
}

/** Whether any person has a way to sign in. */
export async function hasPeople(sql: Sql): Promise<boolean> {
  const rows = await sql`select from person p where ${canSignIn(sql)} limit 1`
  return rows.length === 1
}

/**
 * Whether the workspace has an owner who can sign in, or will when they are confirmed after a restore, and the first one who
 * cannot. That does not change before the transaction ends.
 */
export async function lockOwners(
  tx: Tx,
  workspaceId: string,
): Promise<{ present: boolean; awaited: string | null }> {
  await tx`select from workspace where id = ${workspaceId} for no key update`
  const rows = await tx<{ personId: string; present: boolean }[]>`
    select p.id as "personId", (${canSignIn(tx)} or m.suspended_at is not null) as present
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.role = 'owner' and (m.removed_at is null or m.suspended_at is not null)
    order  by m.id`
  return {
    present: rows.some(({ present }) => present),
    awaited: rows.find(({ present }) => !present)?.personId ?? null,
  }
}

/** Removes at most `limit` links whose time was over more than `days` ago; says how many. */
export async function pruneLinks(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from one_time_link
    where  ctid in (select ctid from one_time_link where expires_at < now() - ${days} * interval '1 day' limit ${limit})`
  return count
}
