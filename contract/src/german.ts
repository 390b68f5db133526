import type { Role } from './app/roles.ts'
import type { Permission } from './permissions.ts'
import type { ProblemCode } from './problems.ts'

/*
 * What pages and dashboard say in German of what the API says in English. It is a file of its own, which only those load who
 * read German.
 */

export const roleNames: Record<Role, string> = {
  owner: 'Inhaber',
  admin: 'Admin',
  editor: 'Redaktion',
  approver: 'Freigabe',
  viewer: 'Lesezugriff',
}

export const roleHints: Record<Role, string> = {
  owner: 'Verantwortet den Arbeitsbereich und ernennt weitere Inhaber. Es gibt immer mindestens einen.',
  admin: 'Verwaltet Mitglieder, Agentenschlüssel, Webhooks, Kanäle und Regeln.',
  editor: 'Schreibt Beiträge, lädt Medien hoch und klärt unbestätigte Ergebnisse.',
  approver: 'Gibt Beiträge frei oder lehnt sie ab. Ändert sonst nichts.',
  viewer: 'Sieht Beiträge, Kalender, Medien und Kanäle. Ändert nichts.',
}

export const permissionHints: Record<Permission, string> = {
  'channels:read': 'Kanäle sehen und Beiträge für sie prüfen.',
  'calendar:read': 'Den Kalender sehen.',
  'posts:read': 'Beiträge und ihren Status auf jedem Kanal sehen.',
  'posts:write': 'Beiträge erstellen und ändern.',
  'media:read': 'Medien sehen und herunterladen.',
  'media:write': 'Medien hochladen.',
  'ai:generate': 'Entwürfe und Bilder erzeugen.',
  'webhooks:write': 'Eigene Webhook-Endpunkte erstellen und verwalten.',
}

type ProblemWords = {
  readonly title: string
  /** Where the server's own sentence has no German: what is true of every problem with this code. */
  readonly hint: string
}

export const problemWords: Record<ProblemCode, ProblemWords> = {
  malformed_request: {
    title: 'Ungültige Anfrage',
    hint: 'Die Anfrage war nicht lesbar. Laden Sie die Seite neu.',
  },
  validation_failed: { title: 'Ungültige Eingabe', hint: 'Prüfen Sie Ihre Eingaben.' },
  confirmation_required: { title: 'Bestätigung nötig', hint: 'Bestätigen Sie die Aktion.' },
  idempotency_key_required: { title: 'Idempotenzschlüssel nötig', hint: 'Laden Sie die Seite neu.' },
  invalid_cursor: { title: 'Ungültige Position', hint: 'Laden Sie die Liste neu.' },
  cursor_expired: { title: 'Position abgelaufen', hint: 'Laden Sie die Liste neu.' },
  invalid_credential: {
    title: 'Ungültiger Schlüssel oder Token',
    hint: 'Prüfen Sie, ob er vollständig ist und weder abgelaufen noch widerrufen.',
  },
  not_signed_in: { title: 'Anmeldung nötig', hint: 'Melden Sie sich an und versuchen Sie es erneut.' },
  sign_in_failed: { title: 'Anmeldung fehlgeschlagen', hint: 'E-Mail, Passwort oder Code stimmt nicht.' },
  missing_permission: {
    title: 'Berechtigung fehlt',
    hint: 'Ihre Rolle erlaubt das nicht. Fragen Sie einen Inhaber.',
  },
  credential_limit: { title: 'Außerhalb der Einschränkungen', hint: 'Dieser Schlüssel erlaubt das nicht.' },
  fresh_proof_required: {
    title: 'Identität bestätigen',
    hint: 'Bestätigen Sie Ihre Identität und versuchen Sie es erneut.',
  },
  cross_site_request: {
    title: 'Anfrage blockiert',
    hint: 'Öffnen Sie die Seite direkt und versuchen Sie es erneut.',
  },
  not_found: { title: 'Nicht gefunden', hint: 'Das gibt es hier nicht, oder es wurde entfernt.' },
  method_not_allowed: { title: 'Methode nicht erlaubt', hint: 'Diese Adresse erlaubt das nicht.' },
  stale_edit_token: { title: 'Beitrag wurde geändert', hint: 'Lesen Sie ihn neu, bevor Sie ihn ändern.' },
  stale_control_token: {
    title: 'Beitrag wurde geändert',
    hint: 'Status oder Zeit auf diesem Kanal haben sich geändert. Sehen Sie erneut nach.',
  },
  invalid_state: { title: 'In diesem Status nicht möglich', hint: 'Der Beitrag erlaubt das jetzt nicht.' },
  already_exists: { title: 'Schon vorhanden', hint: 'Das gibt es bereits.' },
  last_owner: { title: 'Inhaber nötig', hint: 'Machen Sie zuerst ein anderes Mitglied zum Inhaber.' },
  unsafe_retry: {
    title: 'Wiederholung könnte doppelt veröffentlichen',
    hint: 'Der Beitrag ist möglicherweise schon sichtbar. Sehen Sie zuerst auf dem Kanal nach.',
  },
  idempotency_in_progress: { title: 'Läuft noch', hint: 'Versuchen Sie es in einigen Sekunden erneut.' },
  link_not_valid: {
    title: 'Link ungültig',
    hint: 'Er ist abgelaufen oder wurde benutzt. Bitten Sie um einen neuen.',
  },
  batch_refused: { title: 'Eine andere Zeile wurde abgelehnt', hint: 'Nichts wurde gespeichert.' },
  idempotency_key_reused: { title: 'Idempotenzschlüssel schon benutzt', hint: 'Laden Sie die Seite neu.' },
  post_not_publishable: {
    title: 'Beitrag kann so nicht veröffentlicht werden',
    hint: 'Beheben Sie die angezeigten Probleme.',
  },
  precondition_failed: { title: 'Inzwischen geändert', hint: 'Laden Sie die Seite neu.' },
  range_not_satisfiable: { title: 'Bereich nicht verfügbar', hint: 'Laden Sie die Datei neu.' },
  media_too_large: { title: 'Datei zu groß', hint: 'Laden Sie eine kleinere Datei hoch.' },
  unsupported_media: {
    title: 'Dateityp nicht unterstützt',
    hint: 'Laden Sie ein Bild, Video oder GIF hoch.',
  },
  media_rejected: {
    title: 'Datei abgelehnt',
    hint: 'Exportieren Sie die Datei neu und laden Sie sie erneut hoch.',
  },
  media_unavailable: { title: 'Datei fehlt', hint: 'Laden Sie dieselbe Datei erneut hoch.' },
  media_not_image: { title: 'Nur Bilder lassen sich laden', hint: 'Das ist kein Bild.' },
  search_too_broad: { title: 'Suche zu weit', hint: 'Filtern Sie stärker oder verkürzen Sie den Zeitraum.' },
  publish_time_in_past: { title: 'Zeit ist vorbei', hint: 'Wählen Sie eine Zeit in der Zukunft.' },
  channel_unavailable: {
    title: 'Kanal nicht verfügbar',
    hint: 'Der Kanal ist deaktiviert oder existiert nicht.',
  },
  subscription_unconfirmed: {
    title: 'Abonnement nicht bestätigt',
    hint: 'Verbinden Sie den Kanal neu, um längere Beiträge zu erlauben.',
  },
  rate_limited: { title: 'Zu viele Anfragen', hint: 'Warten Sie einen Moment und versuchen Sie es erneut.' },
  internal_error: { title: 'Etwas ist schiefgelaufen', hint: 'Versuchen Sie es erneut.' },
  ai_failed: {
    title: 'Kein brauchbares KI-Ergebnis',
    hint: 'Nichts wurde gespeichert. Versuchen Sie es erneut.',
  },
  ai_not_configured: { title: 'KI ist nicht eingerichtet', hint: 'Fragen Sie den Serverbetrieb.' },
  not_ready: {
    title: 'Vorübergehend nicht erreichbar',
    hint: 'Versuchen Sie es in einigen Sekunden erneut.',
  },
}

/** The sentences of the server that people read most, `{}` for what stands between; and the same in German. */
const sentences: readonly (readonly [english: string, german: string])[] = [
  ['Wrong email or password.', 'E-Mail oder Passwort ist falsch.'],
  [
    'Too many tries. Wait {} minute, then try again.',
    'Zu viele Versuche. Warten Sie {} Minute und versuchen Sie es erneut.',
  ],
  [
    'Too many tries. Wait {} minutes, then try again.',
    'Zu viele Versuche. Warten Sie {} Minuten und versuchen Sie es erneut.',
  ],
  [
    'Too many requests. Wait {} second, then retry.',
    'Zu viele Anfragen. Warten Sie {} Sekunde und versuchen Sie es erneut.',
  ],
  [
    'Too many requests. Wait {} seconds, then retry.',
    'Zu viele Anfragen. Warten Sie {} Sekunden und versuchen Sie es erneut.',
  ],
  [
    'The code is wrong, or was used before. Wait for the next one of your app, or use a recovery code.',
    'Der Code ist falsch oder schon benutzt. Warten Sie auf den nächsten Ihrer App, oder nehmen Sie einen Wiederherstellungscode.',
  ],
  ['This sign-in expired. Start over.', 'Diese Anmeldung ist abgelaufen. Beginnen Sie neu.'],
  ['The password must have at least {} characters.', 'Das Passwort muss mindestens {} Zeichen haben.'],
  ['The password must have at most {} characters.', 'Das Passwort darf höchstens {} Zeichen haben.'],
  ['The password repeats too few characters.', 'Das Passwort wiederholt zu wenige verschiedene Zeichen.'],
  ['The password must not be the email address.', 'Das Passwort darf nicht die E-Mail-Adresse sein.'],
  [
    'The name must have 1 to 100 characters in one line.',
    'Der Name muss 1 bis 100 Zeichen in einer Zeile haben.',
  ],
  [
    'This is not an email address such as ada@example.com. Before the @ it has ASCII characters only.',
    'Das ist keine E-Mail-Adresse wie ada@example.com. Vor dem @ sind nur ASCII-Zeichen erlaubt.',
  ],
  ['Confirm your identity, then try again.', 'Bestätigen Sie Ihre Identität und versuchen Sie es erneut.'],
  [
    'This link is incomplete or invalid. Ask for a new one.',
    'Dieser Link ist unvollständig oder ungültig. Bitten Sie um einen neuen.',
  ],
  [
    'This link was used already, and works only once.',
    'Dieser Link wurde schon benutzt. Er gilt nur einmal.',
  ],
  ['This link has expired. {}', 'Dieser Link ist abgelaufen. Bitten Sie um einen neuen.'],
  [
    'This workspace already has an owner. Sign in instead.',
    'Dieser Arbeitsbereich hat schon einen Inhaber. Melden Sie sich an.',
  ],
  [
    'There is an account with this email address already. Take another address, or sign in with it.',
    'Mit dieser E-Mail-Adresse gibt es schon ein Konto. Nehmen Sie eine andere, oder melden Sie sich damit an.',
  ],
  [
    'This invitation was withdrawn. Ask the member who sent it to you.',
    'Diese Einladung wurde zurückgezogen. Fragen Sie das Mitglied, das sie Ihnen gesendet hat.',
  ],
  [
    'This invitation is for {}, and you are signed in as {}. Sign out, and open the link again.',
    'Diese Einladung ist für {}, angemeldet sind Sie als {}. Melden Sie sich ab und öffnen Sie den Link erneut.',
  ],
  [
    'You are a member of this workspace already. There is nothing to accept.',
    'Sie sind schon Mitglied dieses Arbeitsbereichs.',
  ],
  [
    'An authenticator app is in use. Remove it before you set another one up.',
    'Eine Authenticator-App ist eingerichtet. Entfernen Sie sie, bevor Sie eine andere einrichten.',
  ],
  [
    'Recovery codes replace an authenticator app. Set one up first.',
    'Wiederherstellungscodes ersetzen eine Authenticator-App. Richten Sie zuerst eine ein.',
  ],
  [
    'Sign in to the account with {} in this browser, then open the link again.',
    'Melden Sie sich in diesem Browser am Konto mit {} an und öffnen Sie den Link erneut.',
  ],
  [
    'You have {} passkeys. Remove one that you do not use.',
    'Sie haben {} Passkeys. Entfernen Sie einen, den Sie nicht benutzen.',
  ],
  ['This passkey is registered already.', 'Dieser Passkey ist schon eingerichtet.'],
  [
    'This is your only way to sign in. Set a password first.',
    'Das ist Ihre einzige Anmeldung. Legen Sie zuerst ein Passwort fest.',
  ],
  [
    'This is your only way to sign in. Set a password or add a passkey first.',
    'Das ist Ihre einzige Anmeldung. Legen Sie zuerst ein Passwort fest, oder fügen Sie einen Passkey hinzu.',
  ],
  [
    'The passkey was not accepted. Try again, or sign in with your password.',
    'Der Passkey wurde nicht angenommen. Versuchen Sie es erneut, oder melden Sie sich mit Ihrem Passwort an.',
  ],
  ['You have no such passkey.', 'Diesen Passkey haben Sie nicht.'],
  [
    'Too many people sign in at this moment. Try again in a minute.',
    'Gerade melden sich zu viele an. Versuchen Sie es in einer Minute erneut.',
  ],
  ['Make another member an owner first.', 'Machen Sie zuerst ein anderes Mitglied zum Inhaber.'],
  [
    'This is the last owner of the workspace. {}',
    'Das ist der letzte Inhaber des Arbeitsbereichs. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  ],
  [
    'A person with this email address is a member already.',
    'Eine Person mit dieser E-Mail-Adresse ist schon Mitglied.',
  ],
  [
    'This post changed after you opened it. Review it again.',
    'Dieser Beitrag wurde geändert, nachdem Sie ihn geöffnet haben. Prüfen Sie ihn erneut.',
  ],
  [
    'This request is closed: it was decided, replaced or has expired.',
    'Diese Anfrage ist erledigt: entschieden, ersetzt oder abgelaufen.',
  ],
  [
    'You have signed in again since this page was shown. Check what is asked for, and decide once more.',
    'Sie haben sich seither neu angemeldet. Prüfen Sie die Anfrage und entscheiden Sie erneut.',
  ],
  [
    'Tick at least one permission, or deny the request.',
    'Wählen Sie mindestens eine Berechtigung, oder lehnen Sie ab.',
  ],
  [
    'Channels: tick at most 100 of those that are listed.',
    'Kanäle: Wählen Sie höchstens 100 der aufgeführten.',
  ],
  [
    'You are no longer a member of this workspace. Choose another one.',
    'Sie sind nicht mehr Mitglied dieses Arbeitsbereichs. Wählen Sie einen anderen.',
  ],
  [
    '{} says that access was refused. Nothing was connected. Make a new link to try again.',
    '{} meldet, dass der Zugriff abgelehnt wurde. Nichts wurde verbunden. Erstellen Sie einen neuen Link.',
  ],
  [
    '{} ended the sign-in with {}. Nothing was connected. Make a new link to try again.',
    '{} hat die Anmeldung mit {} beendet. Nichts wurde verbunden. Erstellen Sie einen neuen Link.',
  ],
  [
    'This sign-in expired. Create a new link.',
    'Diese Anmeldung ist abgelaufen. Erstellen Sie einen neuen Link.',
  ],
  ['{} is needed.', '{} fehlt.'],
  ['{} took too many calls.', '{} hat zu viele Anfragen erhalten. Versuchen Sie es später erneut.'],
  [
    'No server answers at {} ({}). Check the address.',
    'Unter {} antwortet kein Server ({}). Prüfen Sie die Adresse.',
  ],
  [
    '{} did not answer ({}). Try again in a while.',
    '{} hat nicht geantwortet ({}). Versuchen Sie es später erneut.',
  ],
]

const patterns = sentences.map(([english, german]) => ({
  pattern: new RegExp(`^${english.split('{}').map(escaped).join('(.+?)')}$`, 's'),
  german,
}))

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** A sentence of the server in German; null for one that has none. */
export function germanOf(sentence: string): string | null {
  for (const { pattern, german } of patterns) {
    const found = pattern.exec(sentence)
    if (found === null) continue
    let at = 0
    return german.replaceAll('{}', () => found[++at] ?? '')
  }
  return null
}
