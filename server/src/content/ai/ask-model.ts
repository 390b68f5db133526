import type { ImageModel, LanguageModel } from 'ai'
import { codeOf } from '../../platform/postgres/db.ts'
import type { CappedFetch } from '../../platform/outbound/capped-fetch.ts'
import { onFirstUse } from '../../platform/process/on-first-use.ts'
import type {
  GenerateText,
  GenerateImage,
  ImageResult,
  Failure,
  FailureCode,
  Message,
  TextRequest,
  TextResult,
  ImageRequest,
  Usage,
} from './model-client.ts'
import {
  type AiAccess,
  type ModelVendor,
  modelVendors,
  type ModelRef,
} from '../../platform/config/ai-access.ts'

/** More than any text or picture needs; a longer answer is not read to its end. */
const MAX_BYTES = 48 * 1024 * 1024

/** Given to the SDK, which would look into the environment for another address. */
const OPENAI = 'https://api.openai.com/v1'
const ANTHROPIC = 'https://api.anthropic.com/v1'

/**
 * Asks models through the AI SDK, which is loaded with the first question: it takes 30 MB. `wire` makes the HTTP calls;
 * our own limited one when left out.
 */
export function openModels(
  access: AiAccess,
  wire?: Fetch,
): { ask: GenerateText; draw: GenerateImage; close(): Promise<void> } {
  const limitedWire = onFirstUse(openWire)
  const ownWire: Fetch = async (...request) => (await limitedWire.get()).fetch(...request)
  const { open, openDrawing } = modelOpener(access, wire ?? ownWire)
  const keys = modelVendors.flatMap((vendor) => access[vendor].apiKey?.reveal() ?? [])
  /** Servers like to quote a key that they refuse. */
  const withoutKeys = (text: string) => keys.reduce((rest, key) => rest.replaceAll(key, '[sealed]'), text)

  async function ask(question: TextRequest, signal: AbortSignal): Promise<TextResult> {
    const sdk = await loadSdk()
    const { system, messages, maxOutputTokens } = question
    const output = sdk.Output.object({ schema: sdk.jsonSchema(question.schema), name: 'drafts' })
    try {
      const result = await sdk.generateText({
        model: await open(question.model),
        system,
        messages: messages.map(sdkMessage),
        // The SDK asks for the schema; whether the answer fits is judged by us, since what does not is repaired.
        output: { ...output, parseCompleteOutput: async ({ text }: { text: string }) => text },
        maxOutputTokens,
        maxRetries: 0,
        abortSignal: signal,
      })
      return replyOf(result.text, result.finishReason, result.usage, result.response.body)
    } catch (fault) {
      const failure = failureOf(fault, signal, sdk.APICallError.isInstance, withoutKeys)
      return { is: 'failed', failure, usage: null }
    }
  }

  async function draw({ model, prompt, ratio }: ImageRequest, signal: AbortSignal): Promise<ImageResult> {
    const sdk = await loadSdk()
    try {
      const { image, usage } = await sdk.generateImage({
        model: await openDrawing(model),
        prompt,
        ...(model.vendor === 'google'
          ? { aspectRatio: nearest(GOOGLE_RATIOS, ratio) }
          : { size: nearest(OPENAI_SIZES, ratio) }),
        maxRetries: 0,
        abortSignal: signal,
      })
      return { is: 'drawn', bytes: image.uint8Array, usage: usageOf(usage) }
    } catch (fault) {
      const none = sdk.NoImageGeneratedError.isInstance(fault)
      const failure = none
        ? { code: 'empty' as const }
        : failureOf(fault, signal, sdk.APICallError.isInstance, withoutKeys)
      return { is: 'failed', failure }
    }
  }
  return { ask, draw, close: async () => (await limitedWire.opened())?.close() }
}

async function loadSdk() {
  // Its warnings would go to the console, past the log.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return import('ai')
}

function sdkMessage({ role, content, pictures = [] }: Message) {
  if (role === 'assistant') return { role, content }
  const images = pictures.map(({ bytes, contentType }) => ({
    type: 'image' as const,
    image: bytes,
    mediaType: contentType,
  }))
  return {
    role,
    content: images.length === 0 ? content : [{ type: 'text' as const, text: content }, ...images],
  }
}

const OPENAI_SIZES = ['1024x1024', '1024x1536', '1536x1024'] as const
const GOOGLE_RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'] as const

/** The one of these proportions, such as `4:3` or `800x600`, that has to be cropped least. */
function nearest<const Size extends `${number}:${number}` | `${number}x${number}`>(
  sizes: readonly [Size, ...Size[]],
  [width, height]: ImageRequest['ratio'],
): Size {
  const loss = (size: Size) => {
    const [w = 1, h = 1] = size.split(/[:x]/).map(Number)
    return Math.abs(Math.log(w / h / (width / height)))
  }
  return sizes.reduce<Size>((best, size) => (loss(size) < loss(best) ? size : best), sizes[0])
}

type Fetch = typeof globalThis.fetch

type Opener = {
  open: (model: ModelRef) => Promise<Exclude<LanguageModel, string>>
  openDrawing: (model: ModelRef) => Promise<Exclude<ImageModel, string>>
}

function modelOpener(access: AiAccess, fetch: Fetch): Opener {
  const baseURL = access.openai.baseUrl ?? OPENAI
  // An empty key instead of none, so that the SDK does not look for one in the environment.
  const keyOf = (vendor: ModelVendor) => access[vendor].apiKey?.reveal() ?? ''

  async function openai() {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ apiKey: keyOf('openai'), baseURL, fetch })
  }
  async function google() {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI({ apiKey: keyOf('google'), fetch })
  }
  async function compatible() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const apiKey = keyOf('openai')
    const key = apiKey === '' ? {} : { apiKey }
    return createOpenAICompatible({ name: 'openai', baseURL, supportsStructuredOutputs: true, fetch, ...key })
  }
  return {
    async open({ vendor, model }) {
      if (vendor === 'google') return (await google())(model)
      if (vendor === 'openai')
        return baseURL === OPENAI ? (await openai())(model) : (await compatible())(model)
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey: keyOf('anthropic'), baseURL: ANTHROPIC, fetch })(model)
    },
    // OpenAI's own client draws everywhere: it alone knows which models must not be told the form of the answer.
    async openDrawing({ vendor, model }) {
      return vendor === 'google' ? (await google()).image(model) : (await openai()).image(model)
    },
  }
}

/** Follows no redirects, since they would carry the key elsewhere. The generation's own time limit holds. */
async function openWire(): Promise<CappedFetch> {
  const { openCappedFetch } = await import('../../platform/outbound/capped-fetch.ts')
  const wire = await openCappedFetch({ maxBytes: MAX_BYTES, connectMs: 10_000 })
  return { ...wire, fetch: (url, init) => wire.fetch(url, { ...init, redirect: 'error' }) }
}

type SdkUsage = { inputTokens: number | undefined; outputTokens: number | undefined }

function replyOf(text: string, finishReason: string, used: SdkUsage, body: unknown): TextResult {
  const usage = usageOf(used)
  const code = silenceOf(text, finishReason, body)
  if (code === null) return { is: 'answered', text, usage }
  return { is: 'failed', failure: { code }, usage }
}

function silenceOf(text: string, finishReason: string, body: unknown): FailureCode | null {
  if (finishReason === 'content-filter') return 'refused'
  if (finishReason === 'length') return 'cut_short'
  if (text.trim() !== '') return null
  return hasRefusal(body) ? 'refused' : 'empty'
}

/** Where OpenAI's protocol puts a refusal; the SDK drops it. */
function hasRefusal(body: unknown): boolean {
  const choices = (body as { choices?: { message?: { refusal?: unknown } }[] } | undefined)?.choices
  const refusal = Array.isArray(choices) ? choices[0]?.message?.refusal : undefined
  return typeof refusal === 'string' && refusal !== ''
}

function usageOf({ inputTokens, outputTokens }: SdkUsage): Usage | null {
  if (inputTokens === undefined && outputTokens === undefined) return null
  return { inputTokens: whole(inputTokens), outputTokens: whole(outputTokens) }
}

/** What a server says of itself may be anything. */
function whole(count: number | undefined): number {
  return Number.isSafeInteger(count) ? Math.min(Math.max(count ?? 0, 0), 100_000_000) : 0
}

/** What fails before a connection exists: the question was not heard. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|.*_CERT(_.*)?|ERR_TLS_.*)$/

type ApiFault = {
  statusCode?: number | undefined
  responseHeaders?: Record<string, string> | undefined
  message: string
}

function failureOf(
  fault: unknown,
  signal: AbortSignal,
  isApiFault: (fault: unknown) => fault is ApiFault & Error,
  withoutKeys: (text: string) => string,
): Failure {
  if (signal.aborted) return { code: isTimeout(signal.reason) ? 'timeout' : 'gone' }
  const vendorMessage =
    fault instanceof Error ? withoutKeys(fault.message).slice(0, 300) : 'something that is no error'
  if (!isApiFault(fault)) return { code: 'unreadable', vendorMessage }
  const { statusCode, responseHeaders } = fault
  const neverSent = NOT_SENT.test(codeOf(fault.cause) ?? '')
  const code =
    statusCode === undefined ? (neverSent ? 'unreachable' : 'vendor_error') : codeOfStatus(statusCode)
  const seconds = code === 'busy' ? secondsOf(responseHeaders?.['retry-after'] ?? '') : null
  return {
    code,
    vendorMessage,
    ...(seconds === null ? {} : { retryAfterSeconds: Math.min(seconds, 86_400) }),
  }
}

/** Of a `Retry-After` (RFC 9110, 10.2.3), in seconds or as a date; null for none that lies ahead. */
function secondsOf(retryAfter: string): number | null {
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1_000)
  return seconds > 0 ? seconds : null
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}

function codeOfStatus(status: number): FailureCode {
  if (status < 400) return 'unreadable'
  if (status === 401 || status === 403) return 'key_refused'
  if (status === 404) return 'model_unknown'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  return status < 500 && status !== 408 ? 'request_refused' : 'vendor_error'
}
