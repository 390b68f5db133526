import { randomBytes } from 'node:crypto'
import type { Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { connectionsToCheck } from '../src/networks/channels/authorization-store.ts'
import { openAuthorization } from '../src/networks/channels/authorization.ts'
import { checkConnection } from '../src/networks/channels/check-connection.ts'
import { connectByForm } from '../src/accounts/connect/connect-by-form.ts'
import { callRecorder } from '../src/networks/providers/port/record-call.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { createLog } from '../src/platform/process/log.ts'
import { makeKeyring, type Keyring } from '../src/platform/sealing/sealing.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { openDiscordDouble, WEBHOOK_ID, WEBHOOK_TOKEN } from './doubles/discord-double.ts'
import { openMastodonDouble, TOKEN } from './doubles/mastodon-double.ts'
import { BOT_TOKEN, CHANNEL, openTelegramDouble } from './doubles/telegram-double.ts'
import { faultyNetworkNames, openFaultyNetworks } from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { networksAt } from './rigs/network-publisher.ts'
import { openConnectToAll, OPERATOR } from './rigs/publishing-rig.ts'
import { openRunningApp } from './rigs/running-app.ts'

/* A record of calls, of whole talks with networks: nothing of what is kept sealed, or is somebody's, is in it. */

const { world } = await openFileWorld()

/** What must not be in a record: all of each authorization, and what the accounts are called. */
async function secretsOf(db: Db, keyring: Keyring): Promise<string[]> {
  const rows = await connectionsToCheck(db, null)
  const names = await db<{ handle: string; name: string; remote: string }[]>`
    select handle, display_name as name, remote_account_id as remote from channel`
  const texts = rows.flatMap(({ channelId, authorizationSealed }) =>
    leavesOf(openAuthorization(keyring, channelId, authorizationSealed)),
  )
  // A kind, a version, the name of a place: words of ours.
  const own = [...texts, ...names.flatMap((one) => Object.values(one))].filter(
    (text) => text.length >= 4 && !/^(?:password|oauth)$/.test(text) && !/^\d{4}-\d\d-\d\dT/.test(text),
  )
  return [...new Set(own)]
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : []
}

/** Of the forms in which a secret may be written, those that the record has. */
function tracesIn(record: string, secrets: readonly string[]): string[] {
  const forms = (text: string) => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString('base64'),
    Buffer.from(text).toString('base64url'),
    Buffer.from(text).toString('hex'),
  ]
  return secrets.filter((secret) => forms(secret).some((form) => record.includes(form)))
}

/** Real servers are in the walks of their own; these have the same adapters. */
const NAMES = faultyNetworkNames.filter((name) => !['snac', 'bluesky', 'wordpress'].includes(name))

test('of connecting and checking an account, at every network', async () => {
  const { db } = world
  await using networks = await openFaultyNetworks((name) =>
    NAMES.some((one) => one.startsWith(name) && name !== 'snac'),
  )
  const keyring = makeKeyring([randomBytes(32)])
  const lines: string[] = []
  const connect = openConnectToAll({
    ...networks.order,
    db,
    keyring,
    providers: networksAt(networks.order.places),
    recorder: callRecorder((line) => lines.push(line)),
  })
  for (const network of networks.all)
    await network.connect({ connect, keyring, workspace: await aWorkspace(db) })
  const { tools, clients } = connect
  const log = createLog({ level: 'silent' })
  for (const row of await connectionsToCheck(db, null)) {
    const parts = { providers: connect.providers, keyring, tools, clients, log, now: () => new Date() }
    await checkConnection(parts, row)
  }
  await connect.close()

  const record = lines.join('\n')
  const apps = Object.values(networks.order.apps).flatMap(leavesOf)
  const secrets = [
    ...(await secretsOf(db, keyring)),
    ...apps,
    ...networks.all.map(({ proxy }) => proxy.url.host),
  ]
  expect([lines.length > 40, secrets.length > 40]).toEqual([true, true])
  expect(tracesIn(record, secrets)).toEqual([])
  expect(record).toContain(
    '"call":"GET /v27.0/debug_token","authorization":"Bearer with appsecret_proof, input_token"',
  )
})

test('of posts: each call, by its name, and nothing that is in them', async () => {
  await using instance = await openMastodonDouble()
  await using bot = await openTelegramDouble()
  await using discord = await openDiscordDouble()
  const trustedOrigins = [instance.url, bot.url, discord.url]
  const lines: string[] = []
  await using app = await openRunningApp({
    roles: 'api,publisher',
    env: { TRUSTED_ORIGINS: trustedOrigins.join(',') },
    recorder: callRecorder((line) => lines.push(line)),
  })
  const { db, keyring } = app
  const connect = openConnectToAll({ db, keyring, providers, trustedOrigins, apps: {} })
  const accounts = {
    mastodon: { server: instance.url, accessToken: TOKEN },
    telegram: { chat: `@${CHANNEL.username}`, botToken: BOT_TOKEN, server: bot.url },
    discord: { webhookUrl: `${discord.url}/api/webhooks/${WEBHOOK_ID}/${WEBHOOK_TOKEN}` },
  }
  const channelIds: string[] = []
  const { workspaceId } = app.workspace
  for (const [provider, fields] of Object.entries(accounts)) {
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    const made = await connectByForm(connect, target, providers.get(provider)!, fields)
    if (made.is !== 'connected') throw new Error(made.detail)
    channelIds.push(made.channelId)
  }
  await connect.close()
  const text = 'We roast on Tuesdays, come by the quay, says Wilhelmina'
  const { body } = await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: 'one',
      state: 'scheduled',
      publishAt: new Date(Date.now() + 1_500).toISOString(),
      channelIds,
      text,
    },
  })
  const { postId } = body as Post
  const statuses = async () => {
    const { body: post } = await app.ask('GET', `/agent/v1/posts/${postId}`)
    return (post as Post).destinations.map(({ status }) => status)
  }
  await expect.poll(statuses, { timeout: 30_000 }).toEqual(['published', 'published', 'published'])

  const record = lines.join('\n')
  const calls = lines.map((line) => (JSON.parse(line) as { asked: { call: string } }).asked.call)
  expect(calls).toEqual(
    expect.arrayContaining([
      'POST /api/v1/statuses',
      'POST /bot{token}/sendMessage',
      'POST /api/v10/webhooks/{…}/{token}',
    ]),
  )
  const secrets = [
    ...(await secretsOf(db, keyring)),
    text,
    'Tuesdays',
    'Wilhelmina',
    'alice',
    'social.example',
  ]
  expect(tracesIn(record, [...secrets, ...trustedOrigins.map((origin) => new URL(origin).host)])).toEqual([])
})
