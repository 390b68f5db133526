import {
  createPost,
  type CredentialLimits,
  listPosts as operation,
  MOST_UNDATED,
  type Answer,
  type Input,
} from '@postrider/contract'
import { noLimits } from '@postrider/contract/names'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import type { Cursors } from '../../edge/operations/cursor.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { recordedBody } from '../../edge/operations/idempotency.ts'
import { parseInstant } from '../../platform/text/instant.ts'
import { madeIn } from '../../edge/operations/keyed-list.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { isStorable } from '../../platform/text/storable-text.ts'
import { fold } from '../posts/edit/fold.ts'
import { namedChannels } from './named-channels.ts'
import { countPosts, type ListFilter, listSummaries } from './post-list-store.ts'
import { isTooBroad } from './post-search-store.ts'
import { refuseShape } from '../posts/plan/refuse-plan.ts'
import { viewSummary } from './views.ts'

export const DEFAULT_LIMIT = 20

type Query = Input<typeof operation>['query']

/** One page of the workspace's posts, or of those that a credential with these limits sees. Its cursor is good for this workspace and these filters only. */
export async function listPosts(
  sql: Sql,
  workspaceId: string,
  { cursor, limit = DEFAULT_LIMIT, ...query }: Query,
  cursors: Cursors,
  limits: CredentialLimits = noLimits,
): Promise<Answer<typeof operation> | Refusal<'validation_failed' | 'invalid_cursor' | 'search_too_broad'>> {
  const { q, status = 'all', idempotencyKey, author } = query
  const scope = [operation.id, workspaceId, ...filtersOf(query)]
  const before = cursor === undefined ? null : cursors.read(cursor, scope)
  if (cursor !== undefined && typeof before !== 'string') {
    return refuse('invalid_cursor', 'Send the `nextCursor` of the previous page, with the same filters.')
  }
  const [from, to] = [instantOf(query.from), instantOf(query.to)]
  if (from !== null && to !== null && to <= from) {
    return refuseShape([{ pointer: '?to', code: 'out_of_range', detail: '`to` must be later than `from`.' }])
  }
  const hasRange = (from !== null || to !== null) && before === null
  const nothing = { items: [], nextCursor: null, ...(hasRange ? { undatedDrafts: 0 } : {}) }
  // No post can hold what the database cannot.
  if (![q, author].every((text) => text === undefined || isStorable(text))) return nothing
  const postIds = idempotencyKey === undefined ? null : await createdUnder(sql, workspaceId, idempotencyKey)
  if (postIds?.length === 0) return nothing

  const filter = {
    status,
    from,
    to,
    postIds,
    ...(await namedChannels(sql, workspaceId, query.channelId, limits.channelIds)),
    reviewStatus: query.reviewStatus ?? null,
    author: author ?? null,
    labels: labelKeys(limits, query.label),
    reference: query.reference ?? null,
    createdById: query.createdById ?? null,
    updatedSince: instantOf(query.updatedSince),
    folded: q === undefined ? null : fold(q),
    before: typeof before === 'string' ? before : null,
  }
  // Sent together.
  const counting = hasRange ? countUndated(sql, workspaceId, filter) : null
  const listing = listSummaries(sql, workspaceId, filter, limit + 1).catch((error: unknown) => {
    const narrowed = filtersOf(query).some((text) => text !== 'all' && text !== '')
    if (!narrowed || !isTooBroad(error)) throw error
    return refuse(
      'search_too_broad',
      'The search had to read too many posts. Add a filter (`status`, `channelId`, `author`, `createdById`), shorten the time between `from` and `to`, or search for something that newer posts contain.',
    )
  })
  const [rows, undatedDrafts] = await Promise.all([listing, counting])
  if (isRefusal(rows)) return rows
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    items: page.map(viewSummary),
    nextCursor: last === undefined ? null : cursors.issue(scope, last.postId),
    ...(undatedDrafts === null ? {} : { undatedDrafts }),
  }
}

/** How many posts that match are drafts without a time; null where it takes too long to count them. */
async function countUndated(sql: Sql, workspaceId: string, filter: ListFilter): Promise<number | null> {
  if (filter.status !== 'all' && filter.status !== 'draft') return 0
  const undated = { ...filter, status: 'draft', from: null, to: null, undated: true } as const
  return countPosts(sql, workspaceId, undated, MOST_UNDATED).catch((error: unknown) => {
    if (isTooBroad(error)) return null
    throw error
  })
}

/** The filters as a cursor is bound to them. */
function filtersOf({ q, status = 'all', ...more }: Omit<Query, 'cursor' | 'limit'>): string[] {
  const named = Object.entries(more).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [status, q ?? '', ...named.map(([name, value]) => `${name}=${value}`)]
}

/** The posts that a create, or a list of them, with this key made; none where nothing is recorded of it, or no longer. */
async function createdUnder(sql: Sql, workspaceId: string, key: string): Promise<string[]> {
  const body = await recordedBody(sql, { workspaceId, operation: createPost.id, key })
  if (body === null) return []
  return (madeIn(body) as Answer<typeof createPost>[]).map(({ postId }) => postId)
}

function instantOf(text: string | undefined): Date | null {
  return text === undefined ? null : parseInstant(text)
}
