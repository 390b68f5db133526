import { wordsIn } from '../../platform/text/language.ts'
import { plural } from '../../platform/text/plural.ts'

const en = {
  linkOverHint:
    'A link works once, within ten minutes. Create a new one under Channels, or on the server with `postrider channel add <network> --oauth`.',
  canPublishAs: (network: string, handles: string, more: string) =>
    `Postrider can now publish on ${network} as ${handles}.${more}`,
  canPublish: (network: string, handle: string, more: string) =>
    `Postrider can now publish on ${network} as ${handle}.${more}`,
  unexpected: 'Didn’t expect this? Close this page. Nothing was changed.',
  reconnectTitle: (handle: string, network: string) => `Reconnect ${handle} on ${network}`,
  connectTitle: (network: string) => `Connect your ${network} account`,
  chooseTitle: (network: string) => `Choose ${network} accounts to connect`,
  chooseWhich: 'Anyone who can publish in',
  canPostAsChosen: ' can post as the accounts you choose. Your sign-in gave access to these:',
  accounts: 'Accounts',
  connectedAlready: 'connected already',
  connectChosen: 'Connect selected accounts',
  severalConnected: (count: number) => `${plural(count, 'account is', 'accounts are')} connected`,
  notConnected: (network: string) => `${network} was not connected`,
  linkOver: 'This link can no longer be used',
  continueTo: (network: string) => `Continue to ${network}`,
  reconnected: (handle: string) => `${handle} is reconnected`,
  connected: (handle: string) => `${handle} is connected`,
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
