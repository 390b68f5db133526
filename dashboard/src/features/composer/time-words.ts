import type { ParsedComponents } from 'chrono-node'
import { localOf } from '../../lib/time.ts'

/** What the clock of a workspace shows, as words were understood: `2026-11-24T09:00`. */
export type Understood = { readonly local: string; readonly text: string }

/** At this hour goes out what names a day and no time. */
const USUAL_HOUR = 9

/**
 * Reads `tomorrow 9am`, `next friday 14:30` or `in two hours` as a minute of the zone's clock. Null when there is no time in
 * it. The parser is loaded with the first words.
 */
export async function readTimeWords(
  words: string,
  zone: string,
  now = new Date(),
): Promise<Understood | null> {
  if (words.trim() === '') return null
  const { casual } = await import('chrono-node')
  // The parser works on the reader's clock: it is given the workspace's as if it were UTC, and answers in the same.
  const reference = { instant: new Date(`${localOf(now, zone)}:00Z`), timezone: 0 }
  const [found] = casual.parse(words, reference, { forwardDate: true })
  if (found === undefined) return null
  return { local: minuteOf(found.start), text: found.text }
}

function minuteOf(at: ParsedComponents): string {
  const hour = at.isCertain('hour') || at.isCertain('minute') ? (at.get('hour') ?? USUAL_HOUR) : USUAL_HOUR
  const minute = at.isCertain('hour') || at.isCertain('minute') ? (at.get('minute') ?? 0) : 0
  const [year, month, day] = [at.get('year'), at.get('month'), at.get('day')].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${year}-${month}-${day}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
