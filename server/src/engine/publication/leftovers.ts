import type { Adapter, Made } from '../../networks/providers/port/port.ts'
import type { Intent, Leftover, LeftoverEnd, Lease, WaitingUpload } from '../queue/work.ts'
import { loadAdapter, performProcedure } from './adapter-exchange.ts'
import type { Engine } from './engine-port.ts'
import { afterExpiry, withFreshAuthorization } from './fresh-authorization.ts'
import { untilStored } from './settle-attempt.ts'

/*
 * What is made at a network before a call, such as a private video, is noted as soon as it is made. The call that shows it has it
 * forgotten. Where its destination ends without it, it is removed.
 */

/** What a part that waits, or is tried again, has made. */
export function madeBy(upload: WaitingUpload | undefined): Partial<Made> {
  return upload === undefined ? {} : { media: upload.uploaded, checkpoint: upload.checkpoint }
}

export async function noteDrafts(
  engine: Engine,
  { leftovers }: Pick<Adapter, 'leftovers'>,
  intent: Pick<Intent, keyof Lease | 'attemptId'>,
  { media = [], prepared = null, checkpoint = null }: Partial<Made>,
): Promise<void> {
  const names = leftovers?.named({ media, prepared, checkpoint }) ?? []
  if (names.length > 0) await untilStored(engine, () => engine.store.noteDrafts(intent, [...new Set(names)]))
}

/** How often it is tried to remove something, over four days: see `LEFTOVER_WAITS_S`. */
const MAX_TRIES = 8
const MAX_CALLS = 4

/** Tries, once, to remove what no call shows any more. */
export async function discardLeftover(engine: Engine, leftover: Leftover): Promise<void> {
  const end = (await discard(engine, leftover)) ?? (leftover.tried < MAX_TRIES ? null : 'failed')
  if (end !== null) await engine.store.endLeftover(leftover, end)
}

/** Null: it is tried again later. */
async function discard(engine: Engine, leftover: Leftover): Promise<LeftoverEnd | null> {
  const loaded = await loadAdapter(engine, leftover)
  const adapter = loaded.is === 'done' ? loaded.value : undefined
  if (adapter?.leftovers == null || !leftover.connected || leftover.authorizationUnreadable === true)
    return null
  const authorized = await withFreshAuthorization(engine, adapter, leftover)
  if ('refused' in authorized) return null
  const context = { adapter, exchange: 'leftovers.discard', subject: leftover }
  const work = { authorization: authorized.subject.authorization, name: leftover.name }
  const ran = await performProcedure(engine, context, adapter.leftovers.discard, work, {
    maxCalls: MAX_CALLS,
  })
  if (ran.is !== 'done') return null
  switch (ran.outcome.is) {
    case 'removed':
    case 'gone':
    case 'used':
      return ran.outcome.is
    case 'expired':
      await afterExpiry(engine, leftover)
      return null
    case 'reauthorize':
      await engine.store.disconnect(leftover)
      return null
    case 'unavailable':
      return null
  }
}
