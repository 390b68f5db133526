import { sealedClients } from '../../networks/channels/network-client-store.ts'
import { sealedAuthorizations } from '../../networks/channels/sealed-authorizations.ts'
import { sealedFlows } from '../../accounts/connect/connect-flow-store.ts'
import { sealedCanary } from '../../platform/sealing/installation-store.ts'
import type { SealedKind } from '../../platform/sealing/sealed-kind.ts'
import { sealedMail } from '../../people/mail/mail-store.ts'
import { sealedTotpSecrets } from '../../people/sign-in/second-factor/sealed-totp.ts'
import { sealedSigningSecrets } from '../../engine/webhooks/sealed-signing-secrets.ts'

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
