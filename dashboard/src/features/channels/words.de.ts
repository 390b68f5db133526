import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  more: (name) => `Mehr für ${name}`,
  planned: (count) => plural(count, 'Beitrag geplant', 'Beiträge geplant'),
  openProfile: 'Profil öffnen',
  rename: 'Umbenennen…',
  renameTitle: (name) => `${name} umbenennen`,
  name: 'Name',
  nameHint: (handle) =>
    `Nur in diesem Arbeitsbereich sichtbar. Leer lassen, um den Namen von @${handle} zu verwenden.`,
  save: 'Namen speichern',
  cancel: 'Abbrechen',
  renamed: (name) => `Der Kanal heißt jetzt ${name}.`,
  ownName: 'Der Kanal übernimmt den Namen seines Kontos, sobald dieser wieder gelesen wird.',
  enable: 'Aktivieren',
  disable: 'Deaktivieren…',
  remove: 'Entfernen…',
  removeTitle: (name) => `${name} entfernen?`,
  removeHint: (network) =>
    `Postrider löscht den Zugriff auf das Konto und nimmt den Kanal aus allen Listen. Veröffentlichtes bleibt auf ${network} und in Ihren Beiträgen. Verbinden Sie dasselbe Konto erneut, um den Kanal zurückzuholen.`,
  nothingPlanned: 'Auf ihm ist nichts geplant.',
  whatOfPlanned: (count) => `${plural(count, 'geplanter Beitrag', 'geplante Beiträge')} auf diesem Kanal`,
  cancelThem: 'Auf diesem Kanal abbrechen',
  cancelHint: 'Ihre anderen Kanäle bleiben unberührt. Das lässt sich nicht rückgängig machen.',
  keepThem: 'Behalten',
  keepHint: 'Sie warten, bis das Konto wieder verbunden ist, und laufen nach ihrer Frist ab.',
  removeIt: 'Kanal entfernen',
  removed: (name) => `${name} ist entfernt.`,
  removedAndCancelled: (name, count) =>
    `${name} ist entfernt, ${plural(count, 'Beitrag', 'Beiträge')} abgebrochen.`,
}
