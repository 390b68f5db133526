import { plural } from '../../platform/text/plural.ts'
import type { Words } from './words.ts'

export const de: Words = {
  linkOverHint:
    'Ein Link funktioniert einmal, innerhalb von zehn Minuten. Erstellen Sie einen neuen unter „Kanäle“ oder auf dem Server mit `postrider channel add <network> --oauth`.',
  canPublishAs: (network: string, handles: string, more: string) =>
    `Postrider kann jetzt auf ${network} als ${handles} veröffentlichen.${more}`,
  canPublish: (network: string, handle: string, more: string) =>
    `Postrider kann jetzt auf ${network} als ${handle} veröffentlichen.${more}`,
  unexpected: 'Kommt das unerwartet? Schließen Sie diese Seite. Nichts wurde geändert.',
  reconnectTitle: (handle: string, network: string) => `${handle} auf ${network} neu verbinden`,
  connectTitle: (network: string) => `Ihr ${network}-Konto verbinden`,
  chooseTitle: (network: string) => `${network}-Konten zum Verbinden auswählen`,
  chooseWhich: 'Alle, die veröffentlichen dürfen in',
  canPostAsChosen:
    ', können mit den ausgewählten Konten veröffentlichen. Ihre Anmeldung gab Zugriff auf diese:',
  accounts: 'Konten',
  connectedAlready: 'schon verbunden',
  connectChosen: 'Ausgewählte Konten verbinden',
  severalConnected: (count: number) => `${plural(count, 'Konto ist', 'Konten sind')} verbunden`,
  notConnected: (network: string) => `${network} wurde nicht verbunden`,
  linkOver: 'Dieser Link gilt nicht mehr',
  continueTo: (network: string) => `Weiter zu ${network}`,
  reconnected: (handle: string) => `${handle} ist neu verbunden`,
  connected: (handle: string) => `${handle} ist verbunden`,
  canPost: (network: string) =>
    `, können mit diesem Konto veröffentlichen. Sie melden sich bei ${network} selbst an. Dieser Server sieht Ihr Passwort nie.`,
  toChannels: 'Zurück zu den Kanälen',
  resume: (count: number) =>
    `${plural(count, 'wartender Beitrag wird', 'wartende Beiträge werden')} veröffentlicht.`,
  toDashboard: 'zum Dashboard gehen',
  whoCanPost: 'Alle, die veröffentlichen dürfen in',
  canClose: 'Sie können diese Seite schließen oder',
}
