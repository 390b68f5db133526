import type { Adapter, FileToSend, Json, RemoteMedia, UploadVerdict } from '../providers/port.ts'
import type { Ran } from '../providers/procedure.ts'
import type { Conclusion, Engine, WaitingUpload, Work, WorkMedia, WorkPart } from './engine-port.ts'
import { afterExpiry } from './fresh-grant.ts'
import { converse } from './exchange.ts'

/** Why no part was published: nothing can be unknown about it, since an upload shows nobody anything. */
export type UploadRefusal = Extract<Conclusion, { is: 'rejected' | 'deferred' | 'reauthorize' }>

/** An upload that its provider is processing: it goes on from here, not before that time. */
type Paused = { readonly waiting: WaitingUpload; readonly afterMs: number }

/**
 * Makes the media of a part known to the provider, in order. Comes before the attempt is armed: uploads may be
 * repeated, and one that was lost leaves nothing but a file that no post shows. What has to wait goes on where it was.
 */
export async function uploadPart(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  part: WorkPart,
): Promise<{ media: RemoteMedia[] } | { refused: UploadRefusal } | Paused> {
  const begun = work.upload?.partIndex === part.index ? work.upload : null
  const media = [...(begun?.uploaded ?? [])]
  const first = media.length
  for (const item of part.media.slice(first)) {
    if (engine.stopping.aborted) return { media }
    const resumed = media.length === first ? begun : null
    const verdict = await uploadItem(engine, adapter, work, item, resumed?.checkpoint ?? null)
    // What was cut off by the stop says nothing of the provider.
    if (engine.stopping.aborted) return { media }
    if (verdict.is === 'paused') {
      const { checkpoint, afterMs } = verdict
      const waitedMs = (resumed?.waitedMs ?? 0) + afterMs
      if (waitedMs > engine.processingMs) return { refused: UNAVAILABLE }
      return { waiting: { partIndex: part.index, uploaded: media, checkpoint, waitedMs }, afterMs }
    }
    if (verdict.is !== 'uploaded') return { refused: verdict }
    const { kind, altText, width, height } = item
    media.push({ ...verdict.media, kind, altText, width, height })
  }
  return { media }
}

async function uploadItem(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  item: WorkMedia,
  checkpoint: Json,
): Promise<
  Extract<UploadVerdict, { is: 'uploaded' }> | UploadRefusal | Extract<Ran<never>, { is: 'paused' }>
> {
  const { upload, limits, displayName } = adapter
  const bounds = limits.media.kinds.find(({ kind }) => kind === item.kind)
  if (upload === null || bounds === undefined) return unfit(`${displayName} takes no media of this kind.`)
  const prepared = await engine.media.prepare(item, bounds).catch(() => null)
  if (prepared === null) return { is: 'deferred', code: 'media_unavailable', afterMs: null }
  if ('unfit' in prepared) return unfit(prepared.unfit)

  const reading = watchReading(prepared.file)
  try {
    const { kind, altText, width, height } = item
    const uploading = { grant: work.grant, kind, altText, width, height, file: reading.file, checkpoint }
    const context = { adapter, exchange: 'upload', subject: work }
    const ran = await converse(engine, context, upload, uploading, { resumes: true })
    // Whatever the call came to, the provider had no whole file.
    if (reading.failed()) return { is: 'deferred', code: 'media_unavailable', afterMs: null }
    if (ran.is === 'done') return ran.outcome.is === 'expired' ? afterExpiry(engine, work) : ran.outcome
    if (ran.is === 'paused' && ran.checkpoint !== null) return ran
    if (ran.is === 'adapter_fault') return { is: 'deferred', code: 'adapter_fault', afterMs: null }
    const notReached = ran.is === 'silent' && !ran.answer.maybeSent
    return { is: 'deferred', code: notReached ? 'not_reached' : 'provider_unavailable', afterMs: null }
  } finally {
    await prepared.release()
  }
}

/** The same file, and whether its bytes could not be read to their end. */
function watchReading(file: FileToSend): { readonly file: FileToSend; readonly failed: () => boolean } {
  let failed = false
  async function* open(range?: { from: number; to: number }): AsyncGenerator<Uint8Array> {
    try {
      yield* file.open(range)
    } catch (fault) {
      failed = true
      throw fault
    }
  }
  return { file: { ...file, open }, failed: () => failed }
}

const UNAVAILABLE = { is: 'deferred', code: 'provider_unavailable', afterMs: null } as const

function unfit(detail: string) {
  return { is: 'rejected', code: 'media_refused', detail } as const
}
