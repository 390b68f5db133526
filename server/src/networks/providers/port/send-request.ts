import type { MayBegin } from '../../../platform/outbound/may-begin.ts'
import { onFirstUse } from '../../../platform/process/on-first-use.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../platform/outbound/outbound-http.ts'
import { withQuery } from '../shared/requests.ts'
import { dpopProof } from './signing-keys.ts'
import {
  type RequestAuthorization,
  type Call,
  type CallAnswer,
  type HttpRequest,
  type HttpResponse,
  type Multipart,
  SECRET_IN_PATH,
  SERVER_ADDRESS,
} from './calls.ts'

type SendOptions = {
  readonly call: Outbound['call']
  readonly talk: Outbound['talk']
  /** The time limit of one call, its repetition with a DPoP nonce included. */
  readonly totalMs: number
  /** Where people and networks reach this server; it replaces SERVER_ADDRESS in requests. */
  readonly serverAddress?: string
}

/** Signing takes a library that no other network needs. */
const nostr = onFirstUse(() => import('./nostr-sending.ts'))

/** How many origins' nonces are remembered. */
const MAX_NONCES = 1_000

/**
 * Puts requests of adapters on the wire: authorises them, and writes out their bodies. A DPoP nonce is remembered for
 * each origin, as each answer gives it. An answer that asks for a nonce (RFC 9449, 8 and 9) says that the request was
 * refused before it was processed: that one is sent again, once, within the time of the first.
 */
export function openSender({
  call: callOut,
  talk,
  totalMs,
  serverAddress = 'http://localhost',
}: SendOptions): Call {
  const nonces = new Map<string, string>()

  function call(
    { headers, ...request }: OutboundRequest,
    signal?: AbortSignal,
    mayBegin?: MayBegin,
  ): Promise<OutboundAnswer> {
    const { 'user-agent': agent, ...others } = headers
    if (agent === undefined) return callOut({ ...request, headers: others }, signal, mayBegin)
    const named = agent.replace(SERVER_ADDRESS, () => serverAddress)
    return callOut({ ...request, headers: { ...others, 'user-agent': named } }, signal, mayBegin)
  }

  async function send(request: HttpRequest, signal?: AbortSignal, mayBegin?: MayBegin): Promise<CallAnswer> {
    const { authorization } = request
    if (request.relays !== undefined)
      return (await nostr.get()).talkWithRelays(request, request.relays, talk, signal, mayBegin)
    if (authorization?.scheme === 'Nostr') {
      const { askSigner, authorizeUpload } = await nostr.get()
      if (request.toSigner !== undefined) return askSigner(request.toSigner, authorization, talk, signal)
      const authorized = await authorizeUpload(request, authorization, talk, signal)
      return 'arrived' in authorized ? authorized : call(outboundOf(request, authorized), signal, mayBegin)
    }
    if (authorization?.scheme !== 'DPoP')
      return call(outboundOf(request, authorize(request)), signal, mayBegin)
    const nonce = nonces.get(request.url.origin) ?? null
    const answer = await sendWithProof(request, authorization, nonce, signal, mayBegin)
    const fresh = nonces.get(request.url.origin) ?? null
    if (!answer.arrived || !wantsNonce(answer.response) || fresh === null || fresh === nonce) return answer
    const limit = AbortSignal.timeout(Math.max(1, Math.floor(totalMs - answer.durationMs)))
    const again = await sendWithProof(
      request,
      authorization,
      fresh,
      signal === undefined ? limit : AbortSignal.any([limit, signal]),
      mayBegin,
    )
    return { ...again, durationMs: answer.durationMs + again.durationMs }
  }

  async function sendWithProof(
    request: HttpRequest,
    { credentials, key }: Extract<RequestAuthorization, { scheme: 'DPoP' }>,
    nonce: string | null,
    signal?: AbortSignal,
    mayBegin?: MayBegin,
  ): Promise<CallAnswer> {
    const { method, url } = request
    const proof = dpopProof(key, { method, url, nonce, token: credentials })
    const headers = { dpop: proof, ...(credentials === null ? {} : { authorization: `DPoP ${credentials}` }) }
    const answer = await call(outboundOf(request, { url, headers }), signal, mayBegin)
    const given = answer.arrived ? answer.response.headers['dpop-nonce'] : undefined
    if (given !== undefined) {
      nonces.delete(url.origin)
      nonces.set(url.origin, given)
      if (nonces.size > MAX_NONCES) nonces.delete(nonces.keys().next().value ?? '')
    }
    return answer
  }

  return send
}

/** Whether an answer refuses the request for want of a nonce: in the header of a resource, or the body of a token endpoint. */
function wantsNonce({ status, headers, body }: HttpResponse): boolean {
  if (status === 401)
    return /\berror="use_dpop_nonce"/.test(headers['www-authenticate'] ?? '') || inBody(body)
  return status === 400 && inBody(body)
}

function inBody(body: string): boolean {
  return /"error"\s*:\s*"use_dpop_nonce"/.test(body)
}

function authorize({ url, authorization }: HttpRequest): { url: URL; headers: Record<string, string> } {
  if (authorization === undefined || authorization.scheme === 'DPoP' || authorization.scheme === 'Nostr')
    return { url, headers: {} }
  if (authorization.scheme !== 'path') {
    const { scheme, credentials, query = {} } = authorization
    return { url: withQuery(url, query), headers: { authorization: `${scheme} ${credentials}` } }
  }
  const secret = new URL(url)
  secret.pathname = url.pathname.replace(SECRET_IN_PATH, () => encodeURI(authorization.credentials))
  return { url: secret, headers: {} }
}

function outboundOf(
  { method, headers, json, form, multipart, file }: HttpRequest,
  authorized: { url: URL; headers: Record<string, string> },
): OutboundRequest {
  const common = { method, url: authorized.url, headers: { ...headers, ...authorized.headers } }
  if (json !== undefined) return { ...common, json }
  if (file !== undefined) return { ...common, file }
  if (multipart !== undefined) return { ...common, file: multipartFile(multipart) }
  if (form === undefined) return common
  return {
    ...common,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...common.headers },
    body: Buffer.from(new URLSearchParams(form).toString()),
  }
}

/** A multipart body as one file: its size is known before it is read. */
function multipartFile({ boundary, parts }: Multipart) {
  const heads = parts.map((part) => Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const bodies = parts.map((part) => ('file' in part ? part.file : Buffer.from(part.value)))
  const size = [...heads, ...bodies].reduce(
    (sum, piece) => sum + ('size' in piece ? piece.size : piece.byteLength),
    end.byteLength + 2 * parts.length,
  )
  async function* open(): AsyncGenerator<Uint8Array> {
    for (const [place, head] of heads.entries()) {
      yield head
      const body = bodies[place]
      if (body !== undefined && 'open' in body) yield* body.open()
      else if (body !== undefined) yield body
      yield Buffer.from('\r\n')
    }
    yield end
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, size, open }
}

function headOf(part: Multipart['parts'][number]): string {
  const name = `content-disposition: form-data; name="${quoted(part.name)}"`
  if ('file' in part) {
    return `${name}; filename="${quoted(part.fileName)}"\r\ncontent-type: ${part.file.contentType}`
  }
  return part.contentType === undefined ? name : `${name}\r\ncontent-type: ${part.contentType}`
}

/** As browsers write names (HTML, multipart/form-data encoding algorithm). */
function quoted(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
