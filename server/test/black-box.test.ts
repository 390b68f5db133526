import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** What a newcomer has: a folder for the data, two free ports, and no settings besides. */
async function openPlace() {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-black-box-'))
  await chmod(dataDir, 0o711)
  const [port, sandboxPort] = await freePorts()
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: String(port), SANDBOX_PORT: String(sandboxPort) }
  return {
    dataDir,
    env,
    async [Symbol.asyncDispose]() {
      for (const line of processesOn(dataDir)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

type Place = Awaited<ReturnType<typeof openPlace>>

/** Two free ports below the range from which the system gives ports to whoever asks for any. */
async function freePorts(): Promise<[number, number]> {
  const port = 20_000 + 2 * Math.floor(Math.random() * 5_000)
  return (await isFree(port)) && (await isFree(port + 1)) ? [port, port + 1] : freePorts()
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false))
  })
  server.listen(port, '127.0.0.1')
  const result = await free
  server.close()
  return result
}

/** `npm start`, in a process group of its own as a terminal would give it. */
async function startProduct(place: Place) {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: place.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let said = ''
  let logged = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()))
  const isUp = () => said.includes('Postrider is ready') && said.endsWith('\n\n')
  const product = {
    said: () => said,
    logged: () => logged,
    signal: (signal: NodeJS.Signals) => signalGroup(child, signal),
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGKILL')
      await ended
    },
  }
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    await expect.poll(() => isUp() || hasEnded(), { timeout: 60_000, interval: 50 }).toBe(true)
    expect(isUp(), `It ended with ${child.exitCode}.\n${said}\n${logged}`).toBe(true)
  } catch (error) {
    await product[Symbol.asyncDispose]()
    throw error
  }
  return product
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-child.pid!, signal)
}

/** The command that stands in the greeting under these words, as it would be selected with the mouse. */
function printed(said: string, heading: string): string {
  const below = said.slice(said.indexOf(heading) + heading.length).replace(/^\n+/, '')
  return below.slice(0, below.indexOf('\n\n'))
}

async function shell(place: Place, script: string): Promise<unknown> {
  const { stdout } = await run('sh', ['-c', script], { env: place.env, cwd: root })
  return JSON.parse(stdout)
}

/** Processes that have the data folder in their arguments: PostgreSQL and the sandbox network. */
function processesOn(dataDir: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n')
  return all.filter((line) => line.includes(dataDir))
}

async function pageOf(url: string): Promise<string> {
  const response = await fetch(url)
  return response.text()
}

test(
  'a newcomer starts it, pastes what it prints, sees the post, and stops it',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await using product = await startProduct(place)
    const said = product.said()
    const login = printed(said, 'It is shown this once:\n')

    const post = await shell(place, `${login}\n${printed(said, 'Schedule a post, ten seconds ahead:\n')}`)
    expect(post).toMatchObject({ destinations: [{ status: 'scheduled', provider: 'sandbox-short' }] })

    const page = /see it appear: (\S+)/.exec(said)![1]!
    await expect
      .poll(() => pageOf(page), { timeout: 40_000, interval: 500 })
      .toContain('Hello from Postrider')

    const list = await shell(place, `${login}\n${printed(said, 'Read it back:\n')}`)
    expect(list).toMatchObject({
      items: [{ destinations: [{ status: 'published', releaseUrl: expect.stringContaining(page) }] }],
    })

    const keys = await run('npm', ['run', '--silent', 'postrider', '--', 'key', 'list', '--json'], {
      cwd: root,
      env: place.env,
    })
    expect(JSON.parse(keys.stdout)).toHaveLength(1)
    expect(keys.stdout).not.toContain(/pr_\w+/.exec(login)![0])

    const stoppedAt = performance.now()
    product.signal('SIGINT')
    expect(await product.ended).toEqual([0, null])
    expect(performance.now() - stoppedAt).toBeLessThan(10_000)
    expect(processesOn(place.dataDir)).toEqual([])
    expect(product.logged()).not.toContain('"level":"error"')
  },
)

/** The lines of the README for the first post with a picture, as a reader would fill them in. */
async function firstPictureLines(place: Place, login: string, channelId: string): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, section = ''] = readme.split('## Publish the first post\n')
  const [post = '', upload = ''] = Array.from(
    section.matchAll(/```sh\n([^]*?)```/g),
    ([, lines]) => lines ?? '',
  )
  const [, mediaIds = ''] = /`("mediaIds": \S+)`/.exec(section)!
  return `${upload}\n${post.replace('"text"', `${mediaIds} "text"`)}`
    .replace(/export POSTRIDER_KEY=.*/, '')
    .replace(/^/, `${login}\n`)
    .replace('<a channelId of GET /agent/v1/channels>', channelId)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${place.env.PORT}`)
}

test(
  'the first post of the README carries a picture to the public page, with its alt text and nothing of its camera',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    await using product = await startProduct(place)
    const said = product.said()
    const login = printed(said, 'It is shown this once:\n')
    const [, channelId = ''] = /"channelIds": \["([^"]+)"\]/.exec(said)!
    const original = await readFile(join(root, 'docs/examples/rider.jpg'))
    expect((await sharp(original).metadata()).exif).toBeDefined()

    const post = await shell(place, await firstPictureLines(place, login, channelId))
    expect(post).toMatchObject({ media: [{ kind: 'image', altText: 'A rider brings a letter.' }] })

    const address = /see it appear: (\S+)/.exec(said)![1]!
    const picture = /<img src="([^"]+)" alt="A rider brings a letter\."/
    await expect.poll(() => pageOf(address), { timeout: 40_000, interval: 500 }).toMatch(picture)
    const [, path = ''] = picture.exec(await pageOf(address))!
    const shown = Buffer.from(await (await fetch(new URL(path, address))).arrayBuffer())
    const { format, width, height, exif, xmp, iptc, icc } = await sharp(shown).metadata()
    expect({ format, width, height, exif, xmp, iptc, icc }).toEqual({
      format: 'jpeg',
      width: 960,
      height: 600,
    })
    expect(original.includes('Rider Camera')).toBe(true)
    expect(shown.includes('Rider Camera')).toBe(false)
  },
)

test(
  'a server that was killed starts again on its data, and its key still opens',
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace()
    let login: string
    {
      await using killed = await startProduct(place)
      login = printed(killed.said(), 'It is shown this once:\n')
      killed.signal('SIGKILL')
      await killed.ended
    }

    await using product = await startProduct(place)
    expect(product.said()).not.toContain('pr_')
    const me = `curl -sS http://127.0.0.1:${place.env.PORT}/agent/v1/me -H "Authorization: Bearer $POSTRIDER_KEY"`
    expect(await shell(place, `${login}\n${me}`)).toMatchObject({ workspace: { name: 'My workspace' } })

    product.signal('SIGTERM')
    expect(await product.ended).toEqual([0, null])
    expect(processesOn(place.dataDir)).toEqual([])
  },
)
