import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  title: (day) => `Heute, ${day}`,
  clock: (time, place) => `${time} in ${place}.`,
  nothingPlanned: 'Nichts ist geplant.',
  noneToday: (soon) => `Heute nichts mehr. Nächster Beitrag ${soon}.`,
  oneToday: (soon) => `Heute noch 1 Beitrag, ${soon}.`,
  severalToday: (count, isAll, soon) =>
    `Heute noch ${count}${isAll ? '' : ' oder mehr'} Beiträge, der nächste ${soon}.`,
  next: 'Als Nächstes',
  openCalendar: 'Kalender öffnen',
  noneNext: 'Nichts ist geplant',
  noneNextHint: 'Geplante Beiträge erscheinen hier.',
  published: 'Veröffentlicht',
  nonePublished: 'Veröffentlichte Beiträge erscheinen hier.',
  seeAll: 'Alle ansehen',
  allWell: 'Alles in Ordnung.',
  noText: 'Medien ohne Text',
  waiting: 'Wartet auf Freigabe',
  review: 'Prüfen',
  look: 'Ansehen',
  todayAt: (time) => `Heute, ${time}`,
  week: 'Diese Woche',
  eachDay: 'Jeder Tag dieser Woche',
  eachChannel: 'Jeder Kanal diese Woche',
  legend: { published: 'veröffentlicht', planned: 'geplant', troubled: 'mit Problemen' },
  sum: ({ published, planned, troubled }) =>
    [
      published === 0 ? '' : `${published} veröffentlicht`,
      planned === 0 ? '' : `${planned} geplant`,
      troubled === 0 ? '' : `${troubled} mit ${troubled === 1 ? 'einem Problem' : 'Problemen'}`,
    ]
      .filter(Boolean)
      .join(', ') || 'nichts',
  moreChannels: (count) => `und ${plural(count, 'weiterer Kanal', 'weitere Kanäle')}`,
  channels: 'Kanäle',
  lost: (count) => plural(count, 'Kanal muss neu verbunden werden', 'Kanäle müssen neu verbunden werden'),
  paused: (count) => `${count} vom Netzwerk pausiert`,
  well: (count) => plural(count, 'Kanal ist verbunden', 'Kanäle sind verbunden'),
  disabled: (count) => `${count} deaktiviert`,
}
