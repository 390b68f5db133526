import { sealedClients } from '../channels/network-client-store.ts'
import { sealedAuthorizations } from '../channels/sealed-authorizations.ts'
import { sealedFlows } from '../connect/connect-flow-store.ts'
import { sealedCanary } from '../platform/installation-store.ts'
import type { SealedKind } from '../platform/sealed-kind.ts'
import { sealedMail } from '../mail/mail-store.ts'
import { sealedTotpSecrets } from '../sign-in/sealed-totp.ts'
import { sealedSigningSecrets } from '../webhooks/sealed-signing-secrets.ts'

/** Everything that is stored sealed. What is missing here would be lost with the key that sealed it. */
export const sealedKinds: readonly SealedKind[] = [
  sealedAuthorizations,
  sealedSigningSecrets,
  sealedTotpSecrets,
  sealedClients,
  sealedFlows,
  sealedMail,
  sealedCanary,
]
