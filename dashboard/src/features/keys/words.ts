import { german } from '../../lib/language.ts'

const en = {
  title: 'Agent keys',
  hidden: 'You don’t have access to agent keys. Ask an owner or admin.',
  lead: 'Agents and automations send a key with their requests. A key acts for the member who created it.',
  newKey: 'New key',
  none: 'No keys yet',
  noneHint: 'Create one for each agent, so that you can revoke each on its own.',
  revoked: 'Revoked',
  neverUsed: 'never used',
  used: (when: string) => `used ${when}`,
  ends: (when: string) => `expires ${when}`,
  allPermissions: 'all permissions',
  revoke: 'Revoke',
  created: 'Key created.',
  create: 'New agent key',
  name: 'Name',
  expiry: 'Expires (optional)',
  limits: 'Limits (optional)',
  close: 'Close',
  createKey: 'Create key',
  yourKey: 'Your new key',
  key: 'Key',
  shownOnce: 'Copy it now. This key is shown only once.',
  tryIt: 'Try it',
}
export type Words = typeof en

export const words: Words = german?.keys ?? en
