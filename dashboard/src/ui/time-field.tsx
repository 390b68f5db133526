import { useRef } from 'react'
import { type ChosenTime, chooseTime, readChosen, timeFault } from '../lib/chosen-time.ts'
import { type TimeReading, wordsOfLocal } from '../lib/read-time.ts'
import { differs, showMoment, showRelative, viewerZone } from '../lib/time.ts'
import { localOf } from '../lib/zone-clock.ts'
import { useNow } from '../lib/use-now.ts'
import { usePaused } from '../lib/use-paused.ts'
import { placeOf } from '../lib/zones.ts'
import { IconButton } from './button.tsx'
import { Field } from './field.tsx'
import { CalendarDays } from './icons.ts'
import styles from './time-field.module.css'
import { ZoneOptions } from './zone-options.tsx'
import { words } from './words.ts'

type TimeFieldProps = {
  label: string
  /** The workspace's. */
  zone: string
  chosen: ChosenTime
  /** What the server said of it. */
  error?: string | null
  maxYearsAhead?: number
  /** What no time means. Its zone is asked for once one is typed. */
  none?: string
  onChange: (chosen: ChosenTime) => void
}

const TYPING_MS = 500

/**
 * Asks for a time in words, which a calendar writes, too, and reads back in full what was understood. What is not understood is
 * no time: it is refused here, and nothing that was there before stands in for it.
 */
export function TimeField({
  label,
  zone,
  chosen,
  error = null,
  maxYearsAhead,
  none,
  onChange,
}: TimeFieldProps) {
  const now = useNow()
  const calendar = useRef<HTMLInputElement>(null)
  const reading = readChosen(chosen, zone)
  const fault = timeFault(reading, now, maxYearsAhead)
  // Half a word is not understood: that is said once the typing has paused.
  const isPaused = usePaused(chosen.words, TYPING_MS) === chosen.words
  const shownZone = chosen.zone ?? zone
  return (
    <Field
      label={label}
      hint={fault === null ? <Understood {...{ reading, zone, now, none }} /> : undefined}
      error={fault === null ? error : isPaused ? fault : null}
    >
      {(control) => (
        <div className={styles.time}>
          <input
            {...control}
            className={styles.words}
            value={chosen.words}
            autoComplete="off"
            onChange={({ target }) => onChange(chooseTime(target.value, chosen.zone))}
          />
          <span className={styles.picking}>
            <input
              ref={calendar}
              className={styles.calendar}
              type="datetime-local"
              tabIndex={-1}
              aria-hidden
              value={reading.is === 'time' ? localOf(reading.at, shownZone) : ''}
              onChange={({ target }) =>
                onChange(chooseTime(target.value === '' ? '' : wordsOfLocal(target.value), chosen.zone))
              }
            />
            <IconButton label={words.pickTime} onClick={() => calendar.current?.showPicker()}>
              <CalendarDays aria-hidden />
            </IconButton>
          </span>
          {none !== undefined && chosen.words === '' ? null : (
            <select
              aria-label={words.timeZone}
              value={shownZone}
              onChange={({ target }) =>
                onChange({ ...chosen, zone: target.value === zone ? null : target.value })
              }
            >
              <ZoneOptions first={[zone, viewerZone(), shownZone]} />
            </select>
          )}
        </div>
      )}
    </Field>
  )
}

type UnderstoodProps = { reading: TimeReading; zone: string; now: Date; none: string | undefined }

/** What was understood, in full, and what the clocks of the workspace and of the reader show then. */
function Understood({ reading, zone, now, none = words.timeExamples }: UnderstoodProps) {
  if (reading.is !== 'time') return none
  const { at, zone: named } = reading
  const own = viewerZone()
  return (
    <span role="status">
      <strong>{words.timeIn(showMoment(at, named, now), placeOf(named))}</strong>,{' '}
      {showRelative(at, named, now)}.
      {differs(at, named, zone) ? ` ${words.alsoIn(showMoment(at, zone, now), placeOf(zone))}` : ''}
      {differs(at, named, own) && differs(at, zone, own) ? ` ${words.forYou(showMoment(at, own, now))}` : ''}
    </span>
  )
}
