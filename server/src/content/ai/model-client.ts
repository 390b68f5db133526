import type { ModelRef } from '../../platform/config/ai-access.ts'

/*
 * What a model is to the rest: it is asked with messages and a schema, and replies with a text or with a failure in
 * our words. It has no tools, and nothing of what it says is acted on before it has been checked.
 */

export type Picture = { readonly bytes: Uint8Array; readonly contentType: string }

export type Message = {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly pictures?: readonly Picture[]
}

export type TextRequest = {
  readonly model: ModelRef
  readonly system: string
  readonly messages: readonly Message[]
  /** JSON Schema of the answer. Not every server heeds it. */
  readonly schema: object
  readonly maxOutputTokens: number
}

export type Usage = { readonly inputTokens: number; readonly outputTokens: number }

export type FailureCode =
  | 'timeout'
  | 'gone'
  | 'unreachable'
  | 'key_refused'
  | 'model_unknown'
  | 'busy'
  | 'request_refused'
  | 'vendor_error'
  | 'unreadable'
  | 'refused'
  | 'empty'
  | 'cut_short'

export type Failure = {
  readonly code: FailureCode
  /** The vendor's own time to wait, where it named one. */
  readonly retryAfterSeconds?: number
  /** What the vendor said, for the log alone. */
  readonly vendorMessage?: string
}

/** `usage` is null where the vendor did not tell. */
export type TextResult =
  | { readonly is: 'answered'; readonly text: string; readonly usage: Usage | null }
  | { readonly is: 'failed'; readonly failure: Failure; readonly usage: Usage | null }

/** Asks once, without repeating. Never throws for what the vendor does. */
export type GenerateText = (question: TextRequest, signal: AbortSignal) => Promise<TextResult>

export type ImageRequest = {
  readonly model: ModelRef
  readonly prompt: string
  /** Width to height; the picture may come in another. */
  readonly ratio: readonly [number, number]
}

export type ImageResult =
  | { readonly is: 'drawn'; readonly bytes: Uint8Array; readonly usage: Usage | null }
  | { readonly is: 'failed'; readonly failure: Failure }

/** Has one picture drawn, without repeating. Never throws for what the vendor does. */
export type GenerateImage = (request: ImageRequest, signal: AbortSignal) => Promise<ImageResult>

/** How many tokens a text may be to a model: three bytes each, which is more than any common tokeniser makes of it. */
export function estimateTokens(...texts: readonly string[]): number {
  return Math.ceil(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0) / 3)
}

const notRun = new Set<FailureCode>([
  'unreachable',
  'key_refused',
  'model_unknown',
  'busy',
  'request_refused',
])

/** Whether the vendor may have done the work, and charge for it, all the same. */
export function mayHaveRun({ code }: Failure): boolean {
  return !notRun.has(code)
}

/** What the asker is told of a failure, and what to do. */
export function failureSentence({ code }: Failure, modelId: string): string {
  return `${sentences[code](modelId)} Nothing was stored.`
}

const sentences: Record<FailureCode, (modelId: string) => string> = {
  timeout: (id) =>
    `${id} did not finish in time. Try again, ask for less, or ask your server operator to raise AI_TIMEOUT_SECONDS.`,
  gone: () => 'The request was cancelled because the client disconnected.',
  unreachable: (id) => `The vendor of ${id} cannot be reached. Try again in a minute.`,
  key_refused: (id) =>
    `The vendor of ${id} refuses the key of this server. Ask your server operator to correct it.`,
  model_unknown: (id) =>
    `The vendor does not know the model ${id}. Choose another model, or ask your server operator to correct AI_MODEL.`,
  busy: (id) => `The vendor of ${id} accepts no more requests right now. Try again later.`,
  request_refused: (id) =>
    `The vendor of ${id} refused the request. Ask for something else, or try another model.`,
  vendor_error: (id) => `The vendor of ${id} failed. Try again in a minute.`,
  unreadable: (id) =>
    `The answer of the vendor of ${id} cannot be read. Check that it speaks the right protocol.`,
  refused: (id) => `${id} refused to do this. Ask for something else.`,
  empty: (id) => `${id} returned nothing. Try again, or try another model.`,
  cut_short: (id) =>
    `${id} was not finished when its tokens were used up. Ask for less, or ask your server operator to raise AI_MAX_OUTPUT_TOKENS.`,
}
