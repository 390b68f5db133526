import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectByForm } from '../src/accounts/connect/connect-by-form.ts'
import { finishFlow, makeLink, openLink, startFlow } from '../src/accounts/connect/connect-flow.ts'
import { mastodon } from '../src/networks/providers/mastodon/mastodon.ts'
import { openFaultProxy, wireFaults, type FaultProxy } from './rigs/fault-proxy.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace, type AWorkspace } from './rigs/fixtures.ts'
import {
  baseUrl,
  openPublishingRig,
  OPERATOR,
  type ConnectedChannel,
  type PublishingRig,
} from './rigs/publishing-rig.ts'
import { openSnac, type Snac, type SnacAccount, type SnacClient } from './rigs/snac-rig.ts'

/* A real server that speaks Mastodon's API, behind a proxy that breaks connections, and the publisher of production. */

const { world, api } = await openFileWorld()
const { db } = world
let snac: Snac
let proxy: FaultProxy
let rig: PublishingRig

beforeAll(async () => {
  snac = await openSnac()
  proxy = await openFaultProxy(new URL(snac.url))
  rig = await openPublishingRig({
    world,
    api,
    provider: mastodon,
    trustedOrigins: [proxy.url.origin],
    // A call that hangs is over soon; one that is held up by something may still arrive.
    callTimeoutMs: 1_500,
    lateCallMs: 15 * 60_000,
  })
}, 5 * 60_000)
beforeEach(async () => {
  // The faults of other tests are no outage.
  await db`delete from network_outage`
  await db`delete from network_failure`
  proxy.fault = null
  proxy.faulty = (line) => line.startsWith('POST /api/v1/statuses ')
})
afterAll(async () => {
  await rig.close()
  await proxy[Symbol.asyncDispose]()
  await snac[Symbol.asyncDispose]()
})

type Connected = ConnectedChannel & {
  readonly account: SnacAccount
  readonly token: string
  readonly client: SnacClient
}

const target = ({ workspaceId }: AWorkspace, channelId: string | null = null) => ({
  workspaceId,
  channelId,
  actor: OPERATOR,
})

async function through(account: SnacAccount, workspace: AWorkspace, channelId: string | null = null) {
  const { connect } = rig
  const { url } = await makeLink(connect, target(workspace, channelId), 'mastodon', baseUrl)
  const flow = await openLink(connect, 'mastodon', new URL(url).searchParams.get('link') ?? '')
  if (flow === null) throw new Error('the link is no link')
  const away = await startFlow(connect, mastodon, flow, { server: proxy.url.origin })
  if (away.is !== 'authorize') throw new Error(away.detail)
  return finishFlow(connect, mastodon, await snac.signIn(away.url, account), () => away.cookie.value)
}

let names = 0
async function aConnectedAccount(): Promise<Connected> {
  const account = await snac.account(`account${++names}`)
  const { token, client } = await snac.token(account)
  const workspace = await aWorkspace(db)
  const fields = { server: proxy.url.origin, accessToken: token }
  const result = await connectByForm(rig.connect, target(workspace), mastodon, fields)
  if (result.is !== 'connected') throw new Error(result.detail)
  return { account, token, client, workspace, channelId: result.channelId }
}

type Status = {
  id: string
  content: string
  in_reply_to_id: string | null
  media_attachments: { description: string }[]
}

/** The posts of an account as everybody sees them, oldest first. */
async function statusesOf({ token }: Connected): Promise<Status[]> {
  const headers = { authorization: `Bearer ${token}` }
  const read = async (path: string): Promise<unknown> =>
    (await snac.ask(`${snac.url}/api/v1/accounts/${path}`, { headers })).json()
  const { id } = (await read('verify_credentials')) as { id: string }
  return ((await read(`${id}/statuses`)) as Status[]).toReversed()
}

const words = ({ content }: Status) => content.replaceAll(/<[^>]*>/g, '').trim()

describe('publishing', () => {
  test('a thread with a picture stands there as it was meant', async () => {
    const connected = await aConnectedAccount()
    const mediaIds = [await rig.anImage(connected.workspace, 'A bird')]
    const postId = await rig.publish(connected, {
      text: 'Hello from a thread',
      thread: [{ text: 'A picture', mediaIds }, { text: 'The end' }],
    })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    const statuses = await statusesOf(connected)
    expect(statuses.map(words)).toEqual(['Hello from a thread', 'A picture', 'The end'])
    expect(statuses[1]?.media_attachments).toMatchObject([{ description: 'A bird' }])
    expect(statuses.map(({ in_reply_to_id: parent }) => parent)).toEqual([
      null,
      statuses[0]?.id,
      statuses[1]?.id,
    ])
    expect((await snac.ask(releaseUrl ?? '', { headers: { accept: 'text/html' } })).status).toBe(200)
  })
})

describe('exactly once', () => {
  test.each(wireFaults)('%s: in the end the post is there once', async (fault) => {
    const connected = await aConnectedAccount()
    proxy.fault = fault
    // Only the first call of this post meets it.
    let met = 0
    proxy.faulty = (line) => line.startsWith('POST /api/v1/statuses ') && met++ === 0
    const postId = await rig.publish(connected, { text: `Once: ${fault}` })
    await rig.until(connected, postId, 'checking')
    // A server that is slow may make the post after its caller gave up: no minutes pass before it has answered.
    await expect.poll(() => proxy.unanswered, { timeout: 60_000 }).toBe(0)
    await rig.age(connected, postId, 16 * 60_000)
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(met).toBeGreaterThan(0)
    expect((await statusesOf(connected)).map(words)).toEqual([`Once: ${fault}`])
  })
})

describe('what its list does not show', () => {
  /** Of one post, all of whose calls lose their answers. */
  async function lose(connected: Connected, content: object) {
    let calls = 0
    proxy.fault = 'reset after it was read'
    proxy.faulty = (line) => line.startsWith('POST /api/v1/statuses ') && ++calls > 0
    const postId = await rig.publish(connected, content)
    await rig.until(connected, postId, 'checking')
    return { postId, calls: () => calls }
  }

  test('a post for followers is made once, and a person decides', async () => {
    const connected = await aConnectedAccount()
    const settings = { visibility: 'private' }
    const { postId, calls } = await lose(connected, { text: 'Once', settings })
    await rig.age(connected, postId, 3_600_000)
    await rig.untilLooked(connected, postId, 'unavailable')
    expect([calls(), (await rig.destinationOf(connected, postId)).status]).toEqual([1, 'checking'])
  })

  test.each([
    ['that is unlisted', { settings: { visibility: 'unlisted' } }],
    ['that is sensitive', { settings: { sensitive: true } }],
    ['with a content warning', { settings: { contentWarning: 'Birds' } }],
    ['in a language', { settings: { language: 'en' } }],
  ])('a post %s is in it', async (_, content) => {
    const connected = await aConnectedAccount()
    const { postId, calls } = await lose(connected, { text: 'Once', ...content })
    await rig.until(connected, postId, 'published')
    expect([calls(), (await statusesOf(connected)).map(words)]).toEqual([1, ['Once']])
  })

  test('a reply is in it', async () => {
    const connected = await aConnectedAccount()
    let calls = 0
    proxy.fault = 'reset after it was read'
    proxy.faulty = (line) => line.startsWith('POST /api/v1/statuses ') && ++calls > 1
    const postId = await rig.publish(connected, { text: 'First', thread: [{ text: 'Second' }] })
    await rig.until(connected, postId, 'published')
    expect([calls, (await statusesOf(connected)).map(words)]).toEqual([2, ['First', 'Second']])
  })

  test('a call that is held up for 95 seconds is waited for', async () => {
    const connected = await aConnectedAccount()
    let calls = 0
    proxy.fault = 'held up'
    proxy.faulty = (line) => line.startsWith('POST /api/v1/statuses ') && ++calls > 0
    const postId = await rig.publish(connected, { text: 'Late' })
    await rig.until(connected, postId, 'checking')
    await rig.age(connected, postId, 95_000)
    await rig.untilLooked(connected, postId, 'not_yet')
    await proxy.letGo()
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect([calls, (await statusesOf(connected)).map(words)]).toEqual([1, ['Late']])
  })
})

describe('the authorization', () => {
  test('an account is connected in the browser, under an app that is registered once for the instance', async () => {
    const workspace = await aWorkspace(db)
    for (const name of ['browser1', 'browser2']) {
      const result = await through(await snac.account(name), workspace)
      expect(result).toMatchObject({ is: 'connected', handle: `${name}@${new URL(snac.url).host}` })
    }
    const clients = await db`select from network_client where provider = 'mastodon'`
    expect(clients).toHaveLength(1)
  })

  test('when the token is revoked the channel has to be reconnected, and nothing goes out twice', async () => {
    const connected = await aConnectedAccount()
    await rig.until(connected, await rig.publish(connected, { text: 'Before' }), 'published')
    const revoked = await snac.ask(`${snac.url}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${connected.token}` },
      body: new URLSearchParams({ token: connected.token, ...connected.client }),
    })
    expect(revoked.status).toBe(200)
    const postId = await rig.publish(connected, { text: 'After' })
    await rig.until(connected, postId, 'reconnect_required')

    const again = await through(connected.account, connected.workspace, connected.channelId)
    expect(again).toMatchObject({ is: 'connected', channelId: connected.channelId, resumed: 1 })
    rig.wake()
    await rig.until(connected, postId, 'published')
    const { token } = await snac.token(connected.account)
    expect((await statusesOf({ ...connected, token })).map(words)).toEqual(['Before', 'After'])
  })
})
