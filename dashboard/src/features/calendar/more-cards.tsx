import { useId, useState } from 'react'
import { showDay } from '../../lib/time.ts'
import { buttonClass } from '../../ui/button.tsx'
import styles from './calendar.module.css'
import type { Card } from './cards.ts'
import type { Day } from './grid.ts'
import { type ChannelOf, PostCard } from './post-card.tsx'
import { words } from './words.ts'

type MoreCardsProps = {
  date: Day
  /** All cards of the day, or of one of its hours. */
  cards: readonly Card[]
  /** How many of them are not shown beside this. */
  count: number
  zone: string
  channelOf: ChannelOf
}

/** The number of those that have no room, which opens all of them. */
export function MoreCards({ date, cards, count, zone, channelOf }: MoreCardsProps) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const anchor = `--more${id.replaceAll(/[^a-zA-Z0-9]/g, '')}`
  const day = showDay(`${date}T12:00Z`, 'UTC')
  return (
    <>
      <button
        type="button"
        className={`${buttonClass('quiet')} ${styles.more}`}
        popoverTarget={id}
        aria-label={words.moreOn(count, day)}
        style={{ anchorName: anchor }}
      >
        {words.more(count)}
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
          </>
        ) : null}
      </div>
    </>
  )
}
