import type { Language } from '../../../platform/text/language.ts'
import { endConnectLinks } from '../link/connect-links-store.ts'
import { ChangedMeanwhile } from '../../../edge/operations/changed-meanwhile.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { hashSecret, newSecret } from '../../../platform/sealing/bearer-secret.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'

/** A session ends when it was not used for this long, */
const IDLE = '7 days'
/** and after this long however much it is used. */
const LONGEST = '30 days'
/** How long a person who has shown who they are may do what needs a fresh proof. */
const FRESH = '10 minutes'

/** From where, and with what, a browser comes. */
export type ClientInfo = {
  readonly address: string
  readonly userAgent: string | null
  /** The proof that a person has used this browser before, good or not. */
  readonly known?: string | null
}

/** A person in a browser that is signed in. */
export type SignedIn = {
  readonly sessionId: string
  /** Of the secret that the browser has. */
  readonly secretHash: Buffer
  readonly personId: string
  readonly name: string
  readonly email: EmailAddress
  /** In which they read; null as their browser has it. */
  readonly language: Language | null
  /** Whether they showed who they are within the last minutes. */
  readonly fresh: boolean
}

export type Session = {
  readonly sessionId: string
  readonly address: string | null
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly seenAt: Date
  readonly endsAt: Date
}

/** Signs a person in, and gives the secret of the session, which is kept nowhere else. */
export async function openSession(sql: Sql, personId: string, client: ClientInfo): Promise<string> {
  const secret = newSecret()
  await sql`
    insert into session (id, person_id, token_hash, ends_at, address, user_agent)
    values (${uuidv7()}, ${personId}, ${hashSecret(secret)}, now() + ${LONGEST}::interval, ${client.address},
            ${client.userAgent?.slice(0, 300) ?? null})`
  return secret
}

function current(sql: Sql) {
  return sql`s.ends_at > now() and s.seen_at > now() - ${IDLE}::interval`
}

/**
 * Who is signed in with this secret; null when it is unknown or its session is over. It is looked up each time, so that
 * a session that was ended is refused from the next request on, in every process. What a browser asks by itself, and not its
 * person, is no use of the session.
 */
export async function findSession(
  db: Sql,
  secret: string,
  { isUse = true }: { isUse?: boolean } = {},
): Promise<SignedIn | null> {
  const [row] = await db<(SignedIn & { stale: boolean })[]>`
    select s.id as "sessionId", s.token_hash as "secretHash", s.person_id as "personId", p.name, p.email, p.language,
           s.proved_at > now() - ${FRESH}::interval as fresh, s.seen_at < now() - interval '1 minute' as stale
    from   session s
    join   person p on p.id = s.person_id
    where  s.token_hash = ${hashSecret(secret)} and ${current(db)}`
  if (row === undefined) return null
  const { stale, ...signedIn } = row
  if (stale && isUse) await db`update session set seen_at = now() where id = ${row.sessionId}`
  return signedIn
}

/**
 * Looks a session up again in the transaction of a write: until that ends, the session is not ended and its secret not
 * replaced. Throws `ChangedMeanwhile` where that has happened since the request came in.
 */
export async function holdSession(
  tx: Sql,
  { sessionId, secretHash }: Pick<SignedIn, 'sessionId' | 'secretHash'>,
): Promise<{ fresh: boolean }> {
  // The lock conflicts with a deletion and with another secret, and not with `seen_at`.
  const [row] = await tx<{ fresh: boolean }[]>`
    select s.proved_at > now() - ${FRESH}::interval as fresh
    from   session s
    where  s.id = ${sessionId} and s.token_hash = ${secretHash} and ${current(tx)}
    for    key share`
  if (row === undefined) throw new ChangedMeanwhile()
  return row
}

/** Gives a session another secret after its person has shown who they are; null when it is over. */
export async function renewSession(sql: Sql, sessionId: string): Promise<string | null> {
  const secret = newSecret()
  const { count } = await sql`
    update session s
    set    token_hash = ${hashSecret(secret)}, proved_at = now(), seen_at = now()
    where  s.id = ${sessionId} and ${current(sql)}`
  return count === 1 ? secret : null
}

/** The sessions of a person, the one used last first. */
export async function listSessions(sql: Sql, personId: string): Promise<Session[]> {
  return sql<Session[]>`
    select s.id as "sessionId", s.address, s.user_agent as "userAgent", s.created_at as "createdAt",
           s.seen_at as "seenAt", s.ends_at as "endsAt"
    from   session s
    where  s.person_id = ${personId} and ${current(sql)}
    order  by s.seen_at desc, s.id`
}

/** Ends the session with this secret, if there is one. */
export async function endSessionOf(sql: Sql, secret: string): Promise<void> {
  await sql`delete from session where token_hash = ${hashSecret(secret)}`
}

/** Ends one session of a person, and their links to connect an account; false when they have no such session. */
export async function endSession(sql: Sql, personId: string, sessionId: string): Promise<boolean> {
  const { count } = await sql`delete from session where person_id = ${personId} and id = ${sessionId}`
  if (count === 1) await endConnectLinks(sql, personId)
  return count === 1
}

/** Ends the sessions of a person, all of them or all but one, with their links to connect an account. Says how many sessions. */
export async function endSessions(sql: Sql, personId: string, except: string | null = null): Promise<number> {
  const [, { count }] = await Promise.all([
    endConnectLinks(sql, personId),
    sql`delete from session where person_id = ${personId} and (${except}::uuid is null or id <> ${except})`,
  ])
  return count
}

/** Signs everybody out, and ends what is under way: sign-ins, and links that work once. */
export async function endAllSignIns(tx: Tx): Promise<void> {
  await tx`delete from ceremony`
  await tx`delete from session`
  await tx`delete from one_time_link`
  await tx`delete from reset_request`
}

/**
 * Removes what is over: sessions, ceremonies and counts, at most so many of each; gives the largest number of one kind. Sessions
 * and counts are locked first: one that is just being used stays.
 */
export async function pruneSignIn(sql: Sql, limit: number): Promise<number> {
  const sessions = await sql`
    delete from session where id = any (array(
      select s.id from session s where not (${current(sql)}) limit ${limit} for update skip locked))`
  const ceremonies = await sql`
    delete from ceremony where ctid in (select ctid from ceremony where expires_at < now() limit ${limit})`
  const counts = await sql`
    delete from throttle where ctid = any (array(
      select ctid from throttle where ends_at < now() limit ${limit} for update skip locked))`
  return Math.max(sessions.count, ceremonies.count, counts.count)
}
