import { nameKey, storedName } from '../../platform/text/name-key.ts'

/** Labels as they are stored: without space around them, composed as Unicode composes them, each once whatever its case. */
export function readLabels(given: readonly string[] = []): string[] {
  const byKey = new Map<string, string>()
  for (const label of given.map(storedName)) {
    if (!byKey.has(nameKey(label))) byKey.set(nameKey(label), label)
  }
  return [...byKey.values()]
}
