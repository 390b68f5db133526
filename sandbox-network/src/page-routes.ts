import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Account } from './accounts.ts'
import { homePage, missingPage, profilePage, rehearsePage, threadPage } from './pages.ts'
import type { Person, Shown } from './pages.ts'
import { inThreadOrder, parsePostId, statusOf } from './posts.ts'
import type { Post } from './posts.ts'
import { icon, style } from './style.ts'
import type { World } from './world.ts'

const PAGE_SIZE = 50

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The public pages: server-rendered, without scripts, open to everyone. */
export function addPageRoutes(app: FastifyInstance, world: World): void {
  const { store, nowMs, baseUrl } = world

  app.get('/', (_request, reply) => {
    const people = store.accounts().map((account) => person(world, account))
    const posts = store.newestPosts(nowMs(), { limit: PAGE_SIZE }).map((post) => shown(world, post))
    return sendPage(reply, 200, homePage(posts, people, { nowMs: nowMs(), baseUrl: baseUrl() }))
  })

  app.get('/rehearse', (_request, reply) => sendPage(reply, 200, rehearsePage()))

  app.get<{ Params: { handle: string }; Querystring: { before?: unknown } }>(
    '/@:handle',
    (request, reply) => {
      const account = store.accountByHandle(request.params.handle)
      if (account === null) return sendPage(reply, 404, missingPage())
      const { before } = request.query
      const beforeId = typeof before === 'string' ? parsePostId(before) : null
      const found = store.newestPosts(nowMs(), { limit: PAGE_SIZE + 1, beforeId, accountId: account.id })
      const posts = found.slice(0, PAGE_SIZE)
      const olderThan = found.length > PAGE_SIZE ? (posts.at(-1)?.id ?? null) : null
      const view = { nowMs: nowMs(), olderThan, live: beforeId === null }
      return sendPage(
        reply,
        200,
        profilePage(
          person(world, account),
          posts.map((post) => shown(world, post)),
          view,
        ),
      )
    },
  )

  app.get<{ Params: { handle: string; id: string } }>('/@:handle/:id', (request, reply) => {
    const id = parsePostId(request.params.id)
    const post = id === null ? null : publicPost(world, id)
    const isTheirs = post?.handle.toLowerCase() === request.params.handle.toLowerCase()
    if (post === null || !isTheirs) return sendPage(reply, 404, missingPage({ live: id !== null }))
    const show = (each: Post) => shown(world, each)
    const above = store.ancestorsOf(post.id, nowMs()).map(show)
    const below = inThreadOrder(post.id, store.descendantsOf(post.id, nowMs())).map(show)
    return sendPage(reply, 200, threadPage(above, show(post), below, { nowMs: nowMs() }))
  })

  app.get<{ Params: { id: string } }>('/media/:id', (request, reply) => {
    const medium = store.mediumById(request.params.id)
    if (medium === null) return sendPage(reply, 404, missingPage())
    return safeguard(reply)
      .header('cache-control', 'public, max-age=86400')
      .type(medium.contentType)
      .send(Buffer.from(medium.bytes))
  })

  app.get('/style.css', (_request, reply) => safeguard(reply).type('text/css; charset=utf-8').send(style))
  app.get('/icon.svg', (_request, reply) => safeguard(reply).type('image/svg+xml').send(icon))
}

function sendPage(reply: FastifyReply, httpStatus: number, markup: string): FastifyReply {
  return safeguard(reply)
    .code(httpStatus)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(markup)
}

function safeguard(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
}

function person({ store, nowMs }: World, account: Account): Person {
  return { account, postCount: store.postCount(account.id, nowMs()) }
}

function publicPost({ store, nowMs }: World, id: number): Post | null {
  const post = store.postById(id)
  return post !== null && statusOf(post, nowMs()) === 'published' ? post : null
}

function shown(world: World, post: Post): Shown {
  const { store, nowMs } = world
  return {
    post,
    parent: post.inReplyTo === null ? null : publicPost(world, post.inReplyTo),
    replyCount: store.replyCount(post.id, nowMs()),
    media: post.mediaIds.flatMap((id) => store.mediumFacts(id) ?? []),
  }
}
