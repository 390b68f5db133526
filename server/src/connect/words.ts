import { wordsIn } from '../platform/language.ts'
import { plural } from '../platform/plural.ts'

const en = {
  linkOverHint:
    'A link connects one account, once, within ten minutes. Create a new one under Channels, or on the server with `postrider channel add <network> --oauth`.',
  canPublish: (network: string, handle: string, more: string) =>
    `Postrider can now publish on ${network} as @${handle}.${more}`,
  unexpected: 'Didn’t expect this? Close this page. Nothing was changed.',
  reconnectTitle: (handle: string, network: string) => `Reconnect @${handle} on ${network}`,
  connectTitle: (network: string) => `Connect your ${network} account`,
  notConnected: (network: string) => `${network} was not connected`,
  linkOver: 'This link can no longer be used',
  continueTo: (network: string) => `Continue to ${network}`,
  reconnected: (handle: string) => `@${handle} is reconnected`,
  connected: (handle: string) => `@${handle} is connected`,
  canPost: (network: string) =>
    ` can post as this account. You sign in at ${network} itself. This server never sees your password.`,
  toChannels: 'Back to channels',
  resume: (count: number) => `${plural(count, 'waiting post', 'waiting posts')} will be published.`,
  toDashboard: 'go to the dashboard',
  whoCanPost: 'Anyone who can publish in',
  canClose: 'You can close this page, or',
}
export type Words = typeof en

export const words = wordsIn<Words>(en, () => import('./words.de.ts'))
