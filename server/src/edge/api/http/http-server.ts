import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../../../platform/process/log.ts'
import { createServer } from '../../../platform/outbound/node-http.ts'
import { refuse } from '../../operations/refusal.ts'
import {
  admit,
  type AdmissionFault,
  closeWith,
  type ConnectionRules,
  type Connections,
  inspect,
  inTurns,
  stopServing,
  trackConnections,
} from './connections.ts'
import { type ParserFault, rawProblem, rawProblemFor } from './raw-problem.ts'

export type HttpServer = {
  /** Makes a server whose requests go to `handle`; called once for each address that is listened on. */
  readonly create: (handle: RequestListener) => Server
  /** Closes connections without a request at once, and the others when they are answered. */
  readonly stopServing: () => void
}

/** A large file on a slow line takes its time; a body that stalls is given up long before (see connections). */
const REQUEST_MS = 3_600_000
/** Longer than load balancers keep a connection alive, so that it is they who close it. */
const KEEP_ALIVE_MS = 72_000
const INSPECTION_MS = 1_000

/**
 * The HTTP/1.1 server, and the one place where the events of its sockets are answered for. Nothing but a request is
 * served: CONNECT, other protocols and what cannot be parsed are refused in words, and closed.
 */
export function httpServer(options: { baseUrl: string; log: Log; rules: ConnectionRules }): HttpServer {
  const connections = trackConnections(options.rules)
  return {
    create: (handle) => openServer(connections, handle, options),
    stopServing: () => stopServing(connections),
  }
}

function openServer(
  connections: Connections,
  handle: RequestListener,
  { baseUrl, log }: { baseUrl: string; log: Log },
): Server {
  const serve = inTurns(connections, handle, () => rawProblem(TOO_MANY_CHUNKS, { baseUrl }))
  const server = createServer(
    {
      // Refused by the lifecycle, in words: Node's own answer has none.
      requireHostHeader: false,
      headersTimeout: connections.rules.headMs,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: INSPECTION_MS,
    },
    serve,
  )
  const refuseSocket = (socket: Socket, fault: ParserFault) =>
    closeWith(connections, socket, rawProblemFor(fault, baseUrl))

  server.on('connection', (socket: Socket) => {
    const fault = admit(connections, socket)
    if (fault !== null) rejectConnection(socket, fault, connections.rules, baseUrl)
  })
  // The go-ahead is given when the body is wanted (see request-lifecycle); whatever else is expected is ignored.
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => refuseSocket(socket, {}))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseSocket(socket as Socket, error))
  // Such as no descriptor left for a new connection: those that are open go on.
  server.on('error', (err) => server.listening && log.warn({ err }, 'a connection could not be accepted'))

  const lateAnswer = () => rawProblemFor({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, baseUrl)
  const inspecting = setInterval(
    () => inspect(connections, performance.now(), lateAnswer),
    INSPECTION_MS,
  ).unref()
  server.once('close', () => clearInterval(inspecting))
  return server
}

const TOO_MANY_CHUNKS = refuse(
  'malformed_request',
  'The body comes in too many small chunks. Send it with a `Content-Length`, or in chunks of some kilobytes.',
)

function rejectConnection(
  socket: Socket,
  fault: AdmissionFault,
  rules: ConnectionRules,
  baseUrl: string,
): void {
  const refusal =
    fault === 'too_many'
      ? refuse('not_ready', 'All connections are taken. Try again in a second.', { retryAfterSeconds: 1 })
      : refuse(
          'rate_limited',
          `More than ${rules.perAddress} connections from this address are open. Close some, or keep fewer alive.`,
          { retryAfterSeconds: 1 },
        )
  socket.end(rawProblem(refusal, { baseUrl }))
  socket.destroySoon()
}
