import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from '../serve-beside.ts'
import { fateOf, hasEnded, postOf, textOf } from './faults.ts'
import { LATENCY_SIGMA, NETWORKS } from './plan.ts'
import { random } from './random.ts'

/*
 * The networks of the big day, in a process of their own: one server for each, which speak as the sandbox network does,
 * take their time, and fail as `faults.ts` says. They count what comes. An account's token is the number of its channel.
 * Arguments: the seed and the number of posts.
 */

export type NetworkState = {
  /** Since when no call is being answered; null while one is. Those that are never answered do not count. */
  idleSinceMs: number | null
  calls: number
  lookups: number
}

const [seed = 0, posts = 0] = process.argv.slice(2).map(Number)
const draw = random(seed)
/** By post: when its first call came, in Unix milliseconds, how many calls came, and how many of them were stored. */
const firstCalls = new Float64Array(posts)
const calls = new Uint8Array(posts)
const stored = new Uint8Array(posts)
/** By account: each stored post with its time. */
const timelines = new Map<number, { post: number; atMs: number }[]>()
const away = new Set<number>()
let open = 0
let idleSinceMs = Date.now()
let lookups = 0
let allCalls = 0

const urls = await Promise.all(NETWORKS.map(async (_, network) => listen(network)))
const control = await listenTo(answerControl)
process.send?.({ url: control })
process.once('disconnect', () => process.exit())

function listen(network: number): Promise<string> {
  return listenTo((request, response) => {
    const atMs = performance.timeOrigin + performance.now()
    readBody(request, (body) => answer(network, atMs, request, body, response))
  })
}

async function listenTo(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(onRequest)
  server.keepAliveTimeout = 60_000
  server.requestTimeout = 0
  return listenLocally(server)
}

function readBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => then(Buffer.concat(chunks).toString()))
}

function answer(
  network: number,
  atMs: number,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  open += 1
  const latencyMs = (NETWORKS[network]?.medianMs ?? 0) * Math.exp(LATENCY_SIGMA * draw.normal())
  const channel = Number(request.headers.authorization?.replace('Bearer ', ''))
  const act =
    request.method === 'GET'
      ? () => showTimeline(network, channel, response)
      : publish(
          { network, channel, atMs, post: postOf((JSON.parse(body) as { text: string }).text) },
          response,
        )
  setTimeout(() => {
    act()
    open -= 1
    idleSinceMs = Date.now()
  }, latencyMs)
}

type PublishCall = { network: number; channel: number; atMs: number; post: number }

/** What is to be answered after the latency. What is stored is stored at once. */
function publish({ network, channel, atMs, post }: PublishCall, response: ServerResponse): () => void {
  allCalls += 1
  const call = (calls[post] ?? 0) + 1
  calls[post] = call
  if (call === 1) firstCalls[post] = atMs
  // Half of the answers say that nothing was stored; the others could come from anything in between.
  if (away.has(network))
    return () => (post % 2 === 0 ? refuse(response, 503, 'outage') : reply(response, 502, {}))
  if (hasEnded(seed, channel)) return () => refuse(response, 401, 'invalid_token')
  const fate = fateOf(seed, post, call)
  if (fate === 'stored' || fate === 'stored in silence') store(channel, post)
  switch (fate) {
    case 'stored':
      return () => reply(response, 201, remotePost(channel, post, Date.now()))
    case 'rate limited':
      return () => refuse(response, 429, 'rate_limited', 2 + Math.floor(draw.uniform() * 8))
    case 'refused for now':
      return () => refuse(response, 503, 'outage', 5)
    case 'failed':
      return () => reply(response, 502, {})
    case 'stored in silence':
      return () => response.destroy()
    case 'never answered':
      return () => undefined
  }
}

function store(channel: number, post: number): void {
  stored[post] = (stored[post] ?? 0) + 1
  const timeline = timelines.get(channel)
  const entry = { post, atMs: Date.now() }
  if (timeline === undefined) timelines.set(channel, [entry])
  else timeline.push(entry)
}

/** The newest hundred: no account gets more between a call and its look-up. */
function showTimeline(network: number, channel: number, response: ServerResponse): void {
  lookups += 1
  if (away.has(network)) return reply(response, 502, {})
  const newest = (timelines.get(channel) ?? []).slice(-100).toReversed()
  reply(response, 200, { items: newest.map(({ post, atMs }) => remotePost(channel, post, atMs)) })
}

function remotePost(channel: number, post: number, atMs: number) {
  return {
    id: String(post),
    status: 'published',
    url: `http://127.0.0.1/${post}`,
    text: textOf(post),
    inReplyTo: null,
    mediaIds: [],
    createdAt: new Date(atMs).toISOString(),
    account: { id: String(channel) },
  }
}

function refuse(response: ServerResponse, status: number, code: string, retryAfterSeconds?: number): void {
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
  reply(response, status, { error: { code, message: code } })
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function answerControl({ method, url }: IncomingMessage, response: ServerResponse): void {
  const path = new URL(url ?? '/', 'http://control').pathname
  const network = Number(path.slice('/outages/'.length))
  if (path === '/urls') reply(response, 200, urls)
  else if (path === '/first-calls') response.end(Buffer.from(firstCalls.buffer))
  else if (path === '/stored') response.end(Buffer.from(stored.buffer))
  else if (method === 'GET') {
    const state: NetworkState = { idleSinceMs: open === 0 ? idleSinceMs : null, calls: allCalls, lookups }
    reply(response, 200, state)
  } else {
    if (method === 'PUT') away.add(network)
    else away.delete(network)
    response.end()
  }
}
