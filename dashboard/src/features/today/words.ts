import { german } from '../../lib/language.ts'
import { plural } from '../../lib/plural.ts'

export type Sum = { readonly published: number; readonly planned: number; readonly troubled: number }

const en = {
  title: (day: string) => `Today, ${day}`,
  clock: (time: string, place: string) => `${time} in ${place}.`,
  nothingPlanned: 'Nothing is scheduled.',
  noneToday: (soon: string) => `Nothing more today. Next post ${soon}.`,
  oneToday: (soon: string) => `1 more post today, ${soon}.`,
  severalToday: (count: number, isAll: boolean, soon: string) =>
    `${count}${isAll ? '' : ' or more'} posts left today, the next ${soon}.`,
  next: 'Next to be published',
  openCalendar: 'Open calendar',
  noneNext: 'Nothing is scheduled',
  noneNextHint: 'Scheduled posts appear here.',
  published: 'Published',
  nonePublished: 'Published posts appear here.',
  seeAll: 'See all',
  allWell: 'Nothing needs attention.',
  noText: 'Media without text',
  waiting: 'Waiting for approval',
  review: 'Review',
  look: 'View',
  todayAt: (time: string) => `Today, ${time}`,
  week: 'This week',
  eachDay: 'Each day of this week',
  eachChannel: 'Each channel this week',
  legend: { published: 'published', planned: 'scheduled', troubled: 'with problems' } satisfies Record<
    keyof Sum,
    string
  >,
  sum: ({ published, planned, troubled }: Sum) =>
    [
      published === 0 ? '' : `${published} published`,
      planned === 0 ? '' : `${planned} scheduled`,
      troubled === 0 ? '' : `${troubled} with ${troubled === 1 ? 'a problem' : 'problems'}`,
    ]
      .filter(Boolean)
      .join(', ') || 'nothing',
  moreChannels: (count: number) => `and ${plural(count, 'more channel', 'more channels')}`,
  channels: 'Channels',
  lost: (count: number) =>
    plural(count, 'channel needs to be reconnected', 'channels need to be reconnected'),
  paused: (count: number) => `${count} paused by the network`,
  well: (count: number) => plural(count, 'channel is connected', 'channels are connected'),
  disabled: (count: number) => `${count} disabled`,
}
export type Words = typeof en

export const words: Words = german?.today ?? en
