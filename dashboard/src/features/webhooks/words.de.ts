import type { Words } from './words.ts'

export const de: Words = {
  more: 'Mehr für diesen Endpunkt',
  edit: 'Bearbeiten…',
  rotate: 'Geheimnis erneuern…',
  replay: 'Fehlgeschlagene wiederholen…',
  disable: 'Deaktivieren',
  enable: 'Aktivieren',
  delete: 'Löschen…',
  editTitle: 'Endpunkt bearbeiten',
  address: 'Adresse',
  editHint: 'Ausstehende Ereignisse gehen an die neue Adresse.',
  nameOptional: 'Name (optional)',
  events: 'Ereignisse',
  close: 'Schließen',
  save: 'Endpunkt speichern',
  saved: 'Der Endpunkt ist gespeichert.',
  deleteTitle: (name) => `${name} löschen?`,
  deleteHint:
    'Nichts wird mehr an ihn gesendet, und sein Signaturgeheimnis wird gelöscht. Seine Zustellungen sind nicht mehr zu sehen. Das lässt sich nicht rückgängig machen.',
  deleteIt: 'Endpunkt löschen',
  deleted: 'Der Endpunkt ist gelöscht.',
  export: 'Angezeigte Zustellungen exportieren',
  older: 'Ältere Zustellungen anzeigen',
  postOf: (type, when) => `Beitrag zu ${type}, ${when}`,
  post: 'Beitrag',
}
