import { useSyncExternalStore } from 'react'

/* Whether the server answers: what was asked last tells. */

let away = false
const listeners = new Set<() => void>()

/** Called after each request: whether an answer of the server came. */
export function noteAnswer(came: boolean): void {
  if (away === !came) return
  away = !came
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useServerAway(): boolean {
  return useSyncExternalStore(subscribe, () => away)
}

const AGAIN_MS = 2_000

/** Loads a part of the dashboard; while the server is away, as long as it takes. */
export function whenServed<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    for (let isServed = false; ;) {
      try {
        return await load()
      } catch (cause) {
        // The server is there, and it is not: another release has other parts.
        if (isServed) throw cause
        isServed = await answers()
        noteAnswer(isServed)
        if (!isServed) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    }
  }
}

function answers(): Promise<boolean> {
  return fetch(document.baseURI, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
