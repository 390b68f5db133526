import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Postrider } from '../../sdk/src/index.ts'
import { buildCli } from './rigs/cli.ts'
import { aChannel } from './rigs/fixtures.ts'
import { root } from './rigs/product.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * The action for GitHub as its runner runs it: the shell steps of action.yml with bash, their inputs as environment, a packed command
 * line, and the files that outputs and summaries are written to.
 */

const ACTION = join(root, 'integrations/github-action')
const { parse } = createRequire(join(root, 'cli/package.json'))('yaml') as { parse: (text: string) => Action }
const INPUT = /\$\{\{ inputs\.([\w-]+) \}\}/g
const nextYear = new Date().getFullYear() + 1

type Step = { id?: string; shell: string; env: Record<string, string>; run: string }
type Action = {
  inputs: Record<string, { required?: boolean; default?: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: [Step, Step] }
}

let action: Action
let app: RunningApp
let client: Postrider
let folder: string
/** The checkout of the repository, in which the runner starts. */
let checkout: string
let temp: string
let packed: string

beforeAll(async () => {
  action = parse(await readFile(join(ACTION, 'action.yml'), 'utf8'))
  folder = await mkdtemp(join(tmpdir(), 'postrider-action-'))
  temp = join(folder, 'temp')
  await using built = await buildCli()
  const { stdout } = await promisify(execFile)('npm', ['pack', built.folder], { cwd: folder })
  packed = join(folder, stdout.trim().split('\n').at(-1) ?? '')
  app = await openRunningApp()
  const channelId = await aChannel(app.db, app.workspace.workspaceId)
  await app.db`update channel set handle = 'ada' where id = ${channelId}`
  client = new Postrider({ key: app.key, baseUrl: app.baseUrl })
  await mkdir(temp)
  await aCheckout()
  await act({}, [action.runs.steps[0]])
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(aCheckout)

async function aCheckout(): Promise<void> {
  checkout = await mkdtemp(join(folder, 'checkout-'))
  await cp(packed, join(checkout, 'postrider.tgz'))
}

type Ran = { code: number; log: string; summary: string; outputs: Record<string, string> }

/** Runs the steps of the action one after the other until one fails. */
async function act(
  inputs: Record<string, string> = {},
  steps: readonly Step[] = action.runs.steps,
): Promise<Ran> {
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])
  const given: Record<string, string> = {
    ...Object.fromEntries(defaults),
    address: app.baseUrl,
    key: app.key,
    cli: 'postrider.tgz',
    ...inputs,
  }
  const [summary, outputs] = [join(checkout, '.summary'), join(checkout, '.outputs')]
  for (const file of [summary, outputs]) await writeFile(file, '')
  let log = ''
  let code = 0
  for (const step of steps) {
    const env = Object.entries(step.env).map(([name, value]) => {
      return [name, value.replaceAll(INPUT, (_, input: string) => given[input] ?? '')]
    })
    const script = join(folder, 'step.sh')
    // As the runner does: an input in a script would be a part of it.
    await writeFile(
      script,
      step.run.replaceAll(INPUT, (_, name: string) => given[name] ?? ''),
    )
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: checkout,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        npm_config_offline: 'true',
        RUNNER_TEMP: temp,
        GITHUB_ACTION_PATH: ACTION,
        GITHUB_WORKSPACE: checkout,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: outputs,
        ...Object.fromEntries(env),
      },
    })
    const ended = new Promise<number>((end) => child.once('close', (status) => end(status ?? 1)))
    const said = await Promise.all([text(child.stdout), text(child.stderr)])
    log += said.join('')
    code = await ended
    if (code !== 0) break
  }
  const lines = (await readFile(outputs, 'utf8')).trim().split('\n')
  return {
    code,
    log,
    summary: await readFile(summary, 'utf8'),
    outputs: Object.fromEntries(lines.map((line) => line.split('='))) as Record<string, string>,
  }
}

/** The steps after the command line was installed once. */
const plan = (inputs: Record<string, string> = {}) => act(inputs, [action.runs.steps[1]])

const posts = async (name: string) =>
  (await Array.fromAsync(client.posts.list({ reference: `${name}/*`, limit: 100 }))).map(({ reference }) =>
    String(reference),
  )

const twoPosts = (name: string) => `plan: ${name}
channels: [ada]
posts:
  - { id: one, text: ${name} one, publishAt: '${nextYear}-07-01T09:00Z' }
  - { id: two, text: ${name} two, publishAt: '${nextYear}-07-02T09:00Z' }
`

test('a plan is shown, applied once, and a run of it again does nothing', async () => {
  await writeFile(join(checkout, 'plan.yaml'), twoPosts('pushed'))
  const shown = await act({ 'dry-run': 'true' })
  expect(shown).toMatchObject({ code: 0, outputs: { created: '2', unchanged: '0', refused: '0' } })
  expect(shown.summary).toMatch(/^### Plan pushed, as it would be applied\n\n {4}\+ one: created /)
  expect(await posts('pushed')).toEqual([])

  expect(await act()).toMatchObject({ code: 0, outputs: { created: '2' } })
  expect((await posts('pushed')).toSorted()).toEqual(['pushed/one', 'pushed/two'])
  // Not the idempotency key alone makes it safe: it is forgotten after some time.
  await app.db`delete from idempotency_record`
  const again = await plan()
  expect(again).toMatchObject({ code: 0, outputs: { created: '0', changed: '0', unchanged: '2' } })
  expect(await posts('pushed')).toHaveLength(2)
  expect(Object.keys(again.outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted())
})

test('a plan with faults changes nothing, and each fault stands at its file and line', async () => {
  await mkdir(join(checkout, 'posts'))
  await writeFile(
    join(checkout, 'posts/plan.yaml'),
    `${twoPosts('faulty')}  - { id: who, channels: [adda], text: Hi }\n`,
  )
  await writeFile(join(checkout, 'posts/three.md'), '---\nchannels: [bob]\n---\n\nThree\n')
  const { code, log, summary, outputs } = await plan({ plan: 'posts' })
  expect(code).toBe(2)
  expect(log).toMatch(
    /^::error file=posts\/plan\.yaml,line=6,col=\d+::There is no channel adda\. Did you mean ada\?/m,
  )
  expect(log).toMatch(/^::error file=posts\/three\.md,line=2,col=\d+::There is no channel bob\./m)
  expect(summary).toContain('Nothing was changed.')
  expect(outputs['created']).toBeUndefined()
  expect(await posts('faulty')).toEqual([])
})

test('what somebody changed by hand is a warning, fails the step, and is overwritten by force alone', async () => {
  await writeFile(join(checkout, 'plan.yaml'), twoPosts('drifting'))
  expect((await plan()).code).toBe(0)
  const { items } = await client.posts.list({ reference: 'drifting/one' })
  const post = await client.posts.read(items[0]?.postId ?? '')
  await client.posts.edit(post, { text: 'By hand' })
  await app.db`update post set changed_by_type = 'person', changed_by_name = 'Ada' where id = ${post.postId}`
  const left = await plan()
  expect(left).toMatchObject({ code: 1, outputs: { drift: '1', unchanged: '1' } })
  expect(left.log).toMatch(/^::warning::one: changed manually \(content\) by Ada/m)
  expect(await plan({ force: 'true' })).toMatchObject({ code: 0, outputs: { changed: '1' } })
  expect((await client.posts.read(post.postId)).content?.text).toBe('drifting one')
})

describe('an input', () => {
  const hostile = [
    '$(touch owned)',
    '`touch owned`',
    '"; touch owned; "',
    "'; touch owned; '",
    'x\ntouch owned',
  ]

  test('is in no script, but in a variable', () => {
    for (const { shell, run, env } of action.runs.steps) {
      expect(shell).toBe('bash')
      expect(run).not.toContain('${{')
      for (const value of Object.values(env)) expect(value).toMatch(/^\$\{\{ inputs\.[\w-]+ \}\}$/)
    }
  })

  test('that holds commands of a shell runs none', async () => {
    await writeFile(join(checkout, 'plan.yaml'), twoPosts('hostile'))
    const each = hostile.join(' ')
    for (const name of ['address', 'key', 'plan', 'dry-run', 'force']) {
      expect((await plan({ [name]: each })).code).not.toBe(0)
    }
    expect((await act({ cli: each }, [action.runs.steps[0]])).code).not.toBe(0)
    expect(existsSync(join(checkout, 'owned'))).toBe(false)
    expect(await posts('hostile')).toEqual([])
  })

  test.each([
    [{ 'dry-run': 'yes' }, 2, '::error::The input dry-run is true or false, and not "yes".'],
    [{ force: '' }, 2, '::error::The input force is true or false, and not "".'],
    [{ address: '' }, 2, '::error::The input address is empty.'],
    [{ key: '' }, 3, '::error::The input key is empty. GitHub gives no secrets to pull requests from forks.'],
    [{ key: 'pr_wrong' }, 3, '::error::'],
    [{ plan: 'gone\n::warning::x.yaml' }, 2, '::error::gone%0A::warning::x.yaml does not exist.'],
    [{ address: 'http://127.0.0.1:9' }, 6, 'nothing is done twice.'],
  ])('%j is refused in words', async (inputs, code, says) => {
    await writeFile(join(checkout, 'plan.yaml'), twoPosts('refused'))
    const ran = await plan(inputs)
    expect(ran.code).toBe(code)
    expect(ran.log).toContain(says)
    expect(await posts('refused')).toEqual([])
  })
})

test('what a post says is no command to the runner, and no markup in the summary', async () => {
  const said = '##[add-mask]x ``` <img src=x> ::error::'
  await writeFile(
    join(checkout, 'plan.yaml'),
    `plan: commands\nchannels: [ada]\nposts: [{ id: one, text: '${said}' }]\n`,
  )
  const { code, log, summary } = await plan({ 'dry-run': 'true' })
  expect(code).toBe(0)
  const [, token = '', held = '', after] = /^::stop-commands::(\S+)\n([^]*?)\n::\1::\n([^]*)$/.exec(log) ?? []
  expect(token).not.toBe('')
  expect(held).toContain(said)
  expect(after).toBe('')
  const [, , ...lines] = summary.trimEnd().split('\n')
  expect(lines.every((line) => line.startsWith('    '))).toBe(true)
})
