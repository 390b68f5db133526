import type { PostingTimes } from '@postrider/contract'
import { weekdays } from '@postrider/contract/names'

/** The posting times of each day as they are typed, such as `09:00, 18:30`; the days in the order of a week. */
export type TypedTimes = readonly string[]

export function typedOf(times: PostingTimes): TypedTimes {
  return weekdays.map((day) =>
    times
      .filter(({ weekday }) => weekday === day)
      .map(({ time }) => time)
      .join(', '),
  )
}

/** What was typed, each time once and in order; `wrong` is what is no time, by day. */
export function readTyped(typed: TypedTimes): { times: PostingTimes; wrong: readonly (string | null)[] } {
  const days = typed.map((line) =>
    line
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(readClock),
  )
  const times = days.flatMap((read, day) => {
    const clocks = read.flatMap(({ time }) => (time === null ? [] : [time]))
    return [...new Set(clocks)]
      .toSorted()
      .flatMap((time) => (weekdays[day] === undefined ? [] : [{ weekday: weekdays[day], time }]))
  })
  const wrong = days.map((read) => read.find(({ time }) => time === null)?.text ?? null)
  return { times, wrong }
}

/** `9`, `9:30`, `09.30` and `0930` are times of a day; null for what is none. */
function readClock(text: string): { text: string; time: string | null } {
  const [, hours, minutes = '00'] = /^(\d{1,2})(?:[:.h]?(\d{2}))?$/i.exec(text) ?? []
  const isTime = hours !== undefined && Number(hours) < 24 && Number(minutes) < 60
  return { text, time: isTime ? `${hours.padStart(2, '0')}:${minutes}` : null }
}
