import { createHash } from 'node:crypto'
import { newKey as makeKey, signJwt as signClaims } from './signing-keys.ts'
import type { Call, CallAnswer, FileToSend, HttpRequest, HttpResponse, Json, PrivateKey } from './calls.ts'

/*
 * A procedure is a talk of several calls with a network, written as a generator:
 *
 *   function* upload(work: UploadWork): Steps<UploadVerdict> {
 *     const begun = yield* call(initialise(work))
 *     if (begun.status !== 200) return judgeRefusal(begun)
 *     …
 *     return { is: 'uploaded', media: { remoteId } }
 *   }
 *
 * The generator is pure: the same work and the same replies give the same steps. `runProcedure` carries the steps out.
 * Any of its calls may be made again, by a later run from the start, so it must make nothing public.
 */

/** What a procedure may ask for. */
export type Step =
  | { readonly is: 'call'; readonly request: HttpRequest; readonly optional: boolean }
  | { readonly is: 'wait'; readonly ms: number; readonly checkpoint: Json }
  | { readonly is: 'card'; readonly url: URL; readonly picture: PictureBounds }
  | { readonly is: 'lack'; readonly lack: CardLack }
  | { readonly is: 'key' }
  | { readonly is: 'digest'; readonly file: FileToSend }
  | { readonly is: 'sign'; readonly key: PrivateKey & { readonly kid: string }; readonly claims: Claims }

export type Steps<Outcome, Reply = unknown> = Generator<Step, Outcome, Reply>
export type Procedure<Work, Outcome> = (work: Work) => Steps<Outcome>

/** What a picture has to keep within. It is scaled and converted, never cropped. */
export type PictureBounds = {
  readonly contentTypes: readonly string[]
  readonly maxBytes: number
  readonly maxWidth: number
  readonly maxHeight: number
}

/** What a page on the web says of itself, for the card of a link to it. */
export type LinkCard = {
  readonly title: string
  readonly description: string
  /** Null when it has none, or none that can be had. Readable until the procedure ends. */
  readonly picture: FileToSend | null
}

/** What a post goes without: the card of its link, or the picture in it; and why. */
export type CardLack = {
  readonly of: 'card' | 'picture'
  readonly why: LackReason
  /** Of the address that it failed at; none where the network refused. */
  readonly host?: string
  /** The HTTP status of the answer, of what was `refused`. */
  readonly status?: number
}

export type LackReason =
  /** This installation opens no such address. */
  | 'forbidden_address'
  | 'no_connection'
  /** Its time was over. */
  | 'slow'
  | 'redirects'
  /** The answer had another status than 200. */
  | 'refused'
  | 'broken_off'
  /** A file of another kind, or packed in a way that was not asked for. */
  | 'no_page'
  | 'untitled'
  /** The page names no picture. */
  | 'not_named'
  /** It names one by no address of the web. */
  | 'invalid_address'
  | 'too_large'
  /** Its decoder or parser gave it up. */
  | 'unreadable'
  /** The network did not take the picture. */
  | 'network'
  /** This server could not do it. */
  | 'fault'

export type Claims = Readonly<Record<string, string | number>>

/* -------------------------------------------------------------------------------------------------- for adapters */

/** Makes a call. Without an answer the procedure ends here, as `silent`; what follows may count on one. */
export function* call(request: HttpRequest): Steps<HttpResponse> {
  return (yield { is: 'call', request, optional: false }) as HttpResponse
}

/** Makes a call that may go unanswered: then it is null. */
export function* tryCall(request: HttpRequest): Steps<HttpResponse | null> {
  return (yield { is: 'call', request, optional: true }) as HttpResponse | null
}

/**
 * Waits for a network that is still processing. `checkpoint` is all that a later run needs in order to go on from here,
 * since a long wait may end the run; give null where there is nothing to go on from. That run begins when the wait is
 * over: it does not wait again.
 */
export function* wait(ms: number, checkpoint: Json): Steps<void> {
  yield { is: 'wait', ms, checkpoint }
}

/**
 * Reads the card of a link: title, description and picture. The page is untrusted: it is fetched without any
 * credential, through the outbound guard, within limits of time and size. Null when there is nothing to show; what is
 * missing, and why, is told on the post.
 */
export function* readCard(url: URL, picture: PictureBounds): Steps<LinkCard | null> {
  return (yield { is: 'card', url, picture }) as LinkCard | null
}

/** Has it told on the post that the network did not take the picture of its card. */
export function* leaveOutPicture(): Steps<void> {
  yield { is: 'lack', lack: { of: 'picture', why: 'network' } }
}

/** A new private key for ES256. */
export function* newKey(): Steps<PrivateKey> {
  return (yield { is: 'key' }) as PrivateKey
}

/** The SHA-256 of a file, in hex. */
export function* digest(file: FileToSend): Steps<string> {
  return (yield { is: 'digest', file }) as string
}

/** Signs a JWT with ES256; `iat` and a fresh `jti` are added to the claims. */
export function* signJwt(key: PrivateKey & { readonly kid: string }, claims: Claims): Steps<string> {
  return (yield { is: 'sign', key, claims }) as string
}

/* ----------------------------------------------------------------------------------------------------- the runner */

/** What carries out the steps. */
export type ProcedureTools = {
  readonly call: Call
  /** Waits; ends early, without an error, when the signal does. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Never throws. `lack` is why there is no card or no picture, `done` says that the picture is needed no longer. */
  readonly readCard: (
    url: URL,
    picture: PictureBounds,
    signal: AbortSignal,
  ) => Promise<{ card: LinkCard | null; lack: CardLack | null; done: () => Promise<void> }>
}

export type RunOptions = {
  /** From now on no further step is taken. */
  readonly signal: AbortSignal
  readonly maxCalls: number
  /** How long it may wait in all before it is paused. */
  readonly maxWaitMs: number
  /** Whoever runs it keeps checkpoints: it is paused at every wait that has one. */
  readonly resumes?: boolean
  /** Sees every answer: what it tells of rate limits is for the caller to read. */
  readonly onAnswer?: (answer: CallAnswer) => void
}

/** How a run ended. It never throws: an adapter that does is a `fault`, which the caller has to show. */
export type Ran<Outcome> =
  | {
      readonly is: 'done'
      readonly outcome: Outcome
      readonly last: CallAnswer | null
      /** What it had to go without. */
      readonly lacks: readonly CardLack[]
    }
  /** A call that it cannot do without was not answered. */
  | { readonly is: 'silent'; readonly answer: Extract<CallAnswer, { arrived: false }> }
  /** It waits longer than a run may: another one goes on from the checkpoint, not before that time. */
  | { readonly is: 'paused'; readonly checkpoint: Json; readonly afterMs: number }
  /** It was stopped from outside, or made more calls than it may. */
  | { readonly is: 'stopped'; readonly why: 'signal' | 'calls' }
  | { readonly is: 'fault'; readonly fault: unknown }

/** Carries a procedure out, step by step. */
export async function runProcedure<Work, Outcome>(
  procedure: Procedure<Work, Outcome>,
  work: Work,
  tools: ProcedureTools,
  { signal, maxCalls, maxWaitMs, resumes = false, onAnswer }: RunOptions,
): Promise<Ran<Outcome>> {
  const cleanups: (() => Promise<void>)[] = []
  const lacks: CardLack[] = []
  let last: CallAnswer | null = null
  let calls = 0
  let waitedMs = 0
  try {
    const steps = procedure(work)
    let reply: unknown
    for (;;) {
      const { done, value } = steps.next(reply)
      if (done === true) return { is: 'done', outcome: value, last, lacks }
      if (signal.aborted) return { is: 'stopped', why: 'signal' }
      switch (value.is) {
        case 'call': {
          if (++calls > maxCalls) return { is: 'stopped', why: 'calls' }
          last = await tools.call(value.request, signal)
          onAnswer?.(last)
          if (!last.arrived && !value.optional) return { is: 'silent', answer: last }
          reply = last.arrived ? last.response : null
          break
        }
        case 'wait':
          waitedMs += value.ms
          if (waitedMs > maxWaitMs || (resumes && value.checkpoint !== null))
            return { is: 'paused', checkpoint: value.checkpoint, afterMs: value.ms }
          await tools.wait(value.ms, signal)
          reply = undefined
          break
        case 'card': {
          const { card, lack, done: cleanup } = await tools.readCard(value.url, value.picture, signal)
          cleanups.push(cleanup)
          if (lack !== null) lacks.push(lack)
          reply = card
          break
        }
        case 'lack':
          lacks.push(value.lack)
          reply = undefined
          break
        case 'key':
          reply = makeKey()
          break
        case 'digest':
          reply = await digestOf(value.file)
          break
        case 'sign':
          reply = signClaims(value.key, value.claims)
          break
        default:
          value satisfies never
      }
    }
  } catch (fault) {
    return { is: 'fault', fault }
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

async function digestOf(file: FileToSend): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of file.open()) hash.update(bytes)
  return hash.digest('hex')
}
