import type { Tx } from '../platform/db.ts'

/**
 * Waits for the writes of a credential that are under way, and keeps later ones waiting until the transaction ends: what it
 * has written stands then, and what comes later finds out whether it still may.
 */
export async function stopWrites(tx: Tx, credentialId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(${lockOf(tx, credentialId)})`
}

/** Keeps a credential from being stopped until the transaction ends, beside other writes of it. */
export async function joinWrites(tx: Tx, credentialId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(${lockOf(tx, credentialId)})`
}

function lockOf(tx: Tx, credentialId: string) {
  return tx`hashtextextended(${`writes ${credentialId}`}, 0)`
}
