import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { MAIN } from '../../../test/rigs/built.ts'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AiDouble, drafts, hold, openAiDouble, say } from '../../../test/doubles/ai-double.ts'
import { aWorkspace } from '../../../test/rigs/fixtures.ts'
import { freePort } from '../../../test/rigs/free-port.ts'
import { aKey, type Answer, openRunningApp, type RunningApp } from '../../../test/rigs/running-app.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'

const PATH = '/agent/v1/ai/post-drafts'
const body = {
  confirmed: true,
  brief: 'Version 2 is out.',
  destinations: [{ provider: 'sandbox-short' }],
  language: 'en',
  tone: 'plain',
  result: 'draft',
}

let double: AiDouble
beforeEach(async () => void (double = await openAiDouble(drafts('A text that fits.'))))
afterEach(() => double[Symbol.asyncDispose]())

const openApp = (env: Record<string, string> = {}, apps = 1) =>
  openRunningApp({
    apps,
    env: { OPENAI_BASE_URL: double.baseUrl, AI_MODEL: 'openai/writer', STOP_SECONDS: '0', ...env },
  })

const ask = (app: RunningApp, key: string, at = app.baseUrl): Promise<Answer> =>
  app.ask('POST', PATH, { body, at, headers: { 'idempotency-key': key } })

const outcome = ({ status, body: { code } }: Answer) => (code === undefined ? status : `${status} ${code}`)

/** As if the process that runs the generation had been silent for longer than its lease. */
const endLeases = (db: Db) => db`update ai_generation set lease_until = now() where status = 'running'`

describe('a process that dies while the model is at work', () => {
  const children = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  async function serve(env: Record<string, string>, cwd: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [MAIN, 'serve'], { env, cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    children.add(child)
    let said = ''
    const ready = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes('Postrider is ready')) resolve()
      })
    })
    const ended = once(child, 'close').then(() => Promise.reject(new Error(`The server ended:\n${said}`)))
    await Promise.race([ready, ended])
    ended.catch(() => undefined)
    return child
  }

  test('leaves an honest answer: unknown, told once, and only then may the model be asked again', async () => {
    await using world = await openWorld()
    await using opened = new AsyncDisposableStack()
    const cwd = await mkdtemp(join(tmpdir(), 'postrider-ai-'))
    opened.defer(() => rm(cwd, { recursive: true, force: true }))
    const workspace = await aWorkspace(world.db)
    const key = await aKey(world.db, workspace)
    const port = await freePort()
    const env = {
      DATABASE_URL: world.databaseUrl,
      DATA_DIR: cwd,
      SECRET_KEYS: randomBytes(32).toString('base64'),
      PORT: String(port),
      ROLES: 'api',
      SANDBOX_URL: 'http://127.0.0.1:9',
      OPENAI_BASE_URL: double.baseUrl,
      AI_MODEL: 'openai/writer',
    }
    const send = async () => {
      const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'k',
        },
        body: JSON.stringify(body),
      })
      const replayed = response.headers.get('idempotent-replayed')
      return {
        status: response.status,
        replayed,
        body: (await response.json()) as { code?: string; detail?: string },
      }
    }

    const first = await serve(env, cwd)
    double.answer(hold().manner)
    const unanswered = send().catch((error: unknown) => error)
    await expect.poll(() => double.heard.length).toBe(1)
    first.kill('SIGKILL')
    expect(await unanswered).toBeInstanceOf(Error)
    // A start may take longer than a lease where much else runs.
    await world.db`update ai_generation set lease_until = now() + interval '1 minute' where status = 'running'`

    await serve(env, cwd)
    double.answer(drafts('The second time.'))
    expect(await send()).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } })
    await endLeases(world.db)
    const told = await send()
    expect(told).toMatchObject({ status: 502, body: { code: 'ai_failed' } })
    expect(told.body.detail).toMatch(/interrupted .* at what cost\. Nothing was stored\./)
    expect(double.heard).toHaveLength(1)

    expect(await send()).toMatchObject({ status: 200, replayed: null })
    expect(await send()).toMatchObject({ status: 200, replayed: 'true' })
    expect(double.heard).toHaveLength(2)
    const rows =
      await world.db`select status, calls, reserved_tokens > 0 as reserved from ai_generation order by id`
    expect([...rows]).toEqual([
      { status: 'lost', calls: 0, reserved: true },
      { status: 'succeeded', calls: 1, reserved: false },
    ])
  }, 60_000)
})

test('a generation that was given up for dead counts for nothing when it comes back', async () => {
  await using app = await openApp()
  const held = hold()
  double.answer(held.manner)
  const first = ask(app, 'k')
  await expect.poll(() => double.heard.length).toBe(1)
  await endLeases(app.db)
  expect(outcome(await ask(app, 'k'))).toBe('502 ai_failed')
  held.release(drafts('Too late.'))
  expect(outcome(await first)).toBe('502 ai_failed')
  expect(await app.db`select from idempotency_record`).toHaveLength(0)
  expect([...(await app.db`select status from ai_generation`)]).toEqual([{ status: 'lost' }])
})

test('a key whose first request is lost is free for another request', async () => {
  await using app = await openApp()
  double.answer(hold().manner)
  const lost = ask(app, 'k').catch(() => null)
  await expect.poll(() => double.heard.length).toBe(1)
  await endLeases(app.db)
  double.answer(drafts('Another.'))
  const other = { ...body, brief: 'Another brief.' }
  const answer = await app.ask('POST', PATH, { body: other, headers: { 'idempotency-key': 'k' } })
  expect(outcome(answer)).toBe(200)
  await app[Symbol.asyncDispose]()
  await lost
})

test('two processes on one database make one call of equal requests', async () => {
  await using app = await openApp({}, 2)
  for (let round = 0; round < 10; round++) {
    double.heard.length = 0
    const all = await Promise.all(
      Array.from({ length: 20 }, (_none, n) =>
        ask(app, `round-${round}`, n % 2 === 0 ? app.baseUrl : app.otherUrl),
      ),
    )
    const others = all.map(outcome).filter((one) => one !== 200 && one !== '409 idempotency_in_progress')
    expect(others).toEqual([])
    expect({ round, asked: double.heard.length }).toEqual({ round, asked: 1 })
  }
})

test('while it runs, a generation sends heartbeats', async () => {
  await using app = await openApp()
  const held = hold()
  double.answer(held.manner)
  const asking = ask(app, 'k')
  await expect.poll(() => double.heard.length).toBe(1)
  await app.db`update ai_generation set lease_until = now() + interval '8 seconds'`
  await expect
    .poll(
      async () =>
        (await app.db`select from ai_generation where lease_until > now() + interval '10 seconds'`).length,
      {
        timeout: 10_000,
      },
    )
    .toBe(1)
  held.release(drafts('Done.'))
  expect(outcome(await asking)).toBe(200)
})

describe('the budget of the day', () => {
  const large = (response: Parameters<typeof say>[0]) =>
    say(response, { content: drafts('Fits.'), usage: { prompt_tokens: 6_000, completion_tokens: 2_500 } })

  test('is used up by what models count, and refuses until the next day', async () => {
    await using app = await openApp({ AI_TOKENS_PER_DAY: '10000' })
    double.answer(large)
    expect(outcome(await ask(app, 'one'))).toBe(200)
    const refused = await ask(app, 'two')
    expect(outcome(refused)).toBe('429 rate_limited')
    expect(refused.body.detail).toMatch(/Of the 10000 AI tokens .* 1500 are left/)
    const wait = Number(refused.headers.get('retry-after'))
    const untilMidnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1_000
    expect(Math.abs(wait - untilMidnight)).toBeLessThan(60)
    expect(double.heard).toHaveLength(1)
    expect(outcome(await ask(app, 'one'))).toBe(200)

    const { body: listed } = await app.ask('GET', '/agent/v1/ai/models')
    expect(listed.budget).toMatchObject({ tokensPerDay: 10_000, tokensUsed: 8_500 })
    await app.db`update ai_generation set begun_at = begun_at - interval '1 day'`
    expect(outcome(await ask(app, 'two'))).toBe(200)
  })

  test('holds for repairs, too', async () => {
    await using app = await openApp({ AI_TOKENS_PER_DAY: '10000' })
    double.answer((response) =>
      say(response, {
        content: drafts('x'.repeat(300)),
        usage: { prompt_tokens: 6_000, completion_tokens: 2_500 },
      }),
    )
    expect(outcome(await ask(app, 'one'))).toBe('429 rate_limited')
    expect(double.heard).toHaveLength(1)
    expect(double.heard[0]!.body.max_tokens).toBeLessThan(10_000)
    expect([...(await app.db`select status, failure, calls from ai_generation`)]).toEqual([
      { status: 'failed', failure: 'budget', calls: 1 },
    ])
  })

  test('is not overdrawn by requests at the same time', async () => {
    await using app = await openApp({ AI_TOKENS_PER_DAY: '10000', AI_MAX_OUTPUT_TOKENS: '4000' })
    const held = hold()
    double.answer(held.manner)
    const asking = Array.from({ length: 10 }, (_none, n) => ask(app, `k${n}`))
    const early: unknown[] = []
    for (const one of asking) void one.then((answer) => early.push(outcome(answer)))
    // Each of them is refused, or asks the model and waits there.
    await expect.poll(() => early.length + double.heard.length, { timeout: 20_000 }).toBe(10)
    const asked = double.heard.reduce((sum, { body: { max_tokens = 0 } }) => sum + max_tokens, 0)
    expect(asked).toBeLessThan(10_000)
    expect(new Set(early)).toEqual(new Set(['429 rate_limited']))
    held.release(drafts('Fits.'))
    await Promise.all(asking)
  })

  test('of one workspace is not that of another', async () => {
    await using app = await openApp({ AI_TOKENS_PER_DAY: '10000' })
    double.answer(large)
    await ask(app, 'one')
    const other = await aKey(app.db, await aWorkspace(app.db))
    const answer = await app.ask('POST', PATH, { body, key: other, headers: { 'idempotency-key': 'one' } })
    expect(outcome(answer)).toBe(200)
  })

  test('is not touched by a vendor that was not reached', async () => {
    await using app = await openApp({ OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` })
    const answer = await ask(app, 'one')
    expect(outcome(answer)).toBe('502 ai_failed')
    expect(answer.body.detail).toMatch(/cannot be reached/)
    expect((await app.ask('GET', '/agent/v1/ai/models')).body.budget.tokensUsed).toBe(0)
  })
})

test('without a vendor everything else works, and drafts say who to ask', async () => {
  await using app = await openRunningApp()
  const answer = await ask(app, 'k')
  expect(outcome(answer)).toBe('409 ai_not_configured')
  expect(answer.body.detail).toMatch(/ask your server operator/)
  expect((await app.ask('GET', '/agent/v1/ai/models')).body).toMatchObject({ models: [] })
  expect(await app.db`select from ai_generation`).toHaveLength(0)
})
