import { randomBytes } from 'node:crypto'
import { eventTypeNames } from '@postrider/contract'
import { agentKeys } from '../server/src/people/keys/authenticate.ts'
import { putArtifact } from '../server/src/people/apps/artifact-store.ts'
import { putGrant } from '../server/src/people/apps/app-grant-store.ts'
import { type Figure, interleave, ratio, requestsPerSecond, startBeside, whole } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetEndpoints, forgetPosts, type Place, seedEndpoint, seedPosts } from './seeding.ts'

const DATABASE = 'postrider'
export const IN_A_WHILE = new Date('2027-06-01T09:00:00Z')

/** One post, and a page of twenty, beside one row by its key. */
export async function measureReads(product: Product): Promise<Figure[]> {
  const { db, url } = product
  const places = await ownChannels(product)
  await forgetPosts(db)
  const posts = await seedPosts(db, places, {
    count: 2_000,
    status: 'scheduled',
    dueAt: IN_A_WHILE,
    word: 'read',
  })
  await db`analyze`
  const raw = await startBeside('raw-server.ts', product.socketDir, DATABASE)
  const anyPost = (n: number) => posts[n % posts.length] ?? posts[0]
  const headers = { authorization: `Bearer ${product.key}` }
  try {
    const { row, me, detail, list } = await interleave(3, {
      row: () =>
        requestsPerSecond({
          url: raw.url,
          make: (n) => ({ path: `/read/${anyPost(n)?.workspaceId}/${anyPost(n)?.postId}` }),
        }),
      me: () => requestsPerSecond({ url, headers, make: () => ({ path: '/agent/v1/me' }) }),
      detail: () =>
        requestsPerSecond({ url, headers, make: (n) => ({ path: `/agent/v1/posts/${anyPost(n)?.postId}` }) }),
      list: () => requestsPerSecond({ url, headers, make: () => ({ path: '/agent/v1/posts?limit=20' }) }),
    })
    return [
      ['limit: Fastify and one row by its key', whole(row), ''],
      ['`GET /me`', whole(me), ratio(me, row)],
      ['`GET /posts/{postId}`', whole(detail), ratio(detail, row)],
      ['`GET /posts?limit=20`', whole(list), ratio(list, row)],
    ]
  } finally {
    await raw.stop()
  }
}

/** The same request with an agent key and with an access token, in short turns: what differs is the look-up alone. */
export async function measureTokens(product: Product): Promise<Figure[]> {
  const { url, key } = product
  const by = (secret: string) => () =>
    requestsPerSecond({
      url,
      seconds: 1,
      headers: { authorization: `Bearer ${secret}` },
      make: () => ({ path: '/agent/v1/me' }),
    })
  const token = await anAccessToken(product)
  const { byKey, byToken } = await interleave(15, { byKey: by(key), byToken: by(token) })
  return [
    ['`GET /me` with an agent key', whole(byKey), '', ''],
    ['the same with an access token', whole(byToken), ratio(byKey, byToken), '≤ 1.10'],
  ]
}

/** Creates and commands, beside one durable insert and one durable update. */
export async function measureWrites(product: Product): Promise<Figure[]> {
  const { db, url } = product
  const places = await ownChannels(product)
  const [place] = places
  await forgetPosts(db)
  await db`create table raw_write (id text primary key, text text not null)`
  const raw = await startBeside('raw-server.ts', product.socketDir, DATABASE)
  const receivers = await startBeside('webhook-receivers.ts')
  await seedEndpoint(db, product.keyring, {
    workspaceId: place?.workspaceId ?? '',
    url: receivers.url,
    eventTypes: [...eventTypeNames],
  })
  const enableEndpoint = () => db`update endpoint set status = 'active', disabled_reason = null`
  const disableEndpoint = () => db`update endpoint set status = 'disabled', disabled_reason = 'by_hand'`
  await disableEndpoint()
  const json = { 'content-type': 'application/json' }
  const headers = { ...json, authorization: `Bearer ${product.key}` }
  let made = 0

  const create = () =>
    requestsPerSecond({
      url,
      headers,
      method: 'POST',
      make: () => ({
        path: '/agent/v1/posts',
        body: JSON.stringify({
          confirmed: true,
          idempotencyKey: `bench-${made++}`,
          state: 'scheduled',
          text: `Post ${made}`,
          channelIds: [place?.channelId],
          publishAt: IN_A_WHILE.toISOString(),
        }),
      }),
    })
  /** The same while each is delivered to an endpoint; what is still pending at the end is dropped. */
  const createDelivered = async () => {
    await enableEndpoint()
    const rate = await create()
    await disableEndpoint()
    await db`truncate delivery, delivery_attempt cascade`
    return rate
  }
  const insert = () =>
    requestsPerSecond({
      url: raw.url,
      headers: json,
      method: 'POST',
      make: () => ({ path: '/write', body: JSON.stringify({ id: `raw-${made++}`, text: `Post ${made}` }) }),
    })
  const change = () =>
    requestsPerSecond({
      url: raw.url,
      headers: json,
      method: 'POST',
      make: (n) => ({ path: '/change', body: JSON.stringify({ id: `raw-${n}`, text: `Post ${made++}` }) }),
    })
  const command =
    (verb: string, body: (post: { editToken: string; controlToken: string; channelId: string }) => object) =>
    async () => {
      const posts = await seedPosts(db, places, {
        count: 1_500,
        status: 'scheduled',
        dueAt: IN_A_WHILE,
        word: verb,
      })
      return requestsPerSecond({
        url,
        method: 'POST',
        amount: posts.length,
        make: (n) => {
          const post = posts[n] ?? { postId: '', editToken: '', controlToken: '', channelId: '' }
          return {
            path: `/agent/v1/posts/${post.postId}/${verb}`,
            headers: { ...headers, 'idempotency-key': `bench-${made++}` },
            body: JSON.stringify({ confirmed: true, ...body(post) }),
          }
        },
      })
    }
  const later = new Date(IN_A_WHILE.getTime() + 60_000).toISOString()

  try {
    const { inserts, creates, delivered } = await interleave(3, {
      inserts: insert,
      creates: create,
      delivered: createDelivered,
    })
    const { updates, edits, reschedules, cancels } = await interleave(3, {
      updates: change,
      edits: command('edit', ({ editToken }) => ({ editToken, content: { text: 'Edited' } })),
      reschedules: command('reschedule', ({ channelId, controlToken }) => ({
        channelId,
        controlToken,
        publishAt: later,
      })),
      cancels: command('cancel', ({ channelId, controlToken }) => ({ channelId, controlToken })),
    })
    return [
      ['limit: Fastify and one durable insert', whole(inserts), ''],
      ['`POST /posts`', whole(creates), ratio(creates, inserts)],
      ['the same while each is delivered to an endpoint', whole(delivered), ratio(delivered, creates)],
      ['limit: Fastify and one durable update', whole(updates), ''],
      ['edit', whole(edits), ratio(edits, updates)],
      ['reschedule', whole(reschedules), ratio(reschedules, updates)],
      ['cancel', whole(cancels), ratio(cancels, updates)],
    ]
  } finally {
    await Promise.all([raw.stop(), receivers.stop()])
    await forgetEndpoints(db)
    await db`drop table raw_write`
  }
}

/** An access token of an app that may do what the key may, as if a person had let it in just now. */
async function anAccessToken({ db, key, url }: Product): Promise<string> {
  const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/agent/v1`)
  const { resource } = (await metadata.json()) as { resource: string }
  const holder = await agentKeys.find(db, key)
  if (holder === null) throw new Error('the key of the bench is not valid')
  const { workspaceId, member, credential } = holder
  const [artifactGrantId, token] = [
    randomBytes(32).toString('base64url'),
    randomBytes(32).toString('base64url'),
  ]
  const { permissions } = credential
  const named = { clientId: 'bench', clientName: 'bench', clientOrigin: 'localhost' }
  await putGrant(db, { workspaceId, memberId: member.id, artifactGrantId, permissions, ...named })
  const payload = { aud: resource, scope: permissions.join(' ') }
  const expiresIn = 24 * 3_600
  await putArtifact(db, {
    model: 'AccessToken',
    id: token,
    payload,
    grantId: artifactGrantId,
    uid: undefined,
    expiresIn,
  })
  return token
}

/** The channels that the first start made, in the workspace of the key. */
export async function ownChannels({ db, key, url }: Product): Promise<Place[]> {
  const answer = await fetch(`${url}/agent/v1/channels`, { headers: { authorization: `Bearer ${key}` } })
  const channels = (await answer.json()) as { channelId: string; provider: string }[]
  const ids = channels
    .filter(({ provider }) => provider === 'sandbox-short')
    .map(({ channelId }) => channelId)
  return db<
    Place[]
  >`select workspace_id as "workspaceId", id as "channelId" from channel where id = any(${ids}::uuid[])`
}
