import { randomBytes } from 'node:crypto'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import {
  connectionAspects,
  connectionFindings,
  type ConnectionAspect,
  type FindingCode,
} from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectionsToCheck, type ConnectionRow } from '../src/networks/channels/authorization-store.ts'
import { sealAuthorization } from '../src/networks/channels/authorization.ts'
import { checkConnection } from '../src/networks/channels/check-connection.ts'
import type { Connect } from '../src/accounts/connect/open-connect.ts'
import { makeKeyring, type Keyring } from '../src/platform/sealing/sealing.ts'
import { createLog } from '../src/platform/process/log.ts'
import type { Aspect } from '../src/networks/providers/port/port.ts'
import { providers as registry } from '../src/networks/providers/registry.ts'
import { sandboxProfessional, sandboxShort } from '../src/networks/providers/sandbox/sandbox.ts'
import { accountFaults, faultsAt, type AccountFault } from './rigs/account-faults.ts'
import { openFaultProxy, type FaultProxy } from './rigs/fault-proxy.ts'
import { faultyNetworkNames, openFaultyNetworks, type FaultyNetworks } from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { networksAt } from './rigs/network-publisher.ts'
import { openConnectToAll } from './rigs/publishing-rig.ts'

/*
 * What a check says of an account at each network: that all is as needed, and each fault by its true name. Doubles and real servers
 * answer behind a proxy, which plays the faults. `CHECK_NETWORKS` says which, by a pattern of their names.
 */

const wanted = new RegExp(process.env['CHECK_NETWORKS'] ?? '')
/** As the rig calls them; the sandbox network is opened here. */
const NAMES = [...faultyNetworkNames, 'sandbox-short', 'sandbox-professional'].filter((name) =>
  wanted.test(name),
)
/** What the real servers of the tests do not tell, and their network does. */
const SILENT: Readonly<Record<string, readonly ConnectionAspect[]>> = {
  snac: ['scopes', 'quota', 'clock'],
  bluesky: ['quota'],
}
/** What the name of a fault is about. */
const ASPECTS: Readonly<Record<AccountFault, Aspect>> = {
  'expired token': 'access',
  'missing scope': 'scopes',
  'quota used up': 'quota',
  'version gone': 'version',
  'account suspended': 'access',
}

const { world } = await openFileWorld()
const { db } = world
let networks: FaultyNetworks
let connect: Connect
let keyring: Keyring
let sandbox: { readonly url: string; readonly proxy: FaultProxy; readonly close: () => Promise<void> }
const shifted = { ms: 0 }

beforeAll(async () => {
  networks = await openFaultyNetworks((name) => NAMES.some((one) => one.startsWith(name)))
  keyring = makeKeyring([randomBytes(32)])
  sandbox = await openSandbox()
  connect = openConnectToAll({
    ...networks.order,
    trustedOrigins: [...networks.order.trustedOrigins, sandbox.proxy.url.origin],
    db,
    keyring,
    providers: new Map([
      ...networksAt(networks.order.places),
      ...[sandboxShort, sandboxProfessional].map((one) => [one.provider, one] as const),
    ]),
  })
}, 600_000)
afterAll(async () => {
  await connect.close()
  await networks[Symbol.asyncDispose]()
  await sandbox.close()
})

async function openSandbox() {
  const network = await startSandboxNetwork({ memory: true })
  const proxy = await openFaultProxy(new URL(network.url))
  return {
    url: network.url,
    proxy,
    async close() {
      await proxy[Symbol.asyncDispose]()
      await network.close()
    },
  }
}

/** An account at the sandbox network, as it is kept. */
async function inSandbox(provider: string): Promise<ConnectionRow> {
  const made = await fetch(new URL('/control/accounts', sandbox.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      handle: `a${randomBytes(4).toString('hex')}`,
      profile: provider.slice('sandbox-'.length),
    }),
  })
  const { id, token } = (await made.json()) as { id: string; token: string }
  const { workspaceId } = await aWorkspace(db)
  const channelId = crypto.randomUUID()
  const authorization = { baseUrl: sandbox.proxy.url.origin, accessToken: token, accountId: id }
  return {
    workspaceId,
    channelId,
    provider,
    connected: true,
    connection: 'the first',
    authorizationSealed: sealAuthorization(keyring, channelId, authorization),
    displayName: 'An account',
    subscription: null,
    limits: null,
    authorizationEndsAt: null,
    accessEndsAt: null,
  }
}

type Account = { readonly row: ConnectionRow; readonly proxy: FaultProxy }

async function anAccountAt(name: string): Promise<Account> {
  if (name.startsWith('sandbox-')) return { row: await inSandbox(name), proxy: sandbox.proxy }
  const network = networks.all.find((one) => one.name === name)!
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await network.connect({ connect, keyring, workspace })
  const [row] = await connectionsToCheck(db, { workspaceId, channelId })
  return { row: row!, proxy: network.proxy }
}

/** As the operator's command does: nothing is refreshed. */
function check({ row }: Account) {
  const { providers, tools, clients } = connect
  const now = () => new Date(Date.now() + shifted.ms)
  const log = createLog({ level: 'silent' })
  return checkConnection({ providers, keyring, tools, clients, log, now }, row)
}

const providerOf = (name: string) => networks.all.find((one) => one.name === name)?.provider ?? name
const codesOf = (found: Awaited<ReturnType<typeof check>>) => found.map(({ code }) => code)
const faultyIn = (codes: readonly FindingCode[]) =>
  codes.filter((code) => ['warn', 'fail'].includes(connectionFindings[code].level))

test('the faults of every network are written down, and every network is played', () => {
  const all = [...registry.keys()].toSorted()
  expect(Object.keys(faultsAt).toSorted()).toEqual(all)
  const played = faultyNetworkNames.map((name) => name.split(' ')[0]!)
  expect(all.filter((name) => !played.includes(name) && !name.startsWith('sandbox-'))).toEqual([])
})

/* An access token that has ended: the operator's command tells it, and the server gets another by its own way (`refresh-authorization.ts`). */
describe.runIf(wanted.test('x'))('an access token that has ended', () => {
  const kept = ({ channelId }: ConnectionRow) =>
    db`select connection_status as status, authorization_revision as revision from channel where id = ${channelId}`
  const byServer = ({ row }: Account) =>
    checkConnection({ ...connect, log: createLog({ level: 'silent' }), now: () => new Date() }, row)

  test('is told, and nothing is spent, by a check that refreshes nothing', async () => {
    const account = await anAccountAt('x')
    networks.all.find(({ name }) => name === 'x')!.expireAccess!()
    expect(codesOf(await check(account))[0]).toBe('access_over')
    expect(await kept(account.row)).toEqual([{ status: 'connected', revision: expect.anything() as unknown }])
    // The refresh token is as good as before.
    expect(codesOf(await byServer(account))[0]).toBe('access_accepted')
  })

  test('is replaced by the server, once', async () => {
    const account = await anAccountAt('x')
    const [before] = await kept(account.row)
    networks.all.find(({ name }) => name === 'x')!.expireAccess!()
    expect(codesOf(await byServer(account))[0]).toBe('access_accepted')
    const [after] = await kept(account.row)
    expect([after!['status'], Number(after!['revision'])]).toEqual([
      'connected',
      Number(before!['revision']) + 1,
    ])
  })

  test('is over for good where the network says so to the refresh, which the server stores as ever', async () => {
    const account = await anAccountAt('x')
    networks.all.find(({ name }) => name === 'x')!.revoke!()
    expect(codesOf(await check(account))[0]).toBe('access_over')
    expect(codesOf(await byServer(account))).toEqual(['reconnect_required'])
    expect(await kept(account.row)).toMatchObject([{ status: 'reconnect_required' }])
  })
})

describe.each(NAMES)('%s', (name) => {
  let account: Account
  const told = async () => (await registry.get(providerOf(name))!.load()).examine?.told ?? {}
  beforeAll(async () => {
    account = await anAccountAt(name)
  }, 60_000)

  test('an account that is as it should be has no fault, and all is told that its network tells', async () => {
    const kept = () => db`select to_jsonb(c) as row from channel c where id = ${account.row.channelId}`
    const before = await kept()
    const lines: string[] = []
    account.proxy.choose = (line) => {
      lines.push(line)
      return null
    }
    const codes = codesOf(await check(account))
    account.proxy.choose = null
    expect(faultyIn(codes)).toEqual([])
    const untold = codes
      .filter((code) => code.endsWith('_not_told'))
      .map((code) => connectionFindings[code].aspect)
    const known = await told()
    const expected = (['scopes', 'quota', 'limits', 'version'] as const).filter(
      (aspect) =>
        known[aspect] === undefined || known[aspect].faultsOnly === true || SILENT[name]?.includes(aspect),
    )
    const clock = SILENT[name]?.includes('clock') ? (['clock'] as const) : []
    expect(untold).toEqual([...expected, ...clock])
    expect(codes.map((code) => connectionAspects.indexOf(connectionFindings[code].aspect))).toEqual(
      codes
        .map((code) => connectionAspects.indexOf(connectionFindings[code].aspect))
        .toSorted((a, b) => a - b),
    )
    const changing = lines.filter(
      (line) => !/^(?:GET|CONNECT|REQ|POST \/oauth\/v2\/introspectToken) /.test(line),
    )
    expect([lines.length > 0, changing]).toEqual([true, []])
    expect(await kept()).toEqual(before)
  })

  test.each(accountFaults)('%s is told by its name, or is none that the network tells', async (fault) => {
    const played = faultsAt[providerOf(name)]![fault]
    if ('never' in played) {
      // Of an account that is suspended, the network may say what it says of a token.
      const tells = (await told())[ASPECTS[fault]] !== undefined
      expect(tells && ASPECTS[fault] !== 'access').toBe(false)
      return
    }
    expect((await told())[ASPECTS[fault]]).toBeDefined()
    account.proxy.choose = played.answers
    const found = await check(account)
    account.proxy.choose = null
    const codes = faultyIn(codesOf(found))
    expect(codes).toContain(played.code)
    // Nothing else is called a fault, but that an answer did not say more.
    expect(codes.filter((code) => code !== played.code && code !== 'access_not_told')).toEqual([])
    expect(faultyIn(codesOf(await check(account)))).toEqual([])
  })

  test.each([
    ['ahead', 300_000],
    ['behind', -300_000],
  ])('a clock that is five minutes %s is told', async (_, ms) => {
    shifted.ms = ms
    const found = (await check(account)).find(({ code }) => connectionFindings[code].aspect === 'clock')
    shifted.ms = 0
    if (SILENT[name]?.includes('clock')) return expect(found?.code).toBe('clock_not_told')
    expect(found?.code).toBe('clock_off')
    expect(Math.abs((found?.values.seconds ?? 0) - ms / 1_000)).toBeLessThan(10)
  })

  test.each(['reset before it is read', '503'] as const)(
    'a network that is away is told: %s',
    async (fault) => {
      account.proxy.fault = fault
      const codes = codesOf(await check(account))
      account.proxy.fault = null
      expect(faultyIn(codes)).toEqual(['network_away'])
    },
  )
})
