import { plural } from '../../lib/plural.de.ts'
import type { Words } from './words.ts'

export const de: Words = {
  limitsLabel: (name: string) => `Einschränkungen von ${name}`,
  limits: 'Einschränkungen',
  revokeLabel: (name: string) => `${name} widerrufen`,
  revokeTitle: (name: string) => `„${name}“ widerrufen?`,
  stopLabel: (name: string) => `Widerrufen und Beiträge abbrechen: ${name}`,
  stop: 'Widerrufen und Beiträge abbrechen',
  revokeHint:
    'Funktioniert ab sofort nicht mehr. Geplante Beiträge bleiben geplant. Das lässt sich nicht rückgängig machen.',
  stopTitle: (name: string) => `„${name}“ widerrufen und Beiträge abbrechen?`,
  stopAct: 'Widerrufen und abbrechen',
  stopped: (count: number, underWay: number) =>
    `${count} abgebrochen. ${underWay} werden bereits veröffentlicht.`,
  stopHint:
    'Funktioniert ab sofort nicht mehr. Geplante Beiträge und Freigabeanfragen werden abgebrochen, außer was bereits veröffentlicht wird. Das lässt sich nicht rückgängig machen.',
  limitsTitle: (name: string) => `Einschränkungen von „${name}“`,
  limitsHint: 'Gilt nur für neue Anfragen. Geplante Beiträge bleiben unverändert.',
  close: 'Schließen',
  limitsChanged: 'Einschränkungen geändert.',
  changeLimits: 'Einschränkungen ändern',
  onlyLabel: (label: string) => `nur Beiträge mit dem Label „${label}“`,
  labelLabel: 'Nur Beiträge mit dem Label',
  labelHint: 'Leer lassen für alle Beiträge.',
  draftsOnly: 'nur Entwürfe',
  onlyChannels: (names: string) => `nur auf ${names}`,
  postsPerDay: (count: number) => `${plural(count, 'Beitrag', 'Beiträge')} am Tag`,
  hoursAhead: (hours: number) => `höchstens ${plural(hours, 'Stunde', 'Stunden')} im Voraus`,
  onlyNetworks: (names: string) => `nur aus ${names}`,
  allNeedApproval: 'jeder Beitrag braucht Freigabe',
  soonNeedsApproval: (minutes: number) =>
    `Freigabe, wenn in weniger als ${plural(minutes, 'Minute', 'Minuten')} fällig`,
  firstNeedApproval: (count: number) => `Freigabe für die ersten ${plural(count, 'Beitrag', 'Beiträge')}`,
  draftsOnlyLabel: 'Nur Entwürfe',
  draftsOnlyHint: 'Kann Entwürfe erstellen, aber nicht planen.',
  postsPerDayLabel: 'Beiträge am Tag',
  hoursAheadLabel: 'Höchstens im Voraus planen (Stunden)',
  channels: 'Nur diese Kanäle',
  allChannels: 'Keiner gewählt: alle Kanäle',
  networks: 'Nur aus diesen IP-Bereichen',
  networksHint: 'Zum Beispiel 203.0.113.0/24, 2001:db8::/32',
  allNeedApprovalLabel: 'Freigabe für jeden Beitrag verlangen',
  soonNeedsApprovalLabel: 'Freigabe verlangen, wenn fällig in weniger als (Minuten)',
  firstNeedApprovalLabel: 'Freigabe verlangen für die ersten (Beiträge)',
}
