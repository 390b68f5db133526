import type { LanguageModel } from 'ai'
import { Agent, fetch as undiciFetch } from 'undici'
import { codeOf } from '../platform/db.ts'
import type { Ask, Failure, FailureCode, Question, Reply, Usage } from './asking.ts'
import type { AiAccess, ModelRef } from './model-catalog.ts'

/** More than any text or picture needs; a longer answer is not read to its end. */
const MOST_BYTES = 48 * 1024 * 1024

const OPENAI = 'https://api.openai.com/v1'

/**
 * Asks models through the AI SDK, which is loaded with the first question: it takes 30 MB. `wire` makes the HTTP calls;
 * our own limited one when left out.
 */
export function openModels(access: AiAccess, wire?: Fetch): { ask: Ask; close(): Promise<void> } {
  // The generation's own time limit holds; those of the agent would end slow models earlier.
  const agent = new Agent({ connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 })
  const open = modelOpener(access, wire ?? limitedFetch(agent))

  async function ask(question: Question, signal: AbortSignal): Promise<Reply> {
    const sdk = await loadSdk()
    const { system, messages, maxOutputTokens } = question
    const output = sdk.Output.object({ schema: sdk.jsonSchema(question.schema), name: 'drafts' })
    try {
      const result = await sdk.generateText({
        model: await open(question.model),
        system,
        messages: messages.map(({ role, content }) => ({ role, content })),
        // The SDK asks for the schema; whether the answer fits is judged by us, since what does not is repaired.
        output: { ...output, parseCompleteOutput: async ({ text }: { text: string }) => text },
        maxOutputTokens,
        maxRetries: 0,
        abortSignal: signal,
      })
      return replyOf(result.text, result.finishReason, result.usage, result.response.body)
    } catch (fault) {
      const failure = failureOf(fault, signal, sdk.APICallError.isInstance)
      return { is: 'failed', failure, usage: null, mayHaveRun: mayHaveRun.has(failure.code) }
    }
  }
  return { ask, close: () => agent.destroy() }
}

async function loadSdk() {
  // Its warnings would go to the console, past the log.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return import('ai')
}

type Fetch = typeof globalThis.fetch

function modelOpener(
  access: AiAccess,
  fetch: Fetch,
): (model: ModelRef) => Promise<Exclude<LanguageModel, string>> {
  const { openai, anthropic, google } = access
  // An empty key instead of none, so that the SDK does not look for one in the environment.
  return async ({ provider, model }) => {
    if (provider === 'anthropic') {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey: anthropic.apiKey?.reveal() ?? '', fetch })(model)
    }
    if (provider === 'google') {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI({ apiKey: google.apiKey?.reveal() ?? '', fetch })(model)
    }
    const apiKey = openai.apiKey?.reveal()
    if (openai.baseUrl === null || openai.baseUrl === OPENAI) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey: apiKey ?? '', baseURL: OPENAI, fetch })(model)
    }
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return createOpenAICompatible({
      name: 'openai',
      baseURL: openai.baseUrl,
      supportsStructuredOutputs: true,
      fetch,
      ...(apiKey === undefined ? {} : { apiKey }),
    })(model)
  }
}

/** Follows no redirects, since they would carry the key elsewhere, and reads no more than MOST_BYTES. */
function limitedFetch(agent: Agent): Fetch {
  const call = async (url: string, init?: object) => {
    const response = await undiciFetch(url, { ...init, dispatcher: agent, redirect: 'error' })
    if (response.body === null) return response
    let size = 0
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength
        if (size > MOST_BYTES) controller.error(new Error('The answer is too large.'))
        else controller.enqueue(chunk)
      },
    })
    const body = (response.body as ReadableStream<Uint8Array>).pipeThrough(counting)
    return new Response(body, { status: response.status, headers: [...response.headers] })
  }
  // The two declare the same standard's types apart from each other.
  return call as unknown as Fetch
}

type SdkUsage = { inputTokens: number | undefined; outputTokens: number | undefined }

function replyOf(text: string, finishReason: string, used: SdkUsage, body: unknown): Reply {
  const usage = usageOf(used)
  const code = silenceOf(text, finishReason, body)
  if (code === null) return { is: 'answered', text, usage }
  return { is: 'failed', failure: { code }, usage, mayHaveRun: true }
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

const mayHaveRun = new Set<FailureCode>(['timeout', 'gone', 'provider_error', 'unreadable'])

/** What fails before a connection exists: the question was not heard. */
const UNHEARD =
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
): Failure {
  if (signal.aborted) return { code: isTimeout(signal.reason) ? 'timeout' : 'gone' }
  const said = fault instanceof Error ? fault.message.slice(0, 300) : 'something that is no error'
  if (!isApiFault(fault)) return { code: 'unreadable', said }
  const { statusCode, responseHeaders } = fault
  const unheard = UNHEARD.test(codeOf(fault.cause) ?? '')
  const code =
    statusCode === undefined ? (unheard ? 'unreachable' : 'provider_error') : codeOfStatus(statusCode)
  const seconds = Number(responseHeaders?.['retry-after'])
  const waits = code === 'busy' && Number.isInteger(seconds) && seconds > 0
  return { code, said, ...(waits ? { retryAfterSeconds: Math.min(seconds, 86_400) } : {}) }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}

function codeOfStatus(status: number): FailureCode {
  if (status < 400) return 'unreadable'
  if (status === 401 || status === 403) return 'key_refused'
  if (status === 404) return 'model_unknown'
  if (status === 429 || status === 503 || status === 529) return 'busy'
  return status < 500 && status !== 408 ? 'request_refused' : 'provider_error'
}
