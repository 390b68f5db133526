import { german } from '../../lib/language.ts'

const en = {
  title: 'Events',
  lead: 'Every recorded change of a post, as sent to webhooks.',
  export: 'Export shown events',
  none: 'No events yet',
  noneHint: 'Events appear here when you schedule or publish a post.',
  event: 'Event',
  allEvents: 'All events',
  channel: 'Channel',
  allChannels: 'All channels',
  noneFiltered: 'No events match.',
  older: 'Show older events',
  details: 'Details',
  postOf: (id: string) => `Post of event ${id}`,
  post: 'Post',
  readPost: 'Read its post',
}
export type Words = typeof en

export const words: Words = german?.events ?? en
