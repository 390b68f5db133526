import type { Sql } from '../../platform/postgres/db.ts'

const MOST = 50
const EXCERPT = 280

/** A series of which no post is made until a person does something. */
export type TroubledSeries = {
  readonly seriesId: string
  readonly text: string
  readonly problem: 'waiting' | 'paused'
  /** When the first occurrence that waits is to be published. */
  readonly nextAt: Date | null
  readonly reason: string | null
}

/** Those with refused posts first, then those that the service has paused: who paused one by hand knows of it. */
export async function findTroubledSeries(sql: Sql, workspaceId: string): Promise<TroubledSeries[]> {
  return sql<TroubledSeries[]>`
    select s.id as "seriesId", w.problem, w.next_at as "nextAt", w.reason,
           left(coalesce(last.content ->> 'text', last.content #>> '{contents,0,text}', last.content #>> '{targets,0,text}', ''),
                ${EXCERPT}) as text
    from   (
      (select distinct on (o.series_id) o.series_id, 'waiting' as problem, o.publish_at as next_at, o.reason
       from   series_occurrence o
       join   series p on p.workspace_id = o.workspace_id and p.id = o.series_id
       where  o.workspace_id = ${workspaceId} and o.status = 'waiting' and p.status = 'active'
       order  by o.series_id, o.publish_at
       limit  ${MOST})
      union all
      (select p.id, 'paused', null, p.reason
       from   series p
       where  p.workspace_id = ${workspaceId} and p.status = 'paused' and p.changed_by_type = 'service'
       order  by p.id desc
       limit  ${MOST})
    ) w
    join   series s on s.workspace_id = ${workspaceId} and s.id = w.series_id
    cross  join lateral (select s.definitions -> -1 -> 'content' as content) last
    order  by w.problem desc, w.next_at, s.id desc
    limit  ${MOST}`
}
