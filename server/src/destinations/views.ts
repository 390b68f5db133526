import type { Destination } from '@postrider/contract'
import { allowedActions, type CommandFacts } from './destination-commands.ts'
import type { DestinationRow } from './destination-store.ts'

/** A destination as the API shows it, with the token that commands on it need. */
export function viewDestination(
  row: DestinationRow,
  { siblings, review }: Pick<CommandFacts, 'siblings' | 'review'>,
): Destination {
  const partOut = row.parts.some(({ status }) => status === 'published')
  return {
    channelId: row.channelId,
    provider: row.provider,
    displayName: row.displayName,
    status: row.status,
    publishAt: instantOf(row.publishAt),
    publishedAt: instantOf(row.publishedAt),
    releaseUrl: row.releaseUrl,
    checkAgainAt: instantOf(row.checkAgainAt),
    expiresAt: instantOf(row.expiresAt),
    error: row.error,
    content: row.content,
    controlToken: row.controlToken,
    allowedActions: allowedActions({ ...row, partOut, siblings, review }),
    parts: row.parts.map(({ index, status, text, mediaIds, publishedAt, releaseUrl }) => ({
      index,
      status,
      text,
      mediaIds: [...mediaIds],
      publishedAt: publishedAt === null ? null : new Date(publishedAt).toISOString(),
      releaseUrl,
    })),
  }
}

function instantOf(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
