import type { Db, Tx } from '../../platform/postgres/db.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { lockPerson, type SignInFacts } from './person-sign-in-store.ts'
import { holdSession, type SignedIn } from './session/session-store.ts'

/**
 * Runs what a signed-in person changes about themselves. Their session is looked up again in the transaction and
 * kept until it ends: what was sent before it ended, and arrives after, changes nothing. The person is locked first, as by
 * everything that ends sessions, so that two browsers that sign each other out do not wait for each other.
 */
export async function writeSignedIn<T>(
  db: Db,
  signedIn: SignedIn,
  run: (tx: Tx, person: SignInFacts) => Promise<T>,
): Promise<T> {
  return writeInTransaction(db, async (tx) => {
    const { person } = await holdPerson(tx, signedIn)
    return run(tx, person)
  })
}

/** The same of what needs a fresh proof of identity, which must be fresh still. */
export async function writeProven<T>(
  db: Db,
  signedIn: SignedIn,
  run: (tx: Tx, person: SignInFacts) => Promise<T>,
): Promise<T | Refusal<'fresh_proof_required'>> {
  return writeInTransaction(db, async (tx): Promise<T | Refusal<'fresh_proof_required'>> => {
    const { person, fresh } = await holdPerson(tx, signedIn)
    return refuseUnlessFresh({ fresh }) ?? run(tx, person)
  })
}

/** Locks the person and holds their session, for a transaction that keeps what it wrote also where it refuses. */
export async function holdPerson(
  tx: Tx,
  signedIn: SignedIn,
): Promise<{ readonly person: SignInFacts; readonly fresh: boolean }> {
  const person = await lockPerson(tx, signedIn.personId)
  const { fresh } = await holdSession(tx, signedIn)
  if (person === null) throw new ChangedMeanwhile()
  return { person, fresh }
}

/** A person who changes how they sign in has to have shown who they are just before. */
export function refuseUnlessFresh({
  fresh,
}: Pick<SignedIn, 'fresh'>): Refusal<'fresh_proof_required'> | null {
  return fresh ? null : refuse('fresh_proof_required', 'Confirm your identity, then try again.')
}
