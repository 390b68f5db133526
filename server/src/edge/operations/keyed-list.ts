import {
  type Answered,
  claimRecord,
  type IdempotentRequest,
  type KeyRecord,
  type Outcome,
  recordAnswer,
  replaceAnswer,
} from './idempotency.ts'
import { isRefusal, refuse, type Refusal } from './refusal.ts'
import type { Tx } from '../../platform/postgres/db.ts'

/** Several things that one call makes, under one key. */
export type KeyedList = {
  /** For each row what an earlier call with this key made of it; null where it is still to be made. */
  readonly earlier: readonly (Answered | null)[]
  /** Records what became of the rows, so that a repeat finds what was made. A call that made nothing leaves no trace. */
  readonly record: (outcomes: readonly Outcome[]) => Promise<void>
}

/** A key of an effect, and whether each row of its list can be told: the fingerprint is null where a row is no request at all. */
type Call = Omit<IdempotentRequest, 'fingerprint' | 'audit'> & {
  readonly fingerprints: readonly (Buffer | null)[]
  /** The status of a row that was made. */
  readonly status: number
}

/**
 * Opens the list of a key, which this transaction holds until its end. Refuses a list that differs from the recorded one in anything
 * else than rows that were refused.
 */
export async function openList(
  tx: Tx,
  { fingerprints, status, ...named }: Call,
): Promise<KeyedList | Refusal<'idempotency_in_progress' | 'idempotency_key_reused'>> {
  const known = await claimRecord(tx, named)
  if (isRefusal(known)) return known
  const earlier = known === null ? fingerprints.map(() => null) : earlierRows(known, fingerprints, status)
  if (isRefusal(earlier)) return earlier
  return {
    earlier,
    record: async (outcomes) => {
      if (!outcomes.some((one) => !isRefusal(one) && !one.replayed)) return
      const { fingerprint, body } = listRecordOf(fingerprints, outcomes)
      const request = { ...named, fingerprint }
      const answer = { status: LIST_STATUS, body }
      if (known === null) recordAnswer(tx, request, answer)
      else await replaceAnswer(tx, request, answer)
    },
  }
}

const LIST_STATUS = 200
const HASH_BYTES = 32

/** The bodies of what was made, with null for each refused row, and the fingerprints of the rows that made it. A body that is a list tells it from the record of one effect. */
function listRecordOf(
  fingerprints: Call['fingerprints'],
  outcomes: readonly Outcome[],
): { fingerprint: Buffer; body: string } {
  const made = fingerprints.filter((_, n) => !isRefusal(outcomes[n]))
  return {
    fingerprint: Buffer.concat(made.flatMap((one) => one ?? [])),
    body: `[${outcomes.map((one) => (isRefusal(one) ? 'null' : one.body)).join(',')}]`,
  }
}

/** All that was made under a key, by one effect or a list, of the body that is recorded for it. */
export function madeIn(body: string): unknown[] {
  const answer = JSON.parse(body) as unknown
  return (Array.isArray(answer) ? answer : [answer]).filter((one) => one !== null)
}

/**
 * Rows are told by what they ask for, and equal ones by their order. A row that was refused may have changed, or be left out: so there
 * can be no more new rows than were refused.
 */
function earlierRows(
  { fingerprint, body }: KeyRecord,
  fingerprints: Call['fingerprints'],
  status: number,
): (Answered | null)[] | Refusal<'idempotency_key_reused'> {
  const answers = JSON.parse(body.toString('utf8')) as unknown
  if (!Array.isArray(answers)) return oneReused()
  const made = answers.filter((answer) => answer !== null)
  const left = made.map((answer, n) => ({
    hash: fingerprint.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
    answered: { status, body: JSON.stringify(answer), replayed: true },
  }))
  const rows = fingerprints.map((one) => {
    const at = left.findIndex(({ hash }) => one?.equals(hash) === true)
    return at < 0 ? null : (left.splice(at, 1)[0]?.answered ?? null)
  })
  const isSame =
    left.length === 0 && rows.filter((row) => row === null).length <= answers.length - made.length
  return isSame ? rows : listReused(made.length)
}

function oneReused(): Refusal<'idempotency_key_reused'> {
  return refuse(
    'idempotency_key_reused',
    'This idempotency key was used to create one post by itself. Use a new key for this list.',
  )
}

function listReused(made: number): Refusal<'idempotency_key_reused'> {
  return refuse(
    'idempotency_key_reused',
    `This idempotency key was used for another list, which created ${made === 1 ? '1 post' : `${made} posts`}. Send that list again, in which only rows that were refused may be changed or left out, or use a new key for a new list.`,
  )
}
