import { storedText, storeText, useStoredText } from '../../lib/stored-text.ts'

/** Troubles that a person has decided to leave as they are, in this browser. */
const KEY = 'postrider.left-alone'

/** The keys of what is left alone. */
export function useLeftAlone(): ReadonlySet<string> {
  return new Set(useStoredText(KEY).split('\n'))
}

const KEPT = 200

export function leaveAlone(key: string, isLeft: boolean): void {
  const others = storedText(KEY)
    .split('\n')
    .filter((one) => one !== '' && one !== key)
  storeText(KEY, [...others, ...(isLeft ? [key] : [])].slice(-KEPT).join('\n'))
}
