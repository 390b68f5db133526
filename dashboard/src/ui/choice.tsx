type ChoiceProps = {
  label: string
  /** What is chosen when nothing is filtered. */
  all: string
  options: readonly (readonly [value: string, name: string])[]
  value: string | undefined
  onChange: (value: string | undefined) => void
  className?: string | undefined
}

/** A filter: one of several values, or all. */
export function Choice({ label, all, options, value = '', onChange, className }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      className={className}
      value={value}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{all}</option>
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  )
}
