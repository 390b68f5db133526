import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import { ensureCanary, sealedCanary } from '../../platform/sealing/installation-store.ts'
import {
  createKeyring,
  readKeyring,
  secretKeyFile,
  type SecretKeySource,
} from '../../platform/sealing/secret-keys.ts'
import type { SealedValue } from '../../platform/sealing/sealed-kind.ts'
import { type Keyring, tryUnseal } from '../../platform/sealing/sealing.ts'
import { sealedKinds } from './sealed-kinds.ts'

/** The database holds secrets that none of the keys at hand opens. The message is for people. */
export class SecretKeysMissing extends Error {
  override name = 'SecretKeysMissing'
}

/** What one key has sealed: how many values of which kind. */
export type KeyInUse = {
  readonly keyId: string
  readonly values: readonly { readonly name: string; readonly count: number }[]
}

/** What was given up because its key is lost; `values` in words. */
export type LostSecrets = { readonly keyIds: readonly string[]; readonly values: string }

/** Any number will do, as long as every process takes the same. */
const SECRETS_LOCK = 7_205_759_405

/**
 * The keyring of this installation. Keys are created only where nothing has ever been sealed; where the keys at hand do
 * not open everything, SecretKeysMissing is thrown and nothing is changed. With `acceptLost`, what they do not open is
 * given up instead: those channels have to be reconnected, those endpoints need new signing secrets.
 */
export async function openSecrets(
  db: Db,
  source: SecretKeySource,
  { acceptLost = false } = {},
): Promise<{ keyring: Keyring; lost: LostSecrets | null }> {
  return writeInTransaction(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(${SECRETS_LOCK})`
    const inUse = await keysInUse(tx)
    const atHand = await readKeyring(source)
    const lost = inUse.filter(({ keyId }) => !(atHand?.keyIds ?? []).includes(keyId))
    if (lost.length > 0 && !acceptLost) throw new SecretKeysMissing(whatIsMissing(lost, source, atHand))

    const keyring = atHand ?? (await createKeyring(source))
    if (lost.length > 0) await giveUp(tx, lost)
    await ensureCanary(tx, keyring)
    return { keyring, lost: lost.length === 0 ? null : summaryOf(lost) }
  })
}

/** Every key that has sealed something which is still of use. */
export async function keysInUse(sql: Sql): Promise<KeyInUse[]> {
  const found = []
  for (const { name, keysInUse } of sealedKinds)
    for (const { keyId, count } of await keysInUse(sql)) found.push({ keyId, name, count })
  return [...Map.groupBy(found, ({ keyId }) => keyId)].map(([keyId, uses]) => ({
    keyId,
    values: uses.map(({ name, count }) => ({ name, count })),
  }))
}

/** `3 channel authorizations and 1 endpoint signing secret`; the canary is no loss. */
export function describeKeys(keys: readonly KeyInUse[]): string {
  const sums = new Map<string, number>()
  for (const { name, count } of keys.flatMap(({ values }) => values))
    if (name !== sealedCanary.name) sums.set(name, (sums.get(name) ?? 0) + count)
  const words = [...sums].map(([name, count]) => `${count} ${name}${count === 1 ? '' : 's'}`)
  return words.length === 0 ? 'no secret' : words.join(' and ')
}

/** Values that one of the keys has sealed and does not open: they were changed since. Named by where and which. */
export async function findDamaged(db: Db, keyring: Keyring): Promise<string[]> {
  const damaged: string[] = []
  for (const kind of sealedKinds) {
    let after: string | null = null
    do {
      const page = { after, limit: PAGE }
      const values: SealedValue[] = await db.begin((tx) => kind.find(tx, keyring.keyIds, page))
      for (const { id, context, sealed } of values)
        if (tryUnseal(keyring, sealed, context) === null) damaged.push(`${kind.column} ${id}`)
      after = values.length < PAGE ? null : (values.at(-1)?.id ?? null)
    } while (after !== null)
  }
  return damaged
}

const PAGE = 500

/** Has nothing rely any more on what these keys have sealed. */
export async function giveUp(tx: Tx, lost: readonly KeyInUse[]): Promise<void> {
  const keyIds = lost.map(({ keyId }) => keyId)
  if (keyIds.length > 0) for (const kind of sealedKinds) await kind.giveUp(tx, keyIds)
}

function summaryOf(lost: readonly KeyInUse[]): LostSecrets {
  return { keyIds: lost.map(({ keyId }) => keyId), values: describeKeys(lost) }
}

function whatIsMissing(lost: readonly KeyInUse[], source: SecretKeySource, atHand: Keyring | null): string {
  const path = secretKeyFile(source)
  const { keyIds, values } = summaryOf(lost)
  const one = keyIds.length === 1
  const keys = `${one ? 'the key' : 'the keys'} ${keyIds.join(', ')}`
  const what =
    atHand === null
      ? `${path} is missing, and SECRET_KEYS is not set. The database holds ${values} that only ${keys} ${one ? 'decrypts' : 'decrypt'}.`
      : `${source.secretKeys === null ? path : 'SECRET_KEYS'} lacks ${keys}. The database holds ${values} that only ${one ? 'it decrypts' : 'they decrypt'}.`
  return (
    `${what} Restore ${path} from your backup, or set SECRET_KEYS to the keys that every process of this installation has. ` +
    'If they are lost for good, `postrider serve --accept-lost-secrets` goes on without them: the channels then have to be reconnected, and the endpoints need new signing secrets.'
  )
}
