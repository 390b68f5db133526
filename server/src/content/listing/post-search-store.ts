import { codeOf, type Fragment, isStatementTimeout, type Sql } from '../../platform/postgres/db.ts'
import { isNarrowed, type PageFilter, postConditions, unplanned } from './post-filter-store.ts'
import { usualListLimits, walkedPosts } from './post-page-store.ts'
import { searchGrams } from './search-grams.ts'

export type SearchLimits = {
  /** How many of the newest posts are read before the index is asked: what is common is among them. */
  readonly walked: number
  /** The same where more than the text is asked for. */
  readonly walkedNarrowed: number
  /** Of how many posts that have all n-grams of the text a wide block may consist; beyond that it is read in narrow ones. */
  readonly wide: number
  /** How many such posts are read before the search is given up. */
  readonly candidates: number
}

export const usualSearchLimits: SearchLimits = {
  walked: 500,
  walkedNarrowed: 5_000,
  wide: 500,
  candidates: 20_000,
}

/** How many of the oldest posts of a wide block are read before the index is asked for all of it. */
const SAMPLE = 10

/** How many narrow blocks a wide one has. */
const NARROW_IN_WIDE = 16

type Search = {
  readonly filter: PageFilter
  /** Folded text to find in any part. */
  readonly folded: string
  readonly limit: number
}

/**
 * Common table expressions that find a folded text: `page`. What is common is found among the newest posts; the older ones
 * are asked of the index, block by block from the newest on, until the page is full. So a search costs no more than the
 * posts of these blocks that have the n-grams of the text, and PR002 is raised where these are too many. Wide blocks keep
 * what is rare from being asked for a hundred times, and narrow ones what is common from being read to the end of a wide one: of
 * each wide block, the first narrow one tells which it is, and then its oldest posts. Of each block, the posts that are not indexed
 * yet are all read.
 */
export function searchPage(
  sql: Sql,
  workspaceId: string,
  { filter, folded, limit }: Search,
  limits: SearchLimits,
): Fragment {
  // strpos takes the text as it stands: no wildcards and no patterns. Most posts have one text, which has to be joined with no other.
  const holds = (texts: Fragment) => sql`
    strpos(case when ${texts}[2] is null then ${texts}[1] else array_to_string(${texts}, ${separatorFor(folded)}) end, ${folded}) > 0`
  const isWhole = !isNarrowed(filter)
  const walked = isWhole ? limits.walked : limits.walkedNarrowed
  const matches = (id: Fragment) =>
    isWhole
      ? sql``
      : sql`and exists (select from post p where p.id = ${id} and ${postConditions(sql, workspaceId, filter)} offset 0)`
  const matching = (id: Fragment) => sql`
    select
    from   (select ${id} as post_id, coalesce(
              case when exists (select from unindexed_post where workspace_id = ${workspaceId})
                   then (select u.folded from unindexed_post u where u.workspace_id = ${workspaceId} and u.post_id = ${id}) end,
              (select i.folded from post_search i where i.workspace_id = ${workspaceId} and i.post_id = ${id})) as folded
            offset 0) s
    where  ${holds(sql`s.folded`)} ${matches(sql`s.post_id`)}`
  // What the index has of a post counts for nothing where the post has other texts by now.
  const isNewest = sql`
    coalesce((select ${holds(sql`u.folded`)} from unindexed_post u where u.workspace_id = ${workspaceId} and u.post_id = one.id), true)`
  // Whether a block has the text in what is oldest of it. Where it has it only elsewhere, a wide block is read for nothing.
  const beginsBefore = (block: Fragment) => sql`
    exists (
      select from (
        select i.folded from post_search i
        where  i.workspace_id = ${workspaceId} and i.post_id >= ${block}
        order  by i.post_id
        limit  ${unplanned(sql, sql`${SAMPLE}::bigint`)}
      ) oldest
      where  ${holds(sql`oldest.folded`)}
      offset 0)`
  // The conditions with "is true" are kept from indexes: to read those for every block costs more than it spares. The
  // digits of wide (4) and narrow blocks (5) are literals, so that the index applies to every plan.
  return sql`
    ${walkedPosts(sql, workspaceId, filter, { ...usualListLimits, walked, limit, matching })},
    block (below, found, posts_read, crowded, sparse, ids) as (
      select rest.below, rest.found, 0::bigint, null::uuid, null::uuid, '{}'::uuid[] from rest
      union  all
      select case when hits.too_many then block.below else search_block_start(next.post_id, next.digits) end,
             block.found + cardinality(hits.ids), block.posts_read + hits.posts_read,
             case when hits.crowds then next.wide else block.crowded end, case when hits.crowds then block.sparse else next.wide end, hits.ids
      from   block
      cross  join lateral (
        select s.post_id, wide,
               case when wide = block.sparse and wide is distinct from block.crowded and not ${beginsBefore(sql`wide`)} then 4 else 5 end as digits
        from   ((select i.post_id from post_search i where i.workspace_id = ${workspaceId} and i.post_id < block.below
                 order by i.post_id desc limit 1)
                union all
                (select u.post_id from unindexed_post u where u.workspace_id = ${workspaceId} and u.post_id < block.below
                 order by u.post_id desc limit 1)) s,
               search_block_start(s.post_id, 4) as wide
        order  by s.post_id desc
        limit  1
      ) next
      cross  join lateral (
        select read.posts_read, read.too_many, read.crowds,
               case when read.too_many or read.ids is null then '{}' else array(
                 select one.id
                 from   (select distinct id from unnest(read.ids) id order by id desc offset 0) one
                 where  ${isNewest} ${matches(sql`one.id`)}
                 limit  ${unplanned(sql, sql`${limit}::bigint`)} - block.found) end as ids
        from   (
          select count(*) as posts_read, next.digits = 4 and count(*) > ${limits.wide} as too_many,
                 count(*) > case when next.digits = 4 then ${limits.wide}::int else ${Math.floor(limits.wide / NARROW_IN_WIDE)}::int end as crowds,
                 array_agg(s.post_id) filter (where ${holds(sql`s.folded`)}) as ids
          from   (
            select s.post_id, s.folded
            from   post_search s
            where  ${indexed(sql)} @> ${searchGrams(folded)}::bigint[] and ${indexed(sql)} @> array[search_key(${workspaceId}, next.post_id, next.digits)]
            and    (s.workspace_id = ${workspaceId} and s.post_id < block.below) is true
            union  all
            select u.post_id, u.folded
            from   unindexed_post u
            where  u.workspace_id = ${workspaceId} and u.post_id < block.below
            and    u.post_id >= search_block_start(next.post_id, next.digits)
            limit  case when next.digits = 4 then ${limits.wide + 1}::int end
          ) s
        ) read
      ) hits
      where  block.found < ${limit} and check_search_limit(block.posts_read, ${limits.candidates})
    ),
    page as materialized (
      select id from newest
      union  all
      select unnest(ids) from block
      order  by id desc
      limit  ${limit}
    )`
}

/**
 * What the index has of a `post_search s`. Its n-grams and its block are two conditions: of one alone, the index would look at each post
 * of the block, where none of its posts has one of the n-grams.
 */
function indexed(sql: Sql): Fragment {
  return sql`array_append(search_grams(search_key(s.workspace_id, s.post_id, 5), s.folded), search_key(s.workspace_id, s.post_id, 4))`
}

/** Whether a search was given up: too many posts have its n-grams, or to read them took longer than a statement may. */
export function isTooBroad(error: unknown): boolean {
  return codeOf(error) === SEARCH_GIVEN_UP || isStatementTimeout(error)
}

/** Raised by `check_search_limit` of the database. */
const SEARCH_GIVEN_UP = 'PR002'

/** What texts can be joined with so that a needle is found within one of them only: a character that it does not have. */
function separatorFor(needle: string): string {
  let code = 1
  while (needle.includes(String.fromCharCode(code))) code += 1
  return String.fromCharCode(code)
}
