import { createHmac } from 'node:crypto'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAuthorization } from '../src/networks/channels/authorization-store.ts'
import { openAuthorization, sealAuthorization } from '../src/networks/channels/authorization.ts'
import { connectByForm } from '../src/accounts/connect/connect-by-form.ts'
import { makeLink, finishFlow, openLink, startFlow } from '../src/accounts/connect/connect-flow.ts'
import type { Provider } from '../src/networks/providers/port/port.ts'
import { runProcedure } from '../src/networks/providers/port/procedure.ts'
import { play } from './rigs/adapter-suite.ts'
import { blueskyAt, connectAnAccount, trusted, type Connected } from './rigs/bluesky-channel.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace, type AWorkspace } from './rigs/fixtures.ts'
import { openPds, type Pds, type PdsAccount } from './rigs/pds-rig.ts'
import {
  baseUrl,
  openConnectTo,
  openPublishingRig,
  OPERATOR,
  type PublishingRig,
} from './rigs/publishing-rig.ts'

/* Bluesky as it really answers: a PDS, a PLC directory, and the publisher as it runs in production. */

const { world, api } = await openFileWorld()
const { db } = world

let pds: Pds
let provider: Provider
let rig: PublishingRig
let connect: PublishingRig['connect']

beforeAll(async () => {
  pds = await openPds({ rateLimits: true })
  provider = blueskyAt(pds)
  rig = await openPublishingRig({ world, api, provider, trustedOrigins: trusted(pds) })
  connect = rig.connect
}, 16 * 60_000)
afterAll(async () => {
  await rig.close()
  await pds[Symbol.asyncDispose]()
})
const pageUrl = 'https://example.com/page'

const aConnectedAccount = (): Promise<Connected> => connectAnAccount(pds, provider, connect)
const recordsOf = ({ account }: Connected) => pds.records(account)

async function authorizationOf({ workspace, channelId }: Connected) {
  const row = await findAuthorization(db, { workspaceId: workspace.workspaceId, channelId })
  if (row === null) throw new Error('the channel is gone')
  return { ...row, authorization: openAuthorization(rig.keyring, channelId, row.authorizationSealed) as any }
}

/** Changes what the channel holds, as time or an owner would. */
async function changeAuthorization(connected: Connected, change: object): Promise<void> {
  const { authorization } = await authorizationOf(connected)
  const sealed = sealAuthorization(rig.keyring, connected.channelId, { ...authorization, ...change })
  await db`update channel set authorization_sealed = ${sealed}, authorization_revision = authorization_revision + 1 where id = ${connected.channelId}`
}

/** An access token of this account that ended an hour ago, signed as the server signs them. */
function endedToken(did: string): string {
  const iat = Math.floor(Date.now() / 1_000) - 10_000
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encoded({ typ: 'at+jwt', alg: 'HS256' })}.${encoded({
    scope: 'com.atproto.appPass',
    sub: did,
    iat,
    exp: iat + 7_200,
    aud: 'did:web:localhost',
  })}`
  return `${text}.${createHmac('sha256', 'secret-of-the-tests').update(text).digest('base64url')}`
}

describe('publishing', () => {
  test('a thread with links, mentions, pictures and a card stands there as it was meant', async () => {
    const connected = await aConnectedAccount()
    const friend = await pds.account('bestfriend')
    const mediaIds = [
      await rig.anImage(connected.workspace, 'One'),
      await rig.anImage(connected.workspace, 'Two'),
    ]
    const postId = await rig.publish(connected, {
      text: `Grüße @bestfriend.test 👋 ${pageUrl} #news`,
      thread: [{ text: 'Two pictures', mediaIds }, { text: 'The end' }],
      settings: { languages: ['de'] },
    })
    const destination = await rig.until(connected, postId, 'published')
    const records = await recordsOf(connected)
    expect(records.map(({ value }) => value.text)).toEqual([
      `Grüße @bestfriend.test 👋 ${pageUrl} #news`,
      'Two pictures',
      'The end',
    ])
    const [first, second, third] = records.map(({ value }) => value)
    expect(first.facets.map((facet: any) => facet.features[0].$type.split('#')[1])).toEqual([
      'mention',
      'link',
      'tag',
    ])
    expect(first.facets[0].features[0].did).toBe(friend.did)
    expect(first.langs).toEqual(['de'])
    expect(first.embed.external).toMatchObject({ title: 'A page', thumb: { mimeType: 'image/jpeg' } })
    expect(second.embed.images.map(({ alt }: { alt: string }) => alt)).toEqual(['One', 'Two'])
    expect(second.reply.parent).toEqual({ uri: records[0]?.uri, cid: records[0]?.cid })
    expect(third.reply).toEqual({
      root: { uri: records[0]?.uri, cid: records[0]?.cid },
      parent: { uri: records[1]?.uri, cid: records[1]?.cid },
    })
    expect(destination.releaseUrl).toBe(
      `https://bsky.app/profile/${connected.account.did}/post/${records[0]?.uri.split('/').at(-1)}`,
    )
  })

  test('who may reply and quote is there with the post', async () => {
    const connected = await aConnectedAccount()
    const postId = await rig.publish(connected, {
      text: 'Quiet',
      settings: { replies: 'nobody', quotes: false },
    })
    await rig.until(connected, postId, 'published')
    const [post] = await recordsOf(connected)
    for (const collection of ['app.bsky.feed.threadgate', 'app.bsky.feed.postgate']) {
      const query = { repo: connected.account.did, collection }
      const { records } = await pds.ask('com.atproto.repo.listRecords', { query })
      expect(records).toMatchObject([{ value: { post: post?.uri } }])
    }
  })

  test('a video stands there with its alt text', async () => {
    const connected = await aConnectedAccount()
    const mediaIds = [await rig.aVideo(connected.workspace, 'A walk')]
    await rig.until(connected, await rig.publish(connected, { text: 'Moving', mediaIds }), 'published')
    expect((await recordsOf(connected)).map(({ value }) => value.embed)).toMatchObject([
      { $type: 'app.bsky.embed.video', alt: 'A walk', video: { mimeType: 'video/mp4' } },
    ])
  })

  test('an account whose points are spent waits for new ones, and makes no call that would be refused', async () => {
    const connected = await aConnectedAccount()
    const { accessToken, did: repo } = connected.account
    // 4,990 of the 5,000 points of an hour: they are counted before the call is refused.
    const write = (action: string) => ({
      $type: `com.atproto.repo.applyWrites#${action}`,
      collection: 'app.bsky.feed.post',
      rkey: '3k2aaaaaaaaa2',
      value: {},
    })
    const writes = [...Array.from({ length: 1_663 }, () => write('create')), write('delete')]
    const spending = pds.ask('com.atproto.repo.applyWrites', { as: { accessToken }, body: { repo, writes } })
    await expect(spending).rejects.toThrow('Too many writes')
    await rig.until(connected, await rig.publish(connected, { text: 'One' }), 'published')

    const second = await rig.publish(connected, { text: 'Two' })
    await db`update destination set due_at = now() - interval '1 minute' where post_id = ${second}`
    rig.wake()
    const { error, checkAgainAt } = await rig.until(connected, second, 'delayed')
    expect(error).toMatchObject({ code: 'rate_limited' })
    expect(Date.parse(checkAgainAt!)).toBeGreaterThan(Date.now() + 30 * 60_000)
    const attempts = await db`
      select from attempt a join destination d on d.id = a.destination_id where d.post_id = ${second}`
    expect(attempts).toEqual([])
    expect(await recordsOf(connected)).toHaveLength(1)
  })

  test('an account that is suspended fails with a clear error, and nothing is written', async () => {
    const connected = await aConnectedAccount()
    await pds.ask('com.atproto.admin.updateSubjectStatus', {
      as: 'admin',
      body: {
        subject: { $type: 'com.atproto.admin.defs#repoRef', did: connected.account.did },
        takedown: { applied: true },
      },
    })
    const destination = await rig.until(connected, await rig.publish(connected, { text: 'Hello' }), 'failed')
    expect(destination.error).toMatchObject({ code: 'permission_refused' })
  })
})

test('on the command line an account is connected with its app password, which is asked for, and can publish', async () => {
  const account = await pds.account('terminal')
  const workspace = await aWorkspace(db)
  const add = ['--json', 'channel', 'add', 'bluesky', '--handle', account.handle, '--server', pds.url]
  const at = ['--workspace', workspace.workspaceId]
  const refused = await rig.postrider({ secrets: ['no password'] }, ...add, ...at)
  expect(refused).toMatchObject({ exitCode: 1, said: '' })
  expect(JSON.parse(refused.errors).error).toMatchObject({ detail: expect.stringContaining('app password') })

  const { said, errors } = await rig.postrider({ secrets: [account.appPassword] }, ...add, ...at)
  expect(errors).toBe('')
  const { channelId, ...shown } = JSON.parse(said) as { channelId: string }
  expect(shown).toEqual({ provider: 'bluesky', handle: account.handle, reconnected: false })
  const added = { workspace, channelId, account }
  await rig.until(added, await rig.publish(added, { text: 'From the terminal' }), 'published')
  expect((await recordsOf(added)).map(({ value }) => value.text)).toEqual(['From the terminal'])
})

describe('the authorization', () => {
  test('an access token that is known to be over is refreshed before the call', async () => {
    const connected = await aConnectedAccount()
    const before = await authorizationOf(connected)
    await changeAuthorization(connected, { accessEndsAt: new Date(Date.now() - 1_000).toISOString() })
    await rig.until(connected, await rig.publish(connected, { text: 'Hello' }), 'published')
    expect((await authorizationOf(connected)).connection).toBe(String(Number(before.connection) + 2))
    expect(await recordsOf(connected)).toHaveLength(1)
  })

  test('one that the server calls expired is refreshed, and the post goes out once', async () => {
    const connected = await aConnectedAccount()
    await changeAuthorization(connected, { accessToken: endedToken(connected.account.did) })
    await rig.until(connected, await rig.publish(connected, { text: 'Hello' }), 'published')
    expect(await recordsOf(connected)).toHaveLength(1)
  })

  test('two processes that refresh at the same time use the token once between them', async () => {
    const connected = await aConnectedAccount()
    const { connection } = await authorizationOf(connected)
    const another = openConnectTo({ db, keyring: rig.keyring, provider, trustedOrigins: trusted(pds) })
    const ref = { workspaceId: connected.workspace.workspaceId, channelId: connected.channelId }
    const all = await Promise.all(
      [connect, another, connect, another].map(({ refresh }) => refresh(ref, connection)),
    )
    await another.close()
    expect(new Set(all.map((one) => (one.is === 'authorized' ? one.connection : one.is))).size).toBe(1)
    await rig.until(connected, await rig.publish(connected, { text: 'Hello' }), 'published')
  })

  test('when the app password is deleted, the channel has to be reconnected, and nothing else is lost', async () => {
    const connected = await aConnectedAccount()
    await pds.ask('com.atproto.server.revokeAppPassword', {
      as: connected.account,
      body: { name: 'postrider' },
    })
    await changeAuthorization(connected, { accessToken: endedToken(connected.account.did) })
    const postId = await rig.publish(connected, { text: 'Hello' })
    await rig.until(connected, postId, 'reconnect_required')
    const made = await pds.ask('com.atproto.server.createAppPassword', {
      as: connected.account,
      body: { name: 'again' },
    })
    const target = {
      workspaceId: connected.workspace.workspaceId,
      channelId: connected.channelId,
      actor: OPERATOR,
    }
    const fields = { handle: connected.account.handle, appPassword: made.password }
    const again = await connectByForm(connect, target, provider, fields)
    expect(again).toMatchObject({ is: 'connected', channelId: connected.channelId, resumed: 1 })
    rig.wake()
    await rig.until(connected, postId, 'published')
    expect(await recordsOf(connected)).toHaveLength(1)
  })
})

describe('exactly once', () => {
  /** A destination whose call was armed, and whose worker was lost before it heard anything. */
  async function inDoubt(connected: Connected, before: (work: any) => Promise<unknown>) {
    const adapter = await provider.load()
    const postId = await rig.publish(connected, { text: 'Once' })
    await rig.until(connected, postId, 'published')
    const [attempt] = await db<{ key: string; prepared: any }[]>`
      select a.key, a.prepared from attempt a join destination d on d.id = a.destination_id where d.post_id = ${postId}`
    const { authorization } = await authorizationOf(connected)
    const part = { authorization, text: 'Once', media: [], settings: {}, parent: null, root: null }
    const work = { ...part, idempotencyKey: attempt!.key, prepared: attempt!.prepared, files: [] }
    return before({ adapter, work })
  }
  const send = async (one: any) =>
    connect.tools.call(one).then((answer) => {
      if (!answer.arrived) throw new Error(answer.reason)
      return answer.response
    })

  test('the same call again writes nothing and says the same', async () => {
    const connected = await aConnectedAccount()
    await inDoubt(connected, async ({ adapter, work }) => {
      const verdicts = await Promise.all(
        Array.from({ length: 5 }, async () =>
          adapter.publish.judge(await send(adapter.publish.request(work)), work),
        ),
      )
      expect(verdicts.map(({ is }: { is: string }) => is)).toEqual(Array(5).fill('published'))
    })
    expect(await recordsOf(connected)).toHaveLength(1)
  })

  test('a later attempt writes under the same key, and what an earlier one left there is found', async () => {
    const connected = await aConnectedAccount()
    await inDoubt(connected, async ({ adapter, work }) => {
      const later = { ...work, now: new Date(Date.now() + 3_600_000), former: work.prepared }
      const { outcome } = play(adapter.prepare(later), () => expect.unreachable('asked'))
      const again = { ...work, prepared: (outcome as { prepared: unknown }).prepared }
      const response = await send(adapter.publish.request(again))
      expect(adapter.publish.judge(response, again)).toMatchObject({ is: 'unknown' })
      const looked = { ...again, armedAt: new Date(), now: new Date(), knownRemoteIds: [] }
      const found = await runProcedure(adapter.lookup, looked, { call: connect.tools.call } as any, {
        signal: new AbortController().signal,
        maxCalls: 9,
        maxWaitMs: 0,
      })
      expect(found).toMatchObject({ is: 'done', outcome: { is: 'found', exact: true } })
    })
    expect(await recordsOf(connected)).toHaveLength(1)
  })

  test('another record under the key is no success, and is not overwritten', async () => {
    const connected = await aConnectedAccount()
    await inDoubt(connected, async ({ adapter, work }) => {
      const record = { ...work.prepared.record, text: 'Other' }
      const other = { ...work, prepared: { ...work.prepared, record } }
      const response = await send(adapter.publish.request(other))
      expect(adapter.publish.judge(response, other)).toMatchObject({ is: 'unknown' })
    })
    expect((await recordsOf(connected)).map(({ value }) => value.text)).toEqual(['Once'])
  })
})

describe('by OAuth', () => {
  type Visit = { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string | null }

  /** What a person does in a browser at the server: signs in, and allows or refuses. */
  async function atTheServer(url: URL, account: PdsAccount, answer: 'consent' | 'reject') {
    const jar = new Map<string, string>()
    // Not fetch, which says of itself how it fetches.
    async function visit(address: string, { method = 'GET', headers = {}, body = null }: Visit = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await request(address, { method, body, headers: { ...headers, cookie } })
      for (const set of [response.headers['set-cookie'] ?? []].flat()) {
        const [pair = ''] = set.split(';')
        jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
      }
      const text = await response.body.text()
      return { status: response.statusCode, text, location: String(response.headers['location'] ?? '') }
    }
    const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const page = await visit(url.href, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } })
    expect([page.status, page.text]).toEqual([200, expect.any(String)])
    const csrf = [...jar].find(([name]) => name.includes('csrf'))?.[1] ?? ''
    async function act(endpoint: string, body: object, bearer?: string): Promise<any> {
      const response = await visit(`${url.origin}/@atproto/oauth-provider/~api${endpoint}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          origin: url.origin,
          referer: url.href,
          'x-csrf-token': csrf,
          'sec-fetch-mode': 'same-origin',
          'sec-fetch-site': 'same-origin',
          'sec-fetch-dest': 'empty',
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
      })
      if (response.status !== 200) throw new Error(`${endpoint}: ${response.status} ${response.text}`)
      return JSON.parse(response.text)
    }
    const signedIn = await act('/sign-in', {
      locale: 'en',
      username: account.handle,
      password: account.password,
    })
    const { url: back } =
      answer === 'reject'
        ? await act('/reject', {})
        : await act('/consent', { did: account.did }, signedIn.ephemeralToken)
    const redirect = await visit(back, {
      headers: { ...navigation, 'sec-fetch-site': 'same-origin', referer: url.href },
    })
    return Object.fromEntries(new URL(redirect.location).searchParams)
  }

  async function through(account: PdsAccount, workspace: AWorkspace, answer: 'consent' | 'reject') {
    const target = { workspaceId: workspace.workspaceId, channelId: null, actor: OPERATOR }
    const { url } = await makeLink(connect, target, 'bluesky', baseUrl)
    const flow = await openLink(connect, 'bluesky', new URL(url).searchParams.get('link') ?? '')
    if (flow === null) throw new Error('the link is no link')
    const away = await startFlow(connect, provider, flow, { handle: account.handle })
    if (away.is !== 'authorize') throw new Error(away.detail)
    const callback = await atTheServer(away.url, account, answer)
    return finishFlow(connect, provider, callback, () => away.cookie.value)
  }

  test('an account is connected, publishes with DPoP, and is refreshed', async () => {
    const account = await pds.account('signer')
    const workspace = await aWorkspace(db)
    const result = await through(account, workspace, 'consent')
    expect(result).toMatchObject({ is: 'connected', handle: 'signer.test' })
    if (result.is !== 'connected') throw new Error('not connected')
    const connected = { account, workspace, channelId: result.channelId }
    await rig.until(connected, await rig.publish(connected, { text: 'With a proof' }), 'published')

    const before = await authorizationOf(connected)
    expect(before.authorization.kind).toBe('oauth')
    await changeAuthorization(connected, { accessEndsAt: new Date(Date.now() - 1_000).toISOString() })
    await rig.until(connected, await rig.publish(connected, { text: 'With another' }), 'published')
    const after = await authorizationOf(connected)
    expect(after.authorization.accessToken).not.toBe(before.authorization.accessToken)
    expect(after.authorization.refreshToken).not.toBe(before.authorization.refreshToken)
    expect((await recordsOf(connected)).map(({ value }) => value.text)).toEqual([
      'With a proof',
      'With another',
    ])
  })

  test('a no of the owner connects nothing', async () => {
    const account = await pds.account('unwilling')
    const result = await through(account, await aWorkspace(db), 'reject')
    expect(result).toMatchObject({ is: 'refused', code: 'denied' })
  })
})
