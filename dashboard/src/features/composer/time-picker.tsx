import type { Post } from '@postrider/contract'
import type { ReactNode } from 'react'
import { chooseTime } from '../../lib/chosen-time.ts'
import { showMoment } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import { activeOf, type Draft, draftOfPost, type DraftTime } from './draft.ts'
import { words } from './words.ts'

type Choice = { state: DraftTime['state']; label: string; explain: string }

/** What can be done with a post, as the person's role has it; the calm choices first. */
export function choicesFor(mayDecide: boolean): Choice[] {
  const now = mayDecide
    ? { label: words.time.publishNow, explain: words.time.nowHint }
    : { label: words.time.afterApproval, explain: words.time.afterApprovalHint }
  return [
    { state: 'scheduled', label: words.time.schedule, explain: words.time.scheduleHint },
    { state: 'draft', label: words.time.saveAsDraft, explain: words.time.draftHint },
    { state: 'immediate', ...now },
  ]
}

/** The times that the channels of a saved post have, where they are to stay. */
function keptTimes(post: Post, zone: string, nameOf: (channelId: string) => string): Choice {
  const active = activeOf(post)
  const times = active.flatMap(({ channelId, publishAt }) =>
    publishAt === null ? [] : [`${nameOf(channelId)}: ${showMoment(publishAt, zone)}`],
  )
  if (times.length > 0)
    return { state: 'draft', label: words.time.keepTimes, explain: `${times.join('; ')}.` }
  return post.reviewStatus === 'pending'
    ? { state: 'draft', label: words.time.afterApproval, explain: words.time.afterApprovalHint }
    : { state: 'draft', label: words.time.keepDraft, explain: words.time.draftHint }
}

type EditTimeProps = TimePickerProps & { post: Post }

/** When a saved post is published: at the time of all its channels, or at what each of them has. */
export function EditTime({ post, draft, error, onChange }: EditTimeProps): ReactNode {
  const { timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const before = draftOfPost(post, zone).time
  const choices: Choice[] = [
    keptTimes(post, zone, nameOf),
    {
      state: 'scheduled',
      label: words.time.schedule,
      explain: words.time.scheduleAllHint,
    },
  ]
  return (
    <TimeChoices
      {...{ draft, error, onChange }}
      // What has one time has no other choice than that time, or another one.
      choices={before.state === 'scheduled' ? [] : choices}
    />
  )
}

type TimePickerProps = { draft: Draft; error: string | null; onChange: (draft: Draft) => void }

export function TimePicker(props: TimePickerProps): ReactNode {
  return <TimeChoices {...props} choices={choicesFor(useMay('approvals:decide'))} />
}

type TimeChoicesProps = TimePickerProps & { choices: readonly Choice[] }

function TimeChoices({ draft, error, choices, onChange }: TimeChoicesProps) {
  const { timeZone: zone } = useSession().workspace
  const { time } = draft
  return (
    <fieldset className={styles.choices}>
      <legend>{words.time.legend}</legend>
      {choices.map(({ state, label, explain }) => (
        <label key={state} className={styles.choice}>
          <input
            type="radio"
            name="time"
            checked={time.state === state}
            onChange={() =>
              onChange({ ...draft, time: state === 'scheduled' ? { state, ...chooseTime() } : { state } })
            }
          />
          <span>
            {label}
            <span className={styles.explain}>{explain}</span>
          </span>
        </label>
      ))}
      {time.state === 'scheduled' ? (
        <TimeField
          label={words.time.publishAt}
          {...{ zone, error }}
          chosen={time}
          onChange={(chosen) => onChange({ ...draft, time: { state: 'scheduled', ...chosen } })}
        />
      ) : null}
    </fieldset>
  )
}
