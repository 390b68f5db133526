import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import styles from './field.module.css'

export type ControlProps = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

type FieldProps = {
  label: string
  hint?: ReactNode
  /** What is wrong with the value, and how to mend it. */
  error?: string | null | undefined
  children: (control: ControlProps) => ReactNode
}

/** A labelled control, with what the server said of it next to it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`]
  const described = [hint === undefined ? '' : hintId, error == null ? '' : errorId].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error == null ? undefined : true,
      })}
      {hint === undefined ? null : (
        <div className={styles.hint} id={hintId}>
          {hint}
        </div>
      )}
      {error == null ? null : (
        <div className={styles.error} id={errorId} role="alert">
          {error}
        </div>
      )}
    </div>
  )
}

type CheckProps = {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

export function Check({ label, hint, checked, onChange, disabled }: CheckProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint === undefined ? null : <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  )
}

type Typed = { value: string; onChange: (text: string) => void }
type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<InputHTMLAttributes<HTMLInputElement>, keyof Typed> &
  Typed

/** A line of text. */
export function TextField({ label, hint, error, onChange, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, hint, error }}>
      {(control) => <input {...input} {...control} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}

type TextAreaProps = Omit<FieldProps, 'children'> &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, keyof Typed> &
  Typed

/** Several lines of text. */
export function TextArea({ label, hint, error, onChange, ...area }: TextAreaProps) {
  return (
    <Field {...{ label, hint, error }}>
      {(control) => <textarea {...area} {...control} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}

type NumberFieldProps = Omit<FieldProps, 'children'> & {
  /** Null where nothing is given. */
  value: number | null
  disabled?: boolean
  onChange: (value: number | null) => void
}

/** A whole number, or nothing. */
export function NumberField({ value, disabled, onChange, ...field }: NumberFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={1}
          step={1}
          disabled={disabled}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.valueAsNumber)}
        />
      )}
    </Field>
  )
}
