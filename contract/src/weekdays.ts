/** The days of a week, as posting times name them. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

/** So many posting times a channel may have: one for each hour of a week. */
export const MOST_POSTING_TIMES = 168
