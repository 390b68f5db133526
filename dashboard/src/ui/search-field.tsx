import type { InputHTMLAttributes } from 'react'

type SearchFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onChange'> & {
  label: string
  value: string
  onChange: (text: string) => void
}

/** What a list is searched by: its name stands in it until something is typed. */
export function SearchField({ label, placeholder = label, onChange, ...input }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      onChange={({ target }) => onChange(target.value)}
      {...input}
    />
  )
}
