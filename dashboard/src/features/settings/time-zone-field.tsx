import { viewerZone } from '../../lib/time.ts'
import { Field } from '../../ui/field.tsx'
import { ZoneOptions } from '../../ui/zone-options.tsx'
import { words } from './words.ts'

type TimeZoneFieldProps = {
  value: string
  error?: string | null
  disabled?: boolean
  onChange: (timeZone: string) => void
}

/** The time zone of a workspace: that of the browser first. A zone that the browser does not know stays as it is. */
export function TimeZoneField({ value, error = null, disabled = false, onChange }: TimeZoneFieldProps) {
  return (
    <Field label={words.timeZone} hint={words.timeZoneHint} error={error}>
      {(control) => (
        <select
          {...control}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <ZoneOptions first={[viewerZone(), value]} />
        </select>
      )}
    </Field>
  )
}
