import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { remoteParty } from '../../../platform/outbound/remote-party.ts'
import { hasChunks, watchChunks } from './chunked-body.ts'

/*
 * Every socket of the server, from its accept to its end. A socket is owned here, whatever it speaks: its errors have
 * a listener, its requests are answered one after the other, and it is closed where its peer holds it up.
 */

export type ConnectionRules = {
  /** How many may be open at once. */
  readonly total: number
  /** How many of these may come from one address. */
  readonly perAddress: number
  /** Addresses that stand for many clients, such as a proxy in front: only `total` counts for them. */
  readonly isProxy: (address: string) => boolean
  /** Within this time the head of a request must have come, from its first byte or from the start of the connection. */
  readonly headMs: number
  /** After how long a peer is dropped that takes nothing of its answer. */
  readonly unreadMs: number
  /** How much of all answers may wait in memory to be taken; of what has waited a second, the largest goes first. */
  readonly unreadBytes: number
  /** How often a body that is being read must have grown by `bodyBytes`. */
  readonly bodyMs: number
  readonly bodyBytes: number
  /** Within this time a body without a file must have come whole, however steadily it comes. */
  readonly wholeBodyMs: number
  /** How long, and how much of, what a peer still sends is discarded, so that it comes to read the answer. */
  readonly drainMs: number
  readonly drainBytes: number
  /** How many requests that were sent ahead wait in memory; a connection with more is closed. */
  readonly waiting: number
}

export const CONNECTION_RULES: ConnectionRules = {
  total: 1_000,
  perAddress: 200,
  isProxy: () => false,
  headMs: 15_000,
  unreadMs: 30_000,
  unreadBytes: 64 * 1_048_576,
  bodyMs: 30_000,
  bodyBytes: 16_384,
  wholeBodyMs: 120_000,
  drainMs: 2_000,
  drainBytes: 16 * 1_048_576,
  waiting: 64,
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

type Connection = {
  readonly socket: Socket
  /** Whom it counts for; null where connections are not counted. */
  readonly party: string | null
  /** The request that is being answered. */
  current: Exchange | null
  /** Requests that were sent before the one before them was answered. */
  readonly waiting: Exchange[]
  /** Takes no further request, and is closed when the present one is answered. */
  last: boolean
  /** How many bytes had come when the last answer was complete: no more since then means that it is idle. */
  idleAtBytes: number | null
  /** Since when bytes are known to have come for the next request, whose head has not. */
  headSinceMs: number | null
  /** Whether its timeout is ours: bytes wait to be taken. */
  unread: boolean
  /** How much of a body had come at a time, and when the first look was taken at it. */
  body: { bytes: number; sinceMs: number; begunMs: number } | null
}

/** Why a new connection is not served. */
export type AdmissionFault = 'too_many' | 'too_many_of_address'

export type Connections = {
  readonly rules: ConnectionRules
  readonly open: Map<Socket, Connection>
  readonly perParty: Map<string, number>
  stopping: boolean
}

export function trackConnections(rules: ConnectionRules): Connections {
  return { rules, open: new Map(), perParty: new Map(), stopping: false }
}

/** Takes a new socket in. One for which there is no room is owned all the same, but no request of it is answered. */
export function admit(connections: Connections, socket: Socket): AdmissionFault | null {
  // Each error is followed by `close`, which says all there is to know.
  socket.on('error', () => undefined)
  const { rules, open, perParty } = connections
  const address = socket.remoteAddress
  const party = address === undefined || rules.isProxy(address) ? null : remoteParty(address)
  if (party !== null && (perParty.get(party) ?? 0) >= rules.perAddress && !dropIdle(connections, party)) {
    return 'too_many_of_address'
  }
  if (open.size >= rules.total && !dropIdle(connections) && !dropUnfinished(connections)) return 'too_many'

  const connection: Connection = {
    socket,
    party,
    current: null,
    waiting: [],
    last: false,
    idleAtBytes: null,
    headSinceMs: null,
    unread: false,
    body: null,
  }
  open.set(socket, connection)
  if (party !== null) perParty.set(party, (perParty.get(party) ?? 0) + 1)
  socket.once('close', () => forget(connections, connection))
  return null
}

function forget({ open, perParty }: Connections, { socket, party, waiting }: Connection): void {
  // A socket that was dropped to make room has been forgotten already.
  if (!open.delete(socket)) return
  waiting.length = 0
  if (party === null) return
  const left = (perParty.get(party) ?? 1) - 1
  if (left === 0) perParty.delete(party)
  else perParty.set(party, left)
}

/** Makes room by closing the connection that is kept alive for nothing the longest; of that party where one is named. */
function dropIdle(connections: Connections, party?: string): boolean {
  for (const connection of connections.open.values()) {
    if (party !== undefined && connection.party !== party) continue
    if (!isIdle(connection)) continue
    drop(connections, connection)
    return true
  }
  return false
}

function isIdle({ idleAtBytes, socket }: Connection): boolean {
  return idleAtBytes !== null && idleAtBytes === socket.bytesRead
}

/**
 * Makes room where nothing is idle: of the party that makes the server wait on the most connections, the oldest of those goes. One
 * that comes with its request whole is never among the many, however many others hold theirs back. False when none waits for its peer.
 */
function dropUnfinished(connections: Connections): boolean {
  const waiting = [...connections.open.values()].filter(waitsForPeer)
  const held = new Map<string, number>()
  for (const { party } of waiting) if (party !== null) held.set(party, (held.get(party) ?? 0) + 1)
  // A proxy stands for many: its connections go when there are no others.
  const heldBy = ({ party }: Connection) => (party === null ? 0 : (held.get(party) ?? 0))
  const most = Math.max(...waiting.map(heldBy))
  const oldest = waiting.find((connection) => heldBy(connection) === most)
  if (oldest === undefined) return false
  drop(connections, oldest)
  return true
}

/** Whether it is the peer's turn: the head or the body of its request has not come whole, or it takes nothing of its answer. */
function waitsForPeer(connection: Connection): boolean {
  const { current, unread } = connection
  return current === null ? !isIdle(connection) : unread || awaitsBody(current)
}

function awaitsBody({ request }: Exchange): boolean {
  return !request.complete && request.readableFlowing === true
}

function drop(connections: Connections, connection: Connection): void {
  forget(connections, connection)
  connection.socket.destroy()
}

/**
 * Hands requests to `handle`, those of one connection one after the other: what waits is not read further ahead. Where the
 * body of one comes in too many chunks, it is given up with an answer.
 */
export function inTurns(
  connections: Connections,
  handle: RequestListener,
  chunksAnswer: () => string,
): RequestListener {
  const begin = (connection: Connection, exchange: Exchange): void => {
    const { request, response } = exchange
    connection.current = exchange
    connection.idleAtBytes = null
    connection.headSinceMs = null
    connection.body = null
    // Comes after the last byte was taken, and also when the connection breaks.
    response.once('close', () => {
      const next = finish(connections, connection, request)
      if (next !== null) begin(connection, next)
    })
    handle(request, response)
  }
  const refuseChunks = (connection: Connection): void => {
    stopParsing(connection, connections.rules)
    closeWith(connections, connection.socket, chunksAnswer())
  }
  return (request, response) => {
    const connection = connections.open.get(request.socket)
    if (connection === undefined || connection.last) return
    if (hasChunks(request)) watchChunks(request, () => refuseChunks(connection))
    if (connection.current === null) begin(connection, { request, response })
    else if (connection.waiting.length < connections.rules.waiting) {
      connection.waiting.push({ request, response })
      connection.socket.pause()
    } else connection.socket.destroy()
  }
}

/** Ends the turn of a request. Returns the next one that waits. */
function finish(
  { open, rules, stopping }: Connections,
  connection: Connection,
  request: IncomingMessage,
): Exchange | null {
  const { socket } = connection
  connection.current = null
  connection.unread = false
  if (stopping || socket.destroyed) {
    socket.destroy()
    return null
  }
  const next = connection.waiting.shift() ?? null
  if (next !== null) return next
  if (connection.last) {
    socket.destroySoon()
    return null
  }
  // To be put at the end: the first in the map is the one that has been idle the longest.
  open.delete(socket)
  open.set(socket, connection)
  if (request.complete) connection.idleAtBytes = socket.bytesRead
  else closeUnreadBody(connection, request, rules)
  socket.resume()
  return null
}

/**
 * What was refused before its body had come. A short rest is awaited for a moment, and the connection serves again;
 * else it is closed, once the peer has had the time to read the answer.
 */
function closeUnreadBody(connection: Connection, request: IncomingMessage, rules: ConnectionRules): void {
  const { socket } = connection
  if (isShort(request, rules)) {
    // Not cleared when the connection closes: one that is refused again and again would have a listener for each.
    setTimeout(() => {
      if (!request.complete) socket.destroy()
      else if (connection.current === null) connection.idleAtBytes ??= socket.bytesRead
    }, rules.drainMs).unref()
    return
  }
  connection.last = true
  stopParsing(connection, rules)
  socket.end()
  destroyAfter(socket, rules.drainMs)
}

/** Whether a body has so few bytes, and is so simple, that to parse and to forget it costs nothing. */
function isShort(request: IncomingMessage, { drainBytes }: ConnectionRules): boolean {
  return !hasChunks(request) && Number(request.headers['content-length']) <= drainBytes
}

/**
 * Takes the parser off a connection: what still comes is counted and forgotten as it is. To parse what is not wanted
 * costs a call for each of its chunks, however small, and many of those keep the very timers from running that would
 * end it.
 */
function stopParsing({ socket }: Connection, { drainBytes }: ConnectionRules): void {
  let left = drainBytes
  socket.removeAllListeners('data')
  // A listener also makes Node's parser return the socket, of which it reads past all events.
  socket.on('data', (bytes: Buffer) => {
    left -= bytes.length
    if (left < 0) socket.destroy()
  })
}

/**
 * Ends a connection that speaks no HTTP any more, or not ours, with an `answer`. A request that is being answered is
 * answered first, and then nothing else is said.
 */
export function closeWith({ open, rules }: Connections, socket: Socket, answer: string): void {
  const connection = open.get(socket)
  if (connection?.last === true) return
  const current = connection?.current ?? null
  if (connection !== undefined) {
    connection.last = true
    connection.waiting.length = 0
  }
  const isAnswered = current !== null && (current.request.complete || current.response.headersSent)
  if (!isAnswered) {
    if (socket.writable) socket.end(answer)
    socket.resume()
  }
  destroyAfter(socket, isAnswered ? rules.unreadMs : rules.drainMs)
}

/** Gives up a request that does not arrive: whatever comes of it now is not heard any more. */
function giveUp({ rules }: Connections, connection: Connection, answer: string): void {
  const { socket, current } = connection
  connection.last = true
  connection.waiting.length = 0
  if (current?.response.headersSent === true || !socket.writable) {
    socket.destroy()
    return
  }
  socket.end(answer)
  socket.destroySoon()
  destroyAfter(socket, rules.drainMs)
}

function destroyAfter(socket: Socket, afterMs: number): void {
  const timer = setTimeout(() => socket.destroy(), afterMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Looks at every connection: who takes nothing of its answer, or sends too little of a request, is given up. */
export function inspect(connections: Connections, nowMs: number, lateAnswer: () => string): void {
  const { open, rules } = connections
  dropUnread([...open.values()], rules)
  for (const connection of open.values()) {
    watchAnswer(connection, rules)
    if (headStalls(connection, rules, nowMs) || bodyStalls(connection, rules, nowMs)) {
      giveUp(connections, connection, lateAnswer())
    }
  }
}

/** Peers that leave large answers unread fill no memory together, however short a time each of them may wait. */
function dropUnread(all: readonly Connection[], { unreadBytes }: ConnectionRules): void {
  let total = all.reduce((sum, { socket }) => sum + socket.writableLength, 0)
  if (total <= unreadBytes) return
  // Those that were unread at the last look, too: a peer that reads is given the time to.
  const late = all.filter(({ unread }) => unread)
  for (const { socket } of late.toSorted((a, b) => b.socket.writableLength - a.socket.writableLength)) {
    if (total <= unreadBytes) return
    total -= socket.writableLength
    socket.destroy()
  }
}

/** The timeout of a socket does not run out while bytes of its answer are taken, however few. */
function watchAnswer(connection: Connection, { unreadMs }: ConnectionRules): void {
  const { socket, current } = connection
  const unread = socket.writableLength > 0
  if (unread === connection.unread) return
  connection.unread = unread
  if (unread) socket.setTimeout(unreadMs)
  // Between requests the timeout is Node's, for what is kept alive.
  else if (current !== null) socket.setTimeout(0)
}

/**
 * Node counts the time of a head from its first letter: blank lines before it (RFC 9112, 2.2) would keep a connection
 * alive for as long as they come.
 */
function headStalls(connection: Connection, { headMs }: ConnectionRules, nowMs: number): boolean {
  const { socket, current, idleAtBytes, last } = connection
  if (current !== null || last || idleAtBytes === null || idleAtBytes === socket.bytesRead) return false
  connection.headSinceMs ??= nowMs
  return nowMs - connection.headSinceMs > headMs
}

function bodyStalls(connection: Connection, rules: ConnectionRules, nowMs: number): boolean {
  const { current, socket } = connection
  if (current === null || !awaitsBody(current) || connection.last) {
    connection.body = null
    return false
  }
  const { body } = connection
  const bytes = socket.bytesRead
  if (body === null || bytes - body.bytes >= rules.bodyBytes) {
    connection.body = { bytes, sinceMs: nowMs, begunMs: body?.begunMs ?? nowMs }
  } else if (nowMs - body.sinceMs > rules.bodyMs) return true
  return body !== null && nowMs - body.begunMs > rules.wholeBodyMs && !hasFile(current.request)
}

function hasFile({ headers }: IncomingMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '')
}

/** Closes what nothing is being answered on, now, and the others when they are answered. */
export function stopServing(connections: Connections): void {
  connections.stopping = true
  for (const { socket, current, waiting } of connections.open.values()) {
    waiting.length = 0
    if (current === null) socket.destroy()
  }
}
