import Type, { type Static } from 'typebox'
import { LabelFilter } from '../labels.ts'
import { operation } from '../operation.ts'
import { Author, CalendarEntry, ChannelFilter, PostFilter } from '../posts.ts'
import { exact } from '../schemas.ts'
import { Day, InWorkspace } from './app-schemas.ts'

export const CalendarOverview = exact(
  {
    slots: Type.Array(
      exact({
        at: Type.String({
          description: 'The day, or the hour, in the time zone of the workspace.',
          examples: ['2026-11-23', '2026-11-23T09'],
        }),
        posts: Type.Integer({ description: 'How many posts it has in all.' }),
        entries: Type.Array(CalendarEntry, {
          description: 'Its first posts, one entry per channel. Those that need a person come first.',
        }),
      }),
      { description: 'The days or hours that have posts, in order.' },
    ),
    authors: Type.Array(Type.String(), {
      description: 'The authors of the posts on these days, regardless of filters.',
    }),
  },
  {
    $id: 'CalendarOverview',
    description: 'The first posts of each day or hour of a calendar, and how many there are.',
  },
)
export type CalendarOverview = Static<typeof CalendarOverview>

export const readCalendarOverview = operation({
  id: 'readCalendarOverview',
  at: 'GET /app/api/workspaces/{workspaceId}/calendar/overview',
  tag: 'Calendar',
  summary: 'Read the first posts of each day or hour',
  description:
    'Counts the posts of each day or hour in the time zone of the workspace, and returns the first of them; `readCalendar` has the rest. A post appears at the time of its channels, at each of them if they differ.',
  permission: 'calendar:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({
    from: Day,
    days: Type.Integer({ minimum: 1, maximum: 62 }),
    by: Type.Enum(['day', 'hour'], { description: 'The unit to count by.' }),
    most: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        description: 'How many posts to return for each; all if omitted.',
      }),
    ),
    channelId: Type.Optional(ChannelFilter),
    status: Type.Optional(PostFilter),
    label: Type.Optional(LabelFilter),
    author: Type.Optional(Author),
  }),
  answer: { status: 200, schema: CalendarOverview, description: 'The days or hours, and the authors.' },
  problems: ['validation_failed'],
})
