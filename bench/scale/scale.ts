import { listEvents, listPosts } from '@postrider/contract'
import { cursors } from '../../server/src/edge/operations/cursor.ts'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import { type Figure, interleave, milliseconds, ratio, whole } from '../measuring.ts'
import { type Product, startProduct } from '../product.ts'
import { measureClaims } from './claims.ts'
import { fillWorkspace } from './fill-workspace.ts'

/** 1 stands for a million posts, ten million events and 300,000 overdue destinations. */
const SCALE = Number(process.env['BENCH_SCALE'] ?? 1)
const MANY_POSTS = Math.round(1_000_000 * SCALE)
export const OVERDUE = Math.round(300_000 * SCALE)
/** What the small workspace has: every page is full there, too. */
const FEW_POSTS = 1_000
const ROUNDS = 15
const MINUTE_MS = 60_000

/** Every read and the usual writes among a million posts, beside the same among a thousand; and claims. */
export async function measureScale(product: Product): Promise<Figure[]> {
  await using other = await startProduct()
  const few = await openWorkspace(other, FEW_POSTS)
  const begun = performance.now()
  const many = await openWorkspace(product, MANY_POSTS)
  const rows: Figure[] = [['filled within', '', `${whole((performance.now() - begun) / 1_000)} s`, '', '']]
  for (const [name, { times, amongMany }] of Object.entries(pairs(few, many))) {
    const took = await interleave(ROUNDS, { few: times, many: amongMany })
    rows.push([name, milliseconds(took.few), milliseconds(took.many), ratio(took.many, took.few), '≤ 2'])
  }
  return [...rows, ...(await measureClaims(product, OVERDUE))]
}

type Requests = Record<string, () => Promise<number>>

function pairs(few: Requests, many: Requests) {
  return Object.fromEntries(
    Object.entries(many).map(([name, amongMany]) => [name, { times: few[name] ?? amongMany, amongMany }]),
  )
}

/** Fills the workspace of the agent key, and gives requests that return how many milliseconds they took. */
async function openWorkspace(product: Product, posts: number): Promise<Requests> {
  const { db } = product
  const [channel] = await db<{ workspaceId: string; channelId: string }[]>`
    select workspace_id as "workspaceId", id as "channelId" from channel where provider = 'sandbox-short' order by id limit 1`
  if (channel === undefined) throw new Error('The first start made no channel.')
  await fillWorkspace(db, channel.workspaceId, posts)
  return { ...(await reads(product, channel, posts)), ...writes(product, channel) }
}

type Channel = { workspaceId: string; channelId: string }

async function reads(
  product: Product,
  { workspaceId, channelId }: Channel,
  posts: number,
): Promise<Requests> {
  const { db } = product
  const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString()
  const places = await readPlaces(db, workspaceId, posts)
  const sixHours = `from=${places.middle}&to=${places.sixHoursLater}`
  const toCome = `from=${at(65)}&to=${at(95)}`
  const paths = {
    me: '/me',
    channels: '/channels',
    media: '/media',
    post: `/posts/${places.postId}`,
    posts: '/posts',
    'posts, 100 of them': '/posts?limit=100',
    'posts, a page in the middle': `/posts?cursor=${places.middlePage}`,
    'posts, the last page': `/posts?cursor=${places.lastPage}`,
    ...Object.fromEntries(
      ['published', 'scheduled', 'draft', 'failed', 'delayed', 'checking'].map((status) => [
        `posts, status=${status}`,
        `/posts?status=${status}`,
      ]),
    ),
    'posts, channelId': `/posts?channelId=${channelId}`,
    'posts, channelId and status=failed': `/posts?status=failed&channelId=${channelId}`,
    'posts, six hours in the middle': `/posts?${sixHours}`,
    'posts, six hours in the middle and author of all': `/posts?${sixHours}&author=scale`,
    'posts, half an hour to come': `/posts?${toCome}`,
    'posts, half an hour to come and status=failed': `/posts?${toCome}&status=failed`,
    'posts, everything to come': `/posts?from=${at(0)}`,
    'posts, everything to come and status=failed': `/posts?from=${at(0)}&status=failed`,
    'posts, nothing to come': '/posts?from=2100-01-01T00:00:00Z',
    'posts, everything until the middle': `/posts?to=${places.middle}`,
    'posts, everything until the middle and status=failed': `/posts?to=${places.middle}&status=failed`,
    'posts, everything since the middle and author of none': `/posts?from=${places.middle}&author=nobody`,
    'posts, everything since the middle and reviewStatus=pending': `/posts?from=${places.middle}&reviewStatus=pending`,
    'posts, author of all': '/posts?author=scale',
    'posts, author of none': '/posts?author=nobody',
    'posts, reviewStatus=pending': '/posts?reviewStatus=pending',
    'posts, reviewStatus=rejected': '/posts?reviewStatus=rejected',
    'posts, idempotencyKey of none': '/posts?idempotencyKey=none',
    ...Object.fromEntries(
      Object.entries({
        'in all': 'common',
        'in a hundred': 'seldom',
        'in one': 'needle17x',
        'in none': 'zebrafish',
        'in the older half alone': 'formerly',
        'in none, but its n-grams in all': 'abc bcd',
        'one letter, in all': 'e',
        'one letter, in none': 'ж',
        'two letters, in all': 'om',
        'two letters, in none': 'qx',
      }).map(([name, q]) => [`posts, q: ${name}`, `/posts?q=${encodeURIComponent(q)}`]),
    ),
    'posts, q in all and status=delayed': '/posts?q=common&status=delayed',
    'posts, q in all and six hours in the middle': `/posts?q=common&${sixHours}`,
    'calendar, six hours in the middle': `/calendar?${sixHours}`,
    'calendar, with drafts': `/calendar?${sixHours}&includeDrafts=true`,
    'calendar, status=failed': `/calendar?${sixHours}&status=failed`,
    'events, from the beginning': '/events',
    'events, from the middle': `/events?cursor=${places.middleEvent}`,
    'events, from the end': `/events?cursor=${places.lastEvent}`,
  }
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => timed(product, path)]))
}

/** Places of lists and feed that are far from their beginning. */
async function readPlaces(db: Db, workspaceId: string, posts: number) {
  const [installation] = await db<[{ key: Buffer }]>`select cursor_key as key from installation`
  const issued = cursors(installation.key)
  const pageAfter = ({ id }: { id: string }) => issued.issue([listPosts.id, workspaceId, 'all', ''], id)
  const [middle, last] = await db<{ id: string; at: Date }[]>`
    (select id, created_at as at from post where workspace_id = ${workspaceId} order by id offset ${posts / 2} limit 1)
    union all
    (select id, created_at from post where workspace_id = ${workspaceId} order by id offset 30 limit 1)`
  const events = await db<{ seq: string; eventId: string }[]>`
    (select e.seq::text as seq, e.id as "eventId" from outbox_event e
     where  e.seq >= (select (min(seq) + max(seq)) / 2 from outbox_event) order by e.seq limit 1)
    union all
    (select e.seq::text, e.id from outbox_event e order by e.seq desc offset 30 limit 1)`
  const [middleEvent = '', lastEvent = ''] = events.map((position) =>
    issued.issue([workspaceId, listEvents.id], position),
  )
  if (middle === undefined || last === undefined) throw new Error('There are no posts.')
  return {
    postId: middle.id,
    middlePage: pageAfter(middle),
    lastPage: pageAfter(last),
    middleEvent,
    lastEvent,
    middle: middle.at.toISOString(),
    sixHoursLater: new Date(middle.at.getTime() + 360 * MINUTE_MS).toISOString(),
  }
}

function writes(product: Product, { workspaceId, channelId }: Channel): Requests {
  const { db } = product
  const publishAt = new Date(Date.now() + 300 * 1_440 * MINUTE_MS).toISOString()
  const content = { confirmed: true, text: 'A new post', channelIds: [channelId] }
  type Latest = Channel & { postId: string; editToken: string; controlToken: string }
  const command = (verb: string, options: (post: Latest) => object) => async () => {
    const [post] = await db<Latest[]>`
      select p.id as "postId", p.edit_token as "editToken", d.control_token as "controlToken", d.channel_id as "channelId"
      from   destination d
      join   post p on p.workspace_id = d.workspace_id and p.id = d.post_id
      where  d.workspace_id = ${workspaceId} and d.publish_at > now() and d.status = 'scheduled'
      order  by d.publish_at desc
      limit  1`
    if (post === undefined) throw new Error('No post is scheduled.')
    return timed(product, `/posts/${post.postId}/${verb}`, { confirmed: true, ...options(post) })
  }
  return {
    create: () => timed(product, '/posts', { ...content, state: 'scheduled', publishAt }),
    edit: command('edit', ({ editToken }) => ({ editToken, content: { text: 'Edited' } })),
    reschedule: command('reschedule', (post) => ({
      channelId: post.channelId,
      controlToken: post.controlToken,
      publishAt,
    })),
    cancel: command('cancel', (post) => ({ channelId: post.channelId, controlToken: post.controlToken })),
  }
}

let requests = 0

async function timed({ url, key }: Product, path: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const written = {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': `scale-${requests++}` },
    body: JSON.stringify(body),
  }
  const begun = performance.now()
  const answer = await fetch(`${url}/agent/v1${path}`, body === undefined ? { headers } : written)
  const text = await answer.text()
  const took = performance.now() - begun
  // A search may be refused instead: that is an answer, and bounded.
  if (!answer.ok && !text.includes('search_too_broad')) throw new Error(`${path}: ${answer.status} ${text}`)
  return took
}
