import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  title: 'Handlungsbedarf',
  editAndRetry: 'Bearbeiten und wiederholen',
  seeMissing: 'Ansehen, was fehlt',
  seeWhy: 'Ursache ansehen',
  liveTwice: 'Doppelt veröffentlicht',
  liveTwiceHint:
    'Ein aufgegebener Aufruf wurde verspätet bestätigt. Es wurde nichts gelöscht: Löschen Sie den Beitrag, den Sie nicht wollen.',
  openSecond: 'Zweiten Beitrag öffnen',
  secondId: (id: string) => `ID des zweiten Beitrags: ${id}`,
  withoutText: 'Beitrag ohne Text',
  dismissLabel: (title: string) => `Ausblenden: „${title}“`,
  dismissed: 'In diesem Browser ausgeblendet.',
  undo: 'Rückgängig',
  dismiss: 'Ausblenden',
  open: 'Öffnen',
  waiting: (count: number) => `${plural(count, 'Beitrag wartet', 'Beiträge warten')} darauf.`,
  endsSoon: 'Zugriff endet bald',
  reconnectNeeded: 'Verbindung erneuern',
  endsAt: (time: string) => `Der Zugriff endet ${time}.`,
  versionEndsSoon: 'Änderung im Netzwerk',
  versionEnds: (network: string, version: string, time: string) =>
    `${network} kann Version ${version} seiner API ab ${time} beenden und dann Beiträge ablehnen. Der Serverbetreiber muss Postrider vorher aktualisieren.`,
  noAccess: (more: string) => `Kein Zugriff auf dieses Konto. ${more}`,
  reconnect: 'Neu verbinden',
  seriesPaused: 'Serie pausiert',
  seriesWaiting: 'Nicht erstellt',
  disabled: 'Deaktiviert',
  failing: 'Schlägt fehl',
  since: (when: string) => `Seit ${when}`,
  seeDeliveries: 'Zustellungen ansehen',
  lead: 'Probleme, die eine Entscheidung brauchen, und was Sie tun können.',
  none: 'Kein Handlungsbedarf',
  noneHint:
    'Fehlgeschlagene und doppelt veröffentlichte Beiträge, Kanäle ohne Zugriff, angehaltene Serien und fehlschlagende Webhooks erscheinen hier.',
  seeAll: (count: number) => `Alle ${count} ansehen`,
}
