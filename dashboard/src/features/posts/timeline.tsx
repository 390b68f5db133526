import type { app } from '@postrider/contract'
import { plainOf } from '@postrider/contract/plain'
import { CircleCheck, CircleHelp, CircleX, Dot, type Icon, TriangleAlert } from '../../ui/icons.ts'
import { german } from '../../lib/language.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import styles from './timeline.module.css'
import { words } from './words.ts'

const looks: Record<app.TimelineEntry['tone'], { icon: Icon; name: string }> = {
  neutral: { icon: Dot, name: '' },
  good: { icon: CircleCheck, name: `${words.good} ` },
  bad: { icon: CircleX, name: `${words.bad} ` },
  doubt: { icon: CircleHelp, name: `${words.checking} ` },
  warning: { icon: TriangleAlert, name: `${words.warning} ` },
}

/** What the server tells, in the language of the page. */
const told = (text: string) => german?.history(text) ?? plainOf(text)

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
        <p>{told(text)}</p>
        <p className={styles.time}>
          <time dateTime={at}>{showTime(at, zone, 'seconds')}</time>
          {took === null ? '' : words.endedLater(inWords(took))}
        </p>
        {steps.length === 0 ? null : (
          <ul className={styles.steps}>
            {steps.map((step, index) => (
              <li key={index}>{told(step)}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

function inWords(ms: number): string {
  if (ms < 1_000) return words.ms(ms)
  return ms < 120_000 ? words.seconds(Math.round(ms / 1_000)) : words.minutes(Math.round(ms / 60_000))
}
