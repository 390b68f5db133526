import { hashSecret } from '../../platform/sealing/bearer-secret.ts'
import type { Sql } from '../../platform/postgres/db.ts'

/**
 * What the authorization server keeps under an id, apart from the id itself. `expiresIn` is in seconds, null for what does not
 * expire.
 */
export type Artifact = {
  readonly payload: Record<string, unknown>
  readonly consumed: boolean
  readonly expiresIn: number | null
}

export type NewArtifact = {
  readonly model: string
  readonly id: string
  readonly payload: Record<string, unknown>
  readonly grantId: string | undefined
  readonly uid: string | undefined
  /** In seconds; undefined for what does not expire. */
  readonly expiresIn: number | undefined
}

/** For so long a refresh token that was used may be used again: real clients refresh several times at once. */
export const REFRESH_GRACE_SECONDS = 60

/** Ids are bearer secrets: only the hash is stored. */
function hashOrNull(id: string | undefined): Buffer | null {
  return id === undefined ? null : hashSecret(id)
}

/**
 * Stores or replaces. What was consumed stays consumed. An access token consumes the refresh token that it was asked for with,
 * in the same statement: a server that dies before has taken nothing from the client, whose token stays good.
 */
export async function putArtifact(sql: Sql, artifact: NewArtifact): Promise<void> {
  const { model, id, payload, grantId, uid, expiresIn } = artifact
  await sql`
    with replaced as (
      update oauth_artifact set consumed_at = now()
      where  ${model} = 'AccessToken' and model = 'RefreshToken' and grant_hash = ${hashOrNull(grantId)}
      and    used_at is not null and consumed_at is null
    )
    insert into oauth_artifact (model, id_hash, payload, grant_hash, uid_hash, expires_at)
    values (${model}, ${hashSecret(id)}, ${sql.json(payload)}, ${hashOrNull(grantId)}, ${hashOrNull(uid)},
            now() + ${expiresIn ?? null}::float8 * interval '1 second')
    on     conflict (model, id_hash) do update
    set    payload = excluded.payload, grant_hash = excluded.grant_hash, uid_hash = excluded.uid_hash,
           expires_at = excluded.expires_at`
}

/**
 * Undefined when there is none or its time is over. A refresh token counts as consumed only when its grace is over, a
 * code at once.
 */
export async function findArtifact(sql: Sql, model: string, id: string): Promise<Artifact | undefined> {
  return findBy(sql, model, matching(sql, 'id_hash', id))
}

export async function findArtifactByUid(sql: Sql, model: string, uid: string): Promise<Artifact | undefined> {
  return findBy(sql, model, matching(sql, 'uid_hash', uid))
}

/** A piece of a statement. */
type Condition = ReturnType<typeof matching>

function matching(sql: Sql, column: 'id_hash' | 'uid_hash', id: string) {
  return sql`${sql(column)} = ${hashSecret(id)}`
}

async function findBy(sql: Sql, model: string, which: Condition): Promise<Artifact | undefined> {
  const graceSeconds = model === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0
  const [found] = await sql<Artifact[]>`
    select payload, coalesce(consumed_at <= now() - ${graceSeconds} * interval '1 second', false) as consumed,
           ${secondsLeft(sql)} as "expiresIn"
    from   oauth_artifact
    where  model = ${model} and ${which} and (expires_at is null or expires_at > now())`
  return found
}

function secondsLeft(sql: Sql) {
  return sql`extract(epoch from expires_at - now())::float8`
}

/** A device asks again no sooner than it was told to, less what a clock and a network may be off. */
export const POLL_SECONDS = 5
const POLL_TOLERANCE_SECONDS = 1
/** A code that has expired is known for so long after, so that its device hears what has become of it. */
const EXPIRED_CODE_MINUTES = 60

/** A device asks for its tokens: what there is under its code, and whether it has asked too soon after it asked last. */
export async function pollDeviceCode(
  sql: Sql,
  id: string,
): Promise<(Artifact & { decided: boolean; tooSoon: boolean }) | undefined> {
  const which = sql`model = 'DeviceCode' and ${matching(sql, 'id_hash', id)}`
  const [found] = await sql<(Artifact & { decided: boolean; tooSoon: boolean })[]>`
    update oauth_artifact a set used_at = now()
    from   (select used_at from oauth_artifact where ${which} for update) as before
    where  ${which}
    returning a.payload, a.consumed_at is not null as consumed, a.payload ?| array['accountId', 'error'] as decided,
              ${secondsLeft(sql)} as "expiresIn",
              coalesce(before.used_at > now() - ${POLL_SECONDS - POLL_TOLERANCE_SECONDS} * interval '1 second', false)
                as "tooSoon"`
  return found
}

export type OpenDeviceCode = {
  readonly payload: Record<string, unknown>
  /** How many whole minutes ago its device asked. */
  readonly minutes: number
}

/** What waits under the code that a person has entered; null when nothing does: it is unknown, decided, or its time is over. */
export async function findDeviceCode(sql: Sql, userCode: string): Promise<OpenDeviceCode | null> {
  const [found, another] = await sql<OpenDeviceCode[]>`
    select payload, floor(extract(epoch from now() - created_at) / 60)::int as minutes
    from   oauth_artifact where ${waitingUnder(sql, userCode)}`
  // Of two devices with the same code nobody knows which one a person means.
  return another === undefined ? (found ?? null) : null
}

/** Decides about a device, once. False: it was decided before, at the same moment perhaps, or its time is over. */
export async function decideDeviceCode(
  sql: Sql,
  userCode: string,
  decision: { readonly payload: Record<string, unknown>; readonly grantId?: string },
): Promise<boolean> {
  const { payload, grantId } = decision
  const { count } = await sql`
    update oauth_artifact set payload = payload || ${sql.json(payload)}, grant_hash = ${hashOrNull(grantId)}
    where  ${waitingUnder(sql, userCode)}`
  return count === 1
}

function waitingUnder(sql: Sql, userCode: string) {
  return sql`model = 'DeviceCode' and ${matching(sql, 'uid_hash', userCode)} and expires_at > now()
    and consumed_at is null and not payload ?| array['accountId', 'error']`
}

/** Consumes a code. False: it was used before, at the same moment perhaps, or is gone. One that was denied stays so for whoever asks again. */
export async function consumeArtifact(sql: Sql, model: string, id: string): Promise<boolean> {
  const { count } = await sql`
    update oauth_artifact set consumed_at = case when not payload ? 'error' then now() end
    where  model = ${model} and id_hash = ${hashSecret(id)} and consumed_at is null`
  return count === 1
}

export async function removeArtifact(sql: Sql, model: string, id: string): Promise<void> {
  await sql`delete from oauth_artifact where model = ${model} and id_hash = ${hashSecret(id)}`
}

/** Ends a grant with all that was issued under it: the next request with one of its tokens is refused. */
export async function revokeGrantArtifacts(sql: Sql, grantHash: Buffer): Promise<void> {
  await sql`
    with revoked as (
      update oauth_grant set revoked_at = coalesce(revoked_at, now()) where grant_hash = ${grantHash}
    )
    delete from oauth_artifact
    where  grant_hash = ${grantHash} or (model = 'Grant' and id_hash = ${grantHash})`
}

/** The same, by something that was issued under it. */
export async function revokeGrantOf(sql: Sql, model: string, id: string): Promise<void> {
  const [artifact] = await sql<{ grantHash: Buffer | null }[]>`
    select grant_hash as "grantHash" from oauth_artifact where model = ${model} and id_hash = ${hashSecret(id)}`
  if (artifact?.grantHash) await revokeGrantArtifacts(sql, artifact.grantHash)
}

/** Notes a use. A registered client is kept once a person has let it in; a refresh token is about to be replaced. */
export async function noteUse(sql: Sql, model: 'Client' | 'RefreshToken', id: string): Promise<void> {
  await sql`update oauth_artifact set used_at = now() where model = ${model} and id_hash = ${hashSecret(id)}`
}

/** So many registered clients may exist that no person has let in, */
export const UNUSED_CLIENTS = 10_000
/** and so many requests about which no person has decided, of browsers and of devices each. */
export const OPEN_INTERACTIONS = 10_000

/**
 * Deletes the oldest clients that no person has let in when there are too many. A flood of registrations shortens the time in
 * which a new client has to be let in; it never shuts the others out.
 */
export async function evictUnusedClients(sql: Sql, atMost = UNUSED_CLIENTS): Promise<void> {
  const unused = sql`model = 'Client' and used_at is null`
  await evictOldest(sql, unused, atMost)
}

/** The same, of requests that wait for a decision. */
export async function evictInteractions(sql: Sql, atMost = OPEN_INTERACTIONS): Promise<void> {
  const waiting = sql`model = 'Interaction' and not payload ? 'result'`
  await evictOldest(sql, waiting, atMost)
}

/** The same, of devices that wait for a decision. */
export async function evictDeviceCodes(sql: Sql, atMost = OPEN_INTERACTIONS): Promise<void> {
  const waiting = sql`model = 'DeviceCode' and not payload ?| array['accountId', 'error']`
  await evictOldest(sql, waiting, atMost)
}

/** A tenth more than there must be is deleted at once, so that a flood does not have them sorted for each of its requests. */
async function evictOldest(sql: Sql, which: Condition, atMost: number): Promise<void> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from oauth_artifact where ${which}`
  if (row.count <= atMost) return
  const kept = atMost - Math.floor(atMost / 10)
  await sql`
    delete from oauth_artifact
    where  ctid = any (array(
      select ctid from oauth_artifact
      where  ${which}
      order  by created_at
      limit  ${row.count - kept}
      for    update skip locked))`
}

/**
 * Deletes what has expired, and clients that no person let in within a day; at most `limit` rows, and says how many. They are locked first: one that is just being used or replaced
 * stays.
 */
export async function pruneArtifacts(sql: Sql, limit: number): Promise<number> {
  const deleted = await sql`
    delete from oauth_artifact
    where  ctid = any (array(
      select ctid from oauth_artifact
      where  expires_at < now() and (model <> 'DeviceCode' or expires_at < now() - ${EXPIRED_CODE_MINUTES} * interval '1 minute')
      or     model = 'Client' and used_at is null and created_at < now() - interval '1 day'
      limit  ${limit}
      for    update skip locked))`
  return deleted.count
}
