import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { installPackages } from '../../tools/installed-packages.ts'
import { comeDue } from './rigs/come-due.ts'
import { aChannel, aGroup } from './rigs/fixtures.ts'
import { freePort } from './rigs/free-port.ts'
import { aPhoto } from './rigs/media-files.ts'
import { executeContext, hookContext, type Parameters, webhookContext } from './rigs/n8n-context.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * The nodes for n8n against the real server, whose deliveries come in at a trigger. With N8N=real they are what n8n's own build makes of
 * them, pass n8n's own linter, and run on the real n8n-workflow, which are installed for that (700 MB).
 */

const run = promisify(execFile)
const SOURCES = resolve(import.meta.dirname, '../../integrations/n8n-nodes-postrider')
const REAL = process.env['N8N'] === 'real'

type Item = { json: any; pairedItem?: { item: number } }
type Node = {
  description: { usableAsTool?: boolean; properties: readonly { name: string }[] }
  execute: { call(context: object): Promise<[Item[]]> }
  methods: {
    loadOptions: Record<
      'getChannels' | 'getChannelsAndGroups',
      { call(context: object): Promise<{ value: string }[]> }
    >
  }
}
type Trigger = {
  webhookMethods: {
    default: Record<'checkExists' | 'create' | 'delete', { call(context: object): Promise<boolean> }>
  }
  webhook: { call(context: object): Promise<{ workflowData?: [Item[]]; noWebhookResponse?: boolean }> }
}

let folder: string
let node: Node
let trigger: Trigger
let signedEvent: (body: Buffer, header: unknown, secret: string, now: number, tolerance: number) => unknown
let network: SandboxNetwork
let app: RunningApp
let channelId: string
/** The address at which n8n takes deliveries, and what came in. */
let n8n: Server
let webhookUrl: string
let staticData: { endpointId?: string; secret?: string } = {}
const started: Item[] = []
const arrived: { headers: Record<string, unknown>; body: Buffer; answered: number }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-n8n-'))
  await (REAL ? buildAsN8n() : buildLightly())
  const load = createRequire(join(folder, 'dist/x.js'))
  node = new (load('./nodes/Postrider/Postrider.node.js') as { Postrider: new () => Node }).Postrider()
  trigger = new (
    load('./nodes/PostriderTrigger/PostriderTrigger.node.js') as { PostriderTrigger: new () => Trigger }
  ).PostriderTrigger()
  ;({ signedEvent } = load('./nodes/PostriderTrigger/verify.js') as { signedEvent: typeof signedEvent })

  const port = await freePort()
  webhookUrl = `http://127.0.0.1:${port}/webhook/x`
  n8n = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      void takeDelivery(request.headers, body).then((status) => {
        arrived.push({ headers: request.headers, body, answered: status })
        response.writeHead(status).end()
      })
    })
  })
  await new Promise<void>((listening) => n8n.listen(port, '127.0.0.1', listening))
  network = await startSandboxNetwork({ memory: true })
  app = await openRunningApp({
    roles: 'api,publisher,webhooks',
    sandboxUrl: network.url,
    env: { TRUSTED_ORIGINS: `http://127.0.0.1:${port}` },
  })
  channelId = await aSandboxChannel('ada')
}, 600_000)
afterAll(async () => {
  n8n?.close()
  await app?.[Symbol.asyncDispose]()
  await network?.close()
  await rm(folder, { recursive: true, force: true })
})

/** As n8n does: the trigger answers what it refuses, everything else is taken. */
async function takeDelivery(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): Promise<number> {
  const context = webhookContext({ credentials: credentials(), staticData }, headers, body)
  const { workflowData } = await trigger.webhook.call(context)
  started.push(...(workflowData?.[0] ?? []))
  return context.answered.status ?? 200
}

/** Our own bundler, and of n8n-workflow the few lines that run. */
async function buildLightly(): Promise<void> {
  for (const name of [
    'nodes/Postrider/Postrider.node',
    'nodes/PostriderTrigger/PostriderTrigger.node',
    'nodes/PostriderTrigger/verify',
  ]) {
    await build({
      root: SOURCES,
      configFile: false,
      logLevel: 'warn',
      resolve: { alias: { 'n8n-workflow': join(import.meta.dirname, 'rigs/n8n/n8n-workflow.ts') } },
      ssr: { noExternal: true },
      build: {
        ssr: join(SOURCES, `${name}.ts`),
        outDir: join(folder, 'dist'),
        emptyOutDir: false,
        rolldownOptions: { output: { format: 'cjs', entryFileNames: `${name}.js` } },
      },
    })
  }
}

async function buildAsN8n(): Promise<void> {
  const packages = await installPackages(join(import.meta.dirname, 'rigs/n8n'))
  await cp(SOURCES, folder, { recursive: true, filter: (path) => !/node_modules|dist/.test(path) })
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'))
  await nameThePublisher()
  await inN8n('build')
}

/** What the linter demands, and only who publishes the package can say. */
async function nameThePublisher(): Promise<void> {
  const [manifest, credential] = ['package.json', 'credentials/PostriderApi.credentials.ts'].map((name) =>
    join(folder, name),
  ) as [string, string]
  const homepage = 'https://example.com/postrider'
  const written = JSON.parse(await readFile(manifest, 'utf8')) as { author: object }
  const author = { ...written.author, email: 'publisher@example.com' }
  const repository = { type: 'git', url: `${homepage}.git` }
  await writeFile(manifest, JSON.stringify({ ...written, author, homepage, repository }, null, 2))
  const source = await readFile(credential, 'utf8')
  const named = source.replace("displayName = 'Postrider API'\n", `$&\n  documentationUrl = '${homepage}'\n`)
  await writeFile(credential, named)
}

async function inN8n(command: string): Promise<void> {
  const PATH = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  // With `test`, rules of the linter take the nodes for examples of their own tests.
  const env = { ...process.env, PATH, NODE_ENV: 'production' }
  await run('n8n-node', [command], { cwd: folder, env }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr)
    },
  )
}

async function aSandboxChannel(handle: string): Promise<string> {
  const response = await fetch(`${network.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle, profile: 'short' }),
  })
  const account = (await response.json()) as { id: string; token: string }
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  return aChannel(app.db, app.workspace.workspaceId, {
    authorization,
    keyring: app.keyring,
    displayName: handle,
  })
}

const credentials = () => ({ baseUrl: `${app.baseUrl}/`, apiKey: app.key })
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

let executions = 0

/** What the node makes of one item, in an execution of its own unless one is named. */
async function does(parameters: Parameters, how: Partial<Parameters> = {}): Promise<any> {
  const executionId = `e${(executions += 1)}`
  const [items] = await node.execute.call(
    executeContext({ credentials: credentials(), parameters, executionId, ...how }),
  )
  expect(items.every(({ pairedItem }) => pairedItem?.item === 0)).toBe(true)
  return items.map(({ json }) => json as unknown)
}
const aDraft = (text: string) => ({
  resource: 'post',
  operation: 'create',
  state: 'draft',
  channelIds: [channelId],
  text,
})

test.runIf(REAL)(
  'passes the linter of n8n',
  async () => {
    await expect(inN8n('lint')).resolves.not.toThrow()
  },
  300_000,
)

describe('the node', () => {
  test('is a tool for agents, and offers the channels to choose from', async () => {
    expect(node.description.usableAsTool).toBe(true)
    const options = await node.methods.loadOptions.getChannels.call(
      hookContext({ credentials: credentials() }),
    )
    expect(options).toEqual([{ name: 'ada (sandbox-short)', value: channelId }])
    expect(await does({ resource: 'channel', operation: 'getAll' })).toMatchObject([{ channelId }])
  })

  test('checks, creates, edits, schedules, lists, cancels and reads a post', async () => {
    const plan = { ...aDraft('From n8n'), more: { thread: { parts: [{ text: 'And more' }] } } }
    expect(await does({ ...plan, operation: 'check' })).toMatchObject([{ ready: true }])
    const [post] = await does(plan)
    const { postId } = post
    const on = (operation: string, more: object) => does({ resource: 'post', operation, postId, ...more })
    expect(post.content).toMatchObject({ text: 'From n8n', thread: [{ text: 'And more' }] })
    const [edited] = await on('edit', { changes: { text: 'Better' } })
    expect(edited.content).toMatchObject({ text: 'Better', thread: [{ text: 'And more' }] })
    const year = new Date().getFullYear() + 1
    expect(await on('schedule', { channelId, publishAt: `${year}-07-01T09:00:00` })).toMatchObject([
      { status: 'scheduled', publishAt: `${year}-07-01T07:00:00.000Z` },
    ])
    // What has a time is given another one.
    const publishAt = inHours(3)
    expect(await on('schedule', { publishAt })).toMatchObject([
      { postId, destinations: [{ status: 'scheduled', publishAt }] },
    ])
    expect(
      await does({
        resource: 'post',
        operation: 'getAll',
        returnAll: false,
        limit: 1,
        filters: { q: 'Better' },
      }),
    ).toMatchObject([{ postId }])
    await on('cancel', {})
    expect(await on('cancel', {})).toMatchObject([{ destinations: [{ status: 'cancelled' }] }])
    expect(await on('get', {})).toMatchObject([{ postId, destinations: [{ status: 'cancelled' }] }])
  })

  test('takes posting times of the queue, one by one or a named one, and says why one cannot be taken', async () => {
    const queued = await aSandboxChannel('queued')
    await app.db`update channel set posting_times = '{540, 1980}' where id = ${queued}`
    const plan = (more: object) => ({
      ...aDraft('In the queue'),
      state: 'scheduled',
      channelIds: [queued],
      ...more,
    })
    const timeOf = (post: any) => post.destinations[0].publishAt as string
    const [first] = await does(plan({ when: 'first' }))
    const [next] = await does(plan({ when: 'next' }))
    expect(first.destinations).toMatchObject([{ status: 'scheduled', queued: true }])
    expect(timeOf(next) > timeOf(first)).toBe(true)
    const taken = plan({ text: 'Another', when: 'slot', postingTime: timeOf(first) })
    expect(await does({ ...taken, operation: 'check' })).toMatchObject([
      { ready: false, issues: [{ code: 'posting_time_taken' }] },
    ])
    await expect(does(taken)).rejects.toMatchObject({ httpCode: '422' })
    // A draft, and one that failed or has a time, take one as well.
    const [{ postId }] = await does({ ...aDraft('Later'), channelIds: [queued] })
    const [{ destinations }] = await does({ resource: 'post', operation: 'schedule', postId, when: 'next' })
    const [scheduled] = destinations
    expect(scheduled).toMatchObject({ status: 'scheduled', queued: true })
    expect(scheduled.publishAt > timeOf(next)).toBe(true)
  })

  test('schedules and moves a post on all of its channels, or on none, also where an answer was lost', async () => {
    const channelIds = [await aSandboxChannel('one-of-two'), await aSandboxChannel('two-of-two')]
    const [{ postId }] = await does({ ...aDraft('On both'), channelIds })
    const schedule = (publishAt: string, executionId: string, more: object = {}) =>
      does({ resource: 'post', operation: 'schedule', postId, publishAt, ...more }, { executionId })
    const now = async () => {
      const [{ destinations }] = await does({ resource: 'post', operation: 'get', postId })
      return destinations.map((one: any) => one.publishAt)
    }
    const enable = (enabled: boolean) =>
      app.db`update channel set enabled = ${enabled} where id = ${channelIds[1]!}`
    const [first, second] = [inHours(3), inHours(5)]
    await enable(false)
    await expect(schedule(first, 'refused')).rejects.toThrow('Channel unavailable')
    expect(await now()).toEqual([null, null])
    await enable(true)
    expect(await schedule(first, 'both')).toMatchObject([
      { destinations: [{ publishAt: first }, { publishAt: first }] },
    ])
    await schedule(second, 'moved')
    expect(await now()).toEqual([second, second])
    // The first run once more, as after a lost answer: it has been done, and moves nothing back.
    await schedule(first, 'both')
    expect(await now()).toEqual([second, second])
    const written = await app.db`
      select action from audit_entry where subject ->> 'postId' = ${postId} and action like '%chedule%' order by seq`
    expect(written.map(({ action }) => action)).toEqual(['scheduleDestination', 'rescheduleDestination'])

    const [mixed] = await does({ ...aDraft('On one'), channelIds })
    await schedule(first, 'one', { postId: mixed.postId, channelId: channelIds[0] })
    await expect(schedule(first, 'rest', { postId: mixed.postId })).rejects.toThrow('choose a channel')
  })

  test('moves and edits once under one key, also where the answer of the first attempt was lost', async () => {
    const queued = await aSandboxChannel('mover')
    await app.db`update channel set posting_times = '{540, 1980}' where id = ${queued}`
    const [{ postId }] = await does({ ...aDraft('Moved once'), channelIds: [queued] })
    const next = { resource: 'post', operation: 'schedule', postId, when: 'next' }
    const run = async (parameters: Parameters, executionId: string) =>
      (await does(parameters, { executionId }))[0]
    const timeOf = ({ destinations }: any) => destinations[0].publishAt as string
    // Another one after it, so that what would move once more would get another time.
    const another = async (text: string) =>
      run({ ...aDraft(text), channelIds: [queued], state: 'scheduled', when: 'next' }, text)
    const first = await run(next, 'from-a-draft')
    await another('behind')
    expect(timeOf(await run(next, 'from-a-draft'))).toBe(timeOf(first))
    const moved = await run(next, 'from-a-time')
    expect(timeOf(moved) > timeOf(first)).toBe(true)
    await another('behind-again')
    expect(timeOf(await run(next, 'from-a-time'))).toBe(timeOf(moved))
    const edit = { resource: 'post', operation: 'edit', postId, changes: { text: 'Edited once' } }
    const edited = await run(edit, 'an-edit')
    const same = await run(edit, 'an-edit')
    expect([same.content.text, same.editToken]).toEqual(['Edited once', edited.editToken])
    const longest = { ...edit, changes: { text: 'Once more' }, options: { idempotencyKey: 'k'.repeat(255) } }
    const last = await run(longest, 'by-the-longest-key')
    expect(last.content.text).toBe('Once more')
    expect(await run(longest, 'again')).toMatchObject({ editToken: last.editToken })
  })

  test('gives a post labels, changes them, and lists by one', async () => {
    const [{ postId, labels }] = await does({
      ...aDraft('Labelled'),
      more: { labels: ['Spring, early', ''] },
    })
    expect(labels).toEqual(['Spring, early'])
    const change = { resource: 'post', operation: 'label', postId }
    const both = { addLabels: ['News'], removeLabels: ['spring, EARLY', 'of another'] }
    expect(await does({ ...change, ...both }, { executionId: 'label' })).toEqual([
      { postId, labels: ['News'] },
    ])
    expect(await does({ ...change, ...both }, { executionId: 'label' })).toEqual([
      { postId, labels: ['News'] },
    ])
    const list = { resource: 'post', operation: 'getAll', returnAll: true }
    const found = await does({ ...list, filters: { label: 'news' } })
    expect(found.map((one: { postId: string }) => one.postId)).toEqual([postId])
    expect(await does({ ...list, filters: { label: 'Spring, early' } })).toEqual([])
  })

  test('offers channel groups where one stands for its channels, and posts to all of them', async () => {
    const [bob, eve] = [await aSandboxChannel('bob'), await aSandboxChannel('eve')]
    const groupId = await aGroup(app.db, app.workspace.workspaceId, [bob, eve], 'Brand A')
    const { getChannels, getChannelsAndGroups } = node.methods.loadOptions
    const context = () => hookContext({ credentials: credentials() })
    expect((await getChannelsAndGroups.call(context())).slice(0, 1)).toEqual([
      { name: 'Brand A (channel group)', value: groupId },
    ])
    expect((await getChannels.call(context())).map(({ value }) => value)).not.toContain(groupId)
    const [post] = await does({ ...aDraft('To all'), channelIds: [groupId] })
    expect(post.destinations.map((one: { channelId: string }) => one.channelId).toSorted()).toEqual(
      [bob, eve].toSorted(),
    )
    const list = { resource: 'post', operation: 'getAll', returnAll: true }
    expect(await does({ ...list, filters: { channelId: groupId } })).toMatchObject([{ postId: post.postId }])
  })

  test('retries what failed', async () => {
    const refused = { state: 'scheduled', publishAt: inHours(1) }
    const [{ postId }] = await does({ ...aDraft('No #sandbox:refuse'), ...refused })
    await comeDue(app.db, postId)
    const status = async () =>
      (await does({ resource: 'post', operation: 'get', postId }))[0].destinations[0].status
    await expect.poll(status, { timeout: 30_000 }).toBe('failed')
    expect(
      await does(
        { resource: 'post', operation: 'retry', postId, publishAt: inHours(1) },
        { executionId: 'e2' },
      ),
    ).toMatchObject([{ status: 'scheduled' }])
  })

  test('uploads the file of an item, which a post carries', async () => {
    const upload = {
      resource: 'media',
      operation: 'upload',
      source: 'binary',
      binaryProperty: 'data',
      altText: 'A field',
    }
    const [media] = await does(upload, { binary: Buffer.from(await aPhoto()) })
    expect(media).toMatchObject({ kind: 'image', altText: 'A field' })
    const [post] = await does({ ...aDraft('With a picture'), more: { mediaIds: media.mediaId } })
    expect(post.content.mediaIds).toEqual([media.mediaId])
    expect(await does({ resource: 'media', operation: 'getAll', returnAll: true })).toHaveLength(1)
  })

  test('makes one post of an item, however often it is repeated, and another in another run', async () => {
    const parameters = aDraft('Once')
    const first = await does(parameters, { executionId: 'same' })
    expect((await does(parameters, { executionId: 'same' }))[0].postId).toBe(first[0].postId)
    const others = [{ runIndex: 1 }, { executionId: 'another' }, { items: [parameters, parameters] }]
    const ids = await Promise.all(
      others.map(async (how) => {
        const context = executeContext({
          credentials: credentials(),
          parameters,
          executionId: 'same',
          ...how,
        })
        return (await node.execute.call(context))[0].at(-1)?.json.postId as string
      }),
    )
    expect(new Set([first[0].postId, ...ids]).size).toBe(4)
    const own = { ...parameters, options: { idempotencyKey: 'news-4711' } }
    const [kept] = await does(own, {})
    expect((await does(own, {}))[0].postId).toBe(kept.postId)
  })

  test('says what the server says of a fault, and goes on where that is wanted', async () => {
    const parameters = aDraft('x'.repeat(300))
    await expect(does({ ...parameters, state: 'scheduled', publishAt: inHours(1) })).rejects.toMatchObject({
      httpCode: '422',
      description: expect.stringContaining('Request '),
    })
    const [told] = await does(
      { resource: 'post', operation: 'get', postId: channelId },
      { continueOnFail: true },
    )
    expect(told.error).not.toBe('')
  })

  test('says of a write whose answer is lost that it is not known, and by which key to find out', async () => {
    const nowhere = { baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: app.key }
    const context = executeContext({ credentials: nowhere, parameters: aDraft('Nowhere') })
    await expect(node.execute.call(context)).rejects.toMatchObject({
      description: expect.stringMatching(/unknown.*n8n:a-workflow:e1:a-node:0:0/),
    })
  })

  test('says that drafts need a model', async () => {
    const drafts = { resource: 'draft', operation: 'write', brief: 'Spring', language: 'en', tone: 'plain' }
    await expect(does({ ...drafts, channelIds: [channelId] })).rejects.toMatchObject({
      message: expect.stringMatching(/model|AI/),
    })
  })
})

describe('the trigger', () => {
  const hooks = () =>
    hookContext({
      credentials: credentials(),
      staticData,
      webhookUrl,
      parameters: { eventTypes: ['post.cancelled'] },
    })
  const endpoints = async () =>
    (await app.ask('GET', '/agent/v1/webhook-endpoints')).body as { url: string }[]

  test('makes an endpoint, and starts the workflow with real deliveries alone', async () => {
    staticData = {}
    expect(await trigger.webhookMethods.default.checkExists.call(hooks())).toBe(false)
    // One of an attempt whose answer was lost.
    await app.ask('POST', '/agent/v1/webhook-endpoints', {
      body: { url: webhookUrl, eventTypes: ['post.failed'] },
    })
    expect(await trigger.webhookMethods.default.create.call(hooks())).toBe(true)
    expect(await trigger.webhookMethods.default.checkExists.call(hooks())).toBe(true)
    expect(await endpoints()).toMatchObject([{ url: webhookUrl, eventTypes: ['post.cancelled'] }])

    const [{ postId }] = await does({ ...aDraft('Ünïcödé'), operation: 'create' })
    await does({ resource: 'post', operation: 'cancel', postId })
    await expect
      .poll(() => started, { timeout: 30_000 })
      .toMatchObject([{ json: { type: 'post.cancelled', data: { post: { postId } } } }])
    expect(arrived.map(({ answered }) => answered)).toEqual([200])

    const [{ headers, body }] = arrived as [(typeof arrived)[0]]
    const forged = Buffer.from(body.toString().replace('cancelled', 'published'))
    for (const [sent, bytes] of [
      [headers, forged],
      [{}, body],
    ] as const) {
      expect(await takeDelivery(sent as Record<string, string>, bytes)).toBe(401)
    }
    expect(started).toHaveLength(1)
  })

  describe('is not started by a delivery', () => {
    const secret = 'whsec_of_this_workflow'
    const event = (id: string) => Buffer.from(JSON.stringify({ id, type: 'post.cancelled', data: {} }))
    const signed = (body: Buffer, { by = secret, secondsAgo = 0 } = {}) => {
      const t = Math.floor(Date.now() / 1_000) - secondsAgo
      const mac = createHmac('sha256', by).update(`${t}.`).update(body).digest('hex')
      return { 'x-service-signature': `t=${t},v1=${mac}` }
    }
    const gives = async (body: Buffer, headers: Record<string, string>) => {
      const before = started.length
      const status = await takeDelivery(headers, body)
      return { status, started: started.length - before }
    }
    const refused = { status: 401, started: 0 }
    const taken = { status: 200, started: 1 }
    let kept: typeof staticData
    beforeEach(() => {
      kept = staticData
      staticData = { endpointId: channelId, secret }
    })
    afterEach(() => {
      staticData = kept
    })

    test('without a signature, with a wrong one, or with that of another endpoint', async () => {
      const body = event('e-1')
      expect(await gives(body, {})).toEqual(refused)
      const { 'x-service-signature': right } = signed(body)
      const wrong = right.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      expect(await gives(body, { 'x-service-signature': wrong })).toEqual(refused)
      expect(await gives(body, signed(body, { by: 'whsec_of_another' }))).toEqual(refused)
      expect(await gives(body, { 'x-service-signature': right })).toEqual(taken)
    })

    test('whose time is more than five minutes from now, or another than the signed one', async () => {
      const body = event('e-2')
      for (const secondsAgo of [400, -400])
        expect(await gives(body, signed(body, { secondsAgo }))).toEqual(refused)
      const old = signed(body, { secondsAgo: 400 })['x-service-signature']
      const renewed = old.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1_000)}`)
      expect(await gives(body, { 'x-service-signature': renewed })).toEqual(refused)
      expect(await gives(body, { 'x-service-signature': `${renewed.split(',')[0]},${old}` })).toEqual(refused)
    })

    test('that n8n has not kept the bytes of, and is by one that is large', async () => {
      const body = Buffer.from(JSON.stringify({ id: 'e-3', text: 'x'.repeat(20_000_000) }))
      expect(await gives(body, { 'x-service-signature': `t=1,v1=${'0'.repeat(64)}` })).toEqual(refused)
      expect(await gives(body, signed(body))).toEqual(taken)
      const context = webhookContext({ credentials: credentials(), staticData }, signed(body), undefined)
      expect(await trigger.webhook.call(context)).toEqual({ noWebhookResponse: true })
      expect(context.answered.status).toBe(401)
    })

    test('once its endpoint is removed, also by one that was under way', async () => {
      const body = event('e-4')
      const headers = signed(body)
      expect(await gives(body, headers)).toEqual(taken)
      await trigger.webhookMethods.default.delete.call(hooks())
      expect(await gives(body, headers)).toEqual(refused)
      // Activated again, it has another secret.
      staticData = { endpointId: channelId, secret: 'whsec_new' }
      expect(await gives(body, headers)).toEqual(refused)
    })
  })

  test('is started by each delivery of an event, with the id that tells a repeat', async () => {
    const kept = staticData
    staticData = { endpointId: channelId, secret: 'whsec_x' }
    const body = Buffer.from('{"id":"e-5"}')
    const t = Math.floor(Date.now() / 1_000)
    const v1 = createHmac('sha256', 'whsec_x').update(`${t}.`).update(body).digest('hex')
    const before = started.length
    for (let time = 0; time < 2; time += 1)
      expect(await takeDelivery({ 'x-service-signature': `t=${t},v1=${v1}` }, body)).toBe(200)
    expect(started.slice(before).map(({ json }) => json.id as string)).toEqual(['e-5', 'e-5'])
    staticData = kept
  })

  test('deletes its endpoint, also when it is gone already', async () => {
    expect(await trigger.webhookMethods.default.delete.call(hooks())).toBe(true)
    expect(await endpoints()).toEqual([])
    expect(staticData).toEqual({})
    staticData.endpointId = channelId
    expect(await trigger.webhookMethods.default.delete.call(hooks())).toBe(true)
    expect(staticData).toEqual({})
  })

  test('agrees with every vector of the signature', async () => {
    const { vectors } = JSON.parse(
      await readFile(resolve(import.meta.dirname, '../../sdk/vectors/webhook-signatures.json'), 'utf8'),
    ) as {
      vectors: {
        name: string
        secret: string
        body: string
        signature: string | null
        now: number
        toleranceSeconds: number
        valid: boolean
      }[]
    }
    for (const { name, secret, body, signature, now, toleranceSeconds, valid } of vectors) {
      expect([
        name,
        signedEvent(Buffer.from(body), signature, secret, now, toleranceSeconds) !== null,
      ]).toEqual([name, valid])
    }
  })
})

test('the example workflows name parameters that the nodes have', async () => {
  const known = new Set(node.description.properties.map(({ name }) => name))
  const examples = join(SOURCES, 'examples')
  for (const name of await readdir(examples)) {
    const { nodes } = JSON.parse(await readFile(join(examples, name), 'utf8')) as {
      nodes: { type: string; parameters: object }[]
    }
    const ours = nodes.filter(({ type }) => type === 'n8n-nodes-postrider.postrider')
    expect(ours).not.toEqual([])
    for (const { parameters } of ours)
      expect(Object.keys(parameters).filter((one) => !known.has(one))).toEqual([])
  }
})
