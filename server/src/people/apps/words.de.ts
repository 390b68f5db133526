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
  fault: 'Anfrage nicht angenommen',
  faultHint:
    'Die App hat den Zugriff auf ungültige Weise angefragt. Sie hat keinen Zugriff erhalten. Gehen Sie zurück zur App und verbinden Sie erneut, oder melden Sie es ihren Herstellern:',
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
  codeTitle: 'Gerät verbinden',
  codeHint: 'Geben Sie den Code ein, den das Programm zeigt, zum Beispiel in Ihrem Terminal.',
  code: 'Code',
  continueWithCode: 'Weiter',
  sentCode:
    'Fahren Sie nur fort, wenn Sie diesen Code selbst angefordert haben. Wenn eine andere Person ihn Ihnen geschickt hat, schließen Sie diese Seite: Sie bekäme Zugriff auf Ihren Arbeitsbereich.',
  toDevice: 'Zugriff erhält das Programm, das diesen Code zeigt',
  askedFrom: (minutes: number) =>
    minutes === 0
      ? 'Es hat gerade eben gefragt, von der Adresse'
      : `Es hat vor ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} gefragt, von der Adresse`,
  allowed: 'Zugriff erlaubt',
  allowedHint: 'Das Programm fährt in wenigen Sekunden fort. Sie können diese Seite schließen.',
  denied: 'Zugriff abgelehnt',
  deniedHint: 'Das Programm erhält keinen Zugriff. Sie können diese Seite schließen.',
  allow: 'Erlauben',
  deny: 'Ablehnen',
}
