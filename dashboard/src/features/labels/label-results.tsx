import type { LabelResults as Results } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../navigation.tsx'
import { type ReactNode, useState } from 'react'
import { read } from '../../api/queries.ts'
import { locale } from '../../lib/language.ts'
import { showTime } from '../../lib/time.ts'
import { clockZone } from '../../lib/zone-clock.ts'
import { useSession } from '../../session.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { StatusBadge, statusLooks } from '../../ui/status.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './labels.module.css'
import { allTime, type Choice, rangeOf, type Span } from './results-range.ts'
import { words } from './words.ts'

/** What became of the posts with a label, as of a campaign: of all, or of a range, compared with as long a one before it. */
export function LabelResults({ label }: { label: string }): ReactNode {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const [chosen, setChosen] = useState(allTime)
  const range = rangeOf(chosen, zone)
  const results = useQuery({
    ...read('appReadLabelResults', { params: { workspaceId }, query: { label, ...range } }),
    enabled: range !== undefined,
  })
  return (
    <section className={styles.results} aria-labelledby="label-results">
      <h2 id="label-results">{words.results(results.data?.label ?? label)}</h2>
      <Range chosen={chosen} isNone={range === undefined} onChange={setChosen} />
      {results.isPending && range !== undefined ? <Loading lines={2} /> : null}
      {results.isError ? (
        <ProblemNotice error={results.error} onRetry={() => void results.refetch()} />
      ) : null}
      {results.data === undefined ? null : <Counted results={results.data} zone={zone} />}
    </section>
  )
}

function Counted({ results, zone }: { results: Results; zone: string }) {
  const { channelOf } = useChannels()
  const { posts, statuses, channels, nextPublishAt, before } = results
  const published = publishedWords(results, zone)
  return (
    <>
      <p className={styles.counts}>
        {words.posts(posts)}
        <Statuses statuses={statuses} />
      </p>
      {before === undefined ? null : (
        <p className={styles.counts}>
          {words.compared(daysWords(before, zone), {
            posts: posts - before.posts,
            published: (statuses.published ?? 0) - (before.statuses.published ?? 0),
          })}
          <Statuses statuses={before.statuses} />
        </p>
      )}
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

type RangeProps = {
  chosen: Choice
  /** Whether what is typed is no range. */
  isNone: boolean
  onChange: (chosen: Choice) => void
}

const spans = Object.entries(words.spans) as [Span, string][]

function Range({ chosen, isNone, onChange }: RangeProps) {
  const { span, from, to } = chosen
  return (
    <div className={styles.range}>
      <Field label={words.range}>
        {(control) => (
          <select
            {...control}
            value={span}
            onChange={({ target }) => onChange({ ...chosen, span: target.value as Span })}
          >
            {spans.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {span === 'own' ? (
        <>
          <TextField
            label={words.from}
            type="date"
            value={from}
            onChange={(day) => onChange({ ...chosen, from: day })}
          />
          <TextField
            label={words.to}
            type="date"
            value={to}
            error={isNone && from !== '' && to !== '' ? words.noRange : null}
            onChange={(day) => onChange({ ...chosen, to: day })}
          />
        </>
      ) : null}
    </div>
  )
}

/** The days of a range by the clocks of a zone, of which `to` is the instant after the last. */
function daysWords({ from, to }: { from: string; to: string }, zone: string): string {
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: clockZone(zone) })
  return days.formatRange(new Date(from), new Date(Date.parse(to) - 1))
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
