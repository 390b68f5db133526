import { characterCounter } from '../../networks/providers/shared/characters.ts'
import { mediaIssues } from '../../networks/providers/port/check-media.ts'
import { lengthFault } from '../../networks/providers/port/check-text.ts'
import type { Limits, ProviderFacts } from '../../networks/providers/port/port.ts'
import type { Conclusion, Subject, WorkPart } from '../queue/work.ts'
import { kindOfPart } from '../destinations/part-order.ts'

/** A part that the channel does not take any more, and why. */
export type Excess = {
  readonly part: WorkPart
  readonly conclusion: Extract<Conclusion, { is: 'rejected' }>
}

/**
 * The first part that does not keep within the limits that its channel has now, of those that are not out; null when all
 * do. They were checked when the post was written: since then the account may have lost its subscription, or its server
 * may take less.
 */
export function findExcess(
  provider: Pick<ProviderFacts, 'displayName' | 'check' | 'bounds'>,
  limits: Limits,
  { parts, settings }: Pick<Subject, 'parts' | 'settings'>,
): Excess | null {
  const count = characterCounter()
  for (const part of parts) {
    if (part.status === 'published') continue
    const { text, media, index } = part
    const ofText = [
      lengthFault(text, provider.displayName, limits, count),
      provider
        .check?.({
          kind: kindOfPart(part),
          text,
          index,
          mediaCount: media.length,
          mediaKinds: media.map(({ kind }) => kind),
          mediaSizes: media,
          settings,
          limits,
        })
        .find(({ severity }) => severity === 'error'),
    ].find((fault) => fault != null)
    if (ofText != null) return { part, conclusion: rejected('content_refused', ofText) }
    const { displayName, bounds } = provider
    const ofMedia = mediaIssues(media, { displayName, limits, bounds, settings }).find(
      ({ severity }) => severity === 'error',
    )
    if (ofMedia !== undefined) return { part, conclusion: rejected('media_refused', ofMedia) }
  }
  return null
}

function rejected(
  code: 'content_refused' | 'media_refused',
  { message, fix }: { message: string; fix: string },
): Excess['conclusion'] {
  return { is: 'rejected', code, detail: `${message} ${fix}` }
}
