import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { codeOf } from '../process/error-code.ts'
import { guardedConnector, type ConnectOptions } from './guarded-connect.ts'
import { isMostlyFraming } from './framing.ts'
import { type MayBegin, TOO_LATE } from './may-begin.ts'
import { NotConnected } from './not-connected.ts'

export type SocketExchange = {
  /** `http:` for `ws:`, and `https:` for `wss:`. It was checked (`targetFault`). */
  readonly url: URL
  /** Sent when the connection stands. */
  readonly opening: readonly string[]
  /** Hears each message, and says what is sent next. */
  readonly hear: (message: string) => { readonly send: readonly string[]; readonly ends: boolean }
}

export type SocketLimits = ConnectOptions & {
  /** From the start to the message that ends it. */
  readonly totalMs: number
  /** Of all messages together; more ends it. */
  readonly maxBytes: number
  readonly userAgent: string
}

/**
 * How a talk went. `maybeSent` is false only when nothing of ours can have left but the handshake. `reason` is null where a message
 * ended it, else a code: that of the connection, `HTTP_403` where the handshake was refused with that status, `CLOSED` where the
 * other side ended it first, `TOO_LATE` where a message of ours was not to be sent any more, `TIMEOUT`, `ABORTED`, `BODY_TOO_LARGE` or `MOSTLY_FRAMING`.
 */
export type SocketResult = {
  readonly maybeSent: boolean
  readonly messages: readonly string[]
  readonly reason: string | null
}

/**
 * Talks over a WebSocket to a permitted address: one connection, no redirect, no repeat, no compression, one time limit over
 * everything. Nothing of ours but the handshake is sent once `mayBegin` is false. Never throws.
 */
export async function talkOverSocket(
  { url, opening, hear }: SocketExchange,
  limits: SocketLimits,
  signal: AbortSignal,
  mayBegin: MayBegin = () => true,
): Promise<SocketResult> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)])
  const reasonNow = () => (signal.aborted ? 'ABORTED' : 'TIMEOUT')
  let socket: Socket
  try {
    socket = await connect(url, limits)
  } catch (failure) {
    return { maybeSent: false, messages: [], reason: codeOf(failure) ?? 'UNKNOWN' }
  }
  const ended = Promise.withResolvers<string | null>()
  const messages: string[] = []
  let [maybeSent, bytes, frames] = [false, 0, 0]
  const client = new WebSocket(url, {
    createConnection: () => socket,
    headers: { 'user-agent': limits.userAgent },
    // What is small on the wire must not be large here.
    perMessageDeflate: false,
    maxPayload: limits.maxBytes,
    followRedirects: false,
    // Else the client closes by itself when 60 pings come at once; here `count` limits them.
    autoPong: false,
  })
  /** Whether it may go on. */
  const count = (size: number) => {
    frames += 1
    bytes += size
    if (bytes > limits.maxBytes) ended.resolve('BODY_TOO_LARGE')
    else if (isMostlyFraming(frames, bytes)) ended.resolve('MOSTLY_FRAMING')
    else return true
    return false
  }
  const sendAll = (messages: readonly string[]) => {
    for (const message of messages) {
      if (!mayBegin()) return ended.resolve(TOO_LATE)
      maybeSent = true
      client.send(message)
    }
  }
  client.on('open', () => sendAll(opening))
  client.on('message', (data: Buffer) => {
    const message = data.toString()
    count(Buffer.byteLength(message))
    messages.push(message)
    const { send, ends } = hear(message)
    sendAll(send)
    if (ends) ended.resolve(null)
  })
  client.on('ping', (data) => {
    if (count(data.length)) client.pong(data)
  })
  client.on('unexpected-response', (_request, { statusCode }) => ended.resolve(`HTTP_${statusCode}`))
  client.on('error', (failure) => ended.resolve(codeOf(failure) ?? 'UNKNOWN'))
  client.on('close', () => ended.resolve('CLOSED'))
  const onLimit = () => ended.resolve(reasonNow())
  limit.addEventListener('abort', onLimit)
  if (limit.aborted) onLimit()
  const reason = await ended.promise
  limit.removeEventListener('abort', onLimit)
  client.removeAllListeners('message')
  if (reason === null) client.close()
  else client.terminate()
  // A peer that does not answer our farewell keeps nothing open.
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
  return { maybeSent, messages, reason }
}

const FAREWELL_MS = 1_000

function connect({ protocol, hostname, host, port }: URL, limits: SocketLimits): Promise<Socket> {
  return new Promise((resolve, reject) => {
    guardedConnector(limits)({ protocol, hostname, host, port }, (failure, socket) => {
      if (socket === null) reject(failure ?? new NotConnected('UNKNOWN'))
      else resolve(socket)
    })
  })
}
