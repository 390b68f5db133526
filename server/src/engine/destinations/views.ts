import type { Destination } from '@postrider/contract'
import { obstacleOf } from '../../networks/channels/channel.ts'
import type { Actor, LatestChange } from '../../edge/operations/actor.ts'
import { type ExceededLimit, exceededLimit } from '../../edge/operations/credential-limits.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import { allowedActions, noActions, type CommandFacts } from './destination-commands.ts'
import type { DestinationRow } from './destination-store.ts'
import { lineReason } from './in-line.ts'
import { kindOfPart } from './part-order.ts'
import { waitReason } from './series-wait.ts'

type ViewedBy = {
  readonly providers: Providers
  readonly reader: Actor
  /** Where people see the post. */
  readonly pageUrl: string
}

/** A destination as the API shows it, with the token that commands on it need. */
export function viewDestination(
  row: DestinationRow,
  facts: CommandFacts,
  { providers, reader, pageUrl }: ViewedBy,
): Destination {
  // What delayed it is over: `lastError` still has it.
  const inLine = row.ahead > 0
  return {
    channelId: row.channelId,
    provider: row.provider,
    displayName: row.channel.displayName,
    status: row.status,
    publishAt: instantOf(row.publishAt),
    queued: row.queued,
    publishedAt: instantOf(row.publishedAt),
    releaseUrl: row.releaseUrl,
    checkAgainAt: inLine ? null : instantOf(row.checkAgainAt),
    expiresAt: instantOf(row.expiresAt),
    waitReason: waitReason(row.waitsFor) ?? lineReason(row.ahead),
    error: inLine ? null : row.error,
    lastError: row.lastError,
    content: row.content,
    controlToken: row.controlToken,
    settleUrl: row.status === 'checking' ? pageUrl : null,
    latestChange: viewChange(row.latestChange),
    allowedActions: reader.permissions.includes('posts:write')
      ? allowedActions(facts, obstacleOf({ ...row.channel, provider: row.provider }, providers), (act) =>
          reasonOf(exceededLimit(reader.limits, { ...act, channelIds: [row.channelId] }, new Date())),
        )
      : noActions('This needs the permission `posts:write`.'),
    parts: row.parts.map(({ index, firstComment, status, text, mediaIds, publishedAt, releaseUrl }) => ({
      index,
      kind: kindOfPart({ index, firstComment }),
      status,
      text,
      mediaIds: [...mediaIds],
      publishedAt: instantOf(publishedAt),
      releaseUrl,
    })),
  }
}

/** The latest change of a post or of a destination. */
export function viewChange(change: LatestChange | null): Destination['latestChange'] {
  return change === null
    ? null
    : { ...change, at: new Date(change.at).toISOString(), fields: [...change.fields] }
}

function reasonOf(exceeded: ExceededLimit | null): string | null {
  return exceeded?.message ?? null
}

/** A time as PostgreSQL writes it into JSON, as the API does. */
function instantOf(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
