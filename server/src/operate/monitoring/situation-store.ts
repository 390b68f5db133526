import { listActivity, type Activity } from '../../platform/postgres/activity-store.ts'
import { type Db, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import { workers, type WorkerHeartbeat } from '../../platform/postgres/worker-store.ts'

/** Nothing is counted further: asking costs the same, however much waits. */
export const COUNTED_TO = 1_000

const LIMIT_MS = 2_000

/** How much waits in the whole installation, whichever process asks. Ages are in seconds, null where there is nothing. */
export type Situation = {
  readonly destinations: {
    /** By status, those that are over left out; of those that wait for their time, the next ones. */
    readonly counts: Readonly<Record<string, number>>
    /** Their time has come, and no publisher has claimed them: those on hold, and those behind another, too. */
    readonly due: number
    /** For how long a publisher could have claimed the one that has waited longest. */
    readonly dueAge: number | null
    readonly checkingAge: number | null
    /** Parts that were found to be live twice in the last 14 days. */
    readonly liveTwice: number
  }
  readonly deliveries: {
    readonly counts: Readonly<Record<string, number>>
    /** For how long the one that has waited longest has been due, at endpoints that answer, and at those that fail. */
    readonly dueAge: number | null
    readonly failingDueAge: number | null
    readonly failedAge: number | null
    /** How long ago one was given up last at an endpoint that is active. */
    readonly givenUpAge: number | null
  }
  readonly endpoints: {
    readonly failing: number
    /** Disabled, and failing when they were. */
    readonly disabled: number
    readonly failingAge: number | null
  }
  readonly series: {
    /** For how long the one has been due to be looked at that has waited longest. */
    readonly dueAge: number | null
    /** Occurrences whose posts were refused. */
    readonly waiting: number
  }
  readonly mail: { readonly pending: number; readonly failed: number; readonly age: number | null }
  /** Whether another database was found within a week to use the media storage under the id of this one. */
  readonly isMediaContested: boolean
  readonly workers: readonly WorkerHeartbeat[]
  readonly activity: readonly Activity[]
  /** Of the installation: since its schema was made, or restored. */
  readonly age: number
  /** By how many seconds the clock of this process is ahead of the database's; negative where it is behind. */
  readonly clockAhead: number
}

/** All of it in one round trip, by indexes alone. */
export async function readSituation(db: Db): Promise<Situation> {
  const askedMs = Date.now()
  const { atMs, ...found } = await readRows(db)
  return { ...found, clockAhead: secondsAhead(askedMs, atMs, Date.now()) }
}

/** What the database says of its time lies between the question and the answer, unless a clock is wrong. */
function secondsAhead(askedMs: number, databaseMs: number, answeredMs: number): number {
  if (databaseMs < askedMs) return Math.round((askedMs - databaseMs) / 1_000)
  return databaseMs > answeredMs ? -Math.round((databaseMs - answeredMs) / 1_000) : 0
}

function readRows(db: Db): Promise<Omit<Situation, 'clockAhead'> & { readonly atMs: number }> {
  return db.begin(
    async (tx) => {
      const [
        ,
        waiting,
        open,
        liveTwice,
        claimable,
        deliveries,
        due,
        failed,
        endpoints,
        series,
        mail,
        isMediaContested,
        heartbeats,
        activity,
        { age, atMs },
      ] = await Promise.all([
        useIndexPlans(tx),
        countWaiting(tx),
        countOpen(tx),
        countSecondPosts(tx),
        findClaimable(tx),
        countDeliveries(tx),
        findDueDeliveries(tx),
        findFailedDelivery(tx),
        countEndpoints(tx),
        countSeries(tx),
        countMail(tx),
        isMediaPlaceContested(tx),
        workers(tx),
        listActivity(tx),
        readAge(tx),
      ])
      const { checkingAge, ...counts } = open
      return {
        destinations: {
          counts: { ...waiting.counts, ...counts },
          due: waiting.due,
          dueAge: claimable,
          checkingAge,
          liveTwice,
        },
        deliveries: { counts: deliveries, ...due, ...failed },
        endpoints,
        series,
        mail,
        isMediaContested,
        workers: heartbeats,
        activity,
        age,
        atMs,
      }
    },
    { statementTimeoutMs: LIMIT_MS },
  )
}

async function readAge(tx: Tx): Promise<{ age: number; atMs: number }> {
  const [row] = await tx<[{ age: number; atMs: number }]>`
    select greatest(0, extract(epoch from now() - applied_at))::float8 as age, extract(epoch from now())::float8 * 1000 as "atMs"
    from   schema_migration order by version limit 1`
  return row
}

/**
 * Those whose allowed time ends first, which are those that are due first but for what was put off: there is an index of that
 * time. What waits for its channel to be connected has a part in it, and is passed over up to as many as three times the rest.
 */
async function countWaiting(tx: Tx): Promise<{ counts: Record<string, number>; due: number }> {
  const rows = await tx<{ status: string; count: number; due: number }[]>`
    select status, count(*)::int as count, (count(*) filter (where due_at <= now()))::int as due
    from   (select status, due_at
            from   (select status, due_at from destination
                    where  filed_as in ('scheduled', 'delayed', 'reconnect_required', 'partially_published') and expires_at is not null
                    order  by expires_at limit ${4 * COUNTED_TO}) open
            where  status not in ('reconnect_required', 'publishing') and due_at is not null
            limit  ${COUNTED_TO}) next
    group  by status`
  const counts = { scheduled: 0, delayed: 0, partially_published: 0 }
  return {
    counts: { ...counts, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) },
    due: rows.reduce((sum, { due }) => sum + due, 0),
  }
}

type Open = {
  readonly publishing: number
  readonly checking: number
  readonly reconnect_required: number
  readonly checkingAge: number | null
}

/** The last condition is that of the index destination_disconnected. */
async function countOpen(tx: Tx): Promise<Open> {
  const [row] = await tx<[Open]>`
    select (select count(*)::int from (select from publication limit ${COUNTED_TO}) p) as publishing,
           (select count(*)::int from (
              select from destination
              where  filed_as = 'reconnect_required'
              or     (filed_as = 'partially_published' and due_at is null and error ->> 'code' = 'reconnect_required')
              limit  ${COUNTED_TO}) r) as reconnect_required,
           count(*)::int as checking, extract(epoch from now() - min(status_since))::float8 as "checkingAge"
    from   (select status_since from destination where filed_as = 'checking' limit ${COUNTED_TO}) c`
  return row
}

async function countSecondPosts(tx: Tx): Promise<number> {
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count
    from   (select from late_post where told_at > now() - interval '14 days' limit ${COUNTED_TO}) l`
  return row.count
}

/** A channel's time in the queue is never later than the moment from which something of it can be claimed. Nothing can while one of it is being published. */
async function findClaimable(tx: Tx): Promise<number | null> {
  const [row] = await tx<[{ age: number | null }]>`
    select extract(epoch from now() - min(first.look_at))::float8 as age
    from   (
      select q.look_at
      from   channel_queue q
      where  q.look_at <= now() and q.look_at > '-infinity' and not exists (
        select from publication p
        where  p.workspace_id = q.workspace_id and p.channel_id = q.channel_id
        offset 0)
      order  by q.look_at
      limit  1) first`
  return row.age
}

async function countDeliveries(tx: Tx): Promise<Record<string, number>> {
  const [row] = await tx<[Record<string, number>]>`
    select least(count(*) filter (where lease_until is null), ${COUNTED_TO})::int as pending,
           least(count(lease_until), ${COUNTED_TO})::int as sending,
           (select count(*)::int
            from   (select from delivery where settled_at is not null and error is not null limit ${COUNTED_TO}) f) as failed
    from   (select lease_until from delivery where settled_at is null limit ${2 * COUNTED_TO}) owed`
  return row
}

/** More than all dispatchers together usually have in flight to one endpoint. */
const IN_FLIGHT_OF_ONE = 32

/** Hops from endpoint to endpoint through the index, as a claim does. */
async function findDueDeliveries(tx: Tx): Promise<Pick<Situation['deliveries'], 'dueAge' | 'failingDueAge'>> {
  const [row] = await tx<[Pick<Situation['deliveries'], 'dueAge' | 'failingDueAge'>]>`
    with recursive hop as (
      (select endpoint_id from delivery where settled_at is null order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from delivery d
              where  d.settled_at is null and d.endpoint_id > h.endpoint_id order by d.endpoint_id limit 1)
      from   hop h
      where  h.endpoint_id is not null
    )
    select (extract(epoch from now() - min(next_at) filter (where not failing)))::float8 as "dueAge",
           (extract(epoch from now() - min(next_at) filter (where failing)))::float8 as "failingDueAge"
    from   (select endpoint_id from hop where endpoint_id is not null limit ${COUNTED_TO}) h
    cross  join lateral (
      select e.failing_since is not null as failing from endpoint e
      where  e.id = h.endpoint_id and e.status = 'active' limit 1
    ) e
    cross  join lateral (
      select first.next_at
      from   (  -- what is being sent stands in front
        select d.next_at, d.lease_until from delivery d
        where  d.endpoint_id = h.endpoint_id and d.settled_at is null and d.next_at <= now()
        order  by d.next_at limit ${IN_FLIGHT_OF_ONE}
      ) first
      where  first.lease_until is null
      limit  1
    ) head`
  return row
}

async function findFailedDelivery(
  tx: Tx,
): Promise<Pick<Situation['deliveries'], 'failedAge' | 'givenUpAge'>> {
  const [row] = await tx<[Pick<Situation['deliveries'], 'failedAge' | 'givenUpAge'>]>`
    with recursive hop as (
      (select endpoint_id from delivery where settled_at is not null and error is not null order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from delivery d
              where  d.settled_at is not null and d.error is not null and d.endpoint_id > h.endpoint_id order by d.endpoint_id limit 1)
      from   hop h
      where  h.endpoint_id is not null
    )
    select extract(epoch from now() - min(first.settled_at))::float8 as "failedAge",
           abs(extract(epoch from now() - max(last.settled_at) filter (where e.status = 'active')))::float8 as "givenUpAge"
    from   (select endpoint_id from hop where endpoint_id is not null limit ${COUNTED_TO}) h
    cross  join lateral (
      select d.settled_at from delivery d
      where  d.endpoint_id = h.endpoint_id and d.settled_at is not null and d.error is not null
      order  by d.settled_at limit 1
    ) first
    cross  join lateral (
      select d.settled_at from delivery d
      where  d.endpoint_id = h.endpoint_id and d.settled_at is not null and d.error is not null
      order  by d.settled_at desc limit 1
    ) last
    cross  join lateral (select status from endpoint where id = h.endpoint_id limit 1) e`
  return row
}

async function countEndpoints(tx: Tx): Promise<Situation['endpoints']> {
  const [row] = await tx<[Situation['endpoints']]>`
    select (count(*) filter (where status = 'active'))::int as failing,
           (count(*) filter (where status = 'disabled'))::int as disabled,
           (extract(epoch from now() - min(failing_since) filter (where status = 'active')))::float8 as "failingAge"
    from   (select status, failing_since from endpoint
            where  failing_since is not null order by failing_since limit ${COUNTED_TO}) f`
  return row
}

async function countSeries(tx: Tx): Promise<Situation['series']> {
  const [row] = await tx<[Situation['series']]>`
    select (select extract(epoch from now() - min(look_at)) from series where look_at <= now())::float8 as "dueAge",
           (select count(*)::int
            from   (select from series_occurrence where status = 'waiting' limit ${COUNTED_TO}) w) as waiting`
  return row
}

/** What was given up is looked for among the last ones of a day. */
async function countMail(tx: Tx): Promise<Situation['mail']> {
  const [row] = await tx<[Situation['mail']]>`
    select (select count(*)::int
            from   (select given_up_at from mail
                    where  content_sealed is null and created_at > now() - interval '1 day'
                    order  by created_at desc limit ${COUNTED_TO}) done
            where  given_up_at is not null) as failed,
           count(*)::int as pending, extract(epoch from now() - min(created_at))::float8 as age
    from   (select created_at from mail where content_sealed is not null order by due_at limit ${COUNTED_TO}) waiting`
  return row
}

/** As long as the trash is kept, `media/place-store.ts`. */
async function isMediaPlaceContested(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ is: boolean }[]>`
    select coalesce(contested_at > now() - interval '7 days', false) as is from media_place`
  return row?.is ?? false
}
