import type { Grant, LookupWork, PartFile, PublishWork } from '../../src/providers/port.ts'

/** A part to be published, which is a text and nothing else unless it is said. */
export function aPublishWork(grant: Grant, change: Partial<PublishWork> = {}): PublishWork {
  return {
    ...{ grant, text: 'Hello', media: [], settings: {}, parent: null, root: null, prepared: null, files: [] },
    idempotencyKey: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
    ...change,
  }
}

/** The same, whose call was armed on 21 November 2026 at nine, two minutes ago. */
export function aLookupWork(grant: Grant, change: Partial<LookupWork> = {}): LookupWork {
  const armedAt = new Date('2026-11-21T09:00:00Z')
  const now = new Date('2026-11-21T09:02:00Z')
  return { ...aPublishWork(grant), armedAt, now, knownRemoteIds: [], ...change }
}

/** A file that goes with a publish call; nobody reads it. */
export function aPartFile(
  kind: PartFile['kind'],
  contentType: string,
  altText: string | null = null,
): PartFile {
  return { kind, contentType, size: 3, altText, width: 640, height: 480, async *open() {} }
}
