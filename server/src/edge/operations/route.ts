import type {
  Answer,
  ApprovalPolicy,
  CredentialLimits,
  Input,
  Operation,
  Permission,
  RefusalCode,
  Role,
} from '@postrider/contract'
import type { Readable } from 'node:stream'
import type { ActDetails } from './act.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import type { Answered, IdempotentRequest, KeyRefusal, Recorded } from './idempotency.ts'
import type { Refusal } from './refusal.ts'

/** The caller, and the workspace it acts in. A person's credential is their session. */
export type Caller = {
  readonly workspaceId: string
  readonly credential: {
    readonly id: string
    readonly type: 'agent_key' | 'oauth' | 'person'
    readonly name: string
    readonly permissions: readonly Permission[]
    readonly expiresAt: Date | null
    /** What it is narrowed to besides its permissions. */
    readonly limits: CredentialLimits
    /** What of its posts waits for a person, by the workspace's policy and its own. */
    readonly approval: ApprovalPolicy
  }
  readonly member: {
    readonly id: string
    readonly personId: string
    readonly name: string
    readonly email: string
    readonly role: Role
  }
  /** The operator of the server's machine who acts in the member's name, as their system calls them; left out for everybody else. */
  readonly operator?: string
  /** Left out where nothing can have changed since the request was let in. */
  readonly hold?: Hold
  /** Looks the credential up again, and says whether the caller is still as they are here; left out where no secret is looked up. */
  readonly confirm?: (sql: Sql) => Promise<boolean>
}

/**
 * Looks a caller up again in the transaction of a write, and keeps them as they are until it ends: session or credential,
 * membership, role, limits and policy. Throws `ChangedMeanwhile` where any of that is not what the request was let in with.
 */
export type Hold = (tx: Sql) => Promise<void>

/** Whether nothing of a caller has changed. */
export function isSameCaller(one: Caller, other: Caller): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The caller of a request that concerns no workspace: a person for themselves, or a visitor who is not signed in. */
export type PersonalCaller = {
  readonly workspaceId: null
  readonly credential: { readonly id: string } | null
}

/**
 * What a handler works with. A write (an operation with an idempotency key) is given the transaction in
 * which its idempotency record is stored: effect and record are kept together or not at all, and a
 * refusal rolls both back. A read is given the pool.
 */
export type Context<O extends Operation> = {
  readonly caller: Caller
  readonly sql: O extends { idempotency: string } ? Tx : Db
  /** Aborted when the client has gone away. */
  readonly gone: () => AbortSignal
  /** Says more of a write for the audit log, which names its caller, its operation and the ids in path and answer. */
  readonly audit: (details: ActDetails) => void
}

export type Handler<O extends Operation> = (
  input: Input<O>,
  context: Context<O>,
) => Promise<Answer<O> | Refusal<RefusalCode<O>>>

/** A file as it comes in with a request. */
export type IncomingFile = { readonly bytes: Readable; readonly claimedType: string | null }

/** A file that has been received, and about which nothing is decided. */
export type Upload<Value> = {
  /** Of the bytes as sent, in hexadecimal; null where the request names their address, which is a part of it. */
  readonly sha256: string | null
  /** Everything that has to be done with the file and takes time; outside of any transaction. */
  readonly prepare: () => Promise<Prepared<Value> | Refusal>
  /** Removes what was received. */
  readonly dispose: () => Promise<void>
}

/** What a handler is given of a file. `abandon` undoes what was prepared, when nothing came of the request. */
export type Prepared<Value> = { readonly value: Value; readonly abandon: () => Promise<void> }

export type ReceiveFrom<Value> = (address: string, caller: Caller, gone: AbortSignal) => Upload<Value>

/** An operation with the code that carries it out. */
export type Route = {
  readonly operation: Operation
  readonly handle: (input: never, context: never, file: never) => Promise<unknown>
  /** Takes in the file that comes with the request; for the operations that declare one. */
  readonly receive?: (file: IncomingFile, caller: Caller) => Promise<Upload<unknown> | Refusal>
  /** The same for a file that the request names the address of; nothing is fetched before it is prepared. */
  readonly receiveFrom?: ReceiveFrom<unknown>
  /** What a write without a key does before its transaction is opened, since it takes long: the handler is given what it returns. */
  readonly prepare?: (input: never, context: PrepareContext) => Promise<unknown>
  /**
   * How many writes it is for the rate limit, once it is prepared; one where left out. A request that was within the limit when it came
   * is carried out, and what it is beyond one is taken from those that follow.
   */
  readonly writesOf?: (prepared: never) => number
  /**
   * Whether the handler of a write opens its own transactions, since it calls another service in between: it is given the
   * pool, and answers for its audit entry and, where the operation has a key, for the record of that.
   */
  readonly ownsTransaction?: true
  /**
   * Whether the handler is begun together with the look-up of its credential and, of a write, the claim of its key, in one
   * round trip: until its first statement is answered it does nothing but ask the database.
   */
  readonly pipelined?: true
  /**
   * Of a pipelined read: whether it takes a moment, whatever the workspace holds, so that it may go out together with what others ask in
   * the same turn of the event loop.
   */
  readonly isQuick?: IsQuick
  /** Whether a read leaves an entry in the audit log, as what takes much out of a workspace does. */
  readonly audited?: true
  /** The path of what a 201 created, for the `Location` header. */
  readonly location?: (answer: never) => string
  readonly restricted?: Restricted<never, unknown>
  readonly refuseRepeat?: RefuseRepeat<never>
  /** The rows that a batch consists of: each is carried out as a request of that route. */
  readonly rows?: RowsOf
  /** The same of a read, whose rows its handler answers together. */
  readonly readRows?: ReadRows
}

export type RowsOf = {
  readonly route: Route
  /** The path of such a request, so that its key is the same in a batch and alone. */
  readonly path: string
  readonly baseUrl: string
  /** Takes, in one order, what rows that are carried out in one transaction would otherwise lock in theirs. */
  readonly lockTogether: (tx: Tx, caller: Caller, rows: readonly unknown[]) => Promise<void>
}

/** A batch of requests of another route. The edge carries it out. */
export function batchRoute(operation: Operation, rows: RowsOf): Route {
  return { operation, handle: () => Promise.reject(new Error(`${operation.id} has no handler`)), rows }
}

export type ReadRows = {
  /** What each row is a request of. */
  readonly operation: Operation
  /** The field of a result that has its answer. */
  readonly as: string
  readonly baseUrl: string
}

/**
 * As `route`, for a read of several requests of another operation. A row that is no such request is refused by the edge, and stays
 * refused: the handler answers the others, each knowing of those before it.
 */
export function rowsRoute<O extends Operation, R extends Operation>(
  operation: O,
  readRows: ReadRows & { readonly operation: R },
  handle: (
    rows: readonly (Input<R>['body'] | Refusal)[],
    context: Context<O>,
  ) => Promise<readonly (Answer<R> | Refusal)[]>,
): Route {
  return { operation, handle, readRows }
}

/**
 * What of an answer only credentials with a permission may see. A recorded answer may be repeated to another credential
 * than the first: a caller who lacks the permission by then gets it `without`.
 */
export type Restricted<A, Rest = A> = {
  readonly permission: Permission
  readonly without: (answer: A) => Rest
}

/**
 * Why a caller is not shown what was answered before under a key, which all credentials of a workspace share: because it is beyond what
 * they may see, as the operation itself would refuse it. Null where they are shown it.
 */
export type RefuseRepeat<Repeat> = (
  repeat: Repeat,
  context: { readonly caller: Caller; readonly sql: Db },
) => Promise<Refusal | null>

/** A request that is answered as it was before. */
export type Repeated<O extends Operation> = Input<O> & { readonly answer: Answer<O> }

export type IsQuick = (
  query: Readonly<Record<string, unknown>>,
  credential: Pick<Caller['credential'], 'limits'>,
) => boolean

type RouteOptions<O extends Operation> = {
  pipelined?: true
  audited?: true
  isQuick?: IsQuick
  location?: (answer: Answer<O>) => string
  restricted?: Restricted<Answer<O>>
  refuseRepeat?: RefuseRepeat<Repeated<O>>
}

/** Joins an operation and its handler; a refusal that the operation does not declare does not compile. */
export function route<O extends Operation>(
  operation: O,
  handle: Handler<O>,
  more: RouteOptions<O> = {},
): Route {
  return { operation, handle, ...more }
}

export type PrepareContext = {
  readonly caller: Caller
  readonly db: Db
  /** Aborted when the client has gone away. */
  readonly gone: AbortSignal
}

/** As `route`, for a write without a key that reads what it was sent before its transaction is opened. */
export function preparedRoute<O extends Operation & { idempotency: 'none' }, Value>(
  operation: O,
  prepare: (input: Input<O>, context: PrepareContext) => Promise<Value | Refusal<RefusalCode<O>>>,
  handle: (
    input: Input<O>,
    context: Context<O>,
    prepared: Value,
  ) => Promise<Answer<O> | Refusal<RefusalCode<O>>>,
  more: { writesOf?: (prepared: Value) => number } = {},
): Route {
  return { operation, prepare, handle, ...more }
}

/** As `route`, for a write without a key whose handler opens its own transactions and writes its own audit entry. */
export function ownTransactionRoute<O extends Operation & { idempotency: 'none' }>(
  operation: O,
  handle: (
    input: Input<O>,
    context: { readonly caller: Caller; readonly sql: Db },
  ) => Promise<Answer<O> | Refusal<RefusalCode<O>>>,
): Route {
  return { operation, handle, ownsTransaction: true }
}

/**
 * As `route`, for an operation that takes a file. The file is received first, then prepared, and only then does the
 * handler run, in its transaction and perhaps more than once: all that it has to do is to write.
 */
export function uploadRoute<O extends Operation & { file: object }, Value>(
  operation: O,
  take: {
    receive: (file: IncomingFile, caller: Caller) => Promise<Upload<Value> | Refusal>
    receiveFrom: ReceiveFrom<Value>
  },
  handle: (input: Input<O>, context: Context<O>, file: Value) => Promise<Answer<O> | Refusal<RefusalCode<O>>>,
  more: RouteOptions<O> = {},
): Route {
  return { operation, ...take, handle, ...more }
}

/** What the handler of a write with a key works with that opens its own transactions. */
export type OutsideContext<O extends Operation> = {
  readonly caller: Caller
  readonly db: Db
  readonly request: IdempotentRequest
  /** Aborted when the client has gone away. */
  readonly gone: AbortSignal
  /** The answer as it is sent and recorded. */
  readonly render: (answer: Answer<O>) => Recorded
}

/** As `route`, for a write with a key that its handler claims before it calls another service; it records its answer after. */
export function outsideRoute<O extends Operation>(
  operation: O,
  handle: (
    input: Input<O>,
    context: OutsideContext<O>,
  ) => Promise<Answered | Refusal<RefusalCode<O> | KeyRefusal>>,
  more: RouteOptions<O> = {},
): Route {
  return { operation, handle, ownsTransaction: true, ...more }
}
