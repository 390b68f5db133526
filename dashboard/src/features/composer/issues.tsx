import type { PostIssue } from '@postrider/contract'
import { useChannels } from '../channels/use-channels.ts'
import { listNames } from '../../lib/list-names.ts'
import { withTimes } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { Notice } from '../../ui/states.tsx'
import styles from './composer.module.css'
import { words } from './words.ts'

/** What the check found: the same of several channels stands once. */
export function Issues({ issues }: { issues: readonly PostIssue[] }) {
  const { nameOf } = useChannels()
  const { timeZone: zone } = useSession().workspace
  if (issues.length === 0) return null
  const groups = Map.groupBy(issues, ({ severity, message, fix }) => JSON.stringify([severity, message, fix]))
  return (
    <ul className={styles.issues} aria-label={words.screen.problems} aria-live="polite">
      {[...groups].map(([key, [first, ...others]]) => {
        if (first === undefined) return null
        const channels = [first, ...others].flatMap(({ channelId }) => channelId ?? [])
        return (
          <li key={key}>
            <Notice tone={first.severity === 'error' ? 'red' : 'amber'}>
              <p>
                {channels.length === 0 ? null : (
                  <strong>{listNames([...new Set(channels)].map(nameOf))}: </strong>
                )}
                {withTimes(sentence(first.message), zone)}
              </p>
              <p>{sentence(first.fix)}</p>
            </Notice>
          </li>
        )
      })}
    </ul>
  )
}
