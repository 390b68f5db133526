import type { LimitName, PostIssue, ProblemCode } from '@postrider/contract'

/** Extra members of a problem: what a program needs in order to act on it. */
export type RefusalFacts = {
  errors?: {
    pointer: string
    code: string
    detail: string
    candidates?: string[]
    line?: number
    column?: number
    altText?: string
  }[]
  issues?: PostIssue[]
  currentStatus?: string
  allowedStatuses?: readonly string[]
  changedAt?: string
  changedBy?: { readonly type: string; readonly name: string }
  changed?: readonly string[]
  requiredPermission?: string
  grantedPermissions?: readonly string[]
  /** The limit of the credential that forbids it. */
  limit?: LimitName
  retryAfterSeconds?: number
  reviewUrl?: string
  /** Where a feed that cannot be continued begins. */
  oldestCursor?: string
}

/** An expected "no": returned, never thrown, and rendered as a problem at the edge. */
export type Refusal<C extends ProblemCode = ProblemCode> = {
  readonly refused: C
  /** One or two sentences for this request: what is wrong, and what to do. */
  readonly detail: string
  readonly facts: RefusalFacts
}

export function refuse<C extends ProblemCode>(code: C, detail: string, facts: RefusalFacts = {}): Refusal<C> {
  return { refused: code, detail, facts }
}

/** Something that the work needs is away and will be back: thrown, for its message to reach the client as `not_ready`. */
export class Unready extends Error {
  override name = 'Unready'
}

/** A refusal from where none can be returned, such as the opening of a stream. The message is for the log. */
export class ThrownRefusal extends Error {
  override name = 'ThrownRefusal'
  readonly refusal: Refusal

  constructor(refusal: Refusal, message: string, options?: ErrorOptions) {
    super(message, options)
    this.refusal = refusal
  }
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value
}
