import type { Answer, CredentialLimits, Input, readLabelResults as operation } from '@postrider/contract'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { nameKey, storedName } from '../../platform/text/name-key.ts'
import { type Range, readRange } from '../posts/plan/calendar-range.ts'
import { findLabelResults, listLabels, type StatusCount } from './label-results-store.ts'
import { isTooBroad } from './post-search-store.ts'

type Results = Answer<typeof operation>

/** The longest range: two years, which is as far as posts are planned ahead. */
const MOST_DAYS = 731

/** The labels that posts have which a credential with these limits sees. */
export async function readLabels(
  sql: Sql,
  workspaceId: string,
  limits: CredentialLimits,
): Promise<{ labels: string[] }> {
  return { labels: await listLabels(sql, workspaceId, seenBy(limits)) }
}

/** What became of the posts with a label, as far as a credential with these limits sees them. */
export async function readLabelResults(
  sql: Sql,
  workspaceId: string,
  { label: asked, ...times }: Input<typeof operation>['query'],
  limits: CredentialLimits,
): Promise<Results | Refusal<'search_too_broad' | 'validation_failed'>> {
  const label = storedName(asked)
  const range = readRanges(times)
  if (isRefusal(range)) return range
  const rows = await findLabelResults(sql, workspaceId, nameKey(label), seenBy(limits), range).catch(
    (error: unknown) => {
      if (!isTooBroad(error)) throw error
      return null
    },
  )
  if (rows === null)
    return refuse(
      'search_too_broad',
      'Too many posts have this label to count them now. List them with `label`.',
    )
  const { counts } = rows
  return {
    label: rows.label ?? label,
    posts: rows.posts,
    statuses: sumOf(counts),
    channels: [...Map.groupBy(counts, ({ channelId }) => channelId)].map(([channelId, ofChannel]) => ({
      channelId,
      provider: ofChannel[0]?.provider ?? '',
      statuses: sumOf(ofChannel),
    })),
    firstPublishedAt: timesOf(counts, 'firstPublishedAt').at(0) ?? null,
    lastPublishedAt: timesOf(counts, 'lastPublishedAt').at(-1) ?? null,
    nextPublishAt: timesOf(counts, 'nextPublishAt').at(0) ?? null,
    ...(range === null ? {} : { before: viewBefore(range.before, rows.before) }),
    troubled: rows.troubled.map((one) => ({ ...one })),
  }
}

/** What is counted, and as long a range before it; null for all. */
function readRanges({
  from,
  to,
}: Omit<Input<typeof operation>['query'], 'label'>):
  | (Range & { readonly before: Range })
  | Refusal<'validation_failed'>
  | null {
  if (from === undefined && to === undefined) return null
  if (from === undefined || to === undefined) {
    const [given, lacks] = from === undefined ? ['to', 'from'] : ['from', 'to']
    const detail = `\`${given}\` needs \`${lacks}\`: a range is compared with as long a one before it.`
    return refuse('validation_failed', detail, {
      errors: [{ pointer: `?${lacks}`, code: 'required', detail }],
    })
  }
  const range = readRange({ from, to }, MOST_DAYS)
  if (isRefusal(range)) return range
  const lengthMs = range.to.getTime() - range.from.getTime()
  return { ...range, before: { from: new Date(range.from.getTime() - lengthMs), to: range.from } }
}

function viewBefore(
  { from, to }: Range,
  { posts, counts }: { readonly posts: number; readonly counts: readonly StatusCount[] },
): NonNullable<Results['before']> {
  return { from: from.toISOString(), to: to.toISOString(), posts, statuses: sumOf(counts) }
}

function seenBy(limits: CredentialLimits) {
  return { channelIds: limits.channelIds, labels: labelKeys(limits) }
}

function sumOf(counts: readonly StatusCount[]): Results['statuses'] {
  const sums: Results['statuses'] = {}
  for (const { status, count } of counts) sums[status] = (sums[status] ?? 0) + count
  return sums
}

/** The times, the earliest first. */
function timesOf(
  counts: readonly StatusCount[],
  name: 'firstPublishedAt' | 'lastPublishedAt' | 'nextPublishAt',
): string[] {
  return counts.flatMap((count) => count[name]?.toISOString() ?? []).toSorted()
}
