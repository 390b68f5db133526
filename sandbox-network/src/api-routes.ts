import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAuthorized, tokenHash, viewAccount } from './accounts.ts'
import type { Account } from './accounts.ts'
import { deliver, drop, send, applyDelay } from './answering.ts'
import { schemas } from './api-schemas.ts'
import { checkPost, storePost, takeFault, viewPostNow } from './create-post.ts'
import type { NewPostBody } from './create-post.ts'
import { effectOf, planFor } from './faults.ts'
import type { Call } from './faults.ts'
import { mediumType, newMediumId, viewMedium } from './media.ts'
import { parsePostId, statusOf, viewPost } from './posts.ts'
import { refuse } from './refusals.ts'
import type { Answer } from './refusals.ts'
import { renderError } from './request-errors.ts'
import type { World } from './world.ts'

const IMAGE_LIMIT_BYTES = 10 * 1024 * 1024
const VIDEO_LIMIT_BYTES = 30 * 1024 * 1024

type PostsQuery = { sinceId?: string; beforeId?: string; limit?: string }

/** The API of the network for its members: bearer token in, JSON out. */
export function addApiRoutes(app: FastifyInstance, world: World): void {
  const { store, counters, baseUrl, nowMs } = world

  app.post<{ Body: NewPostBody }>('/api/v1/posts', {
    schema: { body: schemas.newPost },
    onRequest: (_request, _reply, done) => {
      counters.receive()
      done()
    },
    errorHandler: (error, request, reply) => {
      counters.settle('invalid_request')
      return renderError(error, request, reply)
    },
    handler: (request, reply) => answerCreate(world, request, reply),
  })

  app.get('/api/v1/accounts/me', (request, reply) =>
    answerRead(world, request, reply, (account) => ({
      httpStatus: 200,
      body: viewAccount(account, baseUrl()),
    })),
  )

  app.get<{ Params: { id: string }; Querystring: PostsQuery }>(
    '/api/v1/accounts/:id/posts',
    { schema: { querystring: schemas.postsQuery } },
    (request, reply) =>
      answerRead(world, request, reply, (account) => {
        if (request.params.id !== account.id) return refuse('forbidden')
        const paging = readPaging(request.query)
        if (paging === null) {
          const message = 'limit must be 1 to 100; sinceId and beforeId must be post ids.'
          return refuse('invalid_request', { message })
        }
        const posts = store.newestPosts(nowMs(), { ...paging, accountId: account.id })
        return { httpStatus: 200, body: { items: posts.map((post) => viewPost(post, baseUrl())) } }
      }),
  )

  app.get<{ Params: { id: string } }>('/api/v1/posts/:id', (request, reply) =>
    answerRead(world, request, reply, (account) => {
      const id = parsePostId(request.params.id)
      const post = id === null ? null : store.postById(id)
      if (post === null) return refuse('post_not_found')
      const isPublic = statusOf(post, nowMs()) === 'published'
      if (!isPublic && post.accountId !== account.id) return refuse('post_not_found')
      return viewPostNow(world, post.id)
    }),
  )

  app.post<{ Body: unknown; Querystring: { altText?: string } }>(
    '/api/v1/media',
    { schema: { querystring: schemas.mediaQuery }, bodyLimit: VIDEO_LIMIT_BYTES },
    (request, reply) =>
      answerRead(world, request, reply, (account) => {
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const contentType = mediumType(bytes)
        if (contentType === null) {
          const message = 'The body must be a PNG, JPEG, GIF or WebP image, or an MP4 video.'
          return refuse('invalid_request', { message })
        }
        if (contentType !== 'video/mp4' && bytes.length > IMAGE_LIMIT_BYTES) {
          return refuse('invalid_request', { httpStatus: 413, message: 'An image has at most 10 MiB.' })
        }
        const altText = request.query.altText ?? ''
        const medium = { id: newMediumId(), accountId: account.id, contentType, altText, bytes }
        store.addMedium(medium)
        return { httpStatus: 201, body: viewMedium(medium, baseUrl()) }
      }),
  )
}

async function answerCreate(
  world: World,
  request: FastifyRequest<{ Body: NewPostBody }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { counters, store } = world
  const account = callerOf(world, request)
  const outage = takeOutage(world, {
    kind: 'create',
    accountId: account?.id ?? null,
    text: request.body.text,
  })
  if (outage !== null) {
    counters.settle('outage')
    return send(reply, outage)
  }
  if (account === null || !isAuthorized(account, world.nowMs())) {
    counters.settle('invalid_token')
    return send(reply, refuse('invalid_token'))
  }

  const check = () => checkPost(world, account, request.body, idempotencyKeyOf(request))
  const first = check()
  if (first.is === 'refused') return sendRefused(world, reply, first.answer)

  const fault = takeFault(world, first.draft)
  const effect = effectOf(fault)
  if (fault !== null) counters.settle(fault.kind)
  if (effect.revokes) store.setRevoked(account.id, true)
  if (!effect.stores) return deliver(request, reply, effect.faultyAnswer, refuse('internal_error'))

  if (!(await applyDelay(effect, world.stopping))) return drop(request, reply)
  // A delay is long enough for the parent to have been removed.
  const checked = effect.delayMs === 0 ? first : check()
  if (checked.is === 'refused') return send(reply, checked.answer)

  const answer = storePost(world, checked.draft, effect.processing)
  if (fault === null) counters.settle(answer.httpStatus === 200 ? 'replayed' : 'created')
  return deliver(request, reply, effect.faultyAnswer, answer)
}

function sendRefused({ counters }: World, reply: FastifyReply, answer: Answer): FastifyReply {
  counters.settle((answer.body as { error: { code: string } }).error.code)
  return send(reply, answer)
}

/** Answers any call but a create, struck by the plans that name reads. */
async function answerRead(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  ordinary: (account: Account) => Answer,
): Promise<FastifyReply> {
  const account = callerOf(world, request)
  const call: Call = { kind: 'read', accountId: account?.id ?? null, text: null }
  const outage = takeOutage(world, call)
  if (outage !== null) return send(reply, outage)
  if (account === null || !isAuthorized(account, world.nowMs())) return send(reply, refuse('invalid_token'))

  const plan = planFor(world.store.faultPlans(), call)
  const effect = effectOf(plan?.fault ?? null)
  if (plan !== null) world.store.firePlan(plan.id)
  if (effect.revokes) world.store.setRevoked(account.id, true)
  if (!effect.stores) return deliver(request, reply, effect.faultyAnswer, refuse('internal_error'))
  if (!(await applyDelay(effect, world.stopping))) return drop(request, reply)
  return deliver(request, reply, effect.faultyAnswer, ordinary(account))
}

/** An outage comes before everything else, the token included. */
function takeOutage({ store }: World, call: Call): Answer | null {
  const plan = planFor(
    store.faultPlans().filter(({ fault }) => fault.kind === 'outage'),
    call,
  )
  if (plan === null || plan.fault.kind !== 'outage') return null
  store.firePlan(plan.id)
  const { retryAfterSeconds } = plan.fault
  return refuse('outage', retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}

function callerOf({ store }: World, request: FastifyRequest): Account | null {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return token === undefined ? null : store.accountByTokenHash(tokenHash(token))
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key']
  return typeof header === 'string' && header !== '' ? header : null
}

function readPaging({ sinceId, beforeId, limit = '20' }: PostsQuery) {
  const paging = {
    limit: Number(limit),
    sinceId: sinceId === undefined ? null : parsePostId(sinceId),
    beforeId: beforeId === undefined ? null : parsePostId(beforeId),
  }
  const readable =
    (sinceId === undefined || paging.sinceId !== null) && (beforeId === undefined || paging.beforeId !== null)
  return readable && paging.limit >= 1 && paging.limit <= 100 ? paging : null
}
