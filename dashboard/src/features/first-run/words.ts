import { plural } from '../../lib/plural.ts'
import { german } from '../../lib/language.ts'

const en = {
  title: 'Get started',
  dismiss: 'Dismiss',
  account: 'Account created',
  accountHint: 'You can invite others under Members.',
  connect: 'Connect a channel',
  connected: (count: number) => `${plural(count, 'channel', 'channels')} connected.`,
  connectHint: 'Connect an account, or try the sandbox.',
  channels: 'Channels',
  write: 'Write your first post',
  writeHint: 'Schedule it, then follow it here.',
  zone: (place: string) => `Times are in ${place}`,
  zoneHint: 'Posts are scheduled and shown in this time zone. Change it under Settings.',
  browserZone: (place: string) => `Your browser is in ${place}.`,
  zoneChanged: (place: string) => `Times are now in ${place}.`,
  useZone: (place: string) => `Use ${place} time`,
  done: 'Done',
  toDo: 'To do',
}
export type Words = typeof en

export const words: Words = german?.firstRun ?? en
