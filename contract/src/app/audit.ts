import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { Cursor, exact, Id, Instant, Limit, nullable } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const AuditEntry = exact(
  {
    auditId: Id,
    at: Instant,
    actor: exact({
      type: Type.Enum(['person', 'agent_key', 'oauth', 'operator', 'service']),
      id: nullable(Id),
      name: Type.String(),
    }),
    action: Type.String({ description: 'The id of the operation.', examples: ['createPost'] }),
    subject: Type.Record(Type.String(), Type.String(), { description: 'The ids of what was changed.' }),
    before: Type.Unknown({ description: 'The state before, if known; never a secret.' }),
    after: Type.Unknown({ description: 'The state after, if known; never a secret.' }),
    address: nullable(Type.String()),
    requestId: nullable(Id),
  },
  { $id: 'AuditEntry', description: 'Something that a person or a credential has changed.' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const listAudit = operation({
  id: 'listAudit',
  at: 'GET /app/api/workspaces/{workspaceId}/audit',
  tag: 'Audit',
  summary: 'Read the audit log',
  description: 'Who changed what, when and from where, newest first.',
  permission: 'audit:read',
  asks: 'member',
  params: InWorkspace,
  query: exact({
    who: Type.Optional(Type.String({ maxLength: 200, description: 'The name of who did it.' })),
    action: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The id of the operation. That of an agent operation includes the same one by people.',
        examples: ['createPost'],
      }),
    ),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  }),
  answer: {
    status: 200,
    schema: exact({ items: Type.Array(AuditEntry), nextCursor: nullable(Type.String()) }),
    description: 'One page of entries.',
  },
  problems: ['invalid_cursor'],
})
