import type { MediaAddress, PublishWork, RemoteMedia } from '../../networks/providers/port/port.ts'
import type { CardLack } from '../../networks/providers/port/procedure.ts'
import { deferralOf, PROVIDER_UNAVAILABLE } from './deferrals.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import type { FormerCall, Work, WorkPart } from '../queue/work.ts'
import { performProcedure, publishWorkOf } from './adapter-exchange.ts'
import { afterExpiry } from './fresh-authorization.ts'
import { isOf, type PartContext, type Paused, stateOf } from './upload-part.ts'

type PreparedPart = {
  readonly prepared: PublishWork['prepared']
  /** What it goes without. */
  readonly lacks: readonly CardLack[]
}

/**
 * Finds out what has to be known before the call: accounts of mentions, a link's card, a record key, a draft. Nothing of it is
 * public, so it may be repeated; the result is stored when the attempt is armed, and stays the same for all its calls. What has
 * to wait resumes where it was.
 */
export async function preparePart(
  engine: Engine,
  { adapter, budget }: Pick<PartContext, 'adapter' | 'budget'>,
  work: Work,
  part: WorkPart,
  {
    media,
    former,
    mediaAddresses,
  }: {
    readonly media: readonly RemoteMedia[]
    /** The last call that carried the same intent, whose draft is still there; null for none. */
    readonly former: Pick<FormerCall, 'prepared' | 'refusals'> | null
    readonly mediaAddresses: readonly MediaAddress[]
  },
): Promise<PreparedPart | { readonly refused: PartRefusal } | Paused> {
  if (adapter.prepare === null) return { prepared: null, lacks: [] }
  const begun = isOf(part, work.upload) && work.upload.preparing === true ? work.upload : null
  const partWork = publishWorkOf(work, part, media)
  const now = engine.networks?.now() ?? new Date(0)
  const context = { adapter, exchange: 'prepare', subject: work }
  const onAnswer = budget.note('prepare')
  const ran = await performProcedure(
    engine,
    context,
    adapter.prepare,
    {
      ...partWork,
      now,
      former: former?.prepared ?? null,
      refusals: former?.refusals ?? 0,
      mediaAddresses,
      discarded: work.discarded,
      checkpoint: begun?.checkpoint ?? null,
    },
    { resumes: true, onAnswer },
  )
  if (ran.is === 'done') {
    const { outcome } = ran
    if (outcome.is === 'prepared') return { prepared: outcome.prepared, lacks: ran.lacks }
    return { refused: outcome.is === 'expired' ? await afterExpiry(engine, work) : outcome }
  }
  if (ran.is !== 'paused' || ran.checkpoint === null) return { refused: deferralOf(ran) }
  const { checkpoint, afterMs } = ran
  const waitedMs = (begun?.waitedMs ?? 0) + afterMs
  if (waitedMs > engine.processingMs) return { refused: PROVIDER_UNAVAILABLE }
  return { waiting: { ...stateOf(part, media, checkpoint), preparing: true, waitedMs }, afterMs }
}
