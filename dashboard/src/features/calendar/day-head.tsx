import { Link } from '../../navigation.tsx'
import { Plus } from '../../ui/icons.ts'
import styles from './calendar.module.css'
import type { Day } from './grid.ts'
import { words } from './words.ts'

type DayHeadProps = {
  date: Day
  today: Day
  /** The day in words. */
  name: string
  /** How many posts it has; null where they are seen beside it. */
  count: number | null
  mayWrite: boolean
}

/** The head of a day, with the way to a new post on it. */
export function DayHead({ date, today, name, count, mayWrite }: DayHeadProps) {
  const isFirst = date.endsWith('-01')
  return (
    <div
      className={`${styles.date} ${date === today ? styles.today : ''} ${date < today ? styles.past : ''}`}
    >
      {count === null ? null : <span aria-hidden>{name.slice(0, 3)}</span>}
      <time dateTime={date} aria-current={date === today ? 'date' : undefined}>
        {Number(date.slice(8))}
        {isFirst && count === null ? ` ${name.split(' ').at(-1)?.slice(0, 3)}` : ''}
      </time>
      {count === null || count === 0 ? null : (
        <span className={styles.number} aria-label={words.posts(count)} role="img">
          {count}
        </span>
      )}
      {date < today || !mayWrite ? null : (
        <Link
          className={styles.add}
          to="/w/$workspaceId/compose"

          search={{ day: date }}
          aria-label={words.newPostOn(name)}
        >
          <Plus aria-hidden />
        </Link>
      )}
    </div>
  )
}
