import type { DestinationError } from '@postrider/contract'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { moves } from './destination-states.ts'
import { freshToken } from './tokens.ts'

/*
 * What the queue does to destinations and their parts, as the beginnings of its statements: a `destination d` or a `part p` is
 * updated. Which ones, under which locks and what is given back, the statement says behind that.
 */

export type NewLease = { readonly workerId: string; readonly leaseMs: number }

/** Begins a publication, of what is noted as being published. */
export function claimed(sql: Sql, { workerId, leaseMs }: NewLease) {
  return sql`
    update destination d
    set    status = ${moves.claim.to}, status_since = now(), updated_at = now(), control_token = ${freshToken(sql)},
           claimed_from = d.status, fence = d.fence + 1, leased_by = ${workerId}, lease_until = now() + ${leaseMs} * interval '1 ms',
           check_again_at = null, error = null`
}

/** Takes over a publication that no worker has any more, or just now. */
export function takenOver(sql: Sql, { workerId, leaseMs }: NewLease) {
  return sql`
    update destination d
    set    fence = d.fence + 1, leased_by = ${workerId}, lease_until = now() + ${leaseMs} * interval '1 ms'`
}

/** Renews a lease. */
export function renewed(sql: Sql, leaseMs: number) {
  return sql`
    update destination d
    set    lease_until = now() + ${leaseMs} * interval '1 ms'`
}

/** Gives a lease back while the network is processing a call. The fence is raised, since its holder has nothing more to say. */
export function leftToNetwork(sql: Sql, pollInMs: number, error: DestinationError | null) {
  return sql`
    update destination d
    set    fence = d.fence + 1, leased_by = null, lease_until = null, due_at = now() + ${pollInMs} * interval '1 ms',
           error = ${error === null ? null : sql.json(error)}, updated_at = now()`
}

/** The same while it is processing an upload, of which `upload` says how far it came. */
export function uploadLeftToNetwork(sql: Sql, pollInMs: number, upload: object) {
  return sql`
    update destination d
    set    fence = d.fence + 1, leased_by = null, lease_until = null, due_at = now() + ${pollInMs} * interval '1 ms',
           upload = ${sql.json(upload)}, updated_at = now()`
}

/** Has later tries begin anew. */
export function uploadForgotten(sql: Sql) {
  return sql`
    update destination d
    set    upload = null`
}

/** Says why one in doubt is so. */
export function doubtNoted(sql: Sql, error: DestinationError) {
  return sql`
    update destination d
    set    error = ${sql.json(error)}, updated_at = now()`
}

/** Plans the next lookup of one in doubt. */
export function lookupPlanned(sql: Sql, at: Fragment) {
  return sql`
    update destination d
    set    tries = d.tries + 1, due_at = ${at}, check_again_at = ${at}`
}

/** Makes `delayed` what is held until then, by a wait of this kind. */
export function delayed(
  sql: Sql,
  hold: { readonly until: Fragment; readonly wait: Fragment; readonly error: Fragment },
) {
  return sql`
    update destination d
    set    status = ${moves.hold.to}, status_since = now(), updated_at = now(), control_token = ${freshToken(sql)},
           check_again_at = greatest(${hold.until}, now()), announced_wait = ${hold.wait}, error = ${hold.error}`
}

/** A call for a part is about to be made. */
export function partSending(sql: Sql) {
  return sql`
    update part p
    set    status = 'publishing'`
}

/** How long the workspace of a `destination d` allows it to be late. */
export function allowedTime(sql: Sql) {
  return sql`(select allowed_time from workspace w where w.id = d.workspace_id)`
}
