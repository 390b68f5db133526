import { cpuSeconds, type Figure, interleave, type Load, ratio, requestsPerSecond } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetPosts, seedPosts } from './seeding.ts'
import { IN_A_WHILE, ownChannels } from './requests.ts'

const CALLS = 1_000
const ROUNDS = 5

type Requests = Omit<Load, 'url' | 'amount' | 'connections'>
const REVISION = '2026-07-28'

/** What a call of a tool takes, one after the other, and costs the server, beside the request for the same operation. */
export async function measureTools(product: Product): Promise<Figure[]> {
  const { db, url, key, pid } = product
  const places = await ownChannels(product)
  const [{ channelId } = { channelId: '' }] = places
  await forgetPosts(db)
  const count = 2_000
  const posts = await seedPosts(db, places, { count, status: 'scheduled', dueAt: IN_A_WHILE, word: 'tool' })
  await db`analyze`
  const anyPost = (n: number) => posts[n % posts.length]?.postId ?? ''
  let made = 0
  const aPost = () => ({
    idempotencyKey: `tool-${made++}`,
    state: 'scheduled',
    text: `Post ${made}`,
    channelIds: [channelId],
    publishAt: IN_A_WHILE.toISOString(),
  })

  const authorization = `Bearer ${key}`
  /** Microseconds from a request to its answer, with nothing else at work. */
  const timeOf = (requests: Requests) => async () =>
    1e6 / (await requestsPerSecond({ url, amount: CALLS, connections: 1, ...requests }))
  /** Microseconds of the server's processor time for each of many at once. */
  const costOf = (requests: Requests) => async () => {
    const before = cpuSeconds([pid])
    await requestsPerSecond({ url, amount: CALLS, ...requests })
    return ((cpuSeconds([pid]) - before) / CALLS) * 1e6
  }
  const ask = (path: (n: number) => string): Requests => ({
    headers: { authorization },
    make: (n) => ({ path: path(n) }),
  })
  const call = (name: string, given: (n: number) => object): Requests => ({
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      'mcp-name': name,
      accept: 'application/json, text/event-stream',
      'mcp-method': 'tools/call',
      'mcp-protocol-version': REVISION,
    },
    make: (n) => ({ path: '/mcp', body: callOf(name, given(n), n) }),
  })

  const pairs = {
    get_me: [ask(() => '/agent/v1/me'), call('get_me', () => ({}))],
    list_channels: [ask(() => '/agent/v1/channels'), call('list_channels', () => ({}))],
    get_post: [
      ask((n) => `/agent/v1/posts/${anyPost(n)}?include=history`),
      call('get_post', (n) => ({ postId: anyPost(n) })),
    ],
    list_posts: [ask(() => '/agent/v1/posts?limit=20'), call('list_posts', () => ({ limit: 20 }))],
    create_post: [
      {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        make: () => ({ path: '/agent/v1/posts', body: JSON.stringify({ confirmed: true, ...aPost() }) }),
      },
      call('create_post', aPost),
    ],
  } satisfies Record<string, [Requests, Requests]>
  const figures: Figure[] = []
  for (const [name, [asked, called]] of Object.entries(pairs)) {
    for (const [what, measure, aim] of [
      ['time', timeOf, '≤ 1.25'],
      ['CPU', costOf, ''],
    ] as const) {
      const { request, tool } = await interleave(ROUNDS, { request: measure(asked), tool: measure(called) })
      figures.push([`\`${name}\`, ${what}`, micro(request), micro(tool), ratio(tool, request), aim])
    }
  }
  await forgetPosts(db)
  return figures
}

/** As the newest clients send it. */
function callOf(name: string, given: object, id: number): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: given, _meta: meta }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

function micro(value: number): string {
  return `${Math.round(value)} µs`
}
