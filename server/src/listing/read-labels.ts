import type { Answer, CredentialLimits, readLabelResults as operation } from '@postrider/contract'
import { labelKeys } from '../operations/credential-limits.ts'
import { refuse, type Refusal } from '../operations/refusal.ts'
import type { Sql } from '../platform/db.ts'
import { nameKey, storedName } from '../platform/name-key.ts'
import { findLabelResults, listLabels, type StatusCount } from './label-results-store.ts'
import { isTooBroad } from './post-search-store.ts'

type Results = Answer<typeof operation>

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
  asked: string,
  limits: CredentialLimits,
): Promise<Results | Refusal<'search_too_broad'>> {
  const label = storedName(asked)
  const rows = await findLabelResults(sql, workspaceId, nameKey(label), seenBy(limits)).catch(
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
    troubled: rows.troubled.map((one) => ({ ...one })),
  }
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
