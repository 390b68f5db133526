import { randomBytes } from 'node:crypto'
import { destinationStatuses, type DestinationStatus, type Post } from '@postrider/contract'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { describe, expect, test } from 'vitest'
import { listApprovals } from '../src/content/approvals/approval-store.ts'
import { decideApproval } from '../src/attention/reviews/decide-approval.ts'
import { addChannel } from '../src/networks/channels/connect-channel.ts'
import { resumeChannel } from '../src/engine/destinations/resume-channel.ts'
import { isRefusal } from '../src/edge/operations/refusal.ts'
import { createLog } from '../src/platform/process/log.ts'
import { createMetrics } from '../src/platform/process/metrics.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { resolveByPerson, type Finding } from '../src/engine/publication/resolve-by-person.ts'
import { startPublishing } from '../src/engine/publication/start-publishing.ts'
import { openSandboxAccount, type NewSandboxAccount } from '../src/accounts/sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../src/accounts/sandbox/sandbox-channel.ts'
import { anApi, announced, aWorkspace } from './rigs/fixtures.ts'
import { noMedia } from './rigs/no-media.ts'
import { openWorld } from './rigs/world.ts'

/*
 * Every ending, as anybody can reproduce it: posts whose text asks the sandbox network for a fault, the commands of the
 * API, and the real publisher. Waits are shortened by moving the times of rows; nothing is slept for.
 */

const leaseMs = 2_000
const callTimeoutMs = 500

/** A workspace with one channel on a network of its own, and a publisher that runs. */
async function openRig(options: Pick<NewSandboxAccount, 'authorizedSeconds'> = {}) {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const { db } = world
  let aheadMs = 0
  const network = await startSandboxNetwork({ memory: true, now: () => Date.now() + aheadMs })
  let networkOpen = true
  const closeNetwork = async () => {
    if (networkOpen) await network.close()
    networkOpen = false
  }
  opened.defer(closeNetwork)
  const api = opened.use(await anApi(db))
  const keyring = makeKeyring([randomBytes(32)])
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const publisher = await startPublishing({
    db,
    heartbeatDb: world.openSession(),
    keyring,
    providers,
    leaseMs,
    callTimeoutMs,
    baseUrl: 'http://localhost:4000',
    concurrency: 8,
    roles: ['publisher'],
    media: noMedia,
    log: createLog({ level: 'silent' }),
    registry: createMetrics().registry,
    rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
  })
  opened.defer(() => publisher.stop(2_000))

  const profile = { handle: 'ada', displayName: 'Ada', profile: 'short' } as const
  async function connect({ takeOver }: { takeOver: boolean }): Promise<string> {
    const account = await openSandboxAccount(network.url, { ...profile, ...options }, { takeOver })
    const { channelId } = await addChannel(db, keyring, sandboxConnection(workspaceId, network.url, account))
    return channelId
  }
  const channelId = await connect({ takeOver: false })

  async function read({ postId }: { postId: string }) {
    const post = await api.read(workspace, postId)
    return post.destinations[0]!
  }

  /** Ends the waits of the post: what is put off is due now. */
  async function hasten({ postId }: { postId: string }): Promise<void> {
    await db`update channel set paused_until = null where workspace_id = ${workspaceId}`
    await db`
      update destination set due_at = now()
      where  post_id = ${postId} and due_at > now() and status in ('delayed', 'partially_published', 'checking')`
    publisher.wake()
  }

  const rig = {
    db,
    api,
    workspace,
    workspaceId,
    network,
    closeNetwork,
    channelId,
    read,
    hasten,

    async create(state: 'draft' | 'scheduled' | 'immediate', ...texts: string[]): Promise<Post> {
      const [text, ...thread] = texts
      const { status, body } = await api.call(workspace, 'POST', '/posts', {
        confirmed: true,
        idempotencyKey: crypto.randomUUID(),
        state,
        channelIds: [channelId],
        text,
        ...(thread.length > 0 ? { thread: thread.map((text) => ({ text })) } : {}),
        ...(state === 'scheduled' ? { publishAt: new Date(Date.now() + 3_600_000).toISOString() } : {}),
      })
      expect({ status, body }).toMatchObject({ status: 201 })
      return body as Post
    },

    /** A scheduled post whose time has come. */
    async due(...texts: string[]): Promise<Post> {
      const post = await rig.create('scheduled', ...texts)
      await rig.comes(post)
      return post
    },

    /** The time of what is scheduled comes. */
    async comes({ postId }: { postId: string }): Promise<void> {
      await db`
        update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '24 hours'
        where  post_id = ${postId} and status = 'scheduled'`
      publisher.wake()
    },

    /** Resolves with the destination once it is in the status; its waits are ended where wished. */
    async until(post: { postId: string }, status: DestinationStatus, { hastened = false } = {}) {
      const end = Date.now() + 20_000
      for (;;) {
        const destination = await read(post)
        if (destination.status === status) return destination
        if (Date.now() > end) throw new Error(`it is ${destination.status}, and does not become ${status}`)
        if (hastened) await hasten(post)
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
    },

    async command(post: { postId: string }, name: string, body: object = {}) {
      const { controlToken } = await read(post)
      return api.command(workspace, post.postId, name, { channelId, controlToken, ...body })
    },

    /** The call in doubt was long ago: nothing of it is under way any more. */
    async letCallsEnd({ postId }: { postId: string }): Promise<void> {
      await db`
        update attempt set armed_at = armed_at - interval '2 minutes'
        where  destination_id in (select id from destination where post_id = ${postId})`
    },

    /** The clock of the network goes on, and nobody else's. */
    moveNetworkClock(ms: number): void {
      aheadMs += ms
    },

    /** The allowed time is over. */
    async letTimeEnd({ postId }: { postId: string }): Promise<void> {
      await db`update destination set expires_at = now() where post_id = ${postId}`
    },

    /** A person's word, given when no call can be under way any more. */
    async resolve(post: { postId: string }, finding: Finding) {
      const { postId } = post
      const { controlToken } = await read(post)
      const decision = {
        workspaceId,
        postId,
        channelId,
        controlToken,
        memberName: 'Ada',
        note: null,
        finding,
      }
      const over = { armWindowMs: 0, callTimeoutMs: 0, settlingMs: 0, lateCallMs: 0, processingMs: 0 }
      const resolved = await resolveByPerson(db, over, providers, decision)
      return isRefusal(resolved) ? resolved : resolved.outcome
    },

    /** A person connects the account again, and what waited goes on. */
    async reconnect(): Promise<number> {
      expect(await connect({ takeOver: true })).toBe(channelId)
      return resumeChannel(db, workspaceId, channelId)
    },

    /** What the network was told to make. */
    async made() {
      const answer = await fetch(`${network.url}/control/creates`)
      const { byText } = (await answer.json()) as {
        byText: { text: string; inReplyTo: string | null; count: number }[]
      }
      return byText
    },

    async creates(): Promise<{ text: string; count: number }[]> {
      return (await rig.made()).map(({ text, count }) => ({ text, count }))
    },

    /** The types of all events of the post, and that each says what it must. */
    async history({ postId }: { postId: string }): Promise<string[]> {
      const events = (await announced(db, workspaceId)) as (Told & { [name: string]: unknown })[]
      const mine = events.filter(({ data }) => data.post.postId === postId)
      expect(new Set(mine.map(({ id }) => id)).size).toBe(mine.length)
      const outFrom = mine.findIndex(({ type }) => type === 'post.published' || type === 'post.partial')
      for (const [place, event] of mine.entries()) {
        const { status, releaseUrl, channelId: told } = event.data.destination
        expect([event.type, told]).toEqual([destinationStatuses[status].event, channelId])
        expect('checkAgainAt' in event).toBe(event.type === 'post.delayed')
        // Whatever is out has an address, and every later event says so.
        const out = outFrom >= 0 && place >= outFrom
        expect(out && releaseUrl === null).toBe(false)
      }
      return mine.map(({ type }) => type.replace('post.', ''))
    },
  }
  const running = opened.move()
  return { ...rig, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

type Told = {
  id: string
  type: string
  data: {
    post: { postId: string }
    destination: { status: DestinationStatus; releaseUrl: string | null; channelId: string }
  }
}

describe('draft, scheduled, publishing, published', () => {
  test('a draft waits, is given a time, is published, and its page opens', async () => {
    await using rig = await openRig()
    const post = await rig.create('draft', 'Hello')
    expect(await rig.read(post)).toMatchObject({ status: 'draft', publishAt: null, expiresAt: null })
    expect(await rig.history(post)).toEqual([])

    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    const { body } = await rig.command(post, 'schedule', { publishAt })
    expect(body).toMatchObject({ status: 'scheduled', publishAt, checkAgainAt: null, error: null })
    await rig.comes(post)

    const published = await rig.until(post, 'published')
    expect(published).toMatchObject({
      error: null,
      checkAgainAt: null,
      publishedAt: expect.any(String),
      parts: [{ index: 0, status: 'published', text: 'Hello', releaseUrl: published.releaseUrl }],
    })
    const page = await fetch(published.releaseUrl!)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Hello')])
    expect(await rig.history(post)).toEqual(['scheduled', 'published'])
    expect(await rig.creates()).toEqual([{ text: 'Hello', count: 1 }])
  })

  test('it goes out at its time, and not before', async () => {
    await using rig = await openRig()
    const publishAt = new Date(Date.now() + 3_000)
    const { body } = await rig.api.call(rig.workspace, 'POST', '/posts', {
      confirmed: true,
      idempotencyKey: 'k',
      state: 'scheduled',
      channelIds: [rig.channelId],
      text: 'On time',
      publishAt: publishAt.toISOString(),
    })
    const published = await rig.until(body as Post, 'published')
    const lateMs = Date.parse(published.publishedAt!) - publishAt.getTime()
    expect(lateMs).toBeGreaterThanOrEqual(0)
    expect(published.publishAt).toBe(publishAt.toISOString())
  })

  test('what is edited goes out as it is then, at the time it is rescheduled to', async () => {
    await using rig = await openRig()
    const post = await rig.create('scheduled', 'Old', 'older')
    const { editToken } = post
    const edited = await rig.api.command(rig.workspace, post.postId, 'edit', {
      editToken,
      content: { text: 'New', thread: [] },
    })
    expect(edited.status).toBe(200)
    const publishAt = new Date(Date.now() + 7_200_000).toISOString()
    expect((await rig.command(post, 'reschedule', { publishAt })).body).toMatchObject({ publishAt })
    await rig.comes(post)
    await rig.until(post, 'published')
    expect(await rig.creates()).toEqual([{ text: 'New', count: 1 }])
    expect(await rig.history(post)).toEqual(['scheduled', 'scheduled', 'published'])
  })

  test('a publication that the provider is processing can be neither edited nor cancelled', async () => {
    await using rig = await openRig()
    const post = await rig.due('Long film #sandbox:processing=600000')
    expect(await rig.until(post, 'publishing')).toMatchObject({ error: null, checkAgainAt: null })
    for (const name of ['cancel', 'retry', 'reschedule', 'schedule']) {
      const publishAt = new Date(Date.now() + 3_600_000).toISOString()
      const { body } = await rig.command(post, name, name === 'cancel' ? {} : { publishAt })
      expect(body).toMatchObject({ code: 'invalid_state', currentStatus: 'publishing' })
    }
    const { editToken } = post
    const edit = await rig.api.command(rig.workspace, post.postId, 'edit', {
      editToken,
      content: { text: 'x' },
    })
    expect(edit.body).toMatchObject({ code: 'invalid_state', currentStatus: 'publishing' })
    expect(await rig.history(post)).toEqual(['scheduled'])
  })

  test('a publication that the provider has processed is published', async () => {
    await using rig = await openRig()
    const post = await rig.due('Short film #sandbox:processing=300')
    expect((await rig.until(post, 'published')).releaseUrl).toMatch(/^http/)
    expect(await rig.history(post)).toEqual(['scheduled', 'published'])
  })

  test('a thread is published part by part, each an answer to the one before', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two', 'three')
    const { parts, releaseUrl } = await rig.until(post, 'published')
    expect(parts.map(({ status, text }) => [status, text])).toEqual([
      ['published', 'one'],
      ['published', 'two'],
      ['published', 'three'],
    ])
    expect(releaseUrl).toBe(parts[0]!.releaseUrl)
    expect(new Set(parts.map((part) => part.releaseUrl)).size).toBe(3)
    expect(await rig.history(post)).toEqual(['scheduled', 'published'])
  })

  test('a first comment answers to the first part, whatever it says, and is made once', async () => {
    await using rig = await openRig()
    const comment = 'Same #sandbox:accept-then-drop'
    const create = async (texts: object) => {
      const publishAt = new Date(Date.now() + 3_600_000).toISOString()
      const plan = { confirmed: true, state: 'scheduled', publishAt, channelIds: [rig.channelId] }
      const { body } = await rig.api.call(rig.workspace, 'POST', '/posts', { ...plan, ...texts })
      await rig.comes(body as Post)
      return body as Post
    }
    const post = await create({ text: 'one', thread: [{ text: 'Same' }], firstComment: { text: comment } })
    await rig.until(post, 'checking')
    const { parts } = await rig.until(post, 'published', { hastened: true })
    expect(parts.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'post published',
      'reply published',
      'first_comment published',
    ])
    const [first] = parts
    const answers = { inReplyTo: first!.releaseUrl!.split('/').at(-1), count: 1 }
    expect(await rig.made()).toMatchObject([
      { text: 'one', inReplyTo: null, count: 1 },
      { text: 'Same', ...answers },
      { text: comment, ...answers },
    ])
    const history = await rig.api.call(rig.workspace, 'GET', `/posts/${post.postId}?include=history`)
    const told = (history.body['history'] as { text: string }[]).map(({ text }) => text)
    expect(told).toContain('Publishing attempt, first comment. Published.')

    const refused = await create({ text: 'two', firstComment: { text: 'No #sandbox:refuse' } })
    expect(await rig.until(refused, 'partially_published')).toMatchObject({
      parts: [{ status: 'published' }, { kind: 'first_comment', status: 'failed' }],
    })
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    const content = { firstComment: { text: 'Better' } }
    expect(await rig.command(refused, 'retry', { publishAt, content })).toMatchObject({ status: 200 })
    await rig.until(refused, 'published', { hastened: true })
    expect((await rig.creates()).slice(3)).toEqual([
      { text: 'two', count: 1 },
      { text: 'Better', count: 1 },
    ])
  })

  test('an immediate post is published once a person has approved it, once', async () => {
    await using rig = await openRig()
    const post = await rig.create('immediate', 'Approved')
    expect(post).toMatchObject({ reviewStatus: 'pending', destinations: [{ status: 'draft' }] })
    const { workspaceId } = rig
    const { memberId } = rig.workspace
    const [request] = await listApprovals(rig.db, workspaceId, { all: false })
    const decision = {
      workspaceId,
      memberId,
      memberName: 'Ada',
      approvalId: request!.approvalId,
      verdict: 'approve',
      note: null,
    } as const
    const decided = await Promise.all([1, 2].map(() => rig.db.begin((tx) => decideApproval(tx, decision))))
    expect(decided.filter((each) => !isRefusal(each))).toHaveLength(1)

    await rig.until(post, 'published')
    expect(await rig.history(post)).toEqual(['scheduled', 'published'])
    expect(await rig.creates()).toEqual([{ text: 'Approved', count: 1 }])
  })
})

describe('failed', () => {
  test('what is refused for good has failed, and fails again when it is retried', async () => {
    await using rig = await openRig()
    const post = await rig.due('Never #sandbox:refuse', 'and never this')
    const failed = await rig.until(post, 'failed')
    expect(failed).toMatchObject({
      checkAgainAt: null,
      error: { code: 'content_refused', provider: 'sandbox-short', retryable: false },
      parts: [{ status: 'failed' }, { status: 'skipped' }],
    })
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    expect((await rig.command(post, 'retry', { publishAt })).body).toMatchObject({
      status: 'scheduled',
      error: null,
      parts: [{ status: 'pending' }, { status: 'pending' }],
    })
    await rig.comes(post)
    await rig.until(post, 'failed')
    expect(await rig.history(post)).toEqual(['scheduled', 'failed', 'scheduled', 'failed'])
    expect(await rig.creates()).toEqual([])
  })

  test('what could not be processed has failed, and is published when it is retried', async () => {
    await using rig = await openRig()
    const post = await rig.due('Film #sandbox:processing-fails=100')
    expect(await rig.until(post, 'failed')).toMatchObject({
      error: { code: 'processing_failed', retryable: true },
    })
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    expect((await rig.command(post, 'retry', { publishAt })).status).toBe(200)
    await rig.comes(post)
    await rig.until(post, 'published')
    expect(await rig.history(post)).toEqual(['scheduled', 'failed', 'scheduled', 'published'])
  })

  test('a directive that is misspelt is refused, and never passes for a success', async () => {
    await using rig = await openRig()
    const post = await rig.due('Oops #sandbox:rate-limmit')
    expect(await rig.until(post, 'failed')).toMatchObject({ error: { code: 'content_refused' } })
    expect(await rig.history(post)).toEqual(['scheduled', 'failed'])
  })
})

describe('delayed', () => {
  test.each([
    ['#sandbox:rate-limit=30', 'rate_limited'],
    ['#sandbox:outage=30', 'provider_unavailable'],
  ])('%s: it waits at least as long as the provider asked, then is published', async (directive, code) => {
    await using rig = await openRig()
    const before = Date.now()
    const post = await rig.due(`Later ${directive}`)
    const delayed = await rig.until(post, 'delayed')
    expect(delayed).toMatchObject({ error: { code, retryable: true }, parts: [{ status: 'pending' }] })
    expect(Date.parse(delayed.checkAgainAt!) - before).toBeGreaterThanOrEqual(30_000)
    expect(Date.parse(delayed.checkAgainAt!) - Date.now()).toBeLessThan(40_000)

    const published = await rig.until(post, 'published', { hastened: true })
    expect(published).toMatchObject({ error: null, checkAgainAt: null })
    expect(await rig.history(post)).toEqual(['scheduled', 'delayed', 'published'])
    expect(await rig.creates()).toMatchObject([{ count: 1 }])
  })

  test('a provider that cannot be reached delays, and a delayed one can be cancelled', async () => {
    await using rig = await openRig()
    await rig.closeNetwork()
    const post = await rig.due('Nobody there')
    const delayed = await rig.until(post, 'delayed')
    expect(delayed.error).toMatchObject({ code: 'not_reached' })
    expect(Date.parse(delayed.checkAgainAt!)).toBeGreaterThan(Date.now())
    expect((await rig.command(post, 'cancel')).body).toMatchObject({
      status: 'cancelled',
      checkAgainAt: null,
      error: null,
      parts: [{ status: 'skipped' }],
    })
    expect(await rig.history(post)).toEqual(['scheduled', 'delayed', 'cancelled'])
  })

  test('several faults in one text take their turns', async () => {
    await using rig = await openRig()
    const post = await rig.due('Bad day #sandbox:rate-limit #sandbox:outage')
    await rig.until(post, 'delayed')
    await rig.until(post, 'published', { hastened: true })
    expect(await rig.history(post)).toEqual(['scheduled', 'delayed', 'delayed', 'published'])
  })
})

describe('reconnect_required', () => {
  test('a revoked account: what is due waits, and goes on once the channel is reconnected', async () => {
    await using rig = await openRig()
    const post = await rig.due('Who am I #sandbox:unauthorized')
    const blocked = await rig.until(post, 'reconnect_required')
    expect(blocked).toMatchObject({ error: { code: 'reconnect_required' }, checkAgainAt: null })
    const [channel] = (await rig.api.call(rig.workspace, 'GET', '/channels')).body
    expect(channel.connectionStatus).toBe('reconnect_required')

    // Another one does not even ask the provider; a third one is given up.
    const second = await rig.due('Me, too')
    await rig.until(second, 'reconnect_required')
    const third = await rig.due('Not me')
    await rig.until(third, 'reconnect_required')
    expect((await rig.command(third, 'cancel')).body).toMatchObject({ status: 'cancelled' })

    expect(await rig.reconnect()).toBe(2)
    await rig.until(post, 'published')
    await rig.until(second, 'published')
    expect(await rig.history(post)).toEqual(['scheduled', 'reconnect_required', 'scheduled', 'published'])
    expect(await rig.history(second)).toEqual(['scheduled', 'reconnect_required', 'scheduled', 'published'])
    expect(await rig.history(third)).toEqual(['scheduled', 'reconnect_required', 'cancelled'])
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1, 1])
  })

  test('an authorization that ends: a check warns of it, and then the channel has to be reconnected', async () => {
    await using rig = await openRig({ authorizedSeconds: 3_600 })
    const [channel] = (await rig.api.call(rig.workspace, 'GET', '/channels')).body
    const endsAt = Date.parse(channel.authorizedUntil)
    const issuesAt = async (publishAt: number) => {
      const plan = { state: 'scheduled', channelIds: [rig.channelId], text: 'Later' }
      const at = new Date(publishAt).toISOString()
      const { body } = await rig.api.call(rig.workspace, 'POST', '/post-checks', { ...plan, publishAt: at })
      return [body.ready, body.issues.map((issue: { code: string }) => issue.code)]
    }
    expect(await issuesAt(endsAt - 1)).toEqual([true, []])
    expect(await issuesAt(endsAt)).toEqual([true, ['channel_authorization_ends']])

    await rig.until(await rig.due('In time'), 'published')
    rig.moveNetworkClock(3_600_000)
    const post = await rig.due('Too late')
    expect(await rig.until(post, 'reconnect_required')).toMatchObject({
      error: { code: 'reconnect_required' },
    })
    expect(await rig.reconnect()).toBe(1)
    await rig.until(post, 'published')
    expect(await rig.history(post)).toEqual(['scheduled', 'reconnect_required', 'scheduled', 'published'])
    expect(await issuesAt(endsAt)).toEqual([true, []])
  })

  test('in doubt on a revoked account: the channel has to be reconnected, and then it is looked for at once', async () => {
    await using rig = await openRig()
    await fetch(`${rig.network.url}/control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fault: { kind: 'revoke' }, match: { calls: 'read' }, times: 1 }),
    })
    const post = await rig.due('Did it arrive? #sandbox:accept-then-drop')
    await rig.until(post, 'checking')
    await expect
      .poll(
        async () => {
          await rig.hasten(post)
          return (await rig.api.call(rig.workspace, 'GET', '/channels')).body[0].connectionStatus
        },
        { timeout: 20_000 },
      )
      .toBe('reconnect_required')
    await rig.db`update destination set due_at = now() + interval '1 hour'`
    expect(await rig.read(post)).toMatchObject({ status: 'checking' })

    expect(await rig.reconnect()).toBe(0)
    await expect.poll(async () => (await rig.read(post)).status, { timeout: 20_000 }).toBe('published')
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'published'])
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1])
  })

  test('revoked while it is being processed: in doubt, and found once the channel is reconnected', async () => {
    await using rig = await openRig()
    const post = await rig.due('Take your time #sandbox:processing=1500')
    await rig.until(post, 'publishing')
    await expect.poll(async () => (await rig.creates()).length).toBe(1)
    const { items } = (await (await fetch(`${rig.network.url}/control/accounts`)).json()) as {
      items: { id: string }[]
    }
    await fetch(`${rig.network.url}/control/accounts/${items[0]!.id}/revoke`, { method: 'POST' })
    await rig.until(post, 'checking')
    const [channel] = (await rig.api.call(rig.workspace, 'GET', '/channels')).body
    expect(channel.connectionStatus).toBe('reconnect_required')

    await rig.reconnect()
    const next = await rig.due('Next, please')
    await rig.until(next, 'published')
    await rig.until(post, 'published', { hastened: true })
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'published'])
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1, 1])
  })

  test('reconnected too late: it expires', async () => {
    await using rig = await openRig()
    const post = await rig.due('Too late #sandbox:unauthorized')
    await rig.until(post, 'reconnect_required')
    await rig.letTimeEnd(post)
    expect(await rig.reconnect()).toBe(0)
    await rig.until(post, 'expired')
    expect(await rig.history(post)).toEqual(['scheduled', 'reconnect_required', 'expired'])
  })
})

describe('checking', () => {
  test.each(['accept-then-drop', 'accept-then-500', 'garbage', 'truncate', 'hang', 'slow=1000'])(
    '%s: the result is not known until a look finds it',
    async (directive) => {
      await using rig = await openRig()
      const text = `Where is it #sandbox:${directive}`
      const post = await rig.due(text)
      const checking = await rig.until(post, 'checking')
      expect(checking).toMatchObject({
        error: { code: 'result_unproven', retryable: false },
        checkAgainAt: expect.any(String),
        parts: [{ status: 'checking' }],
      })
      const publishAt = new Date(Date.now() + 3_600_000).toISOString()
      const retry = await rig.command(post, 'retry', { publishAt })
      expect(retry.body).toMatchObject({ code: 'invalid_state', currentStatus: 'checking' })
      const published = await rig.until(post, 'published', { hastened: true })
      expect(published).toMatchObject({ error: null, parts: [{ status: 'published' }] })
      expect((await fetch(published.releaseUrl!)).status).toBe(200)
      expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'published'])
      expect(await rig.creates()).toEqual([{ text, count: 1 }])
    },
  )

  test.each(['drop', 'error-500'])(
    '%s: once it is proven that nothing is there, it is published, once',
    async (directive) => {
      await using rig = await openRig()
      const text = `Nothing there #sandbox:${directive}`
      const post = await rig.due(text)
      await rig.until(post, 'checking')
      await rig.letCallsEnd(post)
      await rig.until(post, 'published', { hastened: true })
      expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'scheduled', 'published'])
      expect(await rig.creates()).toEqual([{ text, count: 1 }])
    },
  )

  test('proven absent after its allowed time, it expires and is not sent again', async () => {
    await using rig = await openRig()
    const post = await rig.due('Over #sandbox:drop')
    await rig.until(post, 'checking')
    await rig.letTimeEnd(post)
    await rig.letCallsEnd(post)
    await rig.until(post, 'expired', { hastened: true })
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'scheduled', 'expired'])
    expect(await rig.creates()).toEqual([])
  })
})

describe("a person's word", () => {
  test('it is out: published, with the address that they give', async () => {
    await using rig = await openRig()
    const post = await rig.due('Found it #sandbox:accept-then-drop')
    await rig.until(post, 'checking')
    const url = 'https://social.example/1'
    expect(await rig.resolve(post, { is: 'published', remoteId: '1', url })).toMatchObject({
      move: 'confirm',
    })
    expect(await rig.read(post)).toMatchObject({ status: 'published', releaseUrl: url, error: null })
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'published'])
  })

  test('it is not out: it is published again, once', async () => {
    await using rig = await openRig()
    const post = await rig.due('Send it again #sandbox:drop')
    await rig.until(post, 'checking')
    await rig.letCallsEnd(post)
    expect(await rig.resolve(post, { is: 'absent' })).toMatchObject({ move: 'requeue' })
    await rig.until(post, 'published')
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'scheduled', 'published'])
    expect(await rig.creates()).toMatchObject([{ count: 1 }])
  })

  test('it has failed: it stays so until it is retried', async () => {
    await using rig = await openRig()
    const post = await rig.due('Leave it #sandbox:drop', 'and this')
    await rig.until(post, 'checking')
    expect(await rig.resolve(post, { is: 'failed' })).toMatchObject({ move: 'reject' })
    expect(await rig.read(post)).toMatchObject({
      status: 'failed',
      error: { code: 'not_published', retryable: true },
      parts: [{ status: 'failed' }, { status: 'skipped' }],
      allowedActions: { retry: { allowed: true } },
    })
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    await rig.command(post, 'retry', { publishAt })
    await rig.comes(post)
    await rig.until(post, 'published')
    expect(await rig.history(post)).toEqual([
      'scheduled',
      'recovery_required',
      'failed',
      'scheduled',
      'published',
    ])
  })
})

describe('partially_published: a thread that is broken in the middle', () => {
  const partsOf = ({ parts }: { parts: { status: string }[] }) => parts.map(({ status }) => status)

  test('put off: what is out stays out, and the rest goes on', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two #sandbox:rate-limit', 'three')
    const partial = await rig.until(post, 'partially_published')
    expect(partsOf(partial)).toEqual(['published', 'pending', 'pending'])
    expect(partial).toMatchObject({
      error: { code: 'rate_limited' },
      checkAgainAt: expect.any(String),
      releaseUrl: partial.parts[0]!.releaseUrl,
      publishedAt: null,
    })
    expect((await rig.command(post, 'cancel')).body).toMatchObject({ currentStatus: 'partially_published' })

    const published = await rig.until(post, 'published', { hastened: true })
    expect(published.releaseUrl).toBe(partial.releaseUrl)
    expect(published.parts[0]).toEqual(partial.parts[0])
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1, 1, 1])
    expect(await rig.history(post)).toEqual(['scheduled', 'partial', 'published'])
  })

  test('refused for good: it ends at once, with the reason, and goes on from there once it is retried', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two #sandbox:refuse', 'three')
    const partial = await rig.until(post, 'partially_published')
    expect(partsOf(partial)).toEqual(['published', 'failed', 'skipped'])
    expect(partial).toMatchObject({
      checkAgainAt: null,
      expiresAt: null,
      error: { code: 'content_refused', retryable: false },
    })
    for (const command of ['reschedule', 'cancel']) {
      const publishAt = new Date(Date.now() + 3_600_000).toISOString()
      const { body } = await rig.command(post, command, command === 'cancel' ? {} : { publishAt })
      expect(body).toMatchObject({ code: 'invalid_state', currentStatus: 'partially_published' })
    }
    expect((await rig.creates()).map(({ text }) => text)).toEqual(['one'])
    expect(await rig.history(post)).toEqual(['scheduled', 'partial'])

    // A retry goes on from there: as it is, it is refused again; what is out cannot be changed by it, and is not sent again.
    const retry = (content?: object) =>
      rig.command(post, 'retry', {
        publishAt: new Date(Date.now() + 1_000).toISOString(),
        ...(content === undefined ? {} : { content }),
      })
    const thread = [{ text: 'two, repaired' }, { text: 'three' }]
    expect((await retry({ text: 'not one', thread })).body).toMatchObject({ code: 'validation_failed' })
    expect((await retry({ thread: [] })).body).toMatchObject({ code: 'validation_failed' })
    expect((await retry()).body).toMatchObject({ status: 'partially_published' })
    await expect.poll(() => rig.history(post)).toEqual(['scheduled', 'partial', 'partial', 'partial'])
    expect(partsOf(await rig.read(post))).toEqual(['published', 'failed', 'skipped'])
    expect((await retry({ thread })).body).toMatchObject({ status: 'partially_published' })
    const published = await rig.until(post, 'published')
    expect(published.parts[0]).toEqual(partial.parts[0])
    expect((await rig.creates()).map(({ text }) => text)).toEqual(['one', 'two, repaired', 'three'])
    expect((await rig.creates()).every(({ count }) => count === 1)).toBe(true)
  })

  test('no longer authorised: the rest goes on when the channel is reconnected', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two #sandbox:unauthorized')
    const partial = await rig.until(post, 'partially_published')
    expect(partial).toMatchObject({ checkAgainAt: null, error: { code: 'reconnect_required' } })
    expect(await rig.reconnect()).toBe(1)
    await rig.until(post, 'published')
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1, 1])
    expect(await rig.history(post)).toEqual(['scheduled', 'partial', 'published'])
  })

  test('in doubt: nothing more is sent until a look has found it', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two #sandbox:accept-then-drop', 'three')
    const checking = await rig.until(post, 'checking')
    expect(partsOf(checking)).toEqual(['published', 'checking', 'pending'])
    await rig.until(post, 'published', { hastened: true })
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1, 1, 1])
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'partial', 'published'])
  })

  test('in doubt, and absent: the rest goes out once', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two #sandbox:drop', 'three')
    await rig.until(post, 'checking')
    await rig.letCallsEnd(post)
    await rig.until(post, 'published', { hastened: true })
    expect((await rig.creates()).map(({ count }) => count)).toEqual([1, 1, 1])
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'partial', 'published'])
  })

  test('in doubt, and a person says that it has failed: what is out stays out', async () => {
    await using rig = await openRig()
    const post = await rig.due('one', 'two #sandbox:drop', 'three')
    await rig.until(post, 'checking')
    expect(await rig.resolve(post, { is: 'failed' })).toMatchObject({ move: 'interrupt' })
    const partial = await rig.read(post)
    expect([partial.status, partial.checkAgainAt, partsOf(partial)]).toEqual([
      'partially_published',
      null,
      ['published', 'failed', 'skipped'],
    ])
    expect(await rig.history(post)).toEqual(['scheduled', 'recovery_required', 'partial'])
  })
})

describe('cancelled and expired', () => {
  test('a draft and a scheduled one are cancelled, and are never published', async () => {
    await using rig = await openRig()
    const [draft, scheduled] = [await rig.create('draft', 'a'), await rig.create('scheduled', 'b')]
    for (const post of [draft, scheduled]) {
      expect((await rig.command(post, 'cancel')).body).toMatchObject({
        status: 'cancelled',
        error: null,
        checkAgainAt: null,
        parts: [{ status: 'skipped' }],
      })
    }
    expect(await rig.history(draft)).toEqual(['cancelled'])
    expect(await rig.history(scheduled)).toEqual(['scheduled', 'cancelled'])
    // One that is due after them goes out, and they do not.
    await rig.until(await rig.due('c'), 'published')
    expect((await rig.creates()).map(({ text }) => text)).toEqual(['c'])
  })

  test('a delayed one, and one whose channel is switched off, expire', async () => {
    await using rig = await openRig()
    const delayed = await rig.due('a #sandbox:outage=3600')
    await rig.until(delayed, 'delayed')
    const scheduled = await rig.create('scheduled', 'b')
    await rig.db`update channel set enabled = false where id = ${rig.channelId}`
    await rig.comes(scheduled)
    for (const post of [delayed, scheduled]) {
      await rig.letTimeEnd(post)
      expect(await rig.until(post, 'expired')).toMatchObject({
        checkAgainAt: null,
        error: { code: 'allowed_time_over', retryable: true },
        parts: [{ status: 'skipped' }],
      })
    }
    expect(await rig.history(delayed)).toEqual(['scheduled', 'delayed', 'expired'])
    expect(await rig.history(scheduled)).toEqual(['scheduled', 'expired'])
    expect(await rig.creates()).toEqual([])
  })
})
