import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import styles from './labels.module.css'
import { withLabel } from './label-key.ts'
import { useLabels } from './use-labels.ts'
import { words } from './words.ts'

type LabelFieldProps = {
  labels: readonly string[]
  onChange: (labels: readonly string[]) => void
  busy?: boolean
  /** Whether what is typed is added when the field is left, too. */
  addsWhenLeft?: boolean
}

const MOST = 20

/** Labels as they are chosen: each can be removed, and what is typed is added with Enter. */
export function LabelField({
  labels,
  onChange,
  busy = false,
  addsWhenLeft = false,
}: LabelFieldProps): ReactNode {
  const [typed, setTyped] = useState('')
  const known = useLabels()
  const listId = useId()
  function add(): void {
    if (typed.trim() === '') return
    onChange(withLabel(labels, typed))
    setTyped('')
  }
  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' && event.key !== ',') return
    event.preventDefault()
    add()
  }
  return (
    <div className={styles.field} role="group" aria-label={words.labels}>
      {labels.length === 0 ? null : (
        <ul className={styles.chips}>
          {labels.map((label) => (
            <li key={label} className={styles.chip}>
              {label}
              <Button
                variant="quiet"
                aria-label={words.remove(label)}
                disabled={busy}
                onClick={() => onChange(labels.filter((one) => one !== label))}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Field label={words.add} hint={words.addHint}>
        {(control) => (
          <input
            {...control}
            list={listId}
            maxLength={50}
            autoComplete="off"
            disabled={busy || labels.length >= MOST}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={press}
            onBlur={addsWhenLeft ? add : undefined}
          />
        )}
      </Field>
      <datalist id={listId}>
        {known.map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </div>
  )
}
