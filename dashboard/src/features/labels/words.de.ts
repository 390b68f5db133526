import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

const postsMore = (by: number) =>
  by === 0
    ? 'gleich viele Beiträge'
    : `${Math.abs(by)} ${Math.abs(by) === 1 ? 'Beitrag' : 'Beiträge'} ${by > 0 ? 'mehr' : 'weniger'}`

export const de: Words = {
  labels: 'Labels',
  label: 'Label',
  all: 'Alle Labels',
  add: 'Label hinzufügen',
  addHint: 'Nach jedem Enter drücken. Labels werden nicht veröffentlicht.',
  remove: (label: string) => `Label ${label} entfernen`,
  added: (label: string) => `Mit dem Label ${label} versehen.`,
  removed: (label: string) => `Label ${label} entfernt.`,
  labelPosts: 'Labels ändern',
  removeThese: 'Entfernen',
  save: 'Labels speichern',
  close: 'Schließen',
  willAdd: (label: string, count: number, had: number) =>
    `Fügt ${label} zu ${plural(count, 'Beitrag', 'Beiträgen')} hinzu.${had === 0 ? '' : ` ${had} ${had === 1 ? 'hat' : 'haben'} es schon.`}`,
  willRemove: (label: string, count: number) =>
    `Entfernt ${label} von ${plural(count, 'Beitrag', 'Beiträgen')}.`,
  nothing: 'Geben Sie ein Label ein, oder wählen Sie eines zum Entfernen.',
  saved: (count: number) => `Labels von ${plural(count, 'Beitrag', 'Beiträgen')} geändert.`,
  results: (label: string) => `Ergebnisse für ${label}`,
  range: 'Zeitraum',
  spans: {
    all: 'Gesamte Zeit',
    '7': 'Letzte 7 Tage',
    '30': 'Letzte 30 Tage',
    '90': 'Letzte 90 Tage',
    own: 'Tage wählen …',
  },
  from: 'Von',
  to: 'Bis',
  noRange: 'Wählen Sie einen Tag, der nicht vor dem ersten liegt.',
  compared: (days, by) =>
    `Verglichen mit ${days}: ${postsMore(by.posts)}, ${by.published === 0 ? 'gleich viele' : `${Math.abs(by.published)} ${by.published > 0 ? 'mehr' : 'weniger'}`} veröffentlicht.`,
  posts: (count: number) => plural(count, 'Beitrag', 'Beiträge'),
  published: (first: string, last: string) => `Veröffentlicht von ${first} bis ${last}.`,
  publishedOnce: (when: string) => `Veröffentlicht ${when}.`,
  next: (when: string) => `Als Nächstes: ${when}.`,
  channel: 'Kanal',
  troubled: 'Handlungsbedarf',
  open: 'Beitrag öffnen',
}
