import { fieldRows } from './content-fields.ts'
import type { Role } from './app/roles.ts'
import type { Permission } from './permissions.ts'
import type { ProblemCode } from './problems.ts'
import { phrases, sentences } from './german-sentences.ts'
import { quoted, saidTable, sentencesOf } from './said-table.ts'

export { germanFindings } from './german-connection-findings.ts'

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

/** What the audit log names of a change, by the API's names. */
export const fieldNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(fieldRows).map(
      ([
        name,
        {
          words: { de },
        },
      ]) => [name, de.charAt(0).toUpperCase() + de.slice(1)],
    ),
  ),
  action: 'Aktion',
  minutes: 'Minuten',
  times: 'Zeiten',
  accounts: 'Konten',
  add: 'Hinzugefügt',
  all: 'Alle',
  allowedHours: 'Frist in Stunden',
  altText: 'Alternativtext',
  approval: 'Freigabe',
  approvalId: 'Freigabeanfrage',
  approvalPolicy: 'Freigaberegel',
  requests: 'Freigabeanfragen',
  approvals: 'E-Mails zu Freigabeanfragen',
  aspectRatio: 'Seitenverhältnis',
  atOnce: 'Sofort',
  audience: 'Zielgruppe',
  authorizedHours: 'Gültigkeit des Zugriffs in Stunden',
  autoReplay: 'Automatisch wiederholen',
  brief: 'Thema',
  by: 'Mit',
  cancel: 'Abbrechen',
  cancelled: 'Abgebrochen',
  changed: 'Geändert',
  channelId: 'Kanal',
  channelIds: 'Kanäle',
  channels: 'E-Mails zu Kanälen',
  clientName: 'Name der App',
  clientOrigin: 'Herkunft der App',
  clock: 'Uhrzeitformat',
  confirmed: 'Bestätigt',
  content: 'Inhalt',
  contents: 'Texte',
  controlToken: 'Kontrolltoken',
  count: 'Anzahl',
  counter: 'Zähler',
  created: 'Neu erstellt',
  createdAt: 'Erstellt',
  createdById: 'Erstellt von',
  credential: 'Zugang',
  currentText: 'Bisheriger Text',
  date: 'Tag',
  days: 'Tage',
  decidedBy: 'Entschieden von',
  deliverBy: 'Zustellung',
  description: 'Beschreibung',
  destinations: 'Ziele',
  digest: 'Fassung',
  displayName: 'Anzeigename',
  draftsOnly: 'Nur Entwürfe',
  dryRun: 'Probelauf',
  editToken: 'Bearbeitungstoken',
  effects: 'Auswirkungen',
  email: 'E-Mail',
  enabled: 'Aktiv',
  ended: 'Beendet',
  eventTypes: 'Ereignisarten',
  except: 'Ausnahmen',
  expiresAt: 'Läuft ab',
  fields: 'Angaben',
  file: 'Datei',
  finding: 'Befund',
  firstPosts: 'Erste Beiträge',
  format: 'Format',
  from: 'Ab',
  handle: 'Handle',
  heldChannels: 'Angehaltene Kanäle',
  mediaFiles: 'Mediendateien',
  rows: 'Zeilen',
  trashed: 'Im Papierkorb',
  hosts: 'Hosts',
  id: 'ID',
  idempotencyKey: 'Idempotenzschlüssel',
  ids: 'IDs',
  import: 'Import',
  index: 'Stelle',
  invitations: 'Einladungen',
  issuer: 'Anmeldedienst',
  keepOwn: 'Eigenes behalten',
  keyId: 'Schlüssel',
  keysEnded: 'Widerrufene Schlüssel',
  kind: 'Art',
  label: 'Label',
  language: 'Sprache',
  limits: 'Einschränkungen',
  linkTags: 'Link-Parameter',
  local: 'Ortszeit',
  mail: 'E-Mail',
  maxCharacters: 'Höchstens Zeichen',
  media: 'Medien',
  memberId: 'Mitglied',
  missing: 'Fehlend',
  mode: 'Art',
  modelId: 'Modell',
  moved: 'Verschoben',
  movesToken: 'Fassung der Vorschau',
  name: 'Name',
  networks: 'Netzwerke',
  note: 'Notiz',
  only: 'Nur',
  onlyFailed: 'Nur fehlgeschlagene',
  overlapUntil: 'Altes Geheimnis gilt bis',
  owner: 'Inhaber',
  parameters: 'Parameter',
  parts: 'Beiträge des Threads',
  permissions: 'Berechtigungen',
  postId: 'Beitrag',
  postIds: 'Beiträge',
  postingTimes: 'Veröffentlichungszeiten',
  posts: 'Beiträge',
  posts_checking: 'E-Mails zu unbestätigten Beiträgen',
  posts_failed: 'E-Mails zu fehlgeschlagenen Beiträgen',
  posts_twice: 'E-Mails zu doppelt veröffentlichten Beiträgen',
  postsPerDay: 'Beiträge pro Tag',
  series: 'E-Mails zu Serien',
  profile: 'Profil',
  prompt: 'Beschreibung des Bildes',
  provider: 'Netzwerk',
  publishAt: 'Zeit',
  publishWithinHours: 'Stunden im Voraus',
  queue: 'Warteschlange',
  reference: 'Referenz',
  remoteId: 'ID im Netzwerk',
  remove: 'Entfernt',
  removed: 'Entfernt',
  resealed: 'Neu verschlüsselt',
  result: 'Ergebnis',
  reviewStatus: 'Stand der Freigabe',
  revokedAt: 'Widerrufen',
  reason: 'Grund',
  role: 'Rolle',
  rule: 'Regel',
  secondFactorForgotten: 'Zweiter Faktor entfernt',
  sessionsEnded: 'Beendete Sitzungen',
  shift: 'Verschiebung',
  since: 'Seit',
  skip: 'Auslassen',
  sourceUrl: 'Quelle',
  spreadMinutes: 'Verteilt über Minuten',
  startsAt: 'Beginn',
  state: 'Zustand',
  status: 'Status',
  stopped: 'Widerrufen',
  subject: 'Kennung',
  targets: 'Kanäle mit eigenem Inhalt',
  template: 'Vorlage',
  templateId: 'Vorlage',
  time: 'Uhrzeit',
  timeZone: 'Zeitzone',
  tone: 'Ton',
  type: 'Art',
  underWay: 'Wird gerade veröffentlicht',
  url: 'Adresse',
  value: 'Wert',
  verdict: 'Entscheidung',
  weekStart: 'Wochenbeginn',
  weekday: 'Wochentag',
  webhooks: 'E-Mails zu Webhooks',
  withdrawn: 'Entfernt',
  withinMinutes: 'Minuten vorher',
  working: 'Weiter gültig',
}

/** What the server says of the fields that connect an account, their titles and hints. */
export const connectFields: Readonly<Record<string, string>> = {
  Site: 'Website',
  'the address of the site, including its folder if it has one':
    'die Adresse der Website, mit Ordner, falls sie in einem liegt',
  'User name': 'Benutzername',
  'the sign-in name of a user with the role Author, Editor or Administrator':
    'der Anmeldename eines Benutzers mit der Rolle Autor, Redakteur oder Administrator',
  'Application password': 'Anwendungspasswort',
  'create one on the site under Users, Profile, Application Passwords; not the password of the user':
    'auf der Website unter Benutzer, Profil, Anwendungspasswörter erstellen; nicht das Passwort des Benutzers',
  Channel: 'Kanal',
  'the @name of the channel or group, or, if it is private, the link of one of its posts or its number':
    'der @Name des Kanals oder der Gruppe, oder, falls privat, der Link eines Beitrags oder die Nummer',
  'Bot token': 'Bot-Token',
  'from @BotFather; the bot must be an administrator of the channel':
    'von @BotFather; der Bot muss Administrator des Kanals sein',
  'Bot API server': 'Bot-API-Server',
  'only if you run your own Bot API server': 'nur, wenn Sie einen eigenen Bot-API-Server betreiben',
  'Private key or remote signer': 'Privater Schlüssel oder Remote-Signer',
  'the key of the account (nsec1… or 64 hex digits), or the address of a remote signer (bunker://…)':
    'der Schlüssel des Kontos (nsec1… oder 64 Hex-Ziffern) oder die Adresse eines Remote-Signers (bunker://…)',
  Relays: 'Relays',
  'more relays to publish to, separated by spaces':
    'weitere Relays für Ihre Beiträge, mit Leerzeichen getrennt',
  'Media server': 'Medienserver',
  "a Blossom server for images and videos; by default the first in the account's list, or a public one":
    'ein Blossom-Server für Bilder und Videos; sonst der erste in der Liste des Kontos oder ein öffentlicher',
  Instance: 'Instanz',
  "the address of the account's instance, such as mastodon.social":
    'die Adresse der Instanz des Kontos, zum Beispiel mastodon.social',
  'Access token': 'Zugriffstoken',
  'create one on the instance under Preferences, Development, New application, with the scopes read:accounts read:statuses write:statuses write:media':
    'auf der Instanz unter Einstellungen, Entwicklung, Neue Anwendung erstellen, mit den Rechten read:accounts read:statuses write:statuses write:media',
  Organization: 'Unternehmensseite',
  'the number of the page, from its admin address (linkedin.com/company/2414183/admin), or “all” to choose of yourself and the pages that you administer; leave it empty to post as yourself':
    'die Nummer der Seite aus ihrer Admin-Adresse (linkedin.com/company/2414183/admin) oder „all“, um unter Ihrem Profil und den Seiten zu wählen, die Sie verwalten; leer lassen für Ihr eigenes Profil',
  'Webhook URL': 'Webhook-URL',
  'from the settings of the Discord channel, under Integrations, Webhooks; for a thread, add ?thread_id= and its number':
    'aus den Einstellungen des Discord-Kanals, unter Integrationen, Webhooks; für einen Thread mit ?thread_id= und seiner Nummer',
  Handle: 'Handle',
  'the handle of the account, such as alice.bsky.social, or its DID':
    'das Handle des Kontos, zum Beispiel alice.bsky.social, oder seine DID',
  'App password': 'App-Passwort',
  'create one at Bluesky under Settings, Privacy and security, App passwords':
    'bei Bluesky unter Einstellungen, Privatsphäre und Sicherheit, App-Passwörter erstellen',
  Server: 'Server',
  "the address of the account's server (PDS); by default found by the handle":
    'die Adresse des Servers des Kontos (PDS); sonst über das Handle gefunden',
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
  stale_edit_token: { title: 'Inzwischen geändert', hint: 'Laden Sie neu, bevor Sie etwas ändern.' },
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
  import_refused: {
    title: 'Datei kann nicht importiert werden',
    hint: 'Berichtigen Sie die genannten Zeilen. Es wurde nichts importiert.',
  },
  idempotency_key_reused: { title: 'Idempotenzschlüssel schon benutzt', hint: 'Laden Sie die Seite neu.' },
  post_not_publishable: {
    title: 'Beitrag kann so nicht veröffentlicht werden',
    hint: 'Beheben Sie die angezeigten Probleme.',
  },
  arrived_late: { title: 'Zu spät angekommen', hint: 'Nichts wurde geändert. Versuchen Sie es erneut.' },
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

const table = saidTable([...sentences, ...phrases])

/** One text that the tables have, in German; null for any other. */
const tableGerman = (text: string) => table.tell(text, insertGerman)

/** What was filled into a sentence: a list of phrases, a time, or what stays as it is. */
function insertGerman(text: string): string {
  const phrase = table.exactly(text)
  if (phrase !== undefined) return phrase
  if (text.includes('; ')) return text.split('; ').map(insertGerman).join(', ')
  const whole = germanOf(text)
  if (whole !== null) return whole
  if (DATE.test(text)) return text.replaceAll(/\b[A-Z][a-z]{2}\b/g, (word) => DATE_WORDS[word] ?? word)
  const pieces = text.split(/(, and | and |, or | or |, )/)
  const told = pieces.map((piece, index) =>
    index % 2 === 0 ? (tableGerman(piece) ?? codeOf(piece)) : germanLink(piece),
  )
  return told.includes(null) ? text : told.join('')
}

/** Values and numbers are the same in every language. */
function codeOf(piece: string): string | null {
  return /^[`\d]/.test(piece) ? piece : null
}

function germanLink(link: string): string {
  return link.replace(/,? and /, ' und ').replace(/,? or /, ' oder ')
}

/** Such as `Tue, 1 Dec 2026, 09:00 UTC`, as the history tells times. */
const DATE = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2,3} \d{4}, /

const DATE_WORDS: Readonly<Record<string, string>> = {
  Mon: 'Mo',
  Tue: 'Di',
  Wed: 'Mi',
  Thu: 'Do',
  Fri: 'Fr',
  Sat: 'Sa',
  Sun: 'So',
  Mar: 'Mär',
  May: 'Mai',
  Oct: 'Okt',
  Dec: 'Dez',
}

const QUOTES = ['„', '“'] as const

/** What the server says, in German; null where it says something that has none, such as the words of a network. */
export function germanOf(text: string): string | null {
  const whole = tableGerman(text)
  if (whole !== null) return quoted(whole, QUOTES)
  const parts = sentencesOf(text)
  if (parts.length === 1) return null
  const told = parts.map(tableGerman)
  return told.includes(null) ? null : quoted(told.join(' '), QUOTES)
}

/** The same, sentence by sentence: what networks and people wrote stays as it is. */
export function germanHistory(text: string): string {
  const told =
    tableGerman(text) ??
    sentencesOf(text)
      .map((one) => tableGerman(one) ?? one)
      .join(' ')
  return quoted(told, QUOTES)
}
