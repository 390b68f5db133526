import { plural } from '../../platform/text/plural.ts'
import type { Words } from './words.ts'

export const de: Words = {
  subject: (workspace) => `Freigabe nötig in ${workspace}`,
  subjectOfSeveral: (count, workspace) => `${count} Beiträge brauchen eine Freigabe in ${workspace}`,
  waiting: (workspace) => `Im Arbeitsbereich ${workspace} warten auf Freigabe`,
  withoutText: 'Ein Beitrag ohne Text',
  quoted: (text) => `„${text}“`,
  publishesOn: (author, channels) => `${author} möchte ihn auf ${channels} veröffentlichen.`,
  andMore: (count) => `Und ${count.toLocaleString('de')} weitere.`,
  reviewAll: 'Alle Anfragen ansehen',
  wantsToPublish: (author, channels, workspace) =>
    `${author} möchte einen Beitrag auf ${channels} veröffentlichen (Arbeitsbereich ${workspace}).`,
  more: (count) => `${count} weitere`,
  publishesNow: (several) =>
    `Nach der Freigabe wird er sofort veröffentlicht${several ? ', auf anderen Kanälen später' : ''}.`,
  publishesAt: (time, several) =>
    `Nach der Freigabe wird er am ${time} veröffentlicht${several ? ', auf anderen Kanälen später' : ''}.`,
  files: (count) => `Mit ${plural(count, 'Datei', 'Dateien')} im Anhang.`,
  differs: 'Auf anderen Kanälen ist der Beitrag ein anderer.',
  review: 'Beitrag prüfen',
  decideBy: (time) => `Entscheiden Sie bis ${time}, sonst wird er nicht veröffentlicht.`,
}
