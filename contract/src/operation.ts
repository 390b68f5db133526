import type { Static, TSchema } from 'typebox'
import type { Right } from './app/roles.ts'
import type { ProblemCode } from './problems.ts'

type Method = 'GET' | 'POST' | 'DELETE'

/** One thing the API can do: the source of its route, its validation, its types and its documentation. */
export type Operation = {
  /** OpenAPI operationId, metric label and scope of idempotency keys. Never changes. */
  readonly id: string
  readonly at: `${Method} /${string}`
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** What the credential or the member's role needs; null where any valid credential will do. */
  readonly permission: Right | null
  /**
   * Whom it is for: an agent with a credential; that agent and also, as an operation of its own, a member; a member of a
   * workspace who is signed in; a person who is signed in, about themselves; anyone who is yet to sign in.
   */
  readonly asks: 'agent' | 'agent or member' | 'member' | 'person' | 'anyone'
  /** Whether a person must have shown who they are within the last minutes. */
  readonly fresh?: true
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  /** How many mebibytes of JSON the body may have, where that is not 1. */
  readonly bodyMebibytes?: number
  /** What is checked of the body as a whole, where each row of it is checked, and may be refused, on its own. */
  readonly checkedBody?: TSchema
  /**
   * A file that comes along: then the request is multipart/form-data, and `body` describes its other fields. Instead of it, the
   * field `urlField` of a form or of JSON may name the address that it is fetched from.
   */
  readonly file?: { readonly field: string; readonly urlField: string; readonly description: string }
  /**
   * Where the idempotency key travels; absent where the operation changes nothing. An optional one may not be empty; one
   * that stands in header and body is the same in both. With `none` there is no key, and each request is an effect of
   * its own.
   */
  readonly idempotency?: 'header or body' | 'header' | 'optional header' | 'none'
  readonly answer: {
    readonly status: 200 | 201
    readonly schema: TSchema
    readonly description: string
    /** The answer is no JSON but bytes, of one of these types. */
    readonly bytes?: readonly string[]
  }
  /** The refusals that are this operation's own; those that every route shares are added by `problemsOf`. */
  readonly problems: readonly ProblemCode[]
  /** Of these sets of fields a body has exactly one, for the documentation: the operation itself says what is wrong with others. */
  readonly oneOf?: readonly (readonly string[])[]
  /** A field that may stand for those of `oneOf`, and beside them. */
  readonly unless?: string
  /** A request that works on a fresh installation, for the documentation. */
  readonly example?: unknown
  /** Further ones, by what they show. */
  readonly examples?: Readonly<Record<string, unknown>>
}

/** Whether an agent asks for it, with a credential. */
export function isForAgents({ asks }: Operation): boolean {
  return asks === 'agent' || asks === 'agent or member'
}

/** Declares an operation, keeping its literal types. */
export function operation<const O extends Operation>(declared: O): O {
  return declared
}

type InputOf<O extends Operation, K extends 'params' | 'query' | 'body'> = O[K] extends TSchema
  ? Static<O[K]>
  : undefined

/** What a handler of the operation is given once the request has passed its schemas. */
export type Input<O extends Operation> = {
  params: InputOf<O, 'params'>
  query: InputOf<O, 'query'>
  body: InputOf<O, 'body'>
}

/** Bytes to answer with. They never change under the same `tag`. */
export type Bytes = {
  readonly contentType: string
  readonly size: number
  /** Names this version of the bytes, and tells nothing about them: visible ASCII without quotes. */
  readonly tag: string
  readonly lastModified: Date
  /** How a browser that saves it calls it. */
  readonly fileName: string
  /** Opens the bytes from `start` to `end`, both inclusive; the whole when left out. */
  readonly open: (range?: {
    readonly start: number
    readonly end: number
  }) => Promise<AsyncIterable<Uint8Array>>
}

export type Answer<O extends Operation> = O['answer'] extends { readonly bytes: readonly string[] }
  ? Bytes
  : Static<O['answer']['schema']>

/** The refusals a handler of the operation may return. */
export type RefusalCode<O extends Operation> = O['problems'][number]

/** What operations with something in common may all answer with. */
type SharedProblems = {
  /** Of which operations, in words that continue a list: the first is for every operation. */
  readonly where: string
  readonly has: (op: Operation) => boolean
  readonly codes: readonly ProblemCode[]
}

export const sharedProblems: readonly SharedProblems[] = [
  {
    where: 'Any operation',
    has: () => true,
    // Even an operation without parameters refuses parameters that it does not know, and headers that say two things.
    codes: ['malformed_request', 'validation_failed', 'rate_limited', 'internal_error', 'not_ready'],
  },
  { where: 'with a credential', has: isForAgents, codes: ['invalid_credential', 'credential_limit'] },
  {
    where: 'with a session',
    has: (op) => !isForAgents(op) && op.asks !== 'anyone',
    codes: ['not_signed_in'],
  },
  {
    where: 'a change in a browser',
    has: (op) => !isForAgents(op) && op.idempotency !== undefined,
    codes: ['cross_site_request', 'arrived_late'],
  },
  { where: 'with a fresh proof', has: ({ fresh }) => fresh === true, codes: ['fresh_proof_required'] },
  { where: 'with a permission', has: ({ permission }) => permission !== null, codes: ['missing_permission'] },
  {
    where: 'with an id in its path, or in a workspace',
    has: ({ params, asks }) => params !== undefined || asks === 'member',
    codes: ['not_found'],
  },
  {
    where: 'with `confirmed`',
    has: ({ body }) =>
      body !== undefined && 'properties' in body && 'confirmed' in (body.properties as object),
    codes: ['confirmation_required'],
  },
  {
    where: 'with an idempotency key',
    has: ({ idempotency }) => idempotency !== undefined && idempotency !== 'none',
    codes: ['idempotency_key_required', 'idempotency_in_progress', 'idempotency_key_reused'],
  },
  {
    where: 'of bytes',
    has: ({ answer }) => answer.bytes !== undefined,
    codes: ['precondition_failed', 'range_not_satisfiable'],
  },
]

/** Every problem that the operation can answer with, the shared ones included. */
export function problemsOf(op: Operation): ProblemCode[] {
  const shared = sharedProblems.filter(({ has }) => has(op)).flatMap(({ codes }) => codes)
  return [...new Set([...shared, ...op.problems])]
}

/** Those of them that say something of this operation alone. */
export function ownProblemsOf(op: Operation): ProblemCode[] {
  const shared = sharedProblems.filter(({ has }) => has(op)).flatMap(({ codes }) => codes)
  return op.problems.filter((code) => !shared.includes(code))
}
