import { wordsIn } from '../../platform/text/language.ts'

const en = {
  hint: 'Revoke it anytime under Connected apps, where you can also limit it later. Unused access ends after 30 days. It can’t approve posts, create keys, or connect channels.',
  expiredHint:
    'It was decided, took longer than 30 minutes, or started in another browser. Go back to the app and connect again.',
  toApp: 'Access goes to the app on this device that opens addresses beginning with',
  toProgram: 'Access goes to a program on this device, at',
  allowTitle: (name: string) => `Allow ${name} access?`,
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  draftsOnly: 'Drafts only, people schedule',
  workspaceAs: (name: string, role: string) => `${name} (your role: ${role})`,
  ofWorkspace: (name: string) => `of ${name}`,
  onlyChannels: (of: string) => `Only these channels${of} (none ticked: all)`,
  describesItself: 'asks for access, and describes itself at',
  expired: 'Request expired',
  fault: 'Request not accepted',
  faultHint:
    'The app asked for access in a way that isn’t valid. It got no access. Go back to the app and connect again, or tell its makers:',
  to: 'Access goes to',
  expiresAfter: 'Access ends after',
  days: (days: number) => `${days} days`,
  dailyLimit: 'Daily post limit (optional)',
  unverified:
    'wants access. Its name isn’t verified. Continue only if you started this from an app of yours.',
  permissions: 'Permissions',
  daysAhead: 'Days ahead, at most (optional)',
  addLimits: 'Add limits',
  workspace: 'Workspace',
  year: 'a year',
  codeTitle: 'Connect a device',
  codeHint: 'Enter the code that the program shows, for example in your terminal.',
  code: 'Code',
  continueWithCode: 'Continue',
  sentCode:
    'Continue only if you asked for this code yourself. If another person sent it to you, close this page: they would get access to your workspace.',
  toDevice: 'Access goes to the program that shows this code',
  askedFrom: (minutes: number) =>
    minutes === 0
      ? 'It asked just now, from the address'
      : `It asked ${minutes} minute${minutes === 1 ? '' : 's'} ago, from the address`,
  allowed: 'Access allowed',
  allowedHint: 'The program continues within seconds. You can close this page.',
  denied: 'Access denied',
  deniedHint: 'The program gets no access. You can close this page.',
  allow: 'Allow',
  deny: 'Deny',
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
