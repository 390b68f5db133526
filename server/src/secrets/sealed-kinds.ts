import { sealedClients } from '../channels/oauth-client-store.ts'
import { sealedGrants } from '../channels/sealed-grants.ts'
import { sealedFlows } from '../connect/connect-flow-store.ts'
import { sealedCanary } from '../platform/installation-store.ts'
import type { SealedKind } from '../platform/sealed-kind.ts'
import { sealedMail } from '../mail/mail-store.ts'
import { sealedTotpSecrets } from '../sign-in/sealed-totp.ts'
import { sealedSigningSecrets } from '../webhooks/sealed-signing-secrets.ts'

/** Everything that is stored sealed. What is missing here would be lost with the key that sealed it. */
export const sealedKinds: readonly SealedKind[] = [
  sealedGrants,
  sealedSigningSecrets,
  sealedTotpSecrets,
  sealedClients,
  sealedFlows,
  sealedMail,
  sealedCanary,
]
