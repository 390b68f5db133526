import type { Db, Tx } from '../../platform/postgres/db.ts'
import type { SealedKind } from '../../platform/sealing/sealed-kind.ts'
import { type Keyring, tryUnseal } from '../../platform/sealing/sealing.ts'

/** What became of one batch: `last` is the id that the next one begins after, null when none is left. */
type Batch = {
  readonly count: number
  /** The ids of values that were damaged. */
  readonly damaged: readonly string[]
  readonly last: string | null
}

/**
 * Re-seals at most `limit` values of a kind under the first key, so that the other keys can be retired. It may run
 * beside servers that have the same keys, and be repeated: what is sealed under the first key is left alone. Damaged
 * values stay as they are.
 */
export async function resealBatch(
  tx: Tx,
  keyring: Keyring,
  kind: SealedKind,
  page: { readonly after: string | null; readonly limit: number },
): Promise<Batch> {
  const older = keyring.keyIds.filter((keyId) => keyId !== keyring.keyId)
  const values = older.length === 0 ? [] : await kind.find(tx, older, page)
  const damaged: string[] = []
  for (const { id, context, sealed } of values) {
    const plaintext = tryUnseal(keyring, sealed, context)
    if (plaintext === null) damaged.push(id)
    else await kind.replace(tx, id, keyring.seal(plaintext, context))
  }
  const last = values.length < page.limit ? null : (values.at(-1)?.id ?? null)
  return { count: values.length - damaged.length, damaged, last }
}

/** Re-seals everything of a kind, batch after batch. */
export async function resealAll(
  db: Db,
  keyring: Keyring,
  kind: SealedKind,
  limit: number,
): Promise<{ count: number; damaged: string[] }> {
  let count = 0
  const damaged: string[] = []
  let after: string | null = null
  do {
    const from: string | null = after
    const batch: Batch = await db.begin((tx) => resealBatch(tx, keyring, kind, { after: from, limit }))
    count += batch.count
    damaged.push(...batch.damaged)
    after = batch.last
  } while (after !== null)
  return { count, damaged }
}
