import type { Words } from './words.ts'

export const de: Words = {
  subject: (workspace) => `Freigabe nötig in ${workspace}`,
  wantsToPublish: (author, channels, workspace) =>
    `${author} möchte einen Beitrag auf ${channels} veröffentlichen (Arbeitsbereich ${workspace}).`,
  publishesNow: 'Wird nach der Freigabe sofort veröffentlicht.',
  publishesAt: (time) => `Wird nach der Freigabe am ${time} veröffentlicht.`,
  review: 'Beitrag prüfen',
  decideBy: (time) => `Entscheiden Sie bis ${time}, sonst wird er nicht veröffentlicht.`,
}
