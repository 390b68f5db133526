import type { LabelResults as Results } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { read } from '../../api/queries.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { StatusBadge, statusLooks } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './labels.module.css'
import { words } from './words.ts'

/** What became of the posts with a label, as of a campaign. */
export function LabelResults({ label }: { label: string }): ReactNode {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const results = useQuery(read('appReadLabelResults', { params: { workspaceId }, query: { label } }))
  return (
    <section className={styles.results} aria-labelledby="label-results">
      <h2 id="label-results">{words.results(results.data?.label ?? label)}</h2>
      {results.isPending ? <Loading lines={2} /> : null}
      {results.isError ? (
        <ProblemNotice error={results.error} onRetry={() => void results.refetch()} />
      ) : null}
      {results.data === undefined ? null : <Counted results={results.data} zone={zone} />}
    </section>
  )
}

function Counted({ results, zone }: { results: Results; zone: string }) {
  const { channelOf } = useChannels()
  const { posts, statuses, channels, nextPublishAt } = results
  const published = publishedWords(results, zone)
  return (
    <>
      <p className={styles.counts}>
        {words.posts(posts)}
        <Statuses statuses={statuses} />
      </p>
      {published === null && nextPublishAt === null ? null : (
        <p>
          {published} {nextPublishAt === null ? null : words.next(showTime(nextPublishAt, zone))}
        </p>
      )}
      {channels.length < 2 ? null : (
        <ul className={styles.channels}>
          {channels.map((channel) => (
            <li key={channel.channelId}>
              <ChannelMark channel={channelOf(channel)} />
              {channelOf(channel).displayName}
              <Statuses statuses={channel.statuses} />
            </li>
          ))}
        </ul>
      )}
      <Troubled results={results} />
    </>
  )
}

function publishedWords({ firstPublishedAt, lastPublishedAt }: Results, zone: string): string | null {
  if (firstPublishedAt === null || lastPublishedAt === null) return null
  const [first, last] = [showTime(firstPublishedAt, zone), showTime(lastPublishedAt, zone)]
  return first === last ? words.publishedOnce(first) : words.published(first, last)
}

function Statuses({ statuses }: { statuses: Results['statuses'] }) {
  return Object.keys(statusLooks).map((name) => {
    const status = name as keyof typeof statusLooks
    const count = statuses[status]
    return count === undefined ? null : (
      <span key={status}>
        {count} <StatusBadge status={status} />
      </span>
    )
  })
}

const SHOWN = 10

function Troubled({ results: { troubled } }: { results: Results }) {
  const { workspaceId } = useSession().workspace
  const { channelOf } = useChannels()
  if (troubled.length === 0) return null
  return (
    <div>
      <h3>{words.troubled}</h3>
      <ul className={styles.channels}>
        {troubled.slice(0, SHOWN).map(({ postId, channelId, status }) => (
          <li key={`${postId} ${channelId}`}>
            <StatusBadge status={status} />
            {channelOf({ channelId }).displayName}
            <Link to="/w/$workspaceId/posts/$postId" params={{ workspaceId, postId }}>
              {words.open}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
