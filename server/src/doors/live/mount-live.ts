import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { problemSender } from '../../edge/api/documents/problem.ts'
import { openRequestsOf } from '../../content/approvals/approval-store.ts'
import { findMembership } from '../../people/members/member-store.ts'
import { feedEnd, type FeedPosition, readFeed } from '../../engine/outbox/event-feed-store.ts'
import { browserOf } from '../../people/sign-in/session/browser.ts'
import { findSession } from '../../people/sign-in/session/session-store.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { refuse } from '../../edge/operations/refusal.ts'
import { runPeriodically } from '../../platform/loops/run-periodically.ts'
import { isUuid } from '../../platform/text/uuid.ts'

export type LiveParts = {
  readonly db: Db
  readonly baseUrl: string
  readonly onFault: (fault: unknown) => void
}

const LOOK_MS = 1_000
const CHECK_MS = 5_000
const PAGE = 100
const PAGES = 10
const STREAMS_PER_PERSON = 6
/** What a client has not taken at this size, it is too slow for: it is sent away, and catches up when it returns. */
const UNREAD_MAX_BYTES = 256 * 1_024
/** After how long a browser comes back, in milliseconds. */
const RETRY_MS = 2_000

type Listener = {
  readonly workspaceId: string
  readonly personId: string
  /** The secret of the session. */
  readonly session: string
  readonly stream: Readable
  position: FeedPosition
  /** A word for the requests for approval that were open at the latest look. */
  requests: string
}

/**
 * Server-sent events (WHATWG HTML, 9.2) over the outbox: what changes in a workspace, for those who look at it. Each
 * message carries the position after it; who comes back with it (`Last-Event-ID`, or `after`) misses nothing, and is
 * told to refetch everything (`reset`) when what follows it is no longer kept. All streams end with the server.
 */
export function mountLive(app: FastifyInstance, { db, baseUrl, onFault }: LiveParts): void {
  const listeners = new Set<Listener>()
  const site = siteOf(baseUrl)
  const sendProblem = problemSender(baseUrl)
  const look = runPeriodically(() => notifyAll(db, listeners), LOOK_MS, onFault)
  const check = runPeriodically(() => closeEndedStreams(db, listeners), CHECK_MS, onFault)

  app.addHook('preClose', async () => {
    for (const { stream } of listeners) stream.push(null)
    await Promise.all([look.stop(), check.stop()])
  })

  app.get<{ Params: { workspaceId: string }; Querystring: { after?: unknown } }>(
    '/app/api/workspaces/:workspaceId/live',
    async (request, reply) => {
      request.operationId = 'live'
      const { session } = browserOf(request, reply, site)
      const signedIn = session === null ? null : await findSession(db, session, { isUse: false })
      if (session === null || signedIn === null)
        return sendProblem(request, reply, refuse('not_signed_in', 'Sign in, then repeat the request.'))
      const { workspaceId } = request.params
      const { personId } = signedIn
      const member = isUuid(workspaceId) ? await findMembership(db, workspaceId, personId) : null
      if (member === null) {
        const detail = "This workspace doesn't exist, or you are not a member of it."
        return sendProblem(request, reply, refuse('not_found', detail))
      }
      const position =
        readPosition(request.headers['last-event-id'] ?? request.query.after) ??
        (await feedEnd(db, workspaceId))
      const requests = (await openRequestsOf(db, [workspaceId])).get(workspaceId) ?? ''
      // Nothing is awaited from here on: streams that are opened at once are counted one by one.
      const own = [...listeners].filter((one) => one.personId === personId)
      if (own.length >= STREAMS_PER_PERSON) {
        const detail = `You have ${STREAMS_PER_PERSON} streams open. Close one, or wait until one has ended.`
        return sendProblem(request, reply, refuse('rate_limited', detail, { retryAfterSeconds: 30 }))
      }
      const stream = new Readable({ read: () => undefined })
      const listener: Listener = { workspaceId, personId, session, stream, position, requests }
      listeners.add(listener)
      stream.once('close', () => listeners.delete(listener))
      stream.push(`retry: ${RETRY_MS}\n${message('ready', position, '{}')}`)
      return reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(stream)
    },
  )
}

function readPosition(sent: unknown): FeedPosition | null {
  const [, seq, eventId] = /^(\d{1,18}):([0-9a-f-]{36})?$/.exec(typeof sent === 'string' ? sent : '') ?? []
  if (seq === undefined || (eventId !== undefined && !isUuid(eventId))) return null
  return { seq, eventId: eventId ?? null }
}

function message(event: string, { seq, eventId }: FeedPosition, data: string): string {
  return `id: ${seq}:${eventId ?? ''}\nevent: ${event}\ndata: ${data}\n\n`
}

/** One read for all who stand at the same place of the same workspace. */
async function notifyAll(db: Db, listeners: ReadonlySet<Listener>): Promise<void> {
  const groups = Map.groupBy(listeners, ({ workspaceId, position: { seq, eventId } }) =>
    [workspaceId, seq, eventId].join(' '),
  )
  for (const group of groups.values()) await notify(db, group)
  await notifyOfRequests(db, listeners)
}

/** That a request for approval has lapsed is no event of the outbox: who may have to decide is told that others are open now. */
async function notifyOfRequests(db: Db, listeners: ReadonlySet<Listener>): Promise<void> {
  if (listeners.size === 0) return
  const open = await openRequestsOf(db, [...new Set([...listeners].map(({ workspaceId }) => workspaceId))])
  for (const listener of listeners) {
    const requests = open.get(listener.workspaceId) ?? ''
    if (requests === listener.requests) continue
    listener.requests = requests
    await tell(db, listener, 'changed', listener.position, '[]')
  }
}

async function notify(db: Db, group: readonly Listener[]): Promise<void> {
  const [first] = group
  if (first === undefined) return
  for (let pages = 0; pages < PAGES; pages++) {
    const page = await readFeed(db, first.workspaceId, first.position, PAGE)
    if ('expired' in page) {
      const end = await feedEnd(db, first.workspaceId)
      await Promise.all(group.map((listener) => tell(db, listener, 'reset', end, '{}')))
      return
    }
    if (page.bodies.length === 0) return
    const data = `[${page.bodies.map((body) => body.toString('utf8')).join(',')}]`
    await Promise.all(group.map((listener) => tell(db, listener, 'changed', page.position, data)))
    if (!page.hasMore) return
  }
}

/** Ends the stream instead, of who may not listen any more. */
async function tell(
  db: Db,
  listener: Listener,
  event: string,
  position: FeedPosition,
  data: string,
): Promise<void> {
  listener.position = position
  if (!(await mayListen(db, listener))) return void listener.stream.push(null)
  listener.stream.push(message(event, position, data))
  if (listener.stream.readableLength > UNREAD_MAX_BYTES) listener.stream.destroy()
}

/** Ends the streams of people who have signed out or are members no longer, and shows the others that it is alive. */
async function closeEndedStreams(db: Db, listeners: ReadonlySet<Listener>): Promise<void> {
  for (const listener of listeners)
    listener.stream.push((await mayListen(db, listener)) ? ': still here\n\n' : null)
}

async function mayListen(db: Db, { session, workspaceId, personId }: Listener): Promise<boolean> {
  if ((await findSession(db, session, { isUse: false })) === null) return false
  return (await findMembership(db, workspaceId, personId)) !== null
}
