import type { Words } from './words.ts'

export const de: Words = {
  title: 'Verbundene Apps',
  hidden: 'Sie haben keinen Zugriff auf verbundene Apps. Fragen Sie einen Inhaber oder Admin.',
  lead: 'Apps, denen Mitglieder über OAuth Zugriff gegeben haben.',
  none: 'Keine verbundenen Apps',
  noneHint: 'Eine App erscheint hier, sobald ein Mitglied ihr Zugriff gibt.',
  revoked: 'Widerrufen',
  connectedBy: (name: string, when: string) => `verbunden von ${name}, ${when}`,
  neverUsed: 'nie benutzt',
  used: (when: string) => `zuletzt benutzt ${when}`,
  ends: (when: string) => `Zugriff endet: ${when}`,
  revoke: 'Zugriff widerrufen',
}
