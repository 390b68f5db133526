import type { Sql } from '../../platform/postgres/db.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { insertSecret, type EndpointKey } from './endpoint-store.ts'
import { newSigningSecret } from './signing.ts'

/** Makes the secret that signs from now on, and stores it sealed. It is shown to its owner once. */
export async function issueSecret(
  sql: Sql,
  keyring: Pick<Keyring, 'seal'>,
  endpoint: EndpointKey,
): Promise<string> {
  const secret = newSigningSecret()
  await insertSecret(sql, endpoint, {
    id: uuidv7(),
    sealed: keyring.seal(secret, secretContext(endpoint.endpointId)),
  })
  return secret
}

/** Opens the sealed secrets of an endpoint, as a claim brings them. Throws SealBroken when one cannot be opened. */
export function openSecrets(
  keyring: Pick<Keyring, 'unseal'>,
  endpointId: string,
  sealedSecrets: readonly Buffer[],
): string[] {
  return sealedSecrets.map((sealed) => keyring.unseal(sealed, secretContext(endpointId)).toString('utf8'))
}

/** What a signing secret is sealed for. */
export function secretContext(endpointId: string): string {
  return `webhook-secret:${endpointId}`
}
