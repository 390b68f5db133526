import type { Post } from '@postrider/contract'
import type { ReactNode } from 'react'
import { type ChosenTime, chooseTime } from '../../lib/chosen-time.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useMay, useSession } from '../../session.tsx'
import { Check, Field } from '../../ui/field.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import {
  activeOf,
  type Draft,
  draftOfPost,
  type DraftTime,
  mayDiffer,
  onTimeOfAll,
  type QueuePlace,
} from './draft.ts'
import { timesWords } from './time-words.ts'
import type { Checked } from './use-post-check.ts'
import { words } from './words.ts'

type Choice = { state: DraftTime['state']; queue?: QueuePlace; label: string; explain: string }

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
  const times = activeOf(post).flatMap(({ channelId, publishAt: at }) =>
    at === null ? [] : [{ channelId, at }],
  )
  if (times.length > 0)
    return { state: 'draft', label: words.time.keepTimes, explain: `${timesWords(times, { zone, nameOf })}.` }
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

export function TimePicker({
  checked,
  ...props
}: TimePickerProps & { checked: Checked | undefined }): ReactNode {
  const [schedule, ...others] = choicesFor(useMay('approvals:decide'))
  const { channels, nameOf } = useChannels()
  const hasTimes = channels.some(({ enabled, postingTimes }) => enabled && postingTimes.length > 0)
  const { timeZone: zone } = useSession().workspace
  const queue = hasTimes
    ? queueChoices(props.draft, (place) => placeWords(place, checked, { zone, nameOf }))
    : []
  return (
    <>
      <TimeChoices
        {...props}
        choices={[...(schedule === undefined ? [] : [schedule]), ...queue, ...others]}
      />
      <Spread {...props} />
    </>
  )
}

const MOST_SPREAD = 10_080

/** Over how many minutes several channels are spread; all at once where nothing is typed. */
function Spread({ draft, onChange }: TimePickerProps): ReactNode {
  if (draft.time.state !== 'scheduled' || draft.repeat !== undefined || onTimeOfAll(draft).length < 2)
    return null
  const { spreadMinutes, ...rest } = draft
  return (
    <Field label={words.time.spread} hint={words.time.spreadHint}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={1}
          max={MOST_SPREAD}
          step={1}
          value={spreadMinutes ?? ''}
          onChange={({ target: { valueAsNumber: minutes } }) => {
            const isTaken = Number.isInteger(minutes) && minutes >= 1 && minutes <= MOST_SPREAD
            onChange(isTaken ? { ...rest, spreadMinutes: minutes } : rest)
          }}
        />
      )}
    </Field>
  )
}

/** The places in the queue, and the one of the calendar that the writer came from. */
function queueChoices({ time }: Draft, explain: (place: QueuePlace) => string): Choice[] {
  const named = new Map([
    ['next', words.time.addToQueue],
    ['first', words.time.firstFree],
  ])
  const own = time.state === 'queued' && !named.has(time.queue) ? [time.queue] : []
  return [...own, ...named.keys()].map((place) => ({
    state: 'queued',
    queue: place,
    label: named.get(place) ?? words.time.postingTime,
    explain: explain(place),
  }))
}

type Naming = { zone: string; nameOf: (channelId: string) => string }

/** The times that a place would have, as the server has just said; what it is while it has not. */
function placeWords(place: QueuePlace, checked: Checked | undefined, { zone, nameOf }: Naming): string {
  const isChecked = checked?.draft.time.state === 'queued' && checked.draft.time.queue === place
  const times = isChecked
    ? checked.check.destinations.flatMap(({ channelId, publishAt: at }) =>
        at === undefined ? [] : [{ channelId, at }],
      )
    : []
  const [first] = times
  if (first !== undefined) {
    return times.every(({ at }) => at === first.at)
      ? words.timeIn(showMoment(first.at, zone), placeOf(zone))
      : `${timesWords(times, { zone, nameOf })}.`
  }
  if (place === 'next') return words.time.addToQueueHint
  if (place === 'first') return words.time.firstFreeHint
  return words.timeIn(showMoment(place, zone), placeOf(zone))
}

type TimeChoicesProps = TimePickerProps & { choices: readonly Choice[] }

function TimeChoices({ draft, error, choices, onChange }: TimeChoicesProps) {
  const { timeZone: zone } = useSession().workspace
  const { time } = draft
  return (
    <fieldset className={styles.choices}>
      <legend>{words.time.legend}</legend>
      {choices.map(({ state, queue = 'next', label, explain }) => (
        <label key={state === 'queued' ? queue : state} className={styles.choice}>
          <input
            type="radio"
            name="time"
            checked={time.state === state && (time.state !== 'queued' || time.queue === queue)}
            onChange={() => onChange({ ...draft, time: chosenOf(state, queue) })}
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
      <OwnTimes {...{ draft, onChange }} />
    </fieldset>
  )
}

type OwnTimesProps = Pick<TimePickerProps, 'draft' | 'onChange'>

/** On wish, a time for each channel; one that has none typed has the time of all. */
function OwnTimes({ draft, onChange }: OwnTimesProps) {
  const { timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  if (!mayDiffer(draft)) return null
  const { ownTimes, ...rest } = draft
  const change = (channelId: string, chosen: ChosenTime) =>
    onChange({ ...rest, ownTimes: { ...ownTimes, [channelId]: chosen } })
  return (
    <>
      <Check
        label={words.time.differ}
        hint={words.time.differHint}
        checked={ownTimes !== undefined}
        onChange={(isOn) => onChange(isOn ? { ...rest, ownTimes: {} } : rest)}
      />
      {ownTimes === undefined ? null : (
        <fieldset className={styles.ownTimes}>
          <legend className="visually-hidden">{words.time.differ}</legend>
          {draft.channelIds.map((channelId) => (
            <TimeField
              key={channelId}
              label={nameOf(channelId)}
              zone={zone}
              chosen={ownTimes[channelId] ?? NO_TIME}
              none={words.time.asAll}
              onChange={(chosen) => change(channelId, chosen)}
            />
          ))}
        </fieldset>
      )}
    </>
  )
}

const NO_TIME: ChosenTime = { words: '', zone: null, typedAt: '' }

function chosenOf(state: DraftTime['state'], queue: QueuePlace): DraftTime {
  if (state === 'queued') return { state, queue }
  return state === 'scheduled' ? { state, ...chooseTime() } : { state }
}
