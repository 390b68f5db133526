import type { HttpResponse } from '../../src/networks/providers/port/calls.ts'
import type {
  Authorization,
  LookupWork,
  PartFile,
  PrepareWork,
  PublishWork,
  UploadWork,
} from '../../src/networks/providers/port/port.ts'

/** When the answers of these tests are given, by the clock of the network. */
export const nine = new Date('2026-11-21T09:00:00Z')

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers: { date: nine.toUTCString(), ...headers }, body: text }
}

/** Of a file whose coding is not known. */
export const NO_CODING = {
  videoCodec: null,
  audioCodec: null,
  frameRate: null,
  audioChannels: null,
  audioSampleRate: null,
}

/** A part to be published, which is a text and nothing else unless it is said. */
export function aPublishWork(authorization: Authorization, change: Partial<PublishWork> = {}): PublishWork {
  return {
    kind: 'post',
    authorization,
    text: 'Hello',
    media: [],
    settings: {},
    parent: null,
    root: null,
    prepared: null,
    files: [],
    idempotencyKey: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
    ...change,
  }
}

/** The same, before its call, and never called before. */
export function aPrepareWork(authorization: Authorization, change: Partial<PrepareWork> = {}): PrepareWork {
  const unbegun = { former: null, refusals: 0, mediaAddresses: [], discarded: [], checkpoint: null }
  return { ...aPublishWork(authorization), now: nine, ...unbegun, ...change }
}

/** The same, whose call was armed on 21 November 2026 at nine, two minutes ago. */
export function aLookupWork(authorization: Authorization, change: Partial<LookupWork> = {}): LookupWork {
  const now = new Date('2026-11-21T09:02:00Z')
  return { ...aPublishWork(authorization), armedAt: nine, now, knownRemoteIds: [], ...change }
}

/** A file that goes with a publish call; nobody reads it. */
export function aPartFile(
  kind: PartFile['kind'],
  contentType: string,
  altText: string | null = null,
): PartFile {
  return { kind, contentType, size: 3, altText, width: 640, height: 480, async *open() {} }
}

/** A file on its way to a network, before the part that shows it. */
export function anUpload(
  authorization: Authorization,
  kind: UploadWork['kind'],
  change: Partial<UploadWork> = {},
): UploadWork {
  const file = { contentType: kind === 'video' ? 'video/mp4' : 'image/png', size: 3, async *open() {} }
  return {
    authorization,
    kind,
    file,
    width: 1,
    height: 1,
    altText: null,
    settings: {},
    before: [],
    checkpoint: null,
    ...change,
  }
}
