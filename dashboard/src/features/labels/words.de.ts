import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

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
  posts: (count: number) => plural(count, 'Beitrag', 'Beiträge'),
  published: (first: string, last: string) => `Veröffentlicht von ${first} bis ${last}.`,
  publishedOnce: (when: string) => `Veröffentlicht ${when}.`,
  next: (when: string) => `Als Nächstes: ${when}.`,
  channel: 'Kanal',
  troubled: 'Handlungsbedarf',
  open: 'Beitrag öffnen',
}
