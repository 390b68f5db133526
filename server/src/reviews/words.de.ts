import { plural } from '../platform/plural.ts'
import type { Words } from './words.ts'

export const de: Words = {
  subject: (workspace) => `Freigabe nötig in ${workspace}`,
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
