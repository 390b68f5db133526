import type { Sql, Tx } from '../../platform/postgres/db.ts'

/** Any JSON; no secret may stand in it. */
export type AuditValue =
  | string
  | number
  | boolean
  | null
  | readonly AuditValue[]
  | { readonly [name: string]: AuditValue }

/** What the audit log is to say of an act besides who, what and when. No secret may stand in it. */
export type ActDetails = {
  /** Ids of what was changed, beyond those in the path and the answer. */
  readonly subject?: Readonly<Record<string, string>>
  readonly before?: AuditValue
  readonly after?: AuditValue
}

/** Something that a person or a credential has changed. */
export type Act = ActDetails & {
  /** Null when it concerns a person alone. */
  readonly workspaceId: string | null
  readonly actor: {
    readonly type: 'person' | 'agent_key' | 'oauth' | 'operator' | 'service'
    /** Of the person, the key or the grant; null for an operator. */
    readonly id: string | null
    readonly name: string
    /** Whose act it is, or in whose name; null for none. */
    readonly personId: string | null
  }
  /** The id of the operation. */
  readonly action: string
  readonly address: string | null
  readonly requestId: string | null
}

/** Writes an act into the audit log, in the transaction of its change: with the commit. */
export type RecordAct = (tx: Sql | Tx, act: Act) => Promise<void>
