import { Readable } from 'node:stream'
import { openOutbound } from '../../src/platform/outbound/outbound-http.ts'
import type { Call } from '../../src/networks/providers/port/calls.ts'
import { openSender } from '../../src/networks/providers/port/send-request.ts'
import { sandboxShort } from '../../src/networks/providers/sandbox/sandbox.ts'
import type { Engine, PreparedMedia } from '../../src/engine/publication/engine-port.ts'
import type { EngineStore, Settlement, Subject, Work, WorkMedia } from '../../src/engine/queue/work.ts'
import { noMedia } from './no-media.ts'
import { noOutages } from './no-outages.ts'
import { openRawReceiver, openReceiver } from './receiver.ts'

/* The engine without a database or a network, for tests of single steps: a test says what matters to it. */

export const aSubject: Omit<Subject, 'parts'> = {
  workspaceId: 'w',
  destinationId: 'd',
  postId: 'p',
  channelId: 'c',
  provider: 'sandbox-short',
  connected: true,
  connection: 'first',
  settings: {},
  tries: 0,
  origin: 'http://network.test',
  authorization: { baseUrl: 'http://network.test', accessToken: 'secret', accountId: 'a' },
  subscription: null,
  limits: null,
}

/** Claimed work of one part for each text. */
export function aWork(texts: readonly string[], change: Partial<Work> = {}): Work {
  return {
    ...aSubject,
    fence: 1,
    orphan: false,
    attempt: null,
    lateMs: 0,
    probe: null,
    upload: null,
    suspected: false,
    formers: [],
    discarded: [],
    parts: texts.map((text, index) => ({
      index,
      firstComment: false,
      status: 'pending',
      text,
      media: [],
      remoteId: null,
    })),
    ...change,
  }
}

export const anImage: WorkMedia = {
  mediaId: 'm',
  kind: 'image',
  contentType: 'image/png',
  sizeBytes: 6,
  width: 1,
  height: 1,
  durationMs: null,
  videoCodec: null,
  audioCodec: null,
  frameRate: null,
  audioChannels: null,
  audioSampleRate: null,
  animated: false,
  altText: null,
  storageKey: 'w/m',
}

/** An image as it is to be sent, made of these pieces; reading fails at one that is an error. */
export function aFile(...pieces: readonly (string | Error)[]): PreparedMedia {
  const bytes = pieces.map((piece) => (piece instanceof Error ? piece : Buffer.from(piece)))
  async function* open() {
    for (const piece of bytes) {
      if (piece instanceof Error) throw piece
      yield piece
    }
  }
  return {
    file: { contentType: 'image/png', size: 6, open: () => Readable.from(open()) },
    width: 1,
    height: 1,
    release: async () => undefined,
  }
}

/** A video of 64 MB, which no line takes in at once. */
export function aLargeFile(): PreparedMedia {
  const piece = Buffer.alloc(1_048_576)
  async function* open() {
    for (let n = 0; n < 64; n++) yield piece
  }
  return {
    file: { contentType: 'image/png', size: 64 * piece.length, open },
    width: 1,
    height: 1,
    release: async () => undefined,
  }
}

/** A server that resets the connection of each request, as it begins or at its end; all calls go to it. */
export async function openResettingServer(
  at: 'beginning' | 'end',
): Promise<AsyncDisposable & { readonly call: Call }> {
  const server =
    at === 'beginning'
      ? await openRawReceiver((socket) => socket.resetAndDestroy())
      : await openReceiver((_request, _response, raw) => raw.socket.resetAndDestroy())
  const outbound = openOutbound({
    connectMs: 1_000,
    totalMs: 5_000,
    bodyMaxBytes: 10_000,
    userAgent: 'test',
    rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
  })
  const send = openSender({ call: outbound.call, talk: outbound.talk, totalMs: 5_000 })
  return {
    call: (request) => send({ ...request, url: new URL(server.origin) }),
    async [Symbol.asyncDispose]() {
      await outbound.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

export type EngineChange = Partial<Omit<Engine, 'store'>> & { readonly store?: Partial<EngineStore> }

/** An engine that arms whatever it is asked to, and keeps what it settles. A call is an error, unless it is told how. */
export function anEngine({ store, ...change }: EngineChange = {}) {
  const settled: Settlement[] = []
  const engine: Engine = {
    store: {
      arm: async () => true,
      settle: async (settlement: Settlement) => settled.push(settlement) > 0,
      noteLook: async () => undefined,
      ...store,
    } as Partial<EngineStore> as EngineStore,
    providers: new Map([['sandbox-short', sandboxShort]]),
    call: () => Promise.reject(new Error('nobody was to be called')),
    media: noMedia,
    clock: () => 0,
    wait: async () => undefined,
    random: () => 0,
    newId: () => 'attempt',
    outages: noOutages,
    stopping: new AbortController().signal,
    observe: () => undefined,
    onFault: () => undefined,
    onAdapterFault: () => undefined,
    armWindowMs: 5_000,
    callTimeoutMs: 30_000,
    settlingMs: 30_000,
    lateCallMs: 900_000,
    processingMs: 1_800_000,
    ...change,
  }
  return { engine, settled }
}
