import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../cli/src/commands.ts'
import { run } from '../../cli/src/run.ts'
import { operations } from '../../sdk/src/api.ts'
import { openReceiver, type Receiver } from './rigs/receiver.ts'

/* Every command at an address where something else than a Postrider server answers. */

const id = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
const folder = await mkdtemp(join(tmpdir(), 'postrider-foreign-'))
afterAll(() => rm(folder, { recursive: true }))
const file = (name: string) => join(folder, name)
await writeFile(file('plan.yaml'), 'plan: p\nchannels: [ada]\nposts:\n  - { id: a, text: Hello }\n')

/** What each command asks for; null where it asks no server. */
const lines: Readonly<Record<string, readonly string[] | null>> = {
  login: ['login'],
  logout: null,
  whoami: ['whoami'],
  post: ['post', 'Hi', '--to', 'ada', '--draft'],
  check: ['check', 'Hi', '--to', 'ada', '--draft'],
  list: ['list'],
  show: ['show', id],
  edit: ['edit', id, '--text', 'Hi'],
  schedule: ['schedule', id, '--at', '+1h'],
  cancel: ['cancel', id],
  retry: ['retry', id],
  label: ['label', id, '--add', 'a'],
  series: ['series', 'list'],
  media: ['media', 'list'],
  channels: ['channels'],
  calendar: ['calendar'],
  events: ['events'],
  plan: ['plan', file('plan.yaml')],
  apply: ['apply', file('plan.yaml')],
  import: ['import', file('plan.yaml')],
  export: ['export'],
  listen: ['listen', '--forward-to', 'http://127.0.0.1:9/hook'],
  // It speaks with a program over its standard input, and answers in its protocol (mcp-cuts.deep.test.ts).
  mcp: null,
  call: ['call', 'listLabels'],
  completion: null,
}
const asking = Object.values(lines).flatMap((line) => (line === null ? [] : [line]))

type Kind = { readonly status: number; readonly type: string; readonly body: string }
const kinds: Readonly<Record<string, Kind>> = {
  'a page': { status: 200, type: 'text/html', body: '<!doctype html><p>Welcome</p>' },
  'a page that says no': { status: 404, type: 'text/html; charset=utf-8', body: '<p>Not here</p>' },
  'other JSON': { status: 200, type: 'application/json', body: '{"ok":true}' },
  'a list of other things': { status: 200, type: 'application/json', body: '[{"name":"a"}]' },
  'an empty list': { status: 200, type: 'application/json', body: '[]' },
  'no items': { status: 200, type: 'application/json', body: '{"items":[],"nextCursor":null}' },
  'other items': {
    status: 200,
    type: 'application/json',
    body: '{"items":[{"name":"a"}],"nextCursor":null}',
  },
  'a number': { status: 200, type: 'application/json', body: '7' },
  'no type': { status: 200, type: '', body: 'ok' },
}

let kind: Kind = kinds['a page'] as Kind
let foreign: Receiver
let elsewhere: Receiver
let moved: Receiver
beforeAll(async () => {
  foreign = await openReceiver((_, response) => {
    response.writeHead(kind.status, kind.type === '' ? {} : { 'content-type': kind.type }).end(kind.body)
  })
  elsewhere = await openReceiver()
  moved = await openReceiver(({ path }, response) => {
    const to = path.startsWith('/sso') ? '/' : target(path)
    response.writeHead(308, { location: to }).end()
  })
})
let target = (path: string) => path
afterAll(() => Promise.all([foreign, elsewhere, moved].map((one) => one[Symbol.asyncDispose]())))

async function runAt(server: string, line: readonly string[], env: Record<string, string> = {}) {
  let errors = ''
  let said = ''
  const exit = await run(line[0] === 'login' ? [...line, server] : line, {
    env: { POSTRIDER_KEY: 'pr_key', POSTRIDER_URL: server, POSTRIDER_CONFIG_DIR: folder, ...env },
    write: (text) => void (said += text),
    writeError: (text) => void (errors += text),
    signal: AbortSignal.timeout(20_000),
    askSecret: async () => 'pr_key',
  })
  return { exit, said, errors }
}

test('every command is here', () => {
  expect(Object.keys(lines)).toEqual(Object.keys(commands))
})

describe.each(Object.keys(kinds))('at a server that answers with %s', (name) => {
  test.each(asking)('postrider %s says that this is no Postrider server', async (...line) => {
    kind = kinds[name] as Kind
    const { exit, errors } = await runAt(foreign.origin, line)
    expect(errors).toContain(`${foreign.origin} does not answer like a Postrider server`)
    expect(errors).toContain('Check the address')
    expect([1, 5, 6]).toContain(exit)
  })

  test('every operation of the API is told so, too', async () => {
    kind = kinds[name] as Kind
    const { Postrider } = await import('../../sdk/src/index.ts')
    const client = new Postrider({ key: 'pr_key', baseUrl: foreign.origin, maxRetries: 0 })
    for (const operation of Object.keys(operations) as (keyof typeof operations)[]) {
      if ('bytes' in operations[operation] && kind.status === 200) continue
      const failed = await client.call(operation, { params: { postId: id } }).then(
        () => 'answered',
        (error: unknown) => (error as Error).message,
      )
      expect(`${operation}: ${failed}`).toContain('does not answer like a Postrider server')
    }
  })
})

function operatorAt(origin: string) {
  return {
    POSTRIDER_OPERATOR_URL: origin,
    POSTRIDER_OPERATOR_TOKEN: 't',
    POSTRIDER_KEY: '',
    POSTRIDER_URL: '',
  }
}

describe('at an address that redirects', () => {
  test.each(asking)('postrider %s names the server it leads to, and sends nothing there', async (...line) => {
    target = (path) => elsewhere.origin + path
    const { exit, errors } = await runAt(moved.origin, line)
    expect(errors).toContain(`${moved.origin} redirects to ${elsewhere.origin}. Use that address.`)
    expect(exit).toBe(6)
    expect(elsewhere.received).toEqual([])
  })

  test('which is no place of the API, the address and what may be there are named', async () => {
    target = () => `${elsewhere.origin}/sign-in?next=secret`
    const { errors } = await runAt(moved.origin, ['channels'])
    expect(errors).toContain(`redirects to ${elsewhere.origin}/sign-in, which is no address of the API`)
    expect(errors).not.toContain('secret')
  })

  test('the operator is told so as well', async () => {
    const env = operatorAt(moved.origin)
    target = (path) => elsewhere.origin + path
    for (const line of [['key', 'list'], ['member', 'list'], ['channels'], ['webhook', 'test', id]]) {
      const { exit, errors } = await runAt(moved.origin, line, env)
      expect(errors).toContain(`redirects to ${elsewhere.origin}. Use that address.`)
      expect(exit).toBe(6)
    }
    expect(elsewhere.received).toEqual([])
  })
})

test('the operator is told of other JSON, and that a change may have been made', async () => {
  const env = operatorAt(foreign.origin)
  for (const name of ['other JSON', 'a list of other things', 'an empty list', 'a number']) {
    kind = kinds[name] as Kind
    for (const line of [['key', 'list'], ['member', 'list'], ['channels'], ['list']]) {
      const { exit, errors } = await runAt(foreign.origin, line, env)
      expect(`${line.join(' ')}: ${errors}`).toContain('does not answer like a Postrider server')
      expect(exit).toBe(6)
    }
    expect(await runAt(foreign.origin, ['webhook', 'test', id], env)).toMatchObject({
      exit: 5,
      errors: expect.stringContaining('does not answer like a Postrider server'),
    })
  }
})
