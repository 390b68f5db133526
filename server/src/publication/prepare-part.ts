import type { Json } from '../providers/calls.ts'
import type { RemoteMedia } from '../providers/port.ts'
import { deferralOf } from './deferrals.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import type { Work, WorkPart } from '../queue/work.ts'
import { performProcedure, publishWorkOf } from './adapter-exchange.ts'
import { afterExpiry } from './fresh-authorization.ts'
import type { PartContext } from './upload-part.ts'

/**
 * Finds out what has to be known before the call: accounts of mentions, a link's card, a record key. Nothing of it is
 * public, so it may be repeated; the result is stored when the attempt is armed, and stays the same for all its calls.
 */
export async function preparePart(
  engine: Engine,
  { adapter, budget }: Pick<PartContext, 'adapter' | 'budget'>,
  work: Work,
  part: WorkPart,
  { media, former }: { readonly media: readonly RemoteMedia[]; readonly former: Json },
): Promise<{ readonly prepared: Json } | { readonly refused: PartRefusal }> {
  if (adapter.prepare === null) return { prepared: null }
  const partWork = publishWorkOf(work, part, media)
  const now = engine.networks?.now() ?? new Date(0)
  const context = { adapter, exchange: 'prepare', subject: work }
  const onAnswer = budget.note('prepare')
  const ran = await performProcedure(
    engine,
    context,
    adapter.prepare,
    { ...partWork, now, former },
    { onAnswer },
  )
  if (ran.is === 'done') {
    const { outcome } = ran
    if (outcome.is === 'prepared') return { prepared: outcome.prepared }
    return { refused: outcome.is === 'expired' ? await afterExpiry(engine, work) : outcome }
  }
  return { refused: deferralOf(ran) }
}
