import type { Adapter, RemoteMedia, UploadVerdict } from '../providers/port.ts'
import type { Conclusion, Work, WorkMedia, WorkPart } from './engine-port.ts'
import type { Engine } from './engine.ts'
import { exchange } from './exchange.ts'

/** Why no part was published: nothing can be unknown about it, since an upload shows nobody anything. */
export type UploadRefusal = Extract<Conclusion, { is: 'rejected' | 'deferred' | 'reauthorize' }>

/**
 * Makes the media of a part known to the provider, in order. Comes before the attempt is armed: uploads may be
 * repeated, and one that was lost leaves nothing but a file that no post shows.
 */
export async function uploadPart(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  part: WorkPart,
): Promise<{ media: RemoteMedia[] } | { refused: UploadRefusal }> {
  const media: RemoteMedia[] = []
  for (const item of part.media) {
    if (engine.stopping.aborted) return { media }
    const verdict = await uploadItem(engine, adapter, work, item)
    if (verdict.is !== 'uploaded') return { refused: verdict }
    media.push({ remoteId: verdict.remoteId, kind: item.kind, altText: item.altText })
  }
  return { media }
}

async function uploadItem(
  engine: Engine,
  adapter: Adapter,
  work: Work,
  item: WorkMedia,
): Promise<Extract<UploadVerdict, { is: 'uploaded' }> | UploadRefusal> {
  const { uploadMedia, limits, displayName } = adapter
  const bounds = limits.media.kinds.find(({ kind }) => kind === item.kind)
  if (uploadMedia === null || bounds === undefined)
    return unfit(`${displayName} takes no media of this kind.`)
  const prepared = await engine.media.prepare(item, bounds).catch(() => null)
  if (prepared === null) return { is: 'deferred', code: 'media_unavailable', afterMs: null }
  if ('unfit' in prepared) return unfit(prepared.unfit)

  try {
    const upload = { grant: work.grant, kind: item.kind, file: prepared.file, altText: item.altText }
    const context = { adapter, exchange: 'uploadMedia', subject: work }
    const reply = await exchange(engine, context, uploadMedia, upload)
    if (reply.is === 'judged') return reply.verdict
    if (reply.is !== 'silent') return { is: 'deferred', code: 'adapter_fault', afterMs: null }
    const code = reply.answer.maybeSent ? 'provider_unavailable' : 'not_reached'
    return { is: 'deferred', code, afterMs: null }
  } finally {
    await prepared.release()
  }
}

function unfit(detail: string) {
  return { is: 'rejected', code: 'media_refused', detail } as const
}
