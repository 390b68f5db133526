import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { removeTotp } from './second-factor/second-factor-store.ts'
import { endSessions } from './session/session-store.ts'

/** By what a person gets into an account besides its password, as counts. */
export type WaysIn = {
  readonly passkeys: number
  readonly authenticator: boolean
  readonly identities: number
  readonly sessions: number
}

/**
 * Withdraws all that opens an account but its password, and one session where one is named; with it goes what is under way
 * (a sign-in that waits for a code, a link that was not opened yet).
 */
export async function withdrawWaysIn(tx: Tx, personId: string, keptSession: string | null): Promise<WaysIn> {
  const [authenticator, sessions, passkeys, identities] = await Promise.all([
    removeTotp(tx, personId),
    endSessions(tx, personId, keptSession),
    tx`delete from passkey where person_id = ${personId}`,
    tx`delete from person_identity where person_id = ${personId}`,
    tx`delete from ceremony where person_id = ${personId}`,
    tx`
      update one_time_link set used_at = now()
      where  person_id = ${personId} and kind in ('reset', 'email') and used_at is null`,
  ])
  return { passkeys: passkeys.count, authenticator, identities: identities.count, sessions }
}

/** How many agent keys and connected apps act in the person's name, in all workspaces; null unless the operator made the account. */
export async function countCredentialsOfOperators(
  sql: Sql,
  personId: string,
): Promise<{ keys: number; apps: number } | null> {
  const [row] = await sql<{ keys: number; apps: number }[]>`
    select (select count(*)::int
            from   member m
            join   agent_key k on k.workspace_id = m.workspace_id and k.member_id = m.id
            where  m.person_id = ${personId} and k.revoked_at is null
            and    (k.expires_at is null or k.expires_at > now())) as keys,
           (select count(*)::int
            from   member m
            join   oauth_grant g on g.workspace_id = m.workspace_id and g.member_id = m.id
            where  m.person_id = ${personId} and g.revoked_at is null) as apps
    from   person p
    where  p.id = ${personId} and p.by_operator`
  return row ?? null
}
