import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 48rem)')

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the window is as narrow as a phone; it can be turned. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches)
}
