import type { Json } from '../../networks/providers/port/calls.ts'
import type { Adapter, Limits, RemoteMedia, UploadVerdict } from '../../networks/providers/port/port.ts'
import type { Ran } from '../../networks/providers/port/procedure.ts'
import { deferralOf, MEDIA_UNAVAILABLE, PROVIDER_UNAVAILABLE } from './deferrals.ts'
import type { Engine, PartRefusal } from './engine-port.ts'
import type { WaitingUpload, Work, WorkMedia, WorkPart } from '../queue/work.ts'
import { performProcedure } from './adapter-exchange.ts'
import { afterExpiry } from './fresh-authorization.ts'
import { openMedia } from './open-media.ts'
import type { Budget } from './rate-budget.ts'

/** What its provider is processing: it resumes from here, not before that time. */
export type Paused = { readonly waiting: WaitingUpload; readonly afterMs: number }

/** `upload` is what the next try takes of the uploads. */
type Refused = { readonly refused: PartRefusal; readonly upload?: WaitingUpload }

/** What the parts of one publication have in common. */
export type PartContext = {
  readonly adapter: Adapter
  /** Of the channel, as they are now. */
  readonly limits: Limits
  readonly budget: Budget
}

/**
 * Makes the media of a part known to the provider, in order. Comes before the attempt is armed: uploads may be
 * repeated, and one that was lost leaves nothing but a file that no post shows. What has to wait resumes where it was.
 */
export async function uploadPart(
  engine: Engine,
  context: PartContext,
  work: Work,
  part: WorkPart,
): Promise<{ media: RemoteMedia[] } | Refused | Paused> {
  // The publish call carries the files itself, or the network fetches them.
  if (context.adapter.sendsFiles || context.adapter.fetchesMedia === true) return { media: [] }
  const begun = isOf(part, work.upload) ? work.upload : null
  const media = begun === null ? [] : stillShown(part, begun.uploaded)
  const first = media.length
  const refuse = (refused: PartRefusal, checkpoint: Json = null) => {
    const upload = uploadsOf(context.adapter, part, media, checkpoint)
    return upload === null ? { refused } : { refused, upload }
  }
  for (const item of part.media.slice(first)) {
    if (engine.stopping.aborted) return { media }
    const spent = context.budget.spent()
    if (spent !== null) return refuse(spent)
    const resumed = media.length === begun?.uploaded.length ? begun : null
    const checkpoint = resumed?.checkpoint ?? null
    const verdict = await uploadItem(engine, context, work, item, { before: media, checkpoint })
    // What was cut off by the stop says nothing of the provider.
    if (engine.stopping.aborted) return { media }
    if (verdict.is === 'paused') {
      const { afterMs } = verdict
      const waitedMs = (resumed?.waitedMs ?? 0) + afterMs
      if (waitedMs > engine.processingMs) return refuse(PROVIDER_UNAVAILABLE, verdict.checkpoint)
      return { waiting: { ...stateOf(part, media, verdict.checkpoint), waitedMs }, afterMs }
    }
    if (verdict.is !== 'uploaded') return refuse(verdict, checkpoint)
    media.push(verdict.media)
  }
  return { media }
}

/** What later tries of the part take of its uploads; null where they begin anew. */
export function uploadsOf(
  { keepsUploads }: Adapter,
  part: WorkPart,
  media: readonly RemoteMedia[],
  checkpoint: Json = null,
): WaitingUpload | null {
  const begun = media.length > 0 || checkpoint !== null
  return keepsUploads && begun ? { ...stateOf(part, media, checkpoint), waitedMs: 0 } : null
}

/** What is kept of a part that waits, or is tried again. */
export function stateOf(part: WorkPart, uploaded: readonly RemoteMedia[], checkpoint: Json) {
  return { partIndex: part.index, mediaIds: idsOf(part), uploaded, checkpoint }
}

function idsOf({ media }: WorkPart): readonly string[] {
  return media.map(({ mediaId }) => mediaId)
}

/** Whether uploads are of this part as it is written now. What was stored before there were ids is. */
export function isOf(part: WorkPart, upload: WaitingUpload | null): upload is WaitingUpload {
  if (upload === null || upload.partIndex !== part.index) return false
  return upload.mediaIds === undefined || upload.mediaIds.join() === idsOf(part).join()
}

/** Networks show an image with the alt text that it was uploaded with: one that has another by now, and what follows, is uploaded anew. */
function stillShown(part: WorkPart, uploaded: readonly RemoteMedia[]): RemoteMedia[] {
  const changed = uploaded.findIndex(
    ({ kind, altText }, at) => kind === 'image' && altText !== part.media[at]?.altText,
  )
  return uploaded.slice(0, changed === -1 ? undefined : changed)
}

async function uploadItem(
  engine: Engine,
  { adapter, limits, budget }: PartContext,
  work: Work,
  item: WorkMedia,
  { before, checkpoint }: { readonly before: readonly RemoteMedia[]; readonly checkpoint: Json },
): Promise<
  | (Extract<UploadVerdict, { is: 'uploaded' }> & { readonly media: RemoteMedia })
  | PartRefusal
  | Extract<Ran<never>, { is: 'paused' }>
> {
  const { upload, displayName } = adapter
  if (upload === null) {
    return { is: 'rejected', code: 'media_refused', detail: `${displayName} takes no media.` }
  }
  const taker = { provider: adapter, limits, settings: work.settings }
  const opened = await openMedia(engine, taker, item)
  if ('refused' in opened) return opened.refused

  const { file, failed, release } = opened
  try {
    const { kind, altText, width, height } = file
    const { authorization, settings } = work
    const uploading = { authorization, settings, kind, altText, width, height, file, before, checkpoint }
    const context = { adapter, exchange: 'upload', subject: work }
    const onAnswer = budget.note('upload')
    const ran = await performProcedure(engine, context, upload, uploading, { resumes: true, onAnswer })
    if (failed()) return MEDIA_UNAVAILABLE
    if (ran.is === 'done') {
      const { outcome } = ran
      if (outcome.is === 'expired') return afterExpiry(engine, work)
      if (outcome.is !== 'uploaded') return outcome
      return { is: 'uploaded', media: { ...outcome.media, kind, altText, width, height } }
    }
    if (ran.is === 'paused' && ran.checkpoint !== null) return ran
    return deferralOf(ran)
  } finally {
    await release()
  }
}
