import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { CalendarEntry } from '../posts.ts'
import { exact, Id } from '../schemas.ts'
import { Day, InWorkspace } from './app-schemas.ts'

export const Today = exact(
  {
    next: Type.Array(CalendarEntry, {
      description:
        'The next eight posts that are planned, wait for approval with a time, or are being sent: one entry per channel, earliest first.',
    }),
    published: Type.Array(CalendarEntry, {
      description: 'The six latest published posts: one entry per channel, newest first.',
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
          'How many posts each channel has on each of the seven days; days without posts are omitted.',
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
  description: 'What the first screen shows, except what needs a person (`readAttention`).',
  permission: 'posts:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({ from: { ...Day, description: 'The first of the seven counted days.' } }),
  answer: { status: 200, schema: Today, description: 'What was published, and what is next.' },
  problems: ['validation_failed'],
})
