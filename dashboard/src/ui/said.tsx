import { type ReactNode } from 'react'

/** A sentence of the server; what stands between backticks in it is shown as code. */
export function Said({ children }: { children: string }): ReactNode {
  return children
    .split('`')
    .map((text, index) => (index % 2 === 1 ? <code key={`${index} ${text}`}>{text}</code> : text))
}
