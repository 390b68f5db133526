import type { Words } from './words.ts'

export const de: Words = {
  hint: 'Unter „Verbundene Apps“ können Sie den Zugriff jederzeit widerrufen oder einschränken. Unbenutzt endet er nach 30 Tagen. Die App kann keine Beiträge freigeben, keine Schlüssel erstellen und keine Kanäle verbinden.',
  expiredHint:
    'Sie wurde entschieden, dauerte länger als 30 Minuten oder begann in einem anderen Browser. Gehen Sie zurück zur App und verbinden Sie erneut.',
  toApp: 'Zugriff erhält die App auf diesem Gerät, die Adressen öffnet mit dem Anfang',
  toProgram: 'Zugriff erhält ein Programm auf diesem Gerät, unter',
  allowTitle: (name: string) => `${name} Zugriff erlauben?`,
  signedInAs: (name: string) => `Sie sind als ${name} angemeldet.`,
  draftsOnly: 'Nur Entwürfe, geplant wird von Menschen',
  workspaceAs: (name: string, role: string) => `${name} (Ihre Rolle: ${role})`,
  ofWorkspace: (name: string) => `von ${name}`,
  onlyChannels: (of: string) => `Nur diese Kanäle${of} (keiner gewählt: alle)`,
  describesItself: 'möchte Zugriff und beschreibt sich unter',
  expired: 'Anfrage abgelaufen',
  to: 'Zugriff erhält',
  expiresAfter: 'Der Zugriff endet nach',
  days: (days: number) => `${days} Tagen`,
  dailyLimit: 'Beiträge am Tag, höchstens (optional)',
  unverified:
    'möchte Zugriff. Der Name ist nicht geprüft. Fahren Sie nur fort, wenn Sie dies in einer eigenen App begonnen haben.',
  permissions: 'Berechtigungen',
  daysAhead: 'Tage im Voraus, höchstens (optional)',
  addLimits: 'Einschränkungen hinzufügen',
  workspace: 'Arbeitsbereich',
  year: 'einem Jahr',
  allow: 'Erlauben',
  deny: 'Ablehnen',
}
