import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { CalendarEntry } from '../posts.ts'
import { exact, Id } from '../schemas.ts'
import { Day, InWorkspace } from './app-schemas.ts'

export const Today = exact(
  {
    next: Type.Array(CalendarEntry, {
      description:
        'The next eight posts that are planned, wait for approval with a time, or are being sent: an entry for each channel, the earliest first.',
    }),
    published: Type.Array(CalendarEntry, {
      description: 'The six posts that were published last: an entry for each channel, the latest first.',
    }),
    week: Type.Array(
      exact({
        day: Day,
        channelId: Id,
        published: Type.Integer(),
        planned: Type.Integer({ description: 'What is still to be published.' }),
        troubled: Type.Integer({ description: 'What failed, expired, or needs a person.' }),
      }),
      {
        description:
          'How many posts each channel has on each day of the week; days without any are left out.',
      },
    ),
  },
  { $id: 'Today', description: 'What was published, and what is next.' },
)
export type Today = Static<typeof Today>

export const readToday = operation({
  id: 'readToday',
  at: 'GET /app/api/workspaces/{workspaceId}/today',
  tag: 'Posts',
  summary: 'Read what was published and what is next',
  description: 'In one read what the first screen shows, but for what needs a person (`readAttention`).',
  permission: 'posts:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({ from: { ...Day, description: 'The first of the seven days that are counted.' } }),
  answer: { status: 200, schema: Today, description: 'What was published, and what is next.' },
  problems: ['validation_failed'],
})
