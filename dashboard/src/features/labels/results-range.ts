import { instantsOf } from '../../lib/time.ts'
import { dateOf } from '../../lib/zone-clock.ts'
import { addDays, type Day, isDay } from '../calendar/grid.ts'

/** So many days back; all of them; or from one day to another. */
export type Span = 'all' | '7' | '30' | '90' | 'own'

export type Choice = { readonly span: Span; readonly from: string; readonly to: string }

export const allTime: Choice = { span: 'all', from: '', to: '' }

/** From the first instant of a day to that after the last one, by the clocks of a zone; null for all, undefined for no such range. */
export function rangeOf(
  { span, from, to }: Choice,
  zone: string,
  now = new Date(),
): { from: string; to: string } | null | undefined {
  if (span === 'all') return null
  const today = dateOf(now, zone)
  const [first, last] = span === 'own' ? [from, to] : [addDays(today, 1 - Number(span)), today]
  if (!isDay(first) || !isDay(last) || first > last) return undefined
  return { from: beginOf(first, zone), to: beginOf(addDays(last, 1), zone) }
}

/** Where clocks are put forward at midnight, a day begins an hour later. */
function beginOf(day: Day, zone: string): string {
  const [midnight = instantsOf(`${day}T01:00`, zone)[0]] = instantsOf(`${day}T00:00`, zone)
  return (midnight ?? new Date(`${day}T00:00Z`)).toISOString()
}
