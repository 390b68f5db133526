import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import styles from './toast.module.css'

type Toast = { id: number; text: string; action?: { label: string; run: () => void } }

const SHOWN_MS = 6_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says that something was done. What went wrong is said where it went wrong, never here. */
export function announce(text: string, action?: Toast['action']): void {
  const id = ++lastId
  set([...toasts.slice(-2), { id, text, ...(action === undefined ? {} : { action }) }])
  setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), SHOWN_MS)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {shown.map(({ id, text, action }) => (
        <div key={id} className={styles.toast}>
          {text}
          {action === undefined ? null : (
            <Button variant="quiet" onClick={action.run}>
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}
