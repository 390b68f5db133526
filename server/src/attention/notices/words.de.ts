import { germanHistory } from '@postrider/contract/german'
import { plural } from '../../platform/text/plural.ts'
import type { Words } from './words.ts'

export const de: Words = {
  subject: (count, workspace) =>
    `${plural(count, 'Problem', 'Probleme')} mit Handlungsbedarf in ${workspace}`,
  subjectOfMany: (count, workspace) =>
    `Mehr als ${count.toLocaleString('de')} Probleme mit Handlungsbedarf in ${workspace}`,
  lead: (workspace) => `Neu im Arbeitsbereich ${workspace}:`,
  headings: {
    posts_failed: 'Fehlgeschlagene oder nur teilweise veröffentlichte Beiträge',
    posts_checking: 'Beiträge, die Ihre Entscheidung brauchen',
    posts_twice: 'Doppelt veröffentlichte Beiträge',
    channels: 'Kanäle mit Handlungsbedarf',
    series: 'Serien, die keine Beiträge erstellen',
    webhooks: 'Fehlschlagende Webhooks',
  },
  count: (heading, count) => `${heading} (${count.toLocaleString('de')})`,
  countOfMany: (heading, count) => `${heading} (mehr als ${count.toLocaleString('de')})`,
  quoted: (text) => `„${text}“`,
  withoutText: 'Ein Beitrag ohne Text',
  on: (post, channel) => `${post} auf ${channel}`,
  problems: {
    failed: 'Fehlgeschlagen. Bearbeiten Sie den Beitrag und wiederholen Sie ihn.',
    partially_published: 'Teilweise veröffentlicht. Sehen Sie nach, welche Teile fehlen.',
    checking:
      'Unbestätigt, ob das Netzwerk ihn veröffentlicht hat. Sehen Sie dort nach und klären Sie das Ergebnis.',
    disconnected: 'Kein Zugriff auf dieses Konto. Verbinden Sie es neu.',
    access_ending: 'Der Zugriff endet bald. Verbinden Sie es vorher neu.',
    live_twice:
      'Ein aufgegebener Aufruf wurde doch noch bestätigt. Nichts wurde gelöscht: Löschen Sie im Netzwerk den Beitrag, den Sie nicht möchten.',
    version_ending:
      'Danach kann das Netzwerk alle Beiträge dieses Servers ablehnen. Der Serverbetreiber muss Postrider aktualisieren.',
    waiting: 'Der nächste Beitrag kann nicht erstellt werden. Bearbeiten Sie die Serie.',
    paused: 'Pausiert. Bearbeiten Sie die Serie und setzen Sie sie fort.',
    failing: 'Er antwortet seit mindestens 15 Minuten nicht wie erwartet.',
    disabled:
      'Er wurde deaktiviert und erhält keine Ereignisse. Seine Seite sagt, warum. Aktivieren Sie ihn, sobald das behoben ist.',
  },
  second: (place) => `Der zweite Beitrag: ${place}`,
  until: (time) => `Der Zugriff endet ${time}.`,
  versionUntil: (time) => `Das Netzwerk beendet die Version seiner API, die Postrider nutzt: ${time}.`,
  sentence: germanHistory,
  more: (count) => `Und ${count.toLocaleString('de')} weitere.`,
  seeAll: 'Den ganzen Handlungsbedarf ansehen',
  why: (workspace) =>
    `Sie erhalten diese E-Mail als Mitglied von ${workspace}. Worüber Sie E-Mails erhalten, wählen Sie dort in den Einstellungen unter „Benachrichtigungen“:`,
}
