import type { Words } from './words.ts'

export const de: Words = {
  runInTerminal: 'im Terminal ausführen',
  putInto: (file: string) => `in ${file} eintragen`,
  webClients: 'Claude und ChatGPT',
  addConnector: 'als eigenen Connector hinzufügen',
  connect: 'Agent verbinden',
  connectHint:
    'Ihr Browser öffnet sich. Melden Sie sich an und wählen Sie Arbeitsbereich und Berechtigungen. Ein Schlüssel ist nicht nötig.',
  notReachable:
    'Claude und ChatGPT im Web erreichen diese Adresse nicht. Sie brauchen eine öffentliche mit HTTPS.',
  reference: 'API-Referenz',
  useKey: 'Einen Schlüssel benutzen',
  setKey: 'Schlüssel in der Shell setzen',
  whoami: 'Besitzer und Berechtigungen des Schlüssels prüfen',
  listChannels: 'Kanäle auflisten',
  draftFor: (name: string) => `Entwurf für ${name} erstellen`,
  sample: 'Hallo von der API',
}
