import { accepted, examined } from '../port/examinations.ts'
import type { Limits } from '../port/bounds.ts'
import type { Examine } from '../port/port.ts'
import { call } from '../port/procedure.ts'
import { nostrAuthorization } from './authorization.ts'
import { limitsAt } from './connecting.ts'
import { ask, RELAY_LIST, writeRelays } from './relays.ts'
import { refusedSigner } from './signer.ts'

const READ = '2026-11'
const NIPS = 'https://github.com/nostr-protocol/nips/blob/master'
const GRACE_MS = 3_000

/**
 * Whether a relay of the account answers, what its relays take, and whether the remote signer still knows this server. A key has no end
 * and no scopes, and no relay tells what is left of its limits.
 */
export function examineWith(defaults: Limits): Examine {
  return {
    told: {
      access: { by: '`get_public_key` of a remote signer', source: `${NIPS}/46.md`, read: READ },
      limits: { by: '`limitation` of the relays', source: `${NIPS}/11.md`, read: READ },
    },
    *ask({ authorization: stored }) {
      const authorization = nostrAuthorization(stored)
      const relays = writeRelays(authorization)
      const filter = { kinds: [RELAY_LIST], authors: [authorization.pubkey], limit: 1 }
      yield* call(ask(relays, filter, { graceMs: GRACE_MS }))
      const limits = yield* limitsAt(relays, defaults)
      const refused = yield* refusedSigner(authorization)
      return examined(refused ?? accepted(), { account: { subscription: null, limits } })
    },
  }
}
