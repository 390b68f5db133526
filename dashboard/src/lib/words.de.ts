import { plural } from './plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  andMoreTimes: (time: string, count: number) =>
    `${time} und ${plural(count, 'weitere Zeit', 'weitere Zeiten')}`,
  inThePast: (time: string, place: string) =>
    `Das ist vorbei: ${time} in ${place}. Wählen Sie eine spätere Zeit.`,
  tooFar: (years: number, time: string) =>
    `Das ist mehr als ${years} Jahre voraus: ${time}. Wählen Sie eine frühere Zeit.`,
  more: (count: number) => `${count} weitere`,
  examples: 'Versuchen Sie „morgen 9 Uhr“, „Fr 14:30“ oder „24. Dez 18:00 Berlin“.',
  severalZones: (name: string, several: string) =>
    `„${name}“ kann ${several} bedeuten. Schreiben Sie die Stadt dazu, wie in „9:00 Berlin“.`,
  noSuchTime: (time: string, place: string) =>
    `${time} gibt es an dem Tag in ${place} nicht, weil die Uhren vorgestellt werden. Wählen Sie eine andere Zeit.`,
  otherOffset: (name: string | undefined, offset: string, place: string, time: string) =>
    `${name} ist ${offset}, ${place} an dem Tag aber nicht. Schreiben Sie „${time} ${place}“.`,
  twice: (time: string, place: string, one: string | undefined, other: string | undefined) =>
    `${time} gibt es an dem Tag in ${place} zweimal, weil die Uhren zurückgestellt werden. Schreiben Sie ${one} oder ${other}.`,
  noTime: (examples: string) => `Das ist keine Zeit. ${examples}`,
  whichTime: 'Um wie viel Uhr? Schreiben Sie es hinter den Tag, wie in „heute 18:00“.',
  midnight:
    'Mitternacht liegt zwischen zwei Tagen. Schreiben Sie 00:00 mit dem Tag, der beginnt, oder 23:59 mit dem, der endet.',
  exactly: 'Wann genau? Schreiben Sie zum Beispiel „morgen 18:00“.',
  noClock: (words: string) => `„${words}“ ist keine Uhrzeit. Schreiben Sie zum Beispiel „9:00“ oder „21:00“.`,
  contradicts: (words: string) =>
    `„${words}“ widerspricht sich. Schreiben Sie die Zeit wie in „9:00“ oder „21:00“.`,
  morningOrEvening: (hour: number) =>
    `${hour} Uhr morgens oder abends? Schreiben Sie „${hour}:00“ oder zum Beispiel „21:00“.`,
  otherWeekday: (date: string, is: string, not: string) => `${date} ist ein ${is}, kein ${not}.`,
  whichDay: 'An welchem Tag? Schreiben Sie zum Beispiel „Fr 14:30“ oder „24. Dez 18:00“.',
  howManyDays: (examples: string) => `In wie vielen Tagen? ${examples}`,
  nextIsEither: (day: string, soon: string, later: string) =>
    `„Nächster ${day}“ kann ${soon} oder ${later} sein. Schreiben Sie das Datum.`,
  eitherDate: (words: string, one: string, other: string) =>
    `„${words}“ kann ${one} oder ${other} sein. Schreiben Sie den Monat als Wort.`,
  notUnderstood: (words: string, examples: string) => `Postrider versteht „${words}“ nicht. ${examples}`,
  noSuchDay: (day: string, month: string, year: string) =>
    `Diesen Tag gibt es nicht: ${day}.${month}.${year} Prüfen Sie das Datum.`,
  inEnglish: (text) =>
    text
      .replaceAll(/(\d{1,2}) ?uhr(?= |$)/g, '$1:00')
      .replaceAll(/(:\d{2}):00/g, '$1')
      .split(' ')
      .map((word) => english[word.replace(/\.$/, '')] ?? word)
      .join(' '),
  weekdays: ['Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag'],
  months: [
    'Januar',
    'Februar',
    'März',
    'April',
    'Mai',
    'Juni',
    'Juli',
    'August',
    'September',
    'Oktober',
    'November',
    'Dezember',
  ],
  weekdayLetters: 2,
  day: (day, month) => `${day}. ${month}`,
}

const english: Readonly<Record<string, string>> = {
  heute: 'today',
  morgen: 'tomorrow',
  gestern: 'yesterday',
  um: 'at',
  am: 'on',
  und: 'and',
  mo: 'monday',
  montag: 'monday',
  di: 'tuesday',
  dienstag: 'tuesday',
  mi: 'wednesday',
  mittwoch: 'wednesday',
  do: 'thursday',
  donnerstag: 'thursday',
  fr: 'friday',
  freitag: 'friday',
  sa: 'saturday',
  samstag: 'saturday',
  so: 'sunday',
  sonntag: 'sunday',
  mittag: 'noon',
  mittags: 'noon',
  januar: 'january',
  jän: 'january',
  februar: 'february',
  mär: 'march',
  märz: 'march',
  mai: 'may',
  juni: 'june',
  juli: 'july',
  oktober: 'october',
  okt: 'october',
  dezember: 'december',
  dez: 'december',
  minute: 'minutes',
  minuten: 'minutes',
  stunde: 'hours',
  stunden: 'hours',
  std: 'hours',
  min: 'minutes',
  tag: 'days',
  tagen: 'days',
  woche: 'weeks',
  wochen: 'weeks',
  einer: 'a',
  einem: 'a',
  eine: 'a',
  nächsten: 'next',
  nächster: 'next',
  nächste: 'next',
  mitternacht: 'midnight',
  übermorgen: 'day after tomorrow',
  zwei: 'two',
  drei: 'three',
  vier: 'four',
  fünf: 'five',
  sechs: 'six',
  abends: 'in the evening',
}
