import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import styles from './toast.module.css'

type Toast = { id: number; text: string; action?: { label: string; run: () => void } }

const SHOWN_MS = 8_000
/** What can be undone is so for as long as a command waits. */
const WITH_ACTION_MS = 10_000

let shown: Toast | null = null
let lastId = 0
const listeners = new Set<() => void>()

function set(next: Toast | null): void {
  shown = next
  for (const listener of listeners) listener()
}

function take(id: number): void {
  if (shown?.id === id) set(null)
}

/**
 * Says that something was done, in place of what was said before. What went wrong is said where it went wrong, never here.
 */
export function announce(text: string, action?: Toast['action']): void {
  const id = ++lastId
  set({ id, text, ...(action === undefined ? {} : { action }) })
  onceVisible(() => setTimeout(() => take(id), action === undefined ? SHOWN_MS : WITH_ACTION_MS))
}

/** What is said behind another tab, or on a phone that is locked, is there for whoever comes back. */
function onceVisible(run: () => void): void {
  if (document.visibilityState === 'visible') run()
  else document.addEventListener('visibilitychange', () => onceVisible(run), { once: true })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The last thing that was said, for a while. */
export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => shown)
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {toast === null ? null : (
        <div key={toast.id} className={styles.toast}>
          {toast.text}
          <Action {...toast} />
        </div>
      )}
    </div>
  )
}

/** What can be done about it, once. */
function Action({ id, action }: Toast) {
  if (action === undefined) return null
  return (
    <Button
      variant="quiet"
      onClick={() => {
        take(id)
        action.run()
      }}
    >
      {action.label}
    </Button>
  )
}
