import { german } from '../../lib/language.ts'

const en = {
  title: 'Connected apps',
  hidden: 'You don’t have access to connected apps. Ask an owner or admin.',
  lead: 'Apps that members allowed through OAuth.',
  none: 'No connected apps',
  noneHint: 'An app appears here once a member allows it access.',
  revoked: 'Revoked',
  connectedBy: (name: string, when: string) => `connected by ${name} ${when}`,
  neverUsed: 'never used',
  used: (when: string) => `used ${when}`,
  ends: (when: string) => `access ends ${when}`,
  revoke: 'Revoke access',
}
export type Words = typeof en

export const words: Words = german?.apps ?? en
