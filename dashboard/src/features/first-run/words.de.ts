import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  title: 'Erste Schritte',
  dismiss: 'Ausblenden',
  account: 'Konto erstellt',
  accountHint: 'Weitere Personen laden Sie unter „Mitglieder“ ein.',
  connect: 'Kanal verbinden',
  connected: (count: number) => `${plural(count, 'Kanal', 'Kanäle')} verbunden.`,
  connectHint: 'Verbinden Sie ein Konto, oder probieren Sie die Sandbox aus.',
  channels: 'Kanäle',
  write: 'Ersten Beitrag schreiben',
  writeHint: 'Planen Sie ihn und verfolgen Sie ihn hier.',
  zone: (place: string) => `Zeiten gelten für ${place}`,
  zoneHint:
    'Beiträge werden in dieser Zeitzone geplant und angezeigt. Ändern lässt sie sich unter „Einstellungen“.',
  browserZone: (place: string) => `Ihr Browser ist in ${place}.`,
  zoneChanged: (place: string) => `Zeiten gelten jetzt für ${place}.`,
  useZone: (place: string) => `Zeit in ${place} verwenden`,
  done: 'Erledigt',
  toDo: 'Offen',
}
