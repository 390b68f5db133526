import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aChannel } from '../../../test/rigs/fixtures.ts'
import { openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { findChannels } from '../../networks/channels/channel-store.ts'
import { obstacleOf } from '../../networks/channels/channel.ts'
import { addChannel } from '../../networks/channels/connect-channel.ts'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Keyring, makeKeyring, Secret } from '../../platform/sealing/sealing.ts'
import { providers } from '../../networks/providers/registry.ts'
import { listDeliveries } from '../../engine/webhooks/delivery-log-store.ts'
import { abandonDisabled } from '../../engine/webhooks/delivery-store.ts'
import { findEndpoint } from '../../engine/webhooks/endpoint-store.ts'
import { disable, enable, rotateSecret } from '../../engine/webhooks/manage-endpoints.ts'
import {
  offerTotp,
  readTotp,
  secondFactorOf,
} from '../../people/sign-in/second-factor/second-factor-store.ts'
import { findDamaged, keysInUse, openSecrets } from './open-secrets.ts'
import { resealAll, resealBatch } from './reseal.ts'
import { sealedKinds } from './sealed-kinds.ts'

const all = { status: null, limit: 100, before: null }

async function openDir() {
  const dataDir = await mkdtemp(join(tmpdir(), 'secrets-'))
  return {
    path: join(dataDir, 'secret-keys'),
    file: { secretKeys: null, dataDir },
    /** These keys in SECRET_KEYS. */
    given: (...keys: Buffer[]) => ({
      secretKeys: new Secret(keys.map((key) => key.toString('base64')).join(',')),
      dataDir,
    }),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }),
  }
}

const idOf = (key: Buffer) => makeKeyring([key]).keyId

/** A world whose channel and endpoint were sealed with one key. */
async function sealedWorld(key: Buffer) {
  const world = await openWebhookWorld()
  const keyring = makeKeyring([key])
  const channelId = await aChannel(world.db, world.workspaceId, {
    keyring,
    authorization: { accessToken: 'token' },
  })
  const parts = { ...world.parts, keyring }
  const endpoint = await world.anEndpoint('https://hooks.example.com/')
  const { secret } = (await rotateSecret(parts, endpoint, { atOnce: true })) as { secret: string }
  return { ...world, parts, channelId, endpoint, secret }
}

async function authorizationOf(db: Db, keyring: Keyring, channelId: string) {
  const [row] = await db<
    [{ sealed: Buffer }]
  >`select authorization_sealed as sealed from channel where id = ${channelId}`
  return openAuthorization(keyring, channelId, row.sealed)
}

async function channelOf({ db, workspaceId }: WebhookWorld, channelId: string) {
  return (await findChannels(db, workspaceId, [channelId])).channels.get(channelId)!
}

test('the first start creates the key file, later ones read it', async () => {
  await using world = await openWebhookWorld()
  await using dir = await openDir()
  const first = await openSecrets(world.db, dir.file)
  const written = await readFile(dir.path, 'utf8')
  const second = await openSecrets(world.db, dir.file)
  expect(second.keyring.keyId).toBe(first.keyring.keyId)
  expect([first.lost, second.lost]).toEqual([null, null])
  expect(await readFile(dir.path, 'utf8')).toBe(written)
})

test('a lost key file is not replaced beside sealed values: the start is refused, and says what to restore', async () => {
  const key = randomBytes(32)
  await using world = await sealedWorld(key)
  await using dir = await openDir()
  const refused = openSecrets(world.db, dir.file)
  await expect(refused).rejects.toMatchObject({ name: 'SecretKeysMissing' })
  await expect(refused).rejects.toThrow(`${dir.path} is missing`)
  await expect(refused).rejects.toThrow('1 channel authorization and 1 endpoint signing secret')
  await expect(refused).rejects.toThrow('--accept-lost-secrets')
  await expect(stat(dir.path)).rejects.toThrow('ENOENT')
  expect(await channelOf(world, world.channelId)).toMatchObject({
    connectionStatus: 'connected',
    authorizationLost: false,
  })
})

test('keys that do not open everything are refused, by the id of the key that is missing', async () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  await using world = await sealedWorld(key)
  await using dir = await openDir()
  await expect(openSecrets(world.db, dir.given(other))).rejects.toThrow(
    `SECRET_KEYS lacks the key ${idOf(key)}`,
  )
  expect((await openSecrets(world.db, dir.given(other, key))).keyring.keyId).toBe(idOf(other))
})

test('two processes with keys of their own are told apart before anything is sealed', async () => {
  await using world = await openWebhookWorld()
  await using one = await openDir()
  await using other = await openDir()
  await openSecrets(world.db, one.file)
  await expect(openSecrets(world.db, other.file)).rejects.toMatchObject({ name: 'SecretKeysMissing' })
})

test('accepted as lost, channels have to be reconnected and endpoints need new secrets, and nobody else is blamed', async () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  await using world = await sealedWorld(key)
  await using dir = await openDir()
  const { db, channelId, endpoint, workspaceId } = world
  const kept = await aChannel(db, workspaceId, { keyring: makeKeyring([other]) })
  await world.happens()
  const { keyring, lost } = await openSecrets(db, dir.given(other), { acceptLost: true })
  expect(lost).toEqual({
    keyIds: [idOf(key)],
    values: '1 channel authorization and 1 endpoint signing secret',
  })

  const channel = await channelOf(world, channelId)
  expect(channel).toMatchObject({ connectionStatus: 'reconnect_required', authorizationLost: true })
  expect(obstacleOf(channel, providers)?.reason).toBe(
    "This server has lost the key to the channel's access. Reconnect the channel.",
  )
  expect(await channelOf(world, kept)).toMatchObject({
    connectionStatus: 'connected',
    authorizationLost: false,
  })
  expect(await findEndpoint(db, endpoint)).toMatchObject({
    status: 'disabled',
    disabledReason: 'secret_lost',
  })
  await abandonDisabled(db, 100)
  expect(await listDeliveries(db, endpoint, all)).toMatchObject([
    { status: 'failed', error: 'endpoint_disabled' },
  ])

  // The next start needs no leave any more, and both can be mended.
  expect((await openSecrets(db, dir.given(other))).lost).toBeNull()
  const parts = { ...world.parts, keyring }
  expect(await enable(parts, endpoint)).toMatchObject({ refused: expect.stringContaining('Rotate') })
  expect(await rotateSecret(parts, endpoint, { atOnce: false })).toMatchObject({ overlapUntil: null })
  expect(await enable(parts, endpoint)).toMatchObject({ status: 'active', disabledReason: null })
  const [account] = await db<[{ remoteAccountId: string }]>`
    select remote_account_id as "remoteAccountId" from channel where id = ${channelId}`
  await addChannel(db, keyring, {
    workspaceId,
    provider: 'sandbox-short',
    displayName: 'A',
    handle: 'a',
    avatarUrl: null,
    authorization: {},
    ...account,
  })
  expect(await channelOf(world, channelId)).toMatchObject({
    connectionStatus: 'connected',
    authorizationLost: false,
  })
})

test('an endpoint whose newest secret is readable goes on when an older one is lost', async () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  await using world = await sealedWorld(key)
  await using dir = await openDir()
  await rotateSecret({ ...world.parts, keyring: makeKeyring([other]) }, world.endpoint, { atOnce: false })
  await openSecrets(world.db, dir.given(other), { acceptLost: true })
  expect(await findEndpoint(world.db, world.endpoint)).toMatchObject({ status: 'active' })
})

test('a second factor whose secret is lost stays asked for, and no code of its app opens any more', async () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  await using world = await openWebhookWorld()
  await using dir = await openDir()
  const [{ personId }] = await world.db<[{ personId: string }]>`select id as "personId" from person`
  await offerTotp(world.db, makeKeyring([key]), personId, randomBytes(20))
  await world.db`update totp set confirmed_at = now()`
  const { keyring, lost } = await openSecrets(world.db, dir.given(other), { acceptLost: true })
  expect(lost?.values).toBe('1 authenticator secret')
  expect(await secondFactorOf(world.db, personId)).toMatchObject({ totp: true })
  expect(await readTotp(world.db, keyring, personId, { confirmed: true })).toBeNull()
})

test('an endpoint that was disabled before stays so for its own reason', async () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  await using world = await sealedWorld(key)
  await using dir = await openDir()
  await disable(world.parts, world.endpoint)
  await openSecrets(world.db, dir.given(other), { acceptLost: true })
  expect(await findEndpoint(world.db, world.endpoint)).toMatchObject({ disabledReason: 'by_hand' })
})

test('what a channel that has to be reconnected has left needs no key', async () => {
  const [key, other] = [randomBytes(32), randomBytes(32)]
  await using world = await openWebhookWorld()
  await using dir = await openDir()
  await aChannel(world.db, world.workspaceId, {
    keyring: makeKeyring([key]),
    connectionStatus: 'reconnect_required',
  })
  expect((await openSecrets(world.db, dir.given(other))).lost).toBeNull()
})

test('everything is re-sealed under the first key, so that the older one can be removed', async () => {
  const [old, recent] = [randomBytes(32), randomBytes(32)]
  await using world = await sealedWorld(old)
  await using dir = await openDir()
  const { db, workspaceId } = world
  await openSecrets(db, dir.given(old))
  const more = await Promise.all(
    Array.from({ length: 7 }, (_, n) =>
      aChannel(db, workspaceId, { keyring: makeKeyring([old]), authorization: { n } }),
    ),
  )
  const { keyring } = await openSecrets(db, dir.given(recent, old))
  for (const kind of sealedKinds) await resealAll(db, keyring, kind, 3)

  expect(await keysInUse(db)).toEqual([
    {
      keyId: idOf(recent),
      values: [
        { name: 'channel authorization', count: 8 },
        { name: 'endpoint signing secret', count: 1 },
        { name: 'canary', count: 1 },
      ],
    },
  ])
  const alone = (await openSecrets(db, dir.given(recent))).keyring
  expect(await findDamaged(db, alone)).toEqual([])
  expect(await authorizationOf(db, alone, world.channelId)).toEqual({ accessToken: 'token' })
  for (const [n, channelId] of more.entries())
    expect(await authorizationOf(db, alone, channelId)).toEqual({ n })
  for (const kind of sealedKinds)
    expect(await resealAll(db, keyring, kind, 3)).toEqual({ count: 0, damaged: [] })
})

test('re-sealing can end at any batch, goes on from there, and passes over what is damaged', async () => {
  const [old, recent] = [randomBytes(32), randomBytes(32)]
  await using world = await openWebhookWorld()
  const { db, workspaceId } = world
  const channelIds = []
  for (let n = 0; n < 5; n++)
    channelIds.push(await aChannel(db, workspaceId, { keyring: makeKeyring([old]) }))
  await db`
    update channel
    set    authorization_sealed = set_byte(authorization_sealed, 38, (get_byte(authorization_sealed, 38) + 1) % 256)
    where  id = ${channelIds[1]!}`
  const keyring = makeKeyring([recent, old])
  const [authorizations] = sealedKinds
  const first = await db.begin((tx) => resealBatch(tx, keyring, authorizations!, { after: null, limit: 2 }))
  expect(first).toEqual({ count: 1, damaged: [channelIds[1]], last: channelIds[1] })
  expect(await resealAll(db, keyring, authorizations!, 2)).toEqual({ count: 3, damaged: [channelIds[1]] })
  expect(await findDamaged(db, keyring)).toEqual([`channel.authorization_sealed ${channelIds[1]}`])
})

test('an authorization that is renewed while everything is re-sealed is not set back', async () => {
  const [old, recent] = [randomBytes(32), randomBytes(32)]
  await using world = await sealedWorld(old)
  const { db, channelId } = world
  const keyring = makeKeyring([recent, old])
  const [authorizations] = sealedKinds
  const locked = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const renewal = db.begin(async (tx) => {
    const sealed = keyring.seal(JSON.stringify({ accessToken: 'renewed' }), `channel:${channelId}`)
    await tx`update channel set authorization_sealed = ${sealed} where id = ${channelId}`
    locked.resolve()
    await mayEnd.promise
  })
  await locked.promise
  const resealed = resealAll(db, keyring, authorizations!, 10)
  await expect
    .poll(
      () => db`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    .toHaveLength(1)
  mayEnd.resolve()
  await Promise.all([renewal, resealed])
  expect(await authorizationOf(db, keyring, channelId)).toEqual({ accessToken: 'renewed' })
})

test('no sealed column is forgotten', async () => {
  await using world = await openWebhookWorld()
  const columns = await world.db<{ name: string }[]>`
    select table_name || '.' || column_name as name
    from   information_schema.columns
    where  table_schema = 'public' and column_name like '%sealed%'
    order  by name`
  expect(sealedKinds.map(({ column }) => column).toSorted()).toEqual(columns.map(({ name }) => name))
})
