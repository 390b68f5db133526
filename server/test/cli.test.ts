import { execFile } from 'node:child_process'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, test } from 'vitest'
import { operatorCommands } from '../../cli/src/operator/commands.ts'
import { operations } from '../../sdk/src/api.ts'
import { verifyWebhook } from '../../sdk/src/verify-webhook.ts'
import { CLIENT_COMMANDS } from '../src/operate/commands/client-commands.ts'
import { openCliWorld } from './rigs/cli-world.ts'
import { freePort } from './rigs/free-port.ts'
import { type Revision, revisions } from './rigs/mcp-client.ts'
import { message, toolAnswer } from './rigs/mcp-message.ts'
import { aPhoto } from './rigs/media-files.ts'
import { openReceiver } from './rigs/receiver.ts'

/* The command line against the real server and the sandbox network, also through a proxy that breaks connections. */

const nextYear = new Date().getFullYear() + 1

const world = await openCliWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { app, proxy, folder, built, cli, json } = world
const channelId = await world.aSandboxChannel('ada')

test('a post is made from a template by its name, and what is missing or unknown is named', async () => {
  const text = '{{product}} {{version}} is out.'
  const template = { name: 'Release', text, channelIds: JSON.stringify([channelId]) }
  const given = Object.entries(template).map(([name, value]) => `${name}=${value}`)
  expect(await json('call', 'createTemplate', ...given)).toMatchObject({ code: 0 })
  const post = ['post', '--draft', '--template', 'release', '--field', 'product=Rider']
  const made = await json(...post, '--field', 'version=2.0=final')
  expect(made.json.content.text).toBe('Rider 2.0=final is out.')
  expect(made.json.destinations).toMatchObject([{ channelId }])
  expect((await cli(post)).err).toContain('the field `version`')
  expect(await cli(['post', '--draft', '--template', 'relase'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean "Release"?'),
  })
  expect(await cli([...post, '--field', 'version'])).toMatchObject({ code: 2 })
  for (const twice of [
    [...post, '--field', 'product=B'],
    ['call', 'createTemplate', 'name=a', 'name=b'],
  ])
    expect(await cli(twice)).toMatchObject({ code: 2, err: expect.stringContaining('twice') })
  expect(await cli(['post', 'Hi', '--draft', '--to', 'ada', '--field', 'a=b'])).toMatchObject({ code: 2 })
})

describe('a series', () => {
  test('is created, listed, shown, edited, skipped, paused, resumed and ended', async () => {
    const day = (n: number) => `${nextYear + 1}-01-0${n}`
    const requested = [
      '--rule',
      'FREQ=DAILY;COUNT=4',
      '--starts',
      `${day(1)}T09:00`,
      '--time-zone',
      'Europe/Berlin',
      '--to',
      'ada',
      '--text',
      'One',
      '--text',
      'Two',
      '--except',
      day(4),
    ]
    expect(await json('series', 'create', ...requested, '--dry-run')).toMatchObject({ code: 0 })
    expect((await json('series', 'list')).json).toEqual([])
    const made = await json('series', 'create', ...requested, '--idempotency-key', 's')
    expect((await json('series', 'create', ...requested, '--idempotency-key', 's')).json).toEqual(made.json)
    const { seriesId } = made.json
    expect(made.json.occurrences).toMatchObject([
      { date: day(1), text: 'One', publishAt: `${day(1)}T08:00:00.000Z` },
      { date: day(2), text: 'Two' },
      { date: day(3), text: 'One' },
    ])
    expect((await cli(['series', 'list'])).out).toContain('FREQ=DAILY;COUNT=4')
    const edit = ['series', 'edit', seriesId, '--only', day(2), '--text', 'Now', '--idempotency-key', 'e']
    expect((await json(...edit)).json.occurrences[1]).toMatchObject({ text: 'Now', changed: true })
    expect((await json(...edit)).json.occurrences[1]).toMatchObject({ text: 'Now', changed: true })
    expect((await json('series', 'skip', seriesId, day(3))).json.occurrences[2].status).toBe('skipped')
    expect((await json('series', 'unskip', seriesId, day(3))).json.occurrences[2].status).toBe('planned')
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['resume', 'active'],
      ['end', 'ended'],
    ] as const)
      expect((await json('series', verb, seriesId)).json).toMatchObject({ seriesId, status })
    expect((await cli(['series', 'show', seriesId])).out).toContain(`${seriesId}  ended`)
    expect(await json('series', 'skip', seriesId)).toMatchObject({ code: 2 })
    expect(await json('series', 'stop', seriesId)).toMatchObject({ code: 2 })
  })
})

describe('a post', () => {
  test('is checked, made, shown, edited, moved and cancelled', async () => {
    expect(await json('check', 'Hello', '--to', 'ada', '--draft')).toMatchObject({
      code: 0,
      json: { ready: true },
    })
    const made = await json('post', 'Hello', '--to', 'ada', '--draft', '--reference', 'cli/one')
    expect(made).toMatchObject({
      code: 0,
      err: '',
      json: { reference: 'cli/one', destinations: [{ status: 'draft' }] },
    })
    const { postId } = made.json
    expect((await cli(['show', postId])).out).toContain('| Hello')
    const edited = await json('edit', postId, '--text', 'Hello again', '--thread', 'And more')
    expect(edited.json.content).toEqual({ text: 'Hello again', thread: [{ text: 'And more' }] })
    const picture = join(folder, 'part.jpg')
    await writeFile(picture, await aPhoto())
    const withPicture = await json('edit', postId, '--part', '1', '--media', picture)
    const { mediaIds } = withPicture.json.content.thread[0]
    expect(mediaIds).toHaveLength(1)
    expect(withPicture.json.content).toEqual({
      text: 'Hello again',
      thread: [{ text: 'And more', mediaIds }],
    })
    const without = await json('edit', postId, '--part', '1', '--no-media', '--text', 'And less')
    expect(without.json.content).toEqual({ text: 'Hello again', thread: [{ text: 'And less' }] })
    for (const wrong of [
      ['--part', 'first', '--text', 'A'],
      ['--part', '0', '--thread', 'A'],
      ['--part', '0'],
    ])
      expect(await json('edit', postId, ...wrong)).toMatchObject({ code: 2 })
    const at = `${nextYear}-07-01T09:00`
    const scheduled = await json('schedule', postId, '--at', at, '--time-zone', 'Europe/Berlin')
    expect(scheduled.json.destinations).toMatchObject([
      { status: 'scheduled', publishAt: `${nextYear}-07-01T07:00:00.000Z` },
    ])
    const moved = await json('schedule', postId, '--at', '+2d')
    expect(moved.json.destinations[0].publishAt).not.toBe(scheduled.json.destinations[0].publishAt)
    const shift = (...options: string[]) => json('schedule', postId, '--shift', ...options)
    const before = Date.parse(moved.json.destinations[0].publishAt)
    expect((await shift('P1D', '--dry-run')).json).toEqual({ postId, dryRun: true })
    for (const repeated of [1, 2]) {
      const { json: later } = await shift('P1D', '--idempotency-key', 'later')
      expect([repeated, Date.parse(later.destinations[0].publishAt) - before]).toEqual([repeated, 86_400_000])
    }
    const earlier = await shift('-PT25H')
    expect(Date.parse(earlier.json.destinations[0].publishAt) - before).toBe(-3_600_000)
    for (const beside of [
      ['--at', '+1d'],
      ['--queue', 'next'],
      ['--channel', 'ada'],
      ['--time-zone', 'Europe/Berlin'],
    ])
      expect(await shift('P1D', ...beside)).toMatchObject({ code: 2 })
    expect(await shift('tomorrow')).toMatchObject({ code: 1 })
    expect((await json('cancel', postId, '--dry-run')).json).toEqual({ postId, dryRun: true })
    expect((await json('cancel', postId)).json.destinations).toMatchObject([{ status: 'cancelled' }])
    expect(await json('schedule', postId, '--at', '+2d')).toMatchObject({ code: 1 })
    expect((await json('list', '--reference', 'cli/*')).json).toMatchObject([{ postId }])
  })

  test('that is a draft on several channels gets its time on all of them by one write, also where the command is repeated', async () => {
    await world.aSandboxChannel('grace')
    const made = await json('post', 'On both', '--to', 'ada,grace', '--draft')
    const { postId } = made.json
    const schedule = (...more: string[]) =>
      json('schedule', postId, '--at', '+2d', '--idempotency-key', 'both', ...more)
    const first = await schedule()
    expect(first.json.destinations.map(({ status }: any) => status)).toEqual(['scheduled', 'scheduled'])
    const times = ({ json: { destinations } }: any) => destinations.map(({ publishAt }: any) => publishAt)
    expect(times(await schedule())).toEqual(times(first))
    const acts = await app.db<{ action: string }[]>`
      select action from audit_entry where subject ->> 'postId' = ${postId} order by seq`
    expect(acts.map(({ action }) => action)).toEqual(['createPost', 'scheduleDestination'])
    await app.db`update channel set enabled = false where handle = 'grace'`
  })

  test('takes its place in the queue', async () => {
    await app.db`update channel set posting_times = '{540, 1980}' where handle = 'ada'`
    const dry = await json('post', 'Queued', '--to', 'ada', '--queue', 'next', '--dry-run')
    const made = await json('post', 'Queued', '--to', 'ada', '--queue', 'next')
    const { publishAt } = made.json.destinations[0]
    expect(made.json.destinations).toMatchObject([
      { queued: true, publishAt: dry.json.destinations[0].publishAt },
    ])
    expect((await cli(['show', made.json.postId])).out).toContain('(in the queue)')
    const second = await json('post', 'Queued, too', '--to', 'ada', '--queue', 'first')
    expect(second.json.destinations[0].publishAt > publishAt).toBe(true)
    await json('cancel', made.json.postId)
    const moved = await json('schedule', second.json.postId, '--queue', 'first')
    expect(moved.json.destinations).toMatchObject([{ queued: true, publishAt }])
    for (const wrong of [
      ['--queue', 'last'],
      ['--queue', 'next', '--at', '+1h'],
      ['--queue', 'next', '--draft'],
    ])
      expect(await json('post', 'Wrong', '--to', 'ada', ...wrong)).toMatchObject({ code: 2 })
    await app.db`update channel set posting_times = '{}' where handle = 'ada'`
    const refused = await cli(['post', 'Wrong', '--to', 'ada', '--queue', 'next'])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('has no posting times') })
    await json('cancel', second.json.postId)
  })

  test('is published while the command waits, and says where', async () => {
    const { code, out } = await cli(['post', '-', '--to', 'sandbox-short:ada', '--at', '+1s', '--wait'], {
      input: 'From a terminal\n',
    })
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^published .*\n {2}http/m) })
  })

  test('is not made by a dry run, and once by a key', async () => {
    const dry = await json('post', 'Dry', '--to', 'ada', '--draft', '--dry-run')
    expect(dry).toMatchObject({ code: 0, json: { destinations: [{ status: 'draft' }] } })
    const keyed = ['post', 'Keyed', '--to', 'ada', '--draft', '--idempotency-key', 'cli-keyed']
    const [first, second] = [await json(...keyed), await json(...keyed)]
    expect(second.json.postId).toBe(first.json.postId)
    const { json: found } = await json('list', '--q', 'Dry')
    expect(found).toEqual([])
  })

  test('with a picture carries it, and the library lists it', async () => {
    const path = join(folder, 'rider.jpg')
    await writeFile(path, await aPhoto())
    const { json: post } = await json(
      'post',
      'Look',
      '--to',
      'ada',
      '--draft',
      '--media',
      path,
      '--alt',
      'A rider.',
    )
    expect(post.media).toMatchObject([{ altText: 'A rider.' }])
    const { json: uploaded } = await json(
      'media',
      'upload',
      path,
      '--alt',
      'Another.',
      '--idempotency-key',
      'm',
    )
    expect((await json('media', 'upload', path, '--alt', 'Another.', '--idempotency-key', 'm')).json).toEqual(
      uploaded,
    )
    expect((await json('media', 'list', '--kind', 'image')).json).toContainEqual(uploaded[0])
  })

  test('files are uploaded once by a command that is repeated, in whatever order they stand then', async () => {
    const [one, other, text] = ['one.jpg', 'other.jpg', 'notes.txt'].map((name) => join(folder, name))
    await writeFile(one!, await aPhoto())
    await writeFile(other!, await aPhoto(64, 48))
    await writeFile(text!, 'No picture.')
    const upload = (...files: (string | undefined)[]) =>
      json('media', 'upload', ...files.map(String), '--idempotency-key', 'many')
    const count = async () => (await json('media', 'list', '--limit', '100')).json.length
    const before = await count()
    expect((await upload(one, other, text)).code).not.toBe(0)
    expect(await count()).toBe(before + 2)
    const made = await upload(other, one, one)
    expect(made.code).toBe(0)
    expect(new Set(made.json.map(({ mediaId }: { mediaId: string }) => mediaId)).size).toBe(3)
    expect(await count()).toBe(before + 3)
  })
})

test('lists are tables for people', async () => {
  await json('post', 'In a table', '--to', 'ada', '--draft')
  const { out } = await cli(['channels'])
  expect(out).toMatch(/^CHANNEL +NAME/)
  expect((await cli(['list', '--limit', '1'])).out.split('\n')[0]).toMatch(
    /^POST +STATUS +TIME +CHANNEL +TEXT$/,
  )
  expect((await cli(['calendar'])).code).toBe(0)
  expect((await cli(['whoami'])).out).toContain('posts:write')
  expect((await json('events')).out.split('\n')[0]).toContain('"type":"post.')
})

describe('what fails', () => {
  test('says on standard error why, and in its exit code what kind of failure it is', async () => {
    const codes = async (...args: string[]) => (await cli(args)).code
    expect(await codes('lst')).toBe(2)
    expect(await codes('list', '--statsu', 'all')).toBe(2)
    expect(await codes('show', channelId)).toBe(4)
    expect((await cli(['list'], { env: { POSTRIDER_KEY: 'pr_wrong' } })).code).toBe(3)
    expect((await cli(['list'], { env: { POSTRIDER_KEY: '' } })).code).toBe(3)
    expect(
      (await cli(['list'], { env: { POSTRIDER_URL: `http://127.0.0.1:${await freePort()}` } })).code,
    ).toBe(6)
    const refused = await cli(['post', 'x'.repeat(2_000), '--to', 'ada', '--draft', '--json'])
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(JSON.parse(refused.err).error).toMatchObject({
      code: 'post_not_publishable',
      issues: [{ code: 'text_too_long' }],
    })
    const meant = await cli(['post', 'Hello', '--to', 'adda', '--draft'])
    expect(meant).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean') })
  })

  test('and may have happened has a code of its own, and is found out by its key', async () => {
    proxy.choose = () => 'reset after it was read'
    const through = { env: { POSTRIDER_URL: proxy.url.href } }
    const lost = await cli(['post', 'Lost', '--to', channelId, '--draft', '--json'], through)
    proxy.choose = null
    const { idempotencyKey } = JSON.parse(lost.err).error
    expect(lost).toMatchObject({ code: 5, out: '' })
    const again = await cli(
      ['post', 'Lost', '--to', channelId, '--draft', '--json', '--idempotency-key', idempotencyKey],
      through,
    )
    expect((await json('list', '--q', 'Lost')).json.map(({ postId }: { postId: string }) => postId)).toEqual([
      again.json.postId,
    ])
  })
})

describe('schedule, run again after a lost answer', () => {
  const through = () => ({
    env: { POSTRIDER_URL: proxy.url.href, POSTRIDER_CONFIG_DIR: join(folder, 'unfinished') },
  })
  const times = async (postId: string) =>
    (await json('show', postId)).json.destinations.map(({ publishAt }: { publishAt: string }) => publishAt)
  /** The command, whose answers are lost; then once more, and once more after that. */
  async function thrice(...line: string[]) {
    const [, postId] = line as [string, string]
    proxy.choose = (request) => (request.startsWith('POST ') ? 'reset after it was read' : null)
    expect(await cli(line, through())).toMatchObject({ code: 5 })
    proxy.choose = null
    await expect.poll(async () => (await times(postId))[0]).not.toBeNull()
    const lost = await times(postId)
    const again = await cli(line, through())
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('this run goes on with it') })
    expect(await times(postId)).toEqual(lost)
    // Its result is known now: the next run is another one.
    expect(await cli(line, through())).toMatchObject({ code: 0, err: '' })
    return { lost, after: await times(postId) }
  }

  test('moves nothing that the run before has scheduled or moved', async () => {
    const at = `${nextYear}-07-01T09:00:00Z`
    const make = async () => (await json('post', 'Once', '--to', channelId, '--draft')).json.postId as string
    const draft = await make()
    const first = await thrice('schedule', draft, '--at', '+2d')
    expect(Date.parse(first.after[0])).toBeGreaterThan(Date.parse(first.lost[0]))
    const postId = await make()
    await cli(['schedule', postId, '--at', at], through())
    const shifted = await thrice('schedule', postId, '--shift', 'P1D')
    const days = [shifted.lost, shifted.after].map(
      ([time]) => (Date.parse(time) - Date.parse(at)) / 86_400_000,
    )
    expect(days).toEqual([1, 2])
  })
})

describe('a login by key', () => {
  test('is kept in a file that only its owner reads, and is refused from any other', async () => {
    const env = { POSTRIDER_KEY: '', POSTRIDER_URL: '', POSTRIDER_CONFIG_DIR: join(folder, 'login') }
    const path = join(folder, 'login/credentials.json')
    expect(await cli(['login', app.baseUrl, '--key'], { env, input: 'pr_wrong_key' })).toMatchObject({
      code: 3,
    })
    const logged = await cli(['login', app.baseUrl, '--key'], { env, input: `${app.key}\n` })
    expect(logged).toMatchObject({ code: 0, out: expect.stringContaining('Logged in') })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await cli(['list'], { env })).code).toBe(0)
    await chmod(path, 0o644)
    expect(await cli(['list'], { env })).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^.* can be read by others .*\n$/),
    })
    await chmod(path, 0o600)
    expect((await cli(['logout'], { env })).code).toBe(0)
    expect((await cli(['list'], { env })).code).toBe(3)
    expect(await readFile(path, 'utf8')).not.toContain(app.key)
  })
})

test('listen forwards an event as a webhook would carry it, until it is interrupted', async () => {
  await using receiver = await openReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const [began, forwarded, interrupt] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    new AbortController(),
  ]
  let written = ''
  const target = ['--forward-to', `${receiver.origin}/hook`]
  const ended = cli(['listen', ...target, '--events', 'post.created', '--json'], {
    env: { WEBHOOK_SECRET: secret },
    signal: interrupt.signal,
    killSignal: 'SIGINT',
    onOutput: (text) => {
      written += text
      began.resolve()
      if (written.split('\n').length > 2) forwarded.resolve()
    },
  })
  await Promise.race([began.promise, ended])
  const { postId } = (await json('post', 'Heard', '--to', 'ada', '--draft')).json
  await Promise.race([forwarded.promise, ended])
  interrupt.abort()
  const { code, out } = await ended
  const lines = out.trim().split('\n')
  const [first, second] = lines.map((line) => JSON.parse(line))
  expect({ code, lines: lines.length, first }).toEqual({
    code: 130,
    lines: 2,
    first: { forwardTo: `${receiver.origin}/hook`, secret },
  })
  expect(second).toMatchObject({ type: 'post.created', httpStatus: 204 })
  const [request] = receiver.received
  expect(await verifyWebhook(request!.body, request!.headers, secret)).toMatchObject({
    id: second.id,
    type: 'post.created',
    data: { post: { postId } },
  })
  expect((await cli(['listen'])).code).toBe(2)
  expect(await cli(['listen', ...target, '--events', 'post.creatd'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no event type post.creatd'),
  })
})

describe('mcp', () => {
  test.each(Object.keys(revisions) as Revision[])('serves the tools to a client of %s', async (revision) => {
    const client = new Client(
      { name: 'a test', version: '1' },
      { versionNegotiation: { mode: revisions[revision] } },
    )
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(built, 'postrider.js'), 'mcp'],
        env: { POSTRIDER_KEY: app.key, POSTRIDER_URL: app.baseUrl },
      }),
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_post')
    const { answer } = toolAnswer(await client.callTool({ name: 'list_channels', arguments: {} }))
    expect(answer.channels).toMatchObject([{ channelId }])
    await client.close()
  })

  test('answers a line that is no message, and goes on', async () => {
    const input = ['no message', '[]', JSON.stringify(message('tools/list', {}))].join('\n')
    const { code, out } = await cli(['mcp'], { input })
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect({ code, answers }).toMatchObject({
      code: 0,
      answers: [
        { id: null, error: { code: -32_700 } },
        { id: null, error: { code: -32_700 } },
        { id: 1, result: { tools: expect.any(Array) } },
      ],
    })
  })
})

test('every operation for agents can be called by its id', async () => {
  const { json: listed } = await json('call')
  expect(listed.map(({ operation }: { operation: string }) => operation)).toEqual(Object.keys(operations))
  const { json: me } = await json('call', 'readMe')
  expect(me.credential.type).toBe('agent_key')
  const made = await json('call', 'createPost', 'state=draft', `channelIds=["${channelId}"]`, 'text=By id')
  expect(made.json.content.text).toBe('By id')
  expect((await json('call', 'readPost', `postId=${made.json.postId}`)).json).toEqual(made.json)
  expect(await cli(['call', 'readPst'])).toMatchObject({ code: 2, err: expect.stringContaining('readPost') })
})

test('help and completions know every command', async () => {
  const { out: help } = await cli(['--help'])
  const [withLogin = '', ofOperators = ''] = help.split('On the machine of a server, by its own')
  const names = [...withLogin.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name = '']) => name)
  const own = [...ofOperators.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)(?: |$)/gm)].map(([, name = '']) => name)
  expect(own).toEqual(Object.keys(operatorCommands))
  // What the server's own command line has under the same name, too.
  const common = ['mcp']
  expect(names.toSorted()).toEqual([...CLIENT_COMMANDS, ...common].toSorted())
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await cli(['completion', shell])
    const words = own.flatMap((name) => name.split(' '))
    expect([...names, ...words].filter((name) => !out.includes(name))).toEqual([])
  }
  expect((await cli(['list', '--help'])).out).toContain('--updated-since')
  expect((await cli(['completion', 'powershell'])).code).toBe(2)
})

test('bash completes commands and their options', async () => {
  const script = join(folder, 'completion.bash')
  await writeFile(script, (await cli(['completion', 'bash'])).out)
  const completed = async (...words: string[]) => {
    const asked = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _postrider; echo "${COMPREPLY[@]}"'
    return (await promisify(execFile)('bash', ['-c', asked, script, 'postrider', ...words])).stdout.trim()
  }
  expect(await completed('sch')).toBe('schedule')
  expect(await completed('list', '--upd')).toBe('--updated-since')
  expect(await completed('appr')).toBe('approval')
  expect(await completed('approval', 'rej')).toBe('reject')
  expect(await completed('key', 'create', '--expi')).toBe('--expires-at')
})

test('a server that is too old for what is asked says so in one sentence, with both versions', async () => {
  // What a server says of what it does not know is asked of this one.
  const headers = {
    authorization: `Bearer ${app.key}`,
    'idempotency-key': 'old',
    'content-type': 'application/json',
  }
  const ask = async (path: string, init: RequestInit) => {
    const answer = await fetch(`${app.baseUrl}/agent/v1/${path}`, { ...init, headers })
    return { status: answer.status, body: await answer.text() }
  }
  const noAddress = await ask('not-yet-there', { method: 'GET' })
  const noMethod = await ask('me', { method: 'POST', body: '{}' })
  const noField = await ask('posts', { method: 'POST', body: '{"confirmed":true,"notYetThere":1}' })
  const noPost = await ask(`posts/${crypto.randomUUID()}`, { method: 'GET' })
  expect([noAddress, noMethod, noField, noPost].map(({ status }) => status)).toEqual([404, 405, 400, 404])

  let info: object = {}
  let problem = noAddress
  await using older = await openReceiver(({ path }, response) =>
    path === '/openapi/json'
      ? void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ info }))
      : void response
          .writeHead(problem.status, { 'content-type': 'application/problem+json' })
          .end(problem.body),
  )
  const env = { POSTRIDER_URL: older.origin }
  const { version } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8')) as { version: string }
  for (const [given, answered] of [
    [['channels'], noAddress],
    [['list', '--json'], noMethod],
    [['call', 'createPost', 'state=draft', 'text=Hello'], noField],
  ] as const) {
    problem = answered
    info = { title: 'Postrider Agent API', version: '0.0.9' }
    const said = `The server at ${older.origin} is version 0.0.9, too old for this command of version ${version}. Update the server.`
    const { code, err } = await cli([...given], { env })
    expect(code).toBe(1)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(err).toContain(said)
    // Of a server as new as this, or one that does not tell, it is what it says.
    for (const other of [{ version }, { version: '99.0.0' }, {}]) {
      info = { title: 'Postrider Agent API', ...other }
      expect((await cli([...given], { env })).err).not.toContain('too old')
    }
  }
  problem = noPost
  info = { version: '0.0.9' }
  expect(await cli(['show', crypto.randomUUID()], { env })).toMatchObject({
    code: 4,
    err: expect.not.stringContaining('too old'),
  })
})
