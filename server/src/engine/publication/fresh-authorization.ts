import type { Adapter } from '../../networks/providers/port/port.ts'
import { ADAPTER_FAULT, PROVIDER_UNAVAILABLE, TARGET_REFUSED } from './deferrals.ts'
import type { Engine } from './engine-port.ts'
import type { Conclusion, Subject } from '../queue/work.ts'
import { authorizationTimesOf } from './adapter-exchange.ts'

/** An access token that ends sooner is refreshed before it is used: uploads and the call itself take their time. */
const MIN_LIFE_MS = 60_000

type Refused = { readonly refused: Extract<Conclusion, { is: 'deferred' | 'reauthorize' }> }

/** The subject with an access token that lasts for a while; or why there is none. */
export async function withFreshAuthorization<S extends Subject>(
  engine: Pick<Engine, 'networks' | 'onAdapterFault'>,
  adapter: Adapter,
  subject: S,
): Promise<{ readonly subject: S } | Refused> {
  const { networks } = engine
  if (adapter.refresh === null || networks === undefined) return { subject }
  const times = authorizationTimesOf(engine, adapter, subject)
  if (times.is === 'adapter_fault') return { refused: ADAPTER_FAULT }
  const { accessEndsAt } = times.value
  const leftMs = accessEndsAt === null ? Infinity : accessEndsAt.getTime() - networks.now().getTime()
  if (leftMs > MIN_LIFE_MS) return { subject }
  const refreshed = await networks.refresh(subject, subject.connection)
  switch (refreshed.is) {
    case 'authorized':
      return {
        subject: { ...subject, authorization: refreshed.authorization, connection: refreshed.connection },
      }
    case 'ended':
      return { refused: { is: 'reauthorize' } }
    case 'unavailable':
      // Where the network may have ended the old tokens, the next try asks once more: by the answer it is known which it is.
      return leftMs > 0 && refreshed.lost !== true ? { subject } : { refused: deferralFor(refreshed) }
  }
}

/**
 * What follows when the provider says that the access token is over: another one, and a new try at once. When that is
 * not the first try, something else is wrong, and the waits grow.
 */
export async function afterExpiry(
  { networks }: Pick<Engine, 'networks'>,
  subject: Subject,
): Promise<Refused['refused']> {
  if (networks === undefined) return { is: 'reauthorize' }
  const refreshed = await networks.refresh(subject, subject.connection)
  if (refreshed.is === 'ended') return { is: 'reauthorize' }
  if (refreshed.is === 'unavailable') return deferralFor(refreshed)
  return { is: 'deferred', code: 'access_renewed', afterMs: subject.tries === 0 ? 0 : null }
}

function deferralFor({ refusedTarget }: { readonly refusedTarget?: true }) {
  return refusedTarget === true ? TARGET_REFUSED : PROVIDER_UNAVAILABLE
}
