import type { app } from '@postrider/contract'
import { CircleCheck, CircleHelp, CircleX, Dot, type Icon } from '../../ui/icons.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import styles from './timeline.module.css'

const looks: Record<app.TimelineEntry['tone'], { icon: Icon; name: string }> = {
  neutral: { icon: Dot, name: '' },
  good: { icon: CircleCheck, name: 'Good: ' },
  bad: { icon: CircleX, name: 'Bad: ' },
  doubt: { icon: CircleHelp, name: 'In doubt: ' },
}

/** What happened, oldest first, each with its evidence or its deliveries. */
export function Timeline({ label, entries }: { label: string; entries: readonly app.TimelineEntry[] }) {
  if (entries.length === 0) return null
  return (
    <ol className={styles.timeline} aria-label={label}>
      {entries.map((entry, index) => (
        <Entry key={index} entry={entry} />
      ))}
    </ol>
  )
}

function Entry({ entry: { at, endedAt, tone, text, steps } }: { entry: app.TimelineEntry }) {
  const { timeZone: zone } = useSession().workspace
  const { icon: Icon, name } = looks[tone]
  const took = endedAt === null ? null : Date.parse(endedAt) - Date.parse(at)
  return (
    <li className={styles.entry}>
      <span className={`${styles.mark} ${styles[tone]}`}>
        <Icon aria-hidden />
        <span className="visually-hidden">{name}</span>
      </span>
      <div>
        <p>{text}</p>
        <p className={styles.time}>
          <time dateTime={at}>{showTime(at, zone, 'seconds')}</time>
          {took === null ? '' : `, ended ${inWords(took)} later`}
        </p>
        {steps.length === 0 ? null : (
          <ul className={styles.steps}>
            {steps.map((step, index) => (
              <li key={index}>{step}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

function inWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`
}
