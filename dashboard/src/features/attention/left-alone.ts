import { useSyncExternalStore } from 'react'

/** Troubles that a person has decided to leave as they are, in this browser. */
const KEY = 'postrider.left-alone'
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

const stored = () => localStorage.getItem(KEY) ?? ''

/** The keys of what is left alone. */
export function useLeftAlone(): ReadonlySet<string> {
  return new Set(useSyncExternalStore(subscribe, stored).split('\n'))
}

const KEPT = 200

export function leaveAlone(key: string, isLeft: boolean): void {
  const others = stored()
    .split('\n')
    .filter((one) => one !== '' && one !== key)
  localStorage.setItem(KEY, [...others, ...(isLeft ? [key] : [])].slice(-KEPT).join('\n'))
  for (const listener of listeners) listener()
}
