import type { Words } from './words.ts'

export const de: Words = {
  hello: (name) => `Hallo ${name},`,
  notices: {
    email: 'Die E-Mail-Adresse Ihres Kontos wurde geändert.',
    password: 'Ihr Passwort wurde geändert.',
    authenticatorOn: 'Für Ihr Konto wurde eine Authenticator-App eingerichtet.',
    authenticatorOff: 'Die Authenticator-App Ihres Kontos wurde entfernt.',
    passkeyAdded: 'Zu Ihrem Konto wurde ein Passkey hinzugefügt.',
    passkeyRemoved: 'Ein Passkey Ihres Kontos wurde entfernt.',
    passkeyCopied: 'Ein Passkey Ihres Kontos wurde offenbar kopiert. Die Anmeldung wurde abgelehnt.',
    issuerConnected:
      'Ihr Konto wurde mit dem Identitätsanbieter verbunden. Sie können sich jetzt darüber anmelden.',
    issuerDisconnected: 'Ihr Konto ist nicht mehr mit dem Identitätsanbieter verbunden.',
    secondFactorsForgotten:
      'Authenticator-App, Wiederherstellungscodes und Passkeys Ihres Kontos wurden entfernt. Alle Sitzungen wurden beendet.',
    emailProven: 'Ihre E-Mail-Adresse wurde zum ersten Mal bestätigt.',
    recoveryCodes: 'Neue Wiederherstellungscodes wurden erstellt. Die alten gelten nicht mehr.',
  },
  byOperator: 'Das geschah auf der Kommandozeile des Servers.',
  byClient: (address, program) => `Das geschah von der Adresse ${address}, mit ${program}.`,
  unknownProgram: 'einem unbekannten Programm',
  seeAccount: 'Anmeldung prüfen',
  notYou:
    'Wenn Sie das nicht waren, legen Sie sofort ein neues Passwort fest und verständigen Sie den Serverbetrieb.',
  resetSubject: 'Neues Passwort für Postrider festlegen',
  resetAsked: (address) =>
    `Jemand an der Adresse ${address} hat ein neues Passwort für Ihr Konto angefordert.`,
  setPassword: 'Neues Passwort festlegen',
  resetHint: 'Der Link gilt einmal, eine Stunde lang. Sie werden dadurch überall abgemeldet.',
  ignore: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Nichts wurde geändert.',
  emailSubject: 'E-Mail-Adresse für Postrider bestätigen',
  emailChange: (email) => `${email} als E-Mail-Adresse Ihres Kontos verwenden?`,
  confirmEmail: 'Adresse bestätigen',
  emailHint:
    'Der Link gilt einmal, eine Stunde lang. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Nichts wurde geändert.',
}
