import Type from 'typebox'
import { AnyEvent } from '../events.ts'
import { operation } from '../operation.ts'
import { Cursor, exact, Id, Limit, nullable } from '../schemas.ts'
import { allEventTypeNames } from '../statuses.ts'
import { InWorkspace } from './app-schemas.ts'

export const listEventLog = operation({
  id: 'listEventLog',
  at: 'GET /app/api/workspaces/{workspaceId}/event-log',
  tag: 'Events',
  summary: 'Browse the events',
  description: 'As webhooks carry them, newest first. Programs use `/events`.',
  permission: 'posts:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({
    type: Type.Optional(Type.Enum(allEventTypeNames)),
    channelId: Type.Optional(Id),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  }),
  answer: {
    status: 200,
    schema: exact({ items: Type.Array(AnyEvent), nextCursor: nullable(Type.String()) }),
    description: 'One page of events.',
  },
  problems: ['invalid_cursor'],
})
