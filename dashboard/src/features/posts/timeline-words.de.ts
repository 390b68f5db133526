import { germanOf } from '@postrider/contract/german'

/*
 * The history of a post in German. The server tells it in English sentences, to programs as well: each is known here by its form, and one
 * that is not stays as it is, as do messages of networks and what people wrote.
 */

type Form = readonly [english: RegExp, german: (...found: (string | undefined)[]) => string]

const VERDICTS: Readonly<Record<string, string>> = {
  'it is out': 'Er ist sichtbar',
  'refused, and nothing is out': 'Abgelehnt, nichts wurde veröffentlicht',
  'not possible now, and nothing is out': 'Zurzeit nicht möglich, nichts wurde veröffentlicht',
  'the authorization is no longer accepted, and nothing is out':
    'Der Zugriff wird nicht mehr angenommen, nichts wurde veröffentlicht',
  'nothing proves whether it is out': 'Unbestätigt, ob er sichtbar ist',
  'it is not there': 'Er ist nicht vorhanden',
  'it is not there, and may still come': 'Er ist nicht vorhanden, kann aber noch erscheinen',
  'nothing follows from that': 'Daraus folgt nichts',
  'under way': 'Läuft',
}

const EVENTS: Readonly<Record<string, string>> = {
  Scheduled: 'Geplant',
  Published: 'Veröffentlicht',
  'Published in part': 'Teilweise veröffentlicht',
  Failed: 'Fehlgeschlagen',
  Delayed: 'Verzögert',
  'The channel has to be reconnected': 'Der Kanal muss neu verbunden werden',
  'In doubt: being checked': 'Unbestätigt: wird geprüft',
  Cancelled: 'Abgebrochen',
  Expired: 'Abgelaufen',
}

const FIELDS: Readonly<Record<string, string>> = {
  ...{ text: 'Text', media: 'Medien', 'follow-ups': 'Folgebeiträge', time: 'Zeit', channels: 'Kanäle' },
  settings: 'Einstellungen',
}

const CALLS: Readonly<Record<string, string>> = {
  'The network was called and': 'Das Netzwerk wurde aufgerufen und',
  'The network was asked for the post and': 'Das Netzwerk wurde nach dem Beitrag gefragt und',
  'The network was asked how far it is and': 'Das Netzwerk wurde nach dem Fortschritt gefragt und',
  'The same request was sent under the same key, and the network':
    'Dieselbe Anfrage wurde unter demselben Schlüssel gesendet, und das Netzwerk',
  'The call was not made: the server': 'Der Aufruf fand nicht statt: der Server',
  'The server': 'Der Server',
}

const SILENCES: Readonly<Record<string, string>> = {
  'connection closed': 'Verbindung geschlossen',
  'no connection in time': 'keine Verbindung in der Frist',
  'no answer in time': 'keine Antwort in der Frist',
  'no whole answer in time': 'keine vollständige Antwort in der Frist',
  'the request was cut off on its way': 'die Anfrage wurde unterwegs unterbrochen',
  'the request may have arrived': 'die Anfrage ist möglicherweise angekommen',
  'the request was not sent': 'die Anfrage wurde nicht gesendet',
}

const WHOLE: Readonly<Record<string, string>> = {
  'A person was asked for approval.': 'Freigabe angefragt.',
  'The attempt was written down before the call.': 'Der Versuch wurde vor dem Aufruf festgehalten.',
  'The worker was lost before an answer was written down.':
    'Der Server wurde beendet, bevor eine Antwort festgehalten war.',
  'The server that made the backup may have published it since.':
    'Der Server, von dem die Sicherung stammt, hat ihn seither möglicherweise veröffentlicht.',
  'It waits for what a person says.': 'Eine Person muss das klären.',
}

const DATE: Readonly<Record<string, string>> = {
  ...{ Mon: 'Mo', Tue: 'Di', Wed: 'Mi', Thu: 'Do', Fri: 'Fr', Sat: 'Sa', Sun: 'So' },
  ...{ Mar: 'Mär', May: 'Mai', Oct: 'Okt', Dec: 'Dez' },
}

const wordOf = (words: Readonly<Record<string, string>>, word: string) => words[word] ?? word
const dateOf = (date: string) => date.replaceAll(/\b[A-Z][a-z]{2}\b/g, (word) => wordOf(DATE, word))
const actorOf = (name: string) => wordOf({ Somebody: 'Jemand', 'A person': 'Eine Person' }, name)
const verdictOf = (verdict: string) => VERDICTS[verdict.charAt(0).toLowerCase() + verdict.slice(1)]
const tries = (count: string) => (count === '1' ? '1 Versuch' : `${count} Versuche`)
const optional = (before: string, text: string | undefined) => (text === undefined ? '' : `${before}${text}`)
const oneOf = (words: Readonly<Record<string, string>>) => Object.keys(words).join('|')

const forms: readonly Form[] = [
  [/^(.+) wrote the post\.$/, (name) => `${name} hat den Beitrag geschrieben.`],
  [/^(.+) changed it\.$/, (name) => `${name} hat den Beitrag geändert.`],
  [
    /^(.+) changed its (.+)\.$/,
    (name, fields) =>
      `${name} hat geändert: ${fields
        ?.split(/, and | and |, /)
        .map((one) => wordOf(FIELDS, one))
        .join(', ')}.`,
  ],
  [
    /^(.+?) (approved|rejected) it(: “.*”)?\.$/s,
    (name, verb, note) =>
      `${actorOf(name ?? '')} hat den Beitrag ${verb === 'approved' ? 'freigegeben' : 'abgelehnt'}${note ?? ''}.`,
  ],
  [
    /^(Attempt to publish|Restored from a backup)(?:,? follow-up (\d+))?: (.+)\.$/,
    (doing, part, verdict = '') =>
      `${doing === 'Attempt to publish' ? 'Versuch zu veröffentlichen' : 'Aus einer Sicherung wiederhergestellt'}${optional(', Folgebeitrag ', part)}: ${verdictOf(verdict) ?? verdict}.`,
  ],
  [/^Scheduled for ([^.]+)\.$/, (when) => `Geplant für ${dateOf(when ?? '')}.`],
  [
    /^Moved from ([^.]+) to ([^.]+)\.$/,
    (from, to) => `Verschoben von ${dateOf(from ?? '')} auf ${dateOf(to ?? '')}.`,
  ],
  [/^(.+) looked at the network\.$/, (name) => `${actorOf(name ?? '')} hat im Netzwerk nachgesehen.`],
  [/^Its id there is (.+)\.$/, (id) => `Seine ID dort: ${id}.`],
  [/^That proves nothing: (.+)$/s, (detail) => `Das beweist nichts: ${detail}`],
  [
    /^\((\d+) times the same, (\S+) to (\S+)\)$/,
    (times, from, to) => `(${times}-mal dasselbe, ${from} bis ${to})`,
  ],
  [
    new RegExp(`^(${oneOf(CALLS)}) (answered with HTTP \\d+|concluded)(?: after (\\d+) ms)?\\.$`),
    (call = '', did = '', ms) =>
      `${CALLS[call]} ${did === 'concluded' ? 'kam zu einem Ergebnis' : did.replace('answered with', 'antwortete mit')}${optional(' nach ', ms)}${ms === undefined ? '' : ' ms'}.`,
  ],
  [
    new RegExp(`^(${oneOf(CALLS)}) did not answer \\(([^)]*)\\)(?: after (\\d+) ms)?; ([^.]+)\\.$`),
    (call = '', silence = '', ms, sent = '') =>
      `${CALLS[call]} antwortete nicht (${wordOf(SILENCES, silence)})${ms === undefined ? '' : ` nach ${ms} ms`}, ${wordOf(SILENCES, sent)}.`,
  ],
  [
    /^Webhook to (\S+): delivered with HTTP (\d+), (\d+) attempts?\.$/,
    (host, http, count = '') => `Webhook an ${host}: zugestellt mit HTTP ${http}, ${tries(count)}.`,
  ],
  [
    /^Webhook to (\S+): given up after (\d+) attempts?( \(.*\))?\.$/s,
    (host, count = '', error) => `Webhook an ${host}: aufgegeben, ${tries(count)}${error ?? ''}.`,
  ],
  [
    /^Webhook to (\S+): pending, (\d+) attempts? so far\.$/,
    (host, count = '') => `Webhook an ${host}: steht aus, bisher ${tries(count)}.`,
  ],
]

/** An entry of a history, or one of its steps, in German as far as its sentences are known. */
export function germanHistory(text: string): string {
  return (
    sentenceOf(text) ??
    text
      .split(/(?<=[.”)]) (?=[\p{Lu}(“])/u)
      .map((one) => sentenceOf(one) ?? one)
      .join(' ')
  )
}

function sentenceOf(text: string): string | null {
  const bare = text.replace(/\.$/, '')
  const known = WHOLE[text] ?? verdictSentence(bare) ?? (bare in EVENTS ? `${EVENTS[bare]}.` : null)
  if (known !== null) return known
  for (const [english, german] of forms) {
    const found = english.exec(text)
    if (found !== null) return german(...found.slice(1))
  }
  return germanOf(text)
}

function verdictSentence(bare: string): string | null {
  const verdict = verdictOf(bare)
  return verdict === undefined ? null : `${verdict}.`
}
