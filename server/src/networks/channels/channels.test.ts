import { Channel } from '@postrider/contract'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { providers } from '../providers/registry.ts'
import { judgeChannels } from '../../operate/commands/doctor-findings.ts'
import { countConnections, enabledChannels, findChannels } from './channel-store.ts'
import { addChannel } from './connect-channel.ts'
import { openAuthorization } from './authorization.ts'
import { viewChannel } from './views.ts'

const keyring = makeKeyring([Buffer.alloc(32, 1)])

const account = {
  provider: 'sandbox-short',
  remoteAccountId: 'acc_1',
  displayName: 'Acme',
  handle: 'acme',
  avatarUrl: null,
  authorization: { accessToken: 'first' },
}

test('the list has the enabled channels of the workspace by name, and says which can publish', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const add = (displayName: string, options = {}) =>
    aChannel(world.db, workspaceId, { displayName, ...options })
  const gone = await add('d', { provider: 'gone' })
  const ready = await add('A')
  const lapsed = await add('b', { connectionStatus: 'reconnect_required' })
  const long = await add('C', { provider: 'sandbox-professional' })
  await add('off', { enabled: false })
  await aChannel(world.db, (await aWorkspace(world.db)).workspaceId)

  const channels = (await enabledChannels(world.db, workspaceId)).map((row) => viewChannel(row, providers))

  expect(channels.every((channel) => Check(Channel, channel))).toBe(true)
  expect(channels).toMatchObject([
    {
      channelId: ready,
      publication: { available: true, reason: null },
      maxCharacters: 280,
      characterCounting: 'x_weighted',
    },
    { channelId: lapsed, connectionStatus: 'reconnect_required', publication: { available: false } },
    {
      channelId: long,
      publication: { available: true },
      maxCharacters: 3000,
      characterCounting: 'code_points',
    },
    {
      channelId: gone,
      publication: { available: false, reason: expect.stringContaining('gone') },
      maxCharacters: 0,
    },
  ])
})

test('a channel whose authorization is over has to be reconnected, and doctor names it, and what ends within a week', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const add = async (displayName: string, endsIn: string) => {
    const channelId = await aChannel(world.db, workspaceId, { displayName })
    await world.db`update channel set authorization_ends_at = now() + ${endsIn}::text::interval where id = ${channelId}`
  }
  await add('Over', '-1 second')
  await add('Soon', '6 days')
  await add('Long', '8 days')
  await aChannel(world.db, workspaceId, {
    displayName: 'Off',
    enabled: false,
    connectionStatus: 'reconnect_required',
  })

  const channels = (await enabledChannels(world.db, workspaceId)).map((row) => viewChannel(row, providers))
  expect(channels.map(({ displayName, connectionStatus }) => [displayName, connectionStatus])).toEqual([
    ['Long', 'connected'],
    ['Over', 'reconnect_required'],
    ['Soon', 'connected'],
  ])
  expect(judgeChannels(await countConnections(world.db))).toMatchObject({
    status: 'warn',
    detail: { text: '3 enabled: to be reconnected Over; ending within a week Soon' },
  })
})

test('channels of another workspace are not found', async () => {
  await using world = await openWorld()
  const [mine, theirs] = [await aWorkspace(world.db), await aWorkspace(world.db)]
  const own = await aChannel(world.db, mine.workspaceId)
  const foreign = await aChannel(world.db, theirs.workspaceId)

  const { channels, now } = await findChannels(world.db, mine.workspaceId, [own, foreign])
  expect([...channels.keys()]).toEqual([own])
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(10_000)
})

test('a connected account is stored with its authorization sealed for this channel alone', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)

  const { channelId, reconnected } = await addChannel(world.db, keyring, { workspaceId, ...account })

  const [row] = await world.db<
    { sealed: Buffer }[]
  >`select authorization_sealed as sealed from channel where id = ${channelId}`
  const sealed = row?.sealed ?? Buffer.alloc(0)
  expect(reconnected).toBe(false)
  expect(sealed.includes('first')).toBe(false)
  expect(openAuthorization(keyring, channelId, sealed)).toEqual({ accessToken: 'first' })
  expect(() => openAuthorization(keyring, workspaceId, sealed)).toThrow('sealed for something else')
})

test('connecting an account again renews its channel', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const { channelId } = await addChannel(world.db, keyring, { workspaceId, ...account })
  await world.db`update channel set connection_status = 'reconnect_required', enabled = false`

  const again = { workspaceId, ...account, displayName: 'Acme Ltd', authorization: { accessToken: 'second' } }
  expect(await addChannel(world.db, keyring, again)).toEqual({ channelId, reconnected: true })

  const rows = await world.db<{ sealed: Buffer }[]>`
    select id, display_name, connection_status, enabled, authorization_sealed as sealed from channel`
  expect(rows).toMatchObject([
    { id: channelId, display_name: 'Acme Ltd', connection_status: 'connected', enabled: true },
  ])
  expect(openAuthorization(keyring, channelId, rows[0]?.sealed ?? Buffer.alloc(0))).toEqual({
    accessToken: 'second',
  })
})

test('connecting one account many times at once makes one channel', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const all = await Promise.all(
    Array.from({ length: 8 }, () => addChannel(world.db, keyring, { workspaceId, ...account })),
  )
  expect(new Set(all.map(({ channelId }) => channelId)).size).toBe(1)
  expect(all.filter(({ reconnected }) => !reconnected)).toHaveLength(1)
})

test('two workspaces may connect the same account', async () => {
  await using world = await openWorld()
  const [one, two] = [await aWorkspace(world.db), await aWorkspace(world.db)]
  const connect = ({ workspaceId }: typeof one) => addChannel(world.db, keyring, { workspaceId, ...account })
  expect((await connect(one)).channelId).not.toBe((await connect(two)).channelId)
})

test('a tier at the provider is shown, and is read again with every reconnection', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const tiers = new Map(
    [...providers].map(([name, adapter]) => [
      name,
      {
        ...adapter,
        limits: { ...adapter.limits, subscribed: { subscriptions: ['Premium'], maxCharacters: 25_000 } },
      },
    ]),
  )
  const seen = async () => {
    const [row] = await enabledChannels(world.db, workspaceId)
    const { subscription, maxCharacters } = viewChannel(row!, tiers)
    return { subscription, maxCharacters }
  }

  await addChannel(world.db, keyring, { workspaceId, ...account })
  expect(await seen()).toEqual({ maxCharacters: 280 })
  await addChannel(world.db, keyring, { workspaceId, ...account, subscription: 'Premium' })
  expect(await seen()).toEqual({ subscription: 'Premium', maxCharacters: 25_000 })
  await addChannel(world.db, keyring, { workspaceId, ...account, subscription: 'None' })
  expect(await seen()).toEqual({ subscription: 'None', maxCharacters: 280 })
  await addChannel(world.db, keyring, { workspaceId, ...account })
  expect(await seen()).toEqual({ maxCharacters: 280 })
})
