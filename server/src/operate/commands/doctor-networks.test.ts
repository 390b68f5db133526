import { randomBytes } from 'node:crypto'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMastodonDouble, TOKEN, type MastodonDouble } from '../../../test/doubles/mastodon-double.ts'
import {
  BOT_TOKEN,
  CHANNEL,
  openTelegramDouble,
  type TelegramDouble,
} from '../../../test/doubles/telegram-double.ts'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openConnectToAll, OPERATOR } from '../../../test/rigs/publishing-rig.ts'
import { connectByForm } from '../../accounts/connect/connect-by-form.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { providers } from '../../networks/providers/registry.ts'

const { world } = await openFileWorld()
const { db } = world
const secret = randomBytes(32)
let instance: MastodonDouble
let bot: TelegramDouble
let doctor: ReturnType<typeof commandLineWith>

beforeAll(async () => {
  instance = await openMastodonDouble()
  bot = await openTelegramDouble()
  const trustedOrigins = [instance.url, bot.url]
  doctor = commandLineWith({
    DATABASE_URL: world.databaseUrl,
    SECRET_KEYS: secret.toString('base64'),
    TRUSTED_ORIGINS: trustedOrigins.join(','),
    SANDBOX: 'off',
  })
  const keyring = makeKeyring([secret])
  await using connect = new AsyncDisposableStack()
  const opened = openConnectToAll({ db, keyring, providers, trustedOrigins, apps: {} })
  connect.defer(opened.close)
  const accounts = [
    ['mastodon', { server: instance.url, accessToken: TOKEN }],
    ['telegram', { chat: `@${CHANNEL.username}`, botToken: BOT_TOKEN, server: bot.url }],
  ] as const
  // One in each workspace: all of them are looked at.
  for (const [provider, fields] of accounts) {
    const { workspaceId } = await aWorkspace(db)
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    const made = await connectByForm(opened, target, providers.get(provider)!, fields)
    if (made.is !== 'connected') throw new Error(made.detail)
  }
})
afterAll(async () => {
  await instance[Symbol.asyncDispose]()
  await bot[Symbol.asyncDispose]()
})

type Told = {
  provider: string
  status: string
  findings: { code: string; level: string; fix: string | null }[]
}
const told = async () => {
  const { said, exitCode } = await doctor('doctor', 'networks', '--json')
  return { exitCode, accounts: JSON.parse(said) as Told[] }
}

test('tells of each account of every workspace what its network says, and ends with 0 where nothing is wrong', async () => {
  const { exitCode, accounts } = await told()
  expect(exitCode).toBe(0)
  expect(Object.fromEntries(accounts.map(({ provider, status }) => [provider, status]))).toEqual({
    mastodon: 'ok',
    telegram: 'ok',
  })
  const { said } = await doctor('doctor', 'networks')
  expect(said).toContain('  ok    Mastodon answers version 4.5.0.\n')
  expect(said).toContain('  –     Telegram does not tell its limits.\n')
  expect(said.trimEnd().split('\n').at(-1)).toBe('2 accounts checked: all as needed.')
})

test('with --record, each call that it makes is a line of the file, without what is somebody’s', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'record-'))
  const file = join(folder.path, 'calls.jsonl')
  const { exitCode } = await doctor('doctor', 'networks', '--record', file)
  const record = await readFile(file, 'utf8')
  const [first, ...calls] = record
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { record?: string; asked?: { call: string } })
  expect([exitCode, first?.record]).toEqual([0, 'Postrider'])
  expect(calls.map(({ asked }) => asked?.call)).toEqual(
    expect.arrayContaining(['GET /api/v1/accounts/verify_credentials', 'GET /bot{token}/getChatMember']),
  )
  const own = [TOKEN, BOT_TOKEN, CHANNEL.username, new URL(instance.url).host, new URL(bot.url).host]
  expect(own.filter((text) => record.includes(text))).toEqual([])
})

test('a record for which there is no room leaves the check as it is', async () => {
  const { exitCode, said } = await doctor('doctor', 'networks', '--record', '/dev/full')
  expect([exitCode, said.trimEnd().split('\n').at(-1)]).toEqual([0, '2 accounts checked: all as needed.'])
})

test('a fault ends it with 1, says what to do, and leaves the channel as it is', async () => {
  const rows = () => db`select to_jsonb(c) as row from channel c order by id`
  const before = await rows()
  bot.member = { status: 'administrator', can_post_messages: false }
  const { exitCode, accounts } = await told()
  const { said } = await doctor('doctor', 'networks')
  bot.member = { status: 'administrator', can_post_messages: true }
  expect(exitCode).toBe(1)
  const [faulty] = accounts.filter(({ status }) => status === 'fail')
  expect(faulty?.findings.filter(({ level }) => level === 'fail')).toMatchObject([
    { code: 'rights_missing', fix: 'Give it on Telegram.' },
  ])
  expect(said).toContain(
    '  fail  Publishing needs a right that was not given: can_post_messages. Give it on Telegram.\n',
  )
  expect(said).toContain('2 accounts checked: 1 with a fault.')
  expect(await rows()).toEqual(before)
})

test('a channel that is disconnected is told without a call, and one whose access cannot be decrypted, too', async () => {
  await db`update channel set connection_status = 'reconnect_required' where provider = 'telegram'`
  const other = commandLineWith({
    DATABASE_URL: world.databaseUrl,
    SECRET_KEYS: randomBytes(32).toString('base64'),
    SANDBOX: 'off',
  })
  const { said, exitCode } = await other('doctor', 'networks', '--json')
  await db`update channel set connection_status = 'connected' where provider = 'telegram'`
  const codes = (JSON.parse(said) as Told[]).map(({ provider, findings }) => [
    provider,
    findings.map(({ code }) => code),
  ])
  expect(exitCode).toBe(1)
  expect(Object.fromEntries(codes)).toEqual({
    mastodon: ['access_unreadable'],
    telegram: ['reconnect_required'],
  })
})
