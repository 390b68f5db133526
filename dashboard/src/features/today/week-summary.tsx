import type { app } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import { locale } from '../../lib/language.ts'
import { useSession } from '../../session.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { addDays } from '../calendar/grid.ts'
import { useChannels } from '../channels/use-channels.ts'
import { Head } from './head.tsx'
import styles from './today.module.css'
import { type Sum, words } from './words.ts'

type Count = app.Today['week'][number]

const kinds = ['published', 'planned', 'troubled'] as const
const none: Sum = { published: 0, planned: 0, troubled: 0 }

function sumOf(counts: readonly Count[]): Sum {
  return counts.reduce<Sum>(
    (sum, one) => ({
      published: sum.published + one.published,
      planned: sum.planned + one.planned,
      troubled: sum.troubled + one.troubled,
    }),
    none,
  )
}

const totalOf = ({ published, planned, troubled }: Sum) => published + planned + troubled

type WeekProps = { from: string; day: string; counts: readonly Count[] }

/** The week at a glance: how much is published and planned on each day, and on each channel. */
export function WeekSummary({ from, day, counts }: WeekProps) {
  const { workspaceId } = useSession().workspace
  const days = Array.from({ length: 7 }, (_, at) => addDays(from, at))
  const sums = days.map((one) => sumOf(counts.filter((count) => count.day === one)))
  const most = Math.max(1, ...sums.map(totalOf))
  return (
    <section aria-labelledby="week">
      <Head id="week" title={words.week} />
      <p className={styles.sum}>{words.sum(sumOf(counts))}</p>
      <ul className={styles.week} aria-label={words.eachDay}>
        {days.map((one, at) => (
          <li key={one}>
            <Link
              className={one === day ? `${styles.weekday} ${styles.now}` : styles.weekday}
              to="/w/$workspaceId/calendar"
              params={{ workspaceId }}
              search={{ view: 'week', day: one }}
            >
              <Bar sum={sums[at] ?? none} most={most} />
              <span aria-hidden>{named(one, { weekday: 'short' })}</span>
              <span aria-hidden>{Number(one.slice(8))}</span>
              <span className="visually-hidden">
                {named(one, { weekday: 'long', day: 'numeric', month: 'long' })}:{' '}
                {words.sum(sums[at] ?? none)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <p className={styles.legend} aria-hidden>
        {kinds.map((kind) => (
          <span key={kind}>
            <span className={styles[kind]} />
            {words.legend[kind]}
          </span>
        ))}
      </p>
      <ByChannel counts={counts} />
    </section>
  )
}

function named(day: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(new Date(`${day}T12:00Z`))
}

const BAR_REM = 3.5

function Bar({ sum, most }: { sum: Sum; most: number }) {
  const height = (count: number) => ({ height: `${(count / most) * BAR_REM}rem` })
  return (
    <span className={styles.bar} style={{ height: `${BAR_REM}rem` }} aria-hidden>
      <span className={styles.planned} style={height(sum.planned)} />
      <span className={styles.troubled} style={height(sum.troubled)} />
      <span className={styles.published} style={height(sum.published)} />
    </span>
  )
}

/** The counts, each behind its colour; in words for everyone. */
function Counts({ sum }: { sum: Sum }) {
  return (
    <span className={styles.counts} title={words.sum(sum)}>
      <span className="visually-hidden">{words.sum(sum)}</span>
      {kinds.map((kind) =>
        sum[kind] === 0 ? null : (
          <span key={kind} aria-hidden>
            <span className={styles[kind]} />
            {sum[kind]}
          </span>
        ),
      )}
    </span>
  )
}

const CHANNELS_SHOWN = 6

function ByChannel({ counts }: { counts: readonly Count[] }) {
  const { channelOf } = useChannels()
  const channels = [...Map.groupBy(counts, ({ channelId }) => channelId)]
    .map(([channelId, own]) => ({ channel: channelOf({ channelId }), sum: sumOf(own) }))
    .toSorted((a, b) => totalOf(b.sum) - totalOf(a.sum))
  if (channels.length === 0) return null
  const rest = channels.length - CHANNELS_SHOWN
  return (
    <ul className={styles.box} aria-label={words.eachChannel}>
      {channels.slice(0, CHANNELS_SHOWN).map(({ channel, sum }) => (
        <li key={channel.channelId} className={styles.channel}>
          <ChannelMark channel={channel} />
          <span className={styles.name}>{channel.displayName}</span>
          <Counts sum={sum} />
        </li>
      ))}
      {rest > 0 ? (
        <li className={styles.channel}>
          <span className={styles.meta}>{words.moreChannels(rest)}</span>
        </li>
      ) : null}
    </ul>
  )
}
