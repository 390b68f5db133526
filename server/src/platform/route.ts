import type { Answer, Input, Operation, Permission, RefusalCode } from '@postrider/contract'
import type { Db, Tx } from './db.ts'
import type { Answered, IdempotentRequest, KeyRefusal, Recorded } from './idempotency.ts'
import type { Refusal } from './refusal.ts'

/** Whoever makes this request, and the workspace it acts in. */
export type Caller = {
  readonly workspaceId: string
  readonly credential: {
    readonly id: string
    readonly type: 'agent_key' | 'oauth'
    readonly name: string
    readonly permissions: readonly Permission[]
    readonly expiresAt: Date | null
  }
  readonly member: { readonly id: string; readonly name: string; readonly email: string }
}

/**
 * What a handler works with. A write (an operation with an idempotency key) is given the transaction in
 * which its idempotency record is stored: effect and record are kept together or not at all, and a
 * refusal rolls both back. A read is given the pool.
 */
export type Context<O extends Operation> = {
  readonly caller: Caller
  readonly sql: O extends { idempotency: string } ? Tx : Db
}

export type Handler<O extends Operation> = (
  input: Input<O>,
  context: Context<O>,
) => Promise<Answer<O> | Refusal<RefusalCode<O>>>

/** An operation with the code that carries it out. */
export type Route = {
  readonly operation: Operation
  readonly handle: (input: never, context: never) => Promise<unknown>
  /** Whether the handler keeps the idempotency record itself. */
  readonly keepsRecord?: true
  /** The path of what a 201 created, for the `Location` header. */
  readonly location?: (answer: never) => string
}

/** Joins an operation and its handler; a refusal that the operation does not declare does not compile. */
export function route<O extends Operation>(
  operation: O,
  handle: Handler<O>,
  more: { location?: (answer: Answer<O>) => string } = {},
): Route {
  return { operation, handle, ...more }
}

/**
 * What the handler of a write works with that asks somebody outside: no transaction can be held for as long as that
 * takes. It claims the key itself before, and records its answer under it after.
 */
export type OutsideContext<O extends Operation> = {
  readonly caller: Caller
  readonly db: Db
  readonly request: IdempotentRequest
  /** Aborted when the client has gone away. */
  readonly gone: AbortSignal
  /** The answer as it is sent and recorded. */
  readonly render: (answer: Answer<O>) => Recorded
}

/** As `route`, for a handler that keeps the idempotency record itself. */
export function outsideRoute<O extends Operation>(
  operation: O,
  handle: (
    input: Input<O>,
    context: OutsideContext<O>,
  ) => Promise<Answered | Refusal<RefusalCode<O> | KeyRefusal>>,
  more: { location?: (answer: Answer<O>) => string } = {},
): Route {
  return { operation, handle, keepsRecord: true, ...more }
}
