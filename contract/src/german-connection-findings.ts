import type { ChangedLimit, FindingCode, FindingWords, QuotaUnit } from './connection-findings.ts'

const RECONNECT = () => 'Verbinden Sie den Kanal neu.'

const UNITS: Readonly<Record<QuotaUnit, string>> = {
  posts: 'Beiträge',
  replies: 'Antworten',
  calls: 'Aufrufe',
  percent: 'Aufrufe',
}
/** Several, after a number. */
const UNITS_LEFT: Readonly<Record<QuotaUnit, string>> = {
  ...UNITS,
  posts: 'Beiträgen',
  calls: 'Aufrufen',
  percent: 'Aufrufen',
}
const LIMITS: Readonly<Record<Exclude<ChangedLimit['limit'], 'other'>, string>> = {
  characters: 'Zeichen',
  files: 'Dateien',
  altCharacters: 'Zeichen im Alternativtext',
  imageBytes: 'Bytes je Bild',
  videoBytes: 'Bytes je Video',
}

/** The outcomes of a check of a connection, in German. */
export const germanFindings: Readonly<Record<FindingCode, FindingWords>> = {
  network_away: {
    said: ({ network, reason = '' }) => `${network} hat nicht geantwortet (${reason}).`,
    fix: () =>
      'Versuchen Sie es in einigen Minuten noch einmal. Antwortet kein Netzwerk, muss der Serverbetreiber die Internetverbindung des Servers prüfen.',
  },
  target_refused: {
    said: () => 'Dieser Server ruft die Adresse nicht auf, unter der das Konto liegt.',
    fix: () => 'Der Serverbetreiber kann die Adresse mit TRUSTED_ORIGINS erlauben.',
  },
  provider_disabled: {
    said: ({ network }) => `${network} ist auf diesem Server nicht eingerichtet.`,
    fix: ({ network }) => `Der Serverbetreiber muss ${network} in den Einstellungen einrichten.`,
  },
  check_failed: {
    said: () => 'Die Prüfung selbst ist fehlgeschlagen.',
    fix: () => 'Den Grund findet der Serverbetreiber im Protokoll des Servers.',
  },
  access_accepted: {
    said: ({ network, until }, { time }) =>
      until === undefined
        ? `${network} akzeptiert den Zugriff.`
        : `${network} akzeptiert den Zugriff. Er endet am ${time(until)}.`,
    fix: null,
  },
  access_ends_soon: {
    said: ({ network, until = '' }, { time }) =>
      `${network} akzeptiert den Zugriff, beendet ihn aber am ${time(until)}.`,
    fix: () => 'Verbinden Sie den Kanal vorher neu.',
  },
  access_over: {
    said: () => 'Das Zugriffstoken ist abgelaufen.',
    fix: () =>
      'Postrider holt vor dem nächsten Beitrag ein neues. Ist es in einer Stunde noch nicht da, verbinden Sie den Kanal neu.',
  },
  access_refused: {
    said: ({ network }) => `${network} akzeptiert den Zugriff nicht mehr.`,
    fix: RECONNECT,
  },
  reconnect_required: { said: () => 'Der Kanal ist nicht verbunden.', fix: RECONNECT },
  access_unreadable: {
    said: () => 'Der gespeicherte Zugriff lässt sich nicht entschlüsseln.',
    fix: () =>
      'Verbinden Sie den Kanal neu, sofern der Serverbetreiber den geheimen Schlüssel nicht wiederherstellen kann.',
  },
  account_suspended: {
    said: ({ network }) => `${network} hat dieses Konto gesperrt oder geschlossen.`,
    fix: ({ network }) => `Melden Sie sich bei ${network} an, um den Grund zu sehen.`,
  },
  app_refused: {
    said: ({ network }) => `${network} lehnt die App dieses Servers ab.`,
    fix: ({ network }) =>
      `Der Serverbetreiber muss die App bei ${network} prüfen: Zugriffsstufe, Berechtigungen und Guthaben.`,
  },
  signer_away: {
    said: () => 'Der entfernte Signierer des Kontos hat nicht geantwortet.',
    fix: () => 'Prüfen Sie, ob er läuft und mit seinen Relays verbunden ist.',
  },
  access_not_told: {
    said: ({ network, reason = '' }) =>
      `${network} hat nicht gesagt, ob der Zugriff akzeptiert wird (${reason}).`,
    fix: () => 'Versuchen Sie es später noch einmal.',
  },
  scopes_granted: { said: () => 'Alles, was zum Veröffentlichen nötig ist, ist erlaubt.', fix: null },
  scopes_missing: {
    said: ({ missing = [] }, { list }) =>
      `Zum Veröffentlichen ist mehr nötig, als erlaubt wurde: ${list(missing)}.`,
    fix: () => 'Verbinden Sie den Kanal neu und erlauben Sie alles, wonach gefragt wird.',
  },
  rights_missing: {
    said: ({ missing = [] }, { list }) => `Zum Veröffentlichen fehlt ein Recht: ${list(missing)}.`,
    fix: ({ network }) => `Erteilen Sie es bei ${network}.`,
  },
  scopes_not_told: { said: ({ network }) => `${network} verrät nicht, was erlaubt wurde.`, fix: null },
  quota_left: {
    said: ({ unit = 'calls', left = 0, of = null, resetsAt = null }, { number, time }) => {
      const until = resetsAt === null ? '' : ` bis ${time(resetsAt)}`
      if (unit === 'percent') return `Es sind noch ${number(left)} % der Aufrufe übrig${until}.`
      return of === null
        ? `Es sind noch ${number(left)} ${UNITS[unit]} übrig${until}.`
        : `Es sind noch ${number(left)} von ${number(of)} ${UNITS_LEFT[unit]} übrig${until}.`
    },
    fix: null,
  },
  quota_used_up: {
    said: ({ network, unit = 'calls', of = null }, { number }) =>
      of === null || unit === 'percent'
        ? `${network} nimmt gerade keine ${UNITS[unit]} mehr an: Das Limit ist ausgeschöpft.`
        : `Alle ${number(of)} ${UNITS[unit]}, die ${network} annimmt, sind aufgebraucht.`,
    fix: ({ resetsAt = null }, { time }) =>
      resetsAt === null ? 'Beiträge warten, bis wieder Platz ist.' : `Beiträge warten bis ${time(resetsAt)}.`,
  },
  quota_not_told: {
    said: ({ network }) => `${network} verrät nicht, wie viel von seinen Limits übrig ist.`,
    fix: null,
  },
  limits_same: {
    said: () => 'Die Grenzen sind die, gegen die Beiträge geprüft werden.',
    fix: null,
  },
  limits_changed: {
    said: ({ changes = [] }, { list, number }) => {
      const shown = changes.map(({ limit, kept, now }) =>
        limit === 'other'
          ? 'Dateitypen oder -größen'
          : `${LIMITS[limit]} ${kept === null ? 'keine Grenze' : number(kept)} → ${now === null ? 'keine Grenze' : number(now)}`,
      )
      return `Die Grenzen haben sich geändert: ${list(shown)}.`
    },
    fix: () =>
      'Postrider liest sie innerhalb eines Tages neu. Damit sie sofort gelten, verbinden Sie den Kanal neu.',
  },
  limits_not_told: { said: ({ network }) => `${network} verrät seine Grenzen nicht.`, fix: null },
  version_answered: {
    said: ({ network, version = '' }) => `${network} antwortet mit Version ${version}.`,
    fix: null,
  },
  version_ending: {
    said: ({ network, version = '', until = '' }, { time }) =>
      `${network} kann Version ${version} seiner API ab ${time(until)} beenden.`,
    fix: () => 'Der Serverbetreiber muss Postrider vorher aktualisieren.',
  },
  version_gone: {
    said: ({ network, version = '' }) => `${network} bietet Version ${version} seiner API nicht mehr an.`,
    fix: () => 'Der Serverbetreiber muss Postrider aktualisieren.',
  },
  version_not_told: {
    said: ({ network }) => `${network} verrät nicht, welche Version antwortet.`,
    fix: null,
  },
  clock_right: {
    said: ({ network, seconds = 0 }, { number }) =>
      `Die Uhren dieses Servers und von ${network} weichen ${number(Math.abs(seconds))} s voneinander ab.`,
    fix: null,
  },
  clock_off: {
    said: ({ network, seconds = 0 }, { number }) =>
      `Die Uhr dieses Servers geht gegenüber ${network} ${number(Math.abs(seconds))} s ${seconds > 0 ? 'vor' : 'nach'}.`,
    fix: () => 'Der Serverbetreiber muss die Uhr des Servers per NTP stellen lassen.',
  },
  clock_not_told: { said: ({ network }) => `${network} verrät seine Uhrzeit nicht.`, fix: null },
}
