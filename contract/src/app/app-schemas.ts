import Type from 'typebox'
import { exact, Id, Instant, line } from '../schemas.ts'
import { roleNames } from './roles.ts'

export const RoleSchema = Type.Enum(roleNames)

export const InWorkspace = exact({ workspaceId: Id })

export const Day = Type.String({
  format: 'date',
  description: 'A day in the time zone of the workspace.',
  examples: ['2026-11-23'],
})

export const PersonName = line(100, { examples: ['Ada Lovelace'] })

export const EmailAddress = Type.String({
  maxLength: 254,
  format: 'email',
  description:
    'ASCII before the `@`, case-insensitive. Stored in lower case, with the domain in its DNS form.',
  examples: ['ada@example.com'],
})

/** What is told of a credential that was stopped. */
export const Stopped = {
  revokedAt: Instant,
  cancelled: Type.Integer({ description: 'How many destinations were cancelled.' }),
  underWay: Type.Integer({
    description: 'How many of its destinations are already being published, and continue.',
  }),
}

/** Nothing but that it was done. */
export const Done = exact({ done: Type.Literal(true) })
