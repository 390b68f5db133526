import type { ReactNode } from 'react'
import { instantsOf } from '../lib/time.ts'
import { Field } from './field.tsx'
import { Notice } from './states.tsx'

type LocalTimeFieldProps = {
  label: string
  zone: string
  /** A minute of the zone's clock, as in `2026-11-21T09:00`; empty for none. */
  local: string
  hint?: ReactNode
  error?: string | null
  onChange: (local: string) => void
}

/** Asks for a time in a zone, and says where the clocks skip it or show it twice. */
export function LocalTimeField({ label, zone, local, hint, error = null, onChange }: LocalTimeFieldProps) {
  const instants = instantsOf(local, zone)
  const skipped = local !== '' && instants.length === 0
  return (
    <>
      <Field
        label={label}
        hint={hint ?? `In the workspace's time zone, ${zone}.`}
        error={
          skipped
            ? 'This time does not exist on that day: the clocks are put forward. Choose another.'
            : error
        }
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            value={local}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {instants.length > 1 ? (
        <Notice>The clocks are put back in that hour, so that it comes twice: the first one is taken.</Notice>
      ) : null}
    </>
  )
}
