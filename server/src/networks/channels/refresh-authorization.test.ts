import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectParts } from '../../../test/rigs/connect-world.ts'
import { openExampleServer } from '../../../test/rigs/example-network.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import type { Call } from '../providers/port/calls.ts'
import { endAuthorization, findAuthorization } from './authorization-store.ts'
import { openAuthorization } from './authorization.ts'
import { startChannelMaintenance } from './maintain-channels.ts'
import { openRefresh } from './refresh-authorization.ts'

const { world } = await openFileWorld()
const keyring = makeKeyring([randomBytes(32)])
const HOUR = 3_600_000

/** A channel of the example network whose access token ends so many hours from now. */
async function anAuthorizedChannel(
  hours = 1,
  options: { call?: (real: Call) => Call; latencyMs?: number } = {},
) {
  const server = openExampleServer()
  const { workspaceId } = await aWorkspace(world.db)
  const authorization = server.authorizationFor('ada', new Date(Date.now() + hours * HOUR))
  const channelId = await aChannel(world.db, workspaceId, { provider: 'example', authorization, keyring })
  const ref = { workspaceId, channelId }
  const plain = connectParts(world.db, { server, keyring, latencyMs: options.latencyMs ?? 0 })
  const parts =
    options.call === undefined
      ? plain
      : connectParts(world.db, { server, keyring, call: options.call(plain.tools.call) })
  const now = async () => {
    const row = await findAuthorization(world.db, ref)
    if (row === null) throw new Error('the channel is gone')
    return { ...row, authorization: openAuthorization(keyring, channelId, row.authorizationSealed) }
  }
  return {
    server,
    ref,
    authorization,
    parts,
    now,
    another: () => connectParts(world.db, { server, keyring, latencyMs: 20 }),
  }
}

test('a refresh stores the whole new authorization, and gives it', async () => {
  const { ref, parts, now, authorization } = await anAuthorizedChannel()
  const before = await now()
  const refreshed = await parts.refresh(ref, before.connection)
  const after = await now()
  expect(refreshed).toEqual({
    is: 'authorized',
    authorization: after.authorization,
    connection: after.connection,
  })
  expect(after.connection).not.toBe(before.connection)
  expect(after.authorization).not.toEqual(authorization)
  const [row] = await world.db<{ due: boolean; ends: boolean }[]>`
    select refresh_due_at > now() + interval '23 hours' as due, access_ends_at > now() as ends
    from   channel
    where  id = ${ref.channelId}`
  expect(row).toEqual({ due: true, ends: true })
})

test('the new authorization is stored even where the adapter fails to read its times: the old token is over', async () => {
  const { ref, parts, now, authorization } = await anAuthorizedChannel()
  const provider = parts.providers.get('example')!
  const authorizationTimes = () => {
    throw new TypeError('broken')
  }
  const faulty = { ...provider, load: async () => ({ ...(await provider.load()), authorizationTimes }) }
  const refresh = openRefresh({ ...parts, providers: new Map([['example', faulty]]) })
  expect(await refresh(ref, (await now()).connection)).toMatchObject({ is: 'authorized' })
  const after = await now()
  expect(after.connected).toBe(true)
  expect(after.authorization).not.toEqual(authorization)
  expect(parts.logged.join()).toContain('an adapter failed over the times of an authorization')
})

test('however many processes want it, a refresh token is used once', async () => {
  const { ref, parts, now, server, another } = await anAuthorizedChannel(1, { latencyMs: 20 })
  const { connection } = await now()
  const processes = [parts, another(), another(), another()]
  const all = await Promise.all(
    processes.flatMap(({ refresh }) => [refresh(ref, connection), refresh(ref, connection)]),
  )
  expect(server.asked.get('/refresh')).toBe(1)
  expect(server.ended).toEqual(new Set())
  const { authorization } = await now()
  expect(all.map((one) => (one.is === 'authorized' ? one.authorization : one))).toEqual(
    all.map(() => authorization),
  )
})

test('whoever comes with an older authorization gets the newer one, and asks nobody', async () => {
  const { ref, parts, now, server } = await anAuthorizedChannel()
  const { connection } = await now()
  await parts.refresh(ref, connection)
  expect(await parts.refresh(ref, connection)).toMatchObject({
    is: 'authorized',
    authorization: (await now()).authorization,
  })
  expect(server.asked.get('/refresh')).toBe(1)
})

test('the network’s word that it is over disconnects the channel', async () => {
  const { ref, parts, now, server } = await anAuthorizedChannel()
  server.ended.add('ada')
  expect(await parts.refresh(ref, (await now()).connection)).toEqual({ is: 'ended' })
  expect((await now()).connected).toBe(false)
  expect(parts.logged.join()).toContain('has to be reconnected')
})

test.each<[string, Call]>([
  ['no answer', async () => ({ arrived: false, maybeSent: true, reason: 'TIMEOUT', durationMs: 1 })],
  [
    'a gateway',
    async () => ({ arrived: true, response: { status: 502, headers: {}, body: '<html>' }, durationMs: 1 }),
  ],
])('%s disconnects nothing', async (_, call) => {
  const { ref, parts, now } = await anAuthorizedChannel(1, { call: () => call })
  const before = await now()
  expect(await parts.refresh(ref, before.connection)).toMatchObject({ is: 'unavailable' })
  expect(await now()).toEqual(before)
})

test('an address that this server does not call is said to be one, and is asked once', async () => {
  let calls = 0
  const call: Call = async () => {
    calls += 1
    return { arrived: false, maybeSent: false, reason: 'ADDRESS_REFUSED', durationMs: 1 }
  }
  const { ref, parts, now } = await anAuthorizedChannel(1, { call: () => call })
  const before = await now()
  expect(await parts.refresh(ref, before.connection)).toMatchObject({
    is: 'unavailable',
    refusedTarget: true,
  })
  expect([calls, await now()]).toEqual([1, before])
})

test('a request that did not leave is made again', async () => {
  let calls = 0
  const { ref, parts, now } = await anAuthorizedChannel(1, {
    call: (real) => (request, signal) =>
      ++calls === 1
        ? Promise.resolve({ arrived: false, maybeSent: false, reason: 'ECONNREFUSED', durationMs: 1 })
        : real(request, signal),
  })
  expect(await parts.refresh(ref, (await now()).connection)).toMatchObject({ is: 'authorized' })
  expect(calls).toBe(2)
})

test('a channel that was reconnected during the refresh keeps the authorization of the reconnection', async () => {
  const reconnected: string[] = []
  const { ref, parts, now } = await anAuthorizedChannel(1, {
    call: (real) => async (request, signal) => {
      await world.db`update channel set authorization_revision = authorization_revision + 1 where id = ${ref.channelId}`
      reconnected.push((await now()).connection)
      return real(request, signal)
    },
  })
  const refreshed = await parts.refresh(ref, (await now()).connection)
  expect(refreshed).toEqual({
    is: 'authorized',
    connection: reconnected[0],
    authorization: (await now()).authorization,
  })
})

test('an end that concerns an older authorization does not end the newer one', async () => {
  const { ref, parts, now } = await anAuthorizedChannel()
  const old = await now()
  await parts.refresh(ref, old.connection)
  expect(await endAuthorization(world.db, old)).toBe(false)
  expect((await now()).connected).toBe(true)
})

test('channels are refreshed when that is due, and their profiles read once a day', async () => {
  const { ref, parts, now, server } = await anAuthorizedChannel()
  const before = await now()
  await world.db`
    update channel
    set    refresh_due_at = now() - interval '1 minute', profile_due_at = now() - interval '1 minute',
           authorization_ends_at = now() + interval '2 days'
    where  id = ${ref.channelId}`
  server.change('ada', { displayName: 'Ada Lovelace', subscription: 'Premium' })
  const faults: unknown[] = []
  const maintenance = startChannelMaintenance(parts, parts.refresh, {
    everyMs: 10,
    onFault: (fault) => faults.push(fault),
  })
  const profile = async () => {
    const [row] = await world.db<{ displayName: string; subscription: string | null; due: boolean }[]>`
      select display_name as "displayName", subscription, profile_due_at > now() + interval '20 hours' as due
      from   channel
      where  id = ${ref.channelId}`
    return row
  }
  await expect.poll(profile).toEqual({ displayName: 'Ada Lovelace', subscription: 'Premium', due: true })
  await expect.poll(async () => (await now()).connection).not.toBe(before.connection)
  await maintenance.stop()
  expect(faults).toEqual([])
  expect(parts.logged.join()).toContain('the authorization of a channel ends soon')
})

test('a profile is read with a fresh token where the old one is over', async () => {
  const { ref, parts, now, server } = await anAuthorizedChannel()
  await world.db`update channel set profile_due_at = now() where id = ${ref.channelId}`
  server.expireAll()
  server.change('ada', { handle: 'ada2' })
  const maintenance = startChannelMaintenance(parts, parts.refresh, { everyMs: 10, onFault: () => undefined })
  const handle = async () => {
    const [row] = await world.db<{ handle: string }[]>`select handle from channel where id = ${ref.channelId}`
    return row?.handle
  }
  await expect.poll(handle).toBe('ada2')
  await maintenance.stop()
  expect((await now()).connected).toBe(true)
})
