import Type from 'typebox'
import { limitNames } from './credential-defaults.ts'
import { PostIssue } from './post-checks.ts'
import { type ProblemCode, problemCodes, problems } from './problems.ts'
import { Instant, Problem } from './schemas.ts'

/** What each of these codes means, and under which HTTP status it travels. */
export function describeCodes(codes: readonly ProblemCode[]): string {
  return `What went wrong, by its stable name:\n\n${codes.map(lineOf).join('\n')}`
}

function lineOf(code: ProblemCode): string {
  const { status, title, ...facts } = problems[code]
  const statuses = [status, ...('also' in facts ? facts.also : [])]
  return `- \`${code}\` (${statuses.join(', ')}): ${title}`
}

/** A problem with the members that only some codes have. */
export const ProblemDocument = Type.Object(
  {
    ...Problem.properties,
    code: Type.Enum(problemCodes, { description: describeCodes(problemCodes) }),
    currentStatus: Type.Optional(Type.String({ description: "The destination's status." })),
    allowedStatuses: Type.Optional(
      Type.Array(Type.String(), { description: 'The statuses in which the command is allowed.' }),
    ),
    changedAt: Type.Optional(Type.String({ ...Instant, description: 'When the latest change was made.' })),
    changedBy: Type.Optional(
      Type.Object(
        {
          type: Type.Enum(['agent_key', 'oauth', 'person', 'service']),
          name: Type.String(),
        },
        { description: 'Who made the latest change; the publishing engine is a `service`.' },
      ),
    ),
    changed: Type.Optional(
      Type.Array(Type.String(), { description: 'The names of the fields that the latest change was of.' }),
    ),
    requiredPermission: Type.Optional(Type.String({ description: 'The permission that is missing.' })),
    grantedPermissions: Type.Optional(
      Type.Array(Type.String(), { description: 'The permissions that the credential has.' }),
    ),
    limit: Type.Optional(
      Type.Enum(limitNames, {
        description: 'The limit of the credential that forbids it, as `GET /me` names it.',
      }),
    ),
    retryAfterSeconds: Type.Optional(Type.Integer({ description: 'As the header `Retry-After`.' })),
    oldestCursor: Type.Optional(
      Type.String({ description: 'The cursor that begins with the oldest event that is kept.' }),
    ),
    issues: Type.Optional(Type.Array(PostIssue, { description: 'What the post check found.' })),
    reviewUrl: Type.Optional(Type.String({ description: 'Where a person decides.' })),
  },
  { $id: 'Problem', additionalProperties: true, description: 'A problem (RFC 9457).' },
)
