import { german } from '../../lib/language.ts'
import { plural } from '../../lib/plural.ts'

const en = {
  withoutText: 'Post without text',
  quoted: (text: string) => `“${text}”`,
  onChannel: (status: string, channel: string) => `${status}: ${channel}`,
  liveTwice: 'Live twice',
  disconnected: 'No access to this account. Reconnect it.',
  versionEnding:
    'Its network ends the version of its API that Postrider uses. The server operator has to upgrade Postrider.',
  accessEnding: 'Access ends soon. Reconnect it before then.',
  seriesPaused: 'Series paused',
  seriesWaiting: 'The next post of a series can’t be created',
  webhookDisabled: 'Webhook disabled',
  webhookFails: 'Webhook fails',
  approval: 'Approval needed',
  many: (count: number) => plural(count, 'problem needs attention', 'problems need attention'),
}
export type Words = typeof en

export const words: Words = german?.notices ?? en
