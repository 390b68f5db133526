import type { Series } from '@postrider/contract'
import type { ReactNode } from 'react'
import { fieldError, isAboutFields, isProblem } from '../../api/problem.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Field, NumberField, TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { clockDays, ClockProblem } from './clock-problem.tsx'
import {
  changedRepeat,
  frequencies,
  type Frequency,
  type Repeat,
  showDate,
  weekdayName,
  weekdayOf,
  weekdays,
} from './rule.ts'
import styles from './series.module.css'
import { words } from './words.ts'

type RepeatFieldsProps = {
  repeat: Repeat
  /** The first time by the clocks of its zone; null while none is chosen. */
  first: { readonly local: string; readonly timeZone: string } | null
  /** What the server says of it so far. */
  checked: Series | undefined
  error: unknown
  /** Days that its series leaves out: they stay, whatever the rule becomes. */
  kept?: readonly string[]
  onChange: (repeat: Repeat) => void
}

const LAST_DAY_OF_ALL_MONTHS = 28

/** How often a post is repeated, on which days, and until when. */
export function RepeatFields({
  repeat,
  first,
  checked,
  error,
  kept = [],
  onChange,
}: RepeatFieldsProps): ReactNode {
  const { every, interval, end, times, until, except } = repeat
  const days = repeat.days ?? (first === null ? [] : [weekdayOf(first.local)])
  const change = (next: Partial<Repeat>) => onChange(changedRepeat(repeat, next, kept))
  const zone = first?.timeZone ?? 'UTC'
  const monthDay = Number(first?.local.slice(8, 10) ?? 1)
  const isClock = clockDays(error, zone).length > 0
  const ruleError = fieldError(error, '/rule')
  return (
    <div className={styles.fields}>
      <div className={styles.pair}>
        <NumberField
          label={words.repeat.every}
          value={interval}
          onChange={(value) => change({ interval: value })}
        />
        <Field label={words.repeat.unit}>
          {(control) => (
            <select
              {...control}
              value={every}
              onChange={({ target }) => change({ every: target.value as Frequency })}
            >
              {frequencies.map((one) => (
                <option key={one} value={one}>
                  {words.repeat.units[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {every === 'WEEKLY' ? (
        <fieldset className={styles.days}>
          <legend>{words.repeat.on}</legend>
          {weekdays.map((day) => (
            <Check
              key={day}
              label={weekdayName(day)}
              checked={days.includes(day)}
              onChange={(on) => change({ days: on ? [...days, day] : days.filter((one) => one !== day) })}
            />
          ))}
        </fieldset>
      ) : null}
      {every === 'MONTHLY' && monthDay > LAST_DAY_OF_ALL_MONTHS ? (
        <p>{words.repeat.onDay(words.monthDay(monthDay))}</p>
      ) : null}
      <Field label={words.repeat.ends} error={ruleError}>
        {(control) => (
          <select
            {...control}
            value={end}
            onChange={({ target }) => change({ end: target.value as Repeat['end'] })}
          >
            <option value="times">{words.repeat.endTimes}</option>
            <option value="until">{words.repeat.endUntil}</option>
          </select>
        )}
      </Field>
      {end === 'times' ? (
        <NumberField
          label={words.repeat.times}
          value={times}
          onChange={(value) => change({ times: value })}
        />
      ) : (
        <TextField
          label={words.repeat.until}
          type="date"
          value={until}
          onChange={(value) => change({ until: value })}
        />
      )}
      <ClockProblem
        {...{ error, zone }}
        onLeaveOut={(left) => onChange({ ...repeat, except: [...new Set([...except, ...left])] })}
      />
      {except.length === 0 ? null : (
        <p>
          {words.repeat.leftOut(listNames(except.map(showDate), except.length))}{' '}
          <Button variant="quiet" onClick={() => onChange({ ...repeat, except: [] })}>
            {words.repeat.putBack}
          </Button>
        </p>
      )}
      {error === null || isClock || ruleError !== null || isOfContent(error) ? null : (
        <ProblemNotice error={error} />
      )}
      <p role="status" className={styles.muted}>
        {checked === undefined || checked.occurrences.length === 0
          ? ''
          : words.repeat.first(
              listNames(checked.occurrences.map(({ publishAt }) => showMoment(publishAt, zone))),
            )}
      </p>
    </div>
  )
}

/** What the check of the post says, too. */
function isOfContent(error: unknown): boolean {
  return (
    isProblem(error, 'post_not_publishable') ||
    isAboutFields(error, ['/text', '/targets', '/channelIds', '/thread', '/mediaIds'])
  )
}
