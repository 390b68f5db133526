import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { blueskyAt, connectAnAccount, trusted } from '../server/test/rigs/bluesky-channel.ts'
import { openPds, type Pds, type PdsAccount } from '../server/test/rigs/pds-rig.ts'
import { openConnectTo } from '../server/test/rigs/publishing-rig.ts'
import { aKey } from '../server/test/rigs/running-app.ts'
import { type Figure, interleave, ratio } from './measuring.ts'
import type { Product } from './product.ts'

const ROUNDS = 15
/** How far ahead a post is planned: long enough for its creation, so that only publishing is measured. */
const AHEAD_MS = 500
const IMAGE = join(import.meta.dirname, '../docs/examples/rider.jpg')

/** A post with one image on a real PDS: from due to published, beside its two calls made by `@atproto/api` alone. */
export async function measureBluesky(product: Product): Promise<Figure[]> {
  const { db, keyring } = product
  await using pds = await openPds()
  const provider = blueskyAt(pds)
  const connect = openConnectTo({ db, keyring, provider, trustedOrigins: trusted(pds) })
  try {
    const { account, workspace, channelId } = await connectAnAccount(pds, provider, connect)
    const api = agentApi(product.url, await aKey(db, workspace))
    const image = await readFile(IMAGE)
    const mediaId = await api.upload(image)
    const agent = await signIn(pds, account)

    const { postrider, library } = await interleave(ROUNDS, {
      library: () => postByLibrary(agent, image),
      async postrider() {
        const postId = await api.plan({ channelId, mediaId })
        return publishedAfterMs(product, postId)
      },
    })
    return [
      ['by Postrider, from due to published', `${postrider.toFixed(0)} ms`, ratio(postrider, library)],
      ['the two calls alone, by `@atproto/api`', `${library.toFixed(0)} ms`, ''],
    ]
  } finally {
    await connect.close()
  }
}

/* ---------------------------------------------------------------------------------------------------------- postrider */

function agentApi(url: string, key: string) {
  const authorization = `Bearer ${key}`

  async function answered<Body>(response: Response): Promise<Body> {
    const body: unknown = await response.json()
    if (response.status !== 201) throw new Error(`It was refused: ${JSON.stringify(body)}`)
    return body as Body
  }

  return {
    async upload(image: Buffer): Promise<string> {
      const form = new FormData()
      form.set('confirmed', 'true')
      form.set('altText', 'A rider')
      form.set('file', new Blob([new Uint8Array(image)]), 'rider.jpg')
      const headers = { authorization, 'idempotency-key': 'image' }
      const response = await fetch(`${url}/agent/v1/media`, { method: 'POST', headers, body: form })
      return (await answered<{ mediaId: string }>(response)).mediaId
    },
    async plan({ channelId, mediaId }: { channelId: string; mediaId: string }): Promise<string> {
      const plan = {
        confirmed: true,
        idempotencyKey: crypto.randomUUID(),
        state: 'scheduled',
        text: 'A picture',
        channelIds: [channelId],
        mediaIds: [mediaId],
        publishAt: new Date(Date.now() + AHEAD_MS).toISOString(),
      }
      const response = await fetch(`${url}/agent/v1/posts`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(plan),
      })
      return (await answered<{ postId: string }>(response)).postId
    },
  }
}

async function publishedAfterMs({ db }: Product, postId: string): Promise<number> {
  for (;;) {
    const [row] = await db<[{ status: string; ms: number | null }]>`
      select status, extract(epoch from published_at - publish_at)::float8 * 1000 as ms
      from   destination
      where  post_id = ${postId}`
    if (row.ms !== null) return row.ms
    if (!['scheduled', 'publishing'].includes(row.status)) throw new Error(`The post is ${row.status}.`)
    await delay(20)
  }
}

/* ------------------------------------------------------------------------------------------------------------ library */

/** What is used of `@atproto/api`, which is installed with the server and not with the product. */
type AtpAgent = {
  login: (by: { identifier: string; password: string }) => Promise<unknown>
  uploadBlob: (bytes: Uint8Array, options: { encoding: string }) => Promise<{ data: { blob: unknown } }>
  post: (record: object) => Promise<unknown>
}

async function signIn({ url, packages }: Pds, { handle, appPassword }: PdsAccount): Promise<AtpAgent> {
  const { AtpAgent } = createRequire(join(packages, 'package.json'))('@atproto/api') as {
    AtpAgent: new (options: { service: string }) => AtpAgent
  }
  const agent = new AtpAgent({ service: url })
  await agent.login({ identifier: handle, password: appPassword })
  return agent
}

async function postByLibrary(agent: AtpAgent, image: Buffer): Promise<number> {
  const begun = performance.now()
  const { data } = await agent.uploadBlob(image, { encoding: 'image/jpeg' })
  const images = [{ image: data.blob, alt: 'A rider' }]
  await agent.post({ text: 'A picture', embed: { $type: 'app.bsky.embed.images', images } })
  return performance.now() - begun
}
