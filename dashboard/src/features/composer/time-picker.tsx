import { type ReactNode, useState } from 'react'
import { differs, instantsOf, showTime, viewerZone } from '../../lib/time.ts'
import { useMay, useSession } from '../../session.tsx'
import { Field } from '../../ui/field.tsx'
import { LocalTimeField } from '../../ui/local-time-field.tsx'
import styles from './composer.module.css'
import type { Draft, DraftTime } from './draft.ts'
import { readTimeWords } from './time-words.ts'

type Choice = { state: DraftTime['state']; label: string; explain: string }

/** What can be done with a post, as the person's role has it. */
export function choicesFor(mayDecide: boolean): Choice[] {
  const now = mayDecide
    ? { label: 'Publish now', explain: 'It goes out at once; you approve it with that.' }
    : { label: 'Publish after approval', explain: 'It goes out as soon as somebody approves it.' }
  return [
    { state: 'immediate', ...now },
    { state: 'scheduled', label: 'At a time', explain: 'It goes out by itself at the time that you choose.' },
    { state: 'draft', label: 'Save as draft', explain: 'Nothing goes out until it is scheduled.' },
  ]
}

type TimePickerProps = { draft: Draft; onChange: (draft: Draft) => void }

export function TimePicker({ draft, onChange }: TimePickerProps): ReactNode {
  const mayDecide = useMay('approvals:decide')
  const { time } = draft
  return (
    <fieldset className={styles.choices}>
      <legend>When</legend>
      {choicesFor(mayDecide).map(({ state, label, explain }) => (
        <label key={state} className={styles.choice}>
          <input
            type="radio"
            name="time"
            checked={time.state === state}
            onChange={() =>
              onChange({ ...draft, time: state === 'scheduled' ? { state, local: '' } : { state } })
            }
          />
          <span>
            {label}
            <span className={styles.explain}>{explain}</span>
          </span>
        </label>
      ))}
      {time.state === 'scheduled' ? (
        <ChosenTime
          local={time.local}
          onChange={(local) => onChange({ ...draft, time: { state: 'scheduled', local } })}
        />
      ) : null}
    </fieldset>
  )
}

function ChosenTime({ local, onChange }: { local: string; onChange: (local: string) => void }) {
  const { timeZone: zone } = useSession().workspace
  const [words, setWords] = useState('')
  const [instant] = instantsOf(local, zone)
  const own = viewerZone()

  async function understand(text: string): Promise<void> {
    setWords(text)
    const understood = await readTimeWords(text, zone)
    if (understood !== null) onChange(understood.local)
  }

  return (
    <div className={styles.chosen}>
      <Field label="In words" hint="Such as “tomorrow 9am” or “next friday 14:30”.">
        {(control) => (
          <input
            {...control}
            value={words}
            autoComplete="off"
            onChange={(event) => void understand(event.target.value)}
          />
        )}
      </Field>
      <LocalTimeField
        label={`Time in ${zone}`}
        hint={
          instant !== undefined && differs(instant, zone, own)
            ? `${showTime(instant, own)} for you, in ${own}.`
            : ''
        }
        {...{ zone, local, onChange }}
      />
    </div>
  )
}
