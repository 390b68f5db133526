import Type from 'typebox'
import { limitNames } from './credential-defaults.ts'
import { PostIssue } from './post-checks.ts'
import { type ProblemCode, problemCodes, problems } from './problems.ts'
import { Instant, Problem } from './schemas.ts'

/** What each of these codes means, and under which HTTP status it travels. */
export function describeCodes(codes: readonly ProblemCode[]): string {
  return `The stable name of the problem:\n\n${codes.map(lineOf).join('\n')}`
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
      Type.Array(Type.String(), { description: 'The statuses that allow the command.' }),
    ),
    changedAt: Type.Optional(Type.String({ ...Instant, description: 'When the latest change was made.' })),
    changedBy: Type.Optional(
      Type.Object(
        {
          type: Type.Enum(['agent_key', 'oauth', 'person', 'service']),
          name: Type.String(),
        },
        { description: 'Who made it; the publishing engine is a `service`.' },
      ),
    ),
    changed: Type.Optional(Type.Array(Type.String(), { description: 'The changed fields.' })),
    requiredPermission: Type.Optional(Type.String({ description: 'The missing permission.' })),
    grantedPermissions: Type.Optional(
      Type.Array(Type.String(), { description: 'The permissions of the credential.' }),
    ),
    limit: Type.Optional(
      Type.Enum(limitNames, {
        description: 'The limit that forbids it, as in `readMe`.',
      }),
    ),
    retryAfterSeconds: Type.Optional(Type.Integer({ description: 'As in `Retry-After`.' })),
    oldestCursor: Type.Optional(Type.String({ description: 'The cursor of the oldest event kept.' })),
    issues: Type.Optional(Type.Array(PostIssue, { description: 'What the check found.' })),
    reviewUrl: Type.Optional(Type.String({ description: 'Where a person decides.' })),
  },
  { $id: 'Problem', additionalProperties: true, description: 'A problem (RFC 9457).' },
)
