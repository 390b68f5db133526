import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { read } from '../../api/queries.ts'
import { showDay } from '../../lib/time.ts'
import { buttonClass } from '../../ui/button.tsx'
import { useSession } from '../../session.tsx'
import { Unread } from '../../ui/states.tsx'
import styles from './calendar.module.css'
import { type Card, cardsOf } from './cards.ts'
import type { Day } from './grid.ts'
import { type ChannelOf, PostCard } from './post-card.tsx'
import type { Filters } from './shown.ts'
import { words } from './words.ts'

type MoreCardsProps = {
  date: Day
  /** The day, or one of its hours, as posts are counted by it. */
  slot: string
  /** Its first cards. */
  cards: readonly Card[]
  /** How many are not shown beside this. */
  count: number
  filters: Filters
  zone: string
  channelOf: ChannelOf
  /** What opens it, where that is not the number. */
  trigger?: { readonly className: string; readonly label: string; readonly children: ReactNode }
}

/** The number of those that have no room, which opens all of them; they are read when it does. */
export function MoreCards(props: MoreCardsProps) {
  const { date, slot, cards: first, count, filters, zone, channelOf, trigger } = props
  const id = useId()
  const [open, setOpen] = useState(false)
  const { workspaceId } = useSession().workspace
  const by = slot === date ? 'day' : 'hour'
  const whole = useQuery({
    ...read('readCalendarOverview', {
      params: { workspaceId },
      query: { from: date, days: 1, by, ...filters },
    }),
    enabled: open,
  })
  const cards = useMemo(
    () =>
      whole.data === undefined
        ? first
        : cardsOf(whole.data.slots.find(({ at }) => at === slot)?.entries ?? []),
    [whole.data, first, slot],
  )
  const anchor = `--more${id.replaceAll(/[^a-zA-Z0-9]/g, '')}`
  const day = showDay(`${date}T12:00Z`, 'UTC')
  return (
    <>
      <button
        type="button"
        className={trigger?.className ?? `${buttonClass('quiet')} ${styles.more}`}
        popoverTarget={id}
        aria-label={trigger?.label ?? words.moreOn(count, day)}
        style={{ anchorName: anchor }}
      >
        {trigger?.children ?? words.more(count)}
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={words.postsOn(day)}
        className={styles.popover}
        style={{ positionAnchor: anchor }}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {open ? (
          <>
            <h3>{day}</h3>
            <ul>
              {cards.map((card) => (
                <li key={card.key}>
                  <PostCard {...{ card, zone, channelOf }} movable={false} />
                </li>
              ))}
            </ul>
            <Unread of={whole} lines={3} />
          </>
        ) : null}
      </div>
    </>
  )
}
