import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  withoutText: 'Beitrag ohne Text',
  quoted: (text: string) => `„${text}“`,
  onChannel: (status: string, channel: string) => `${status}: ${channel}`,
  liveTwice: 'Doppelt veröffentlicht',
  disconnected: 'Kein Zugriff auf dieses Konto. Verbinden Sie es neu.',
  versionEnding:
    'Das Netzwerk beendet die Version seiner API, die Postrider nutzt. Der Serverbetreiber muss Postrider aktualisieren.',
  accessEnding: 'Der Zugriff endet bald. Verbinden Sie es vorher neu.',
  seriesPaused: 'Serie pausiert',
  seriesWaiting: 'Der nächste Beitrag einer Serie kann nicht erstellt werden',
  webhookDisabled: 'Webhook deaktiviert',
  webhookFails: 'Webhook schlägt fehl',
  approval: 'Freigabe nötig',
  many: (count: number) => plural(count, 'Problem mit Handlungsbedarf', 'Probleme mit Handlungsbedarf'),
}
