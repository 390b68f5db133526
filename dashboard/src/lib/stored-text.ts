import { useSyncExternalStore } from 'react'

/* A text that this browser stores under a key, for all of its tabs. */

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Empty where nothing is stored. */
export const storedText = (key: string): string => localStorage.getItem(key) ?? ''

export function useStoredText(key: string): string {
  return useSyncExternalStore(subscribe, () => storedText(key))
}

/** An empty text is removed. */
export function storeText(key: string, text: string): void {
  if (text === '') localStorage.removeItem(key)
  else localStorage.setItem(key, text)
  for (const listener of listeners) listener()
}
