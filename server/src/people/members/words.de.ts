import { roleHints, roleNames } from '@postrider/contract/german'
import type { Words } from './words.ts'

export const de: Words = {
  subject: (workspace) => `Einladung in einen Arbeitsbereich bei Postrider: ${workspace}`,
  invited: (inviter, workspace, role) =>
    `${inviter} hat Sie zum Arbeitsbereich ${workspace} auf Postrider eingeladen. Ihre Rolle: ${roleNames[role]}. ${roleHints[role]}`,
  accept: 'Einladung annehmen',
  hint: (end, inviter) =>
    `Der Link gilt einmal, bis ${end}. Wenn Sie ${inviter} nicht kennen, ignorieren Sie diese E-Mail.`,
}
