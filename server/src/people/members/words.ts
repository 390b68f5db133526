import { type Role, roles } from '@postrider/contract'
import { wordsIn } from '../../platform/text/language.ts'

const en = {
  // Names are others' words: they come last.
  subject: (workspace: string) => `Invitation to a workspace on Postrider: ${workspace}`,
  invited: (inviter: string, workspace: string, role: Role) =>
    `${inviter} invited you to the workspace ${workspace} on Postrider. Your role: ${role}. ${roles[role]}`,
  accept: 'Accept invitation',
  hint: (end: string, inviter: string) =>
    `The link works once, until ${end}. If you don’t know ${inviter}, ignore this email.`,
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
