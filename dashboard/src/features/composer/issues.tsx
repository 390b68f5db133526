import type { PostCheck, PostIssue } from '@postrider/contract'
import { useChannels } from '../channels/use-channels.ts'
import { networkName } from '../channels/network-name.ts'
import { Notice } from '../../ui/states.tsx'
import styles from './composer.module.css'
import { type Draft, follows, type TextTab } from './draft.ts'

/** What a network counts of a part, and how much it takes. */
export type Count = { name: string; characters: number; max: number }

/** The counts of each part on the channels that show this content. */
export function countsOf(
  check: PostCheck | undefined,
  tab: TextTab,
  draft: Draft,
): (index: number) => Count[] {
  const shown = (check?.destinations ?? []).filter(({ channelId }) =>
    tab === null ? follows(draft, channelId) : channelId === tab,
  )
  return (index) => {
    const counts = shown.flatMap(({ provider, maxCharacters, parts }) => {
      const part = parts.find((one) => one.index === index)
      if (part === undefined) return []
      return [{ name: networkName(provider), characters: part.characters, max: maxCharacters }]
    })
    // Channels of one network count alike.
    return counts.filter((count, at) => counts.findIndex(({ name }) => name === count.name) === at)
  }
}

export function Issues({ issues }: { issues: readonly PostIssue[] }) {
  const { nameOf } = useChannels()
  if (issues.length === 0) return null
  return (
    <ul className={styles.issues} aria-label="What the check found" aria-live="polite">
      {issues.map((issue, index) => (
        <li key={index}>
          <Notice tone={issue.severity === 'error' ? 'red' : 'amber'}>
            <p>
              {issue.channelId === undefined ? null : <strong>{nameOf(issue.channelId)}: </strong>}
              {issue.message}
            </p>
            <p>{issue.fix}</p>
          </Notice>
        </li>
      ))}
    </ul>
  )
}
