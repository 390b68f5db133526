import { german } from './language.ts'
import { plural } from './plural.ts'

const en = {
  inThePast: (time: string, place: string) =>
    `That is in the past: ${time} in ${place}. Choose a later time.`,
  tooFar: (years: number, time: string) =>
    `That is more than ${years} years ahead: ${time}. Choose an earlier time.`,
  more: (count: number) => `${count} more`,
  examples: 'Try “tomorrow 9am”, “Fri 14:30” or “24 Dec 18:00 Berlin”.',
  severalZones: (name: string, several: string) =>
    `“${name}” can mean ${several}. Write the city, as in “9:00 Berlin”.`,
  noSuchTime: (time: string, place: string) =>
    `There is no ${time} in ${place} on that day, because clocks go forward. Choose another time.`,
  otherOffset: (name: string | undefined, offset: string, place: string, time: string) =>
    `${name} is ${offset}, but ${place} isn’t on that day. Write “${time} ${place}”.`,
  twice: (time: string, place: string, one: string | undefined, other: string | undefined) =>
    `${time} comes twice in ${place} on that day, because clocks go back. Write ${one} or ${other}.`,
  noTime: (examples: string) => `That isn’t a time. ${examples}`,
  whichTime: 'At what time? Add it after the day, as in “today 18:00”.',
  midnight:
    'Midnight is between two days. Write 00:00 with the day that begins, or 23:59 with the one that ends.',
  exactly: 'At what time exactly? Write it as in “tomorrow 18:00”.',
  noClock: (words: string) => `“${words}” is not a time of day. Write it as in “9am” or “21:00”.`,
  contradicts: (words: string) => `“${words}” says two things. Write the time as in “9am” or “21:00”.`,
  morningOrEvening: (hour: number) =>
    `${hour} in the morning or in the evening? Write “${hour}am” or “${hour}pm”.`,
  otherWeekday: (date: string, is: string, not: string) => `${date} is a ${is}, not a ${not}.`,
  whichDay: 'On which day? Write it as in “Fri 14:30” or “24 Dec 18:00”.',
  howManyDays: (examples: string) => `In how many days? ${examples}`,
  nextIsEither: (day: string, soon: string, later: string) =>
    `“Next ${day}” can be ${soon} or ${later}. Write the date.`,
  eitherDate: (words: string, one: string, other: string) =>
    `“${words}” can be ${one} or ${other}. Write the month as a word.`,
  notUnderstood: (words: string, examples: string) => `Postrider does not understand “${words}”. ${examples}`,
  noSuchDay: (day: string, month: string, year: string) =>
    `There is no such day: ${day}.${month}.${year} Check the date.`,
  /** What people write in their language, in the words that the reader of times knows. */
  inEnglish: (text: string) => text,
  weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  months: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  /** How many letters name a day of the week. */
  weekdayLetters: 3,
  day: (day: number, month: string) => `${day} ${month}`,
  andMoreTimes: (time: string, count: number) => `${time} and ${plural(count, 'more time', 'more times')}`,
}
export type Words = typeof en

export const words: Words = german?.lib ?? en
