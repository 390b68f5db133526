import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findAuthorization } from '../src/networks/channels/authorization-store.ts'
import { openAuthorization, sealAuthorization } from '../src/networks/channels/authorization.ts'
import type { Connect } from '../src/accounts/connect/open-connect.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import type { Provider } from '../src/networks/providers/port/port.ts'
import { blueskyAt, connectAnAccount, trusted, type Connected } from './rigs/bluesky-channel.ts'
import { moments, type CrashStep, type Kill, type Moment } from './rigs/crash-worker.ts'
import { openFaultProxy, type FaultProxy } from './rigs/fault-proxy.ts'
import { openKillRig, type KillRig } from './rigs/kill-rig.ts'
import { openPds, type Pds } from './rigs/pds-rig.ts'
import { openConnectTo } from './rigs/publishing-rig.ts'
import type { RefreshOrder } from './rigs/refresh-process.ts'

/*
 * Several processes of ours at one real Bluesky server, and their deaths. PDS_CRASH_ROUNDS says how often publishers die
 * at each step.
 */

const rounds = Number(process.env['PDS_CRASH_ROUNDS'] ?? 1)
const secret = randomBytes(32)
const keyring = makeKeyring([secret])

let pds: Pds
let provider: Provider
let rig: KillRig<Connected>
let connect: Connect

beforeAll(async () => {
  pds = await openPds({ rateLimits: true })
  provider = blueskyAt(pds)
  rig = await openKillRig<Connected>(secret, { callTimeoutMs: 2_000 })
  connect = openConnectTo({ db: rig.db, keyring, provider, trustedOrigins: trusted(pds) })
}, 16 * 60_000)
afterAll(async () => {
  await connect.close()
  await rig[Symbol.asyncDispose]()
  await pds[Symbol.asyncDispose]()
})

describe('publishers killed while they publish', () => {
  const throughout = (step: CrashStep) => moments.map((when) => [{ step, when }])
  /** The deaths of successive publishers over one post. */
  const deaths: readonly (readonly { step: CrashStep; when: Moment }[])[] = [
    [{ step: 'claim', when: 'after' }],
    ...throughout('arm'),
    ...throughout('call'),
    ...throughout('settle'),
    [
      { step: 'arm', when: 'after' },
      { step: 'claimOrphans', when: 'after' },
    ],
    [
      { step: 'call', when: 'after' },
      { step: 'claimDoubts', when: 'after' },
      { step: 'look', when: 'during' },
      { step: 'look', when: 'after' },
    ],
  ]

  test('each part is one record, wherever they die, and each thread hangs together', async () => {
    const connected = await connectAnAccount(pds, provider, connect)
    const missed: Partial<Kill>[] = []
    const planned = Array.from({ length: rounds }, () => deaths).flat()
    for (const [place, points] of planned.entries()) {
      const inThread = place % 2 === 1
      const subject = await rig.create('scheduled', [connected], (number) => {
        const struck = `post ${number} struck`
        return inThread ? [`post ${number} begin`, struck, `post ${number} end`] : [struck]
      })
      await rig.comes(subject)
      for (const { step, when } of points) {
        const text = step === 'look' ? null : subject.words[inThread ? 1 : 0]!
        const kill = { step, when, text, nth: 1 }
        if (!(await rig.publishUntilKilled(kill, 60_000))) missed.push(kill)
      }
    }
    await rig.publishAll(async () => {
      const left = await rig.db<{ id: string }[]>`select id from destination where status <> 'published'`
      return left.map(({ id }) => id)
    })

    expect(missed).toEqual([])
    const records = await pds.records(connected.account)
    const byText = new Map(records.map((record) => [record.value.text as string, record]))
    const words = rig.subjects.flatMap((subject) => subject.words)
    expect(records).toHaveLength(words.length)
    expect(new Set(byText.keys())).toEqual(new Set(words))
    for (const { words: parts } of rig.subjects) {
      const uris = parts.map((text) => byText.get(text)!.uri)
      const replies = parts.map((text) => byText.get(text)!.value.reply)
      expect(replies).toMatchObject(
        uris.map((_, index) =>
          index === 0 ? undefined : { root: { uri: uris[0] }, parent: { uri: uris[index - 1] } },
        ),
      )
    }
    const stored = await rig.db<{ text: string; remoteId: string }[]>`
      select text, remote_id as "remoteId" from part`
    expect(new Map(stored.map(({ text, remoteId }) => [text, remoteId]))).toEqual(
      new Map(records.map(({ uri, value }) => [value.text, uri])),
    )
  }, 600_000)
})

describe('processes that refresh one authorization', () => {
  type Shown = { readonly is: string; readonly connection: string | null }

  /** A process that is ready to refresh, and what it will say; null when it dies before. */
  async function aProcess() {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'rigs/refresh-process.ts')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await lines.next()
    return {
      async refresh(order: RefreshOrder): Promise<Shown | null> {
        child.stdin.write(`${JSON.stringify(order)}\n`)
        const { done, value } = await lines.next()
        return done === true ? null : (JSON.parse(value) as Shown)
      },
      kill: () => child.kill('SIGKILL'),
    }
  }

  /** A channel whose server is reached through a proxy, and the order to refresh it. */
  async function aChannel(proxy: FaultProxy) {
    const connected = await connectAnAccount(pds, provider, connect)
    const channel = { workspaceId: connected.workspace.workspaceId, channelId: connected.channelId }
    const row = async () => (await findAuthorization(rig.db, channel))!
    const { authorizationSealed } = await row()
    const authorization = {
      ...openAuthorization(keyring, channel.channelId, authorizationSealed),
      server: proxy.url.origin,
    }
    await rig.db`
      update channel set authorization_sealed = ${sealAuthorization(keyring, channel.channelId, authorization)} where id = ${channel.channelId}`
    const order: RefreshOrder = {
      databaseUrl: rig.world.databaseUrl,
      secretKey: secret.toString('base64'),
      channel,
      connection: (await row()).connection,
      trustedOrigins: [proxy.url.origin],
    }
    const refreshToken = async () =>
      openAuthorization(keyring, channel.channelId, (await row()).authorizationSealed)['refreshToken']
    return { order, row, refreshToken }
  }

  test('however many want it at once, the refresh token is used once, and all have the new authorization', async () => {
    await using proxy = await openFaultProxy(new URL(pds.url))
    const { order, row, refreshToken } = await aChannel(proxy)
    const before = await refreshToken()
    const processes = await Promise.all([aProcess(), aProcess()])
    const shown = await Promise.all(processes.map(({ refresh }) => refresh(order)))
    const { connection, connected } = await row()
    expect(shown).toEqual([
      { is: 'authorized', connection },
      { is: 'authorized', connection },
    ])
    expect(connected).toBe(true)
    expect(proxy.passed).toBe(1)
    expect(await refreshToken()).not.toBe(before)
  })

  test('a refresh whose answer was lost is made again with the same token, and the channel stays', async () => {
    await using proxy = await openFaultProxy(new URL(pds.url))
    const { order, row } = await aChannel(proxy)
    let met = 0
    proxy.fault = 'reset after it was read'
    proxy.faulty = () => met++ === 0
    const { refresh } = await aProcess()
    expect(await refresh(order)).toEqual({ is: 'authorized', connection: (await row()).connection })
    expect({ passed: proxy.passed, connected: (await row()).connected }).toEqual({
      passed: 2,
      connected: true,
    })
  })

  test('a process that dies before it could store the new authorization leaves a channel that another refreshes', async () => {
    await using proxy = await openFaultProxy(new URL(pds.url))
    const { order, row } = await aChannel(proxy)
    proxy.fault = 'a slow drip'
    const dying = await aProcess()
    const never = dying.refresh(order)
    await expect.poll(() => proxy.passed, { timeout: 20_000 }).toBe(1)
    dying.kill()
    expect(await never).toBeNull()
    proxy.fault = null
    const { refresh } = await aProcess()
    expect(await refresh(order)).toEqual({ is: 'authorized', connection: (await row()).connection })
    expect((await row()).connected).toBe(true)
  })
})
