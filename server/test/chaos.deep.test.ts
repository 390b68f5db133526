import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { allEventTypeNames } from '@postrider/contract'
import { afterAll, afterEach, beforeAll, expect, onTestFailed, test } from 'vitest'
import { childrenOf } from '../src/platform/embedded-postgres/postmaster.ts'
import { runPeriodically } from '../src/platform/loops/run-periodically.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { openSocket } from './hostile/raw-socket.ts'
import { type Random, randomFrom } from './rigs/crash-clients.ts'
import { killBackend, killRecovery } from './rigs/database-blows.ts'
import { hasCompiler, type Machine, openMachine } from './rigs/disk-and-clock.ts'
import { freePort } from './rigs/free-port.ts'
import { aPhoto } from './rigs/media-files.ts'
import { FORM_TYPE, formOf } from './rigs/media-server.ts'
import { aPerson, client, join as joinAs } from './rigs/people-world.ts'
import { browserAsks, startClients, type Access } from './rigs/process-clients.ts'
import { expectAsTold, expectEventsOf, passTime } from './rigs/process-judge.ts'
import { openRawReceiver, openReceiver } from './rigs/receiver.ts'
import { openServerRig, type Server, type ServerRig } from './rigs/server-rig.ts'

/*
 * Two servers on one database, under clients that create, edit, cancel and decide, while one thing after the other goes
 * wrong. At the end each post is what its client was told, and the network has made each once. CHAOS_MINUTES says for how
 * long on each database (it takes no part in a usual run), and CHAOS_SEED repeats the order of a run that failed.
 */

const { CHAOS_MINUTES = '0', CHAOS_SEED: chosen } = process.env
const minutes = Number(CHAOS_MINUTES)
const isWanted = minutes > 0 && hasCompiler
const seed = Number(chosen ?? Date.now() % 1_000_000)
/** Of another client than those whose requests have to be answered: each address may have so many connections. */
const NEIGHBOUR = '127.0.0.2'
/** How many posts come to their end with their clients after each blow. */
const BETWEEN = 4
const ROLES = 'api,publisher,webhooks'
const ORIGIN = 'http://127.0.0.1:4000'

type Place = { readonly at: number; server: Server }

type Chaos = {
  readonly rig: ServerRig
  readonly machine: Machine
  readonly access: Access
  readonly places: readonly [Place, Place]
  readonly random: Random
  /** Waits until so many more posts have come to their end. */
  readonly more: (count: number) => Promise<void>
  /** Pictures that were acknowledged. */
  readonly uploads: string[]
}

type Blow = (chaos: Chaos) => Promise<void>

const blows: Readonly<Record<string, Blow>> = {
  'a server killed': async (chaos) => restart(chaos, chaos.random.pick(chaos.places)),

  'both servers killed': async (chaos) => {
    await Promise.all(chaos.places.map(({ server }) => server.end('SIGKILL')))
    for (const place of chaos.places) await restart(chaos, place)
  },

  'a server stopped for longer than its leases': async (chaos) => {
    const { server } = chaos.random.pick(chaos.places)
    process.kill(server.pid, 'SIGSTOP')
    await delay(7_000)
    process.kill(server.pid, 'SIGCONT')
  },

  'a server with few file descriptors': async (chaos) => {
    const place = chaos.random.pick(chaos.places)
    await restart(chaos, place, 128)
    const sockets = await Promise.all(
      Array.from({ length: 120 }, () => openSocket(place.at, NEIGHBOUR).catch(() => null)),
    )
    await chaos.more(BETWEEN)
    for (const socket of sockets) socket?.destroy()
    await restart(chaos, place)
  },

  'backends killed': async ({ rig, more }) => {
    for (let n = 0; n < 3; n++) {
      await killBackend(rig.db)
      await more(1)
    }
  },

  'PostgreSQL killed in its recovery': ({ rig }) => killRecovery(rig.postmaster!),

  'PostgreSQL ended': ({ rig }) => rig.restartDatabase(),

  'a disk that syncs slowly': async (chaos) => {
    const { machine, random, more } = chaos
    await machine.slowDisk(200 + random.below(1_800))
    await more(2)
    await restart(chaos, random.pick(chaos.places))
    await more(2)
    await machine.slowDisk(0)
  },

  'a clock set ahead and back': async ({ machine, random, more }) => {
    const seconds = 3 + random.below(20)
    await machine.setClock(random.pick([seconds, -seconds]))
    await delay(2_000)
    await machine.setClock(0)
    await more(1)
  },

  'bodies in chunks of one byte': async (chaos) => {
    const place = chaos.random.pick(chaos.places)
    const piece = '1\r\n \r\n'.repeat(50_000)
    const sockets = await Promise.all(
      Array.from({ length: 50 }, () => openSocket(place.at, NEIGHBOUR).catch(() => null)),
    )
    for (const socket of sockets) {
      socket?.write('POST /agent/v1/posts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
      socket?.write(piece)
    }
    await chaos.more(BETWEEN)
    for (const socket of sockets) socket?.destroy()
  },

  'backups beside another blow': async (chaos) => {
    const { rig, random } = chaos
    const file = join(rig.dataDir, `chaos-${random.below(1e9)}.backup`)
    const written = Promise.all([rig.command('backup', file), rig.command('backup', file)])
    await random.pick([blows['a server killed']!, blows['backends killed']!])(chaos)
    const codes = (await written).map(({ code }) => code)
    // The path is one, so that at most one is told that its backup is there.
    expect(codes.filter((code) => code === 0).length).toBeLessThanOrEqual(1)
    if (!codes.includes(0)) return
    expect(await rig.command('backup', '--check', file)).toMatchObject({ code: 0 })
  },

  'faults of the network': async ({ rig, random, more }) => {
    const kinds = ['accept_then_drop', 'drop_before', 'accept_then_500', 'error_500_before', 'garbage']
    const rare = ['truncate', 'hang', 'outage']
    for (const kind of [random.pick(kinds), random.pick([...kinds, ...rare])]) {
      const fault = kind === 'outage' ? { kind, retryAfterSeconds: 1 } : { kind }
      await fetch(`${rig.networkUrl}/control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fault, match: {}, times: 2 }),
      })
    }
    await more(BETWEEN)
  },

  'media workers killed': async (chaos) => {
    const killing = runPeriodically(
      () => Promise.resolve(killMediaWorkers(chaos)),
      40,
      () => undefined,
    )
    const uploads = [upload(chaos), upload(chaos)]
    await delay(1_500)
    await killing.stop()
    chaos.uploads.push(...(await Promise.all(uploads)))
  },
}

let machine: Machine
beforeAll(async () => {
  if (isWanted) machine = await openMachine()
})
afterAll(() => machine?.[Symbol.asyncDispose]())
afterEach(async () => {
  await machine?.slowDisk(0)
  await machine?.setClock(0)
})

test.runIf(isWanted).each(['embedded', 'own'] as const)(
  'whatever goes wrong around two servers on the %s database: nothing lost, nothing twice, each post as it was told',
  { timeout: 300_000 + minutes * 120_000 },
  async (database) => {
    const history: string[] = []
    const logs: string[] = []
    onTestFailed(() => {
      process.stderr.write([`CHAOS_SEED=${seed}`, ...history.slice(-40), ...logs, ''].join('\n'))
    })
    function note(name: string): void {
      const line = `${new Date().toISOString()} ${name}`
      history.push(line)
      if (minutes > 5) process.stderr.write(`${line}\n`)
    }
    await using receiver = await openReceiver()
    await using early = await openRawReceiver((socket) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)
      const flooding = setInterval(() => socket.write(hints), 5)
      socket.once('close', () => clearInterval(flooding))
    })
    await using rig = await openServerRig({
      channels: 12,
      database,
      machine,
      env: { TRUSTED_ORIGINS: `${receiver.origin},${early.origin}`, BASE_URL: ORIGIN },
    })
    const ports = [await freePort(), await freePort()] as const
    const places: Chaos['places'] = [
      { at: ports[0], server: await rig.serve(ROLES, { at: ports[0] }) },
      { at: ports[1], server: await rig.serve(ROLES, { at: ports[1] }) },
    ]
    // While their files are there.
    await using ending = new AsyncDisposableStack()
    ending.defer(async () => {
      const said = await readFile(join(rig.dataDir, 'postgres.log'), 'utf8').catch(() => '')
      // Each connection that was refused is a line, too.
      const lines = said.split('\n').filter((line) => !line.includes('FATAL'))
      logs.push(...places.map(({ server }) => server.logged), ...lines.slice(-40))
    })
    const access = await openAccess(rig, ports)
    for (const { origin } of [receiver, early]) {
      const hook = { url: `${origin}/hook`, eventTypes: allEventTypeNames }
      expect(await browserAsks(access, access.apis[0]!, '/endpoints', hook)).toMatchObject({ status: 201 })
    }
    const passing = runPeriodically(
      () => passTime(rig.db),
      200,
      () => undefined,
    )
    const clients = startClients(access, {
      clients: 2,
      channelIds: rig.channelIds,
      slow: '#sandbox:slow=150',
    })
    const random = randomFrom(seed)
    const chaos = { rig, machine, access, places, random, more: clients.more, uploads: [] as string[] }
    const counts: Record<string, number> = {}
    const endsAt = Date.now() + minutes * 60_000
    // Each of them once before any comes again.
    const bag: string[] = []
    while (Date.now() < endsAt) {
      if (bag.length === 0) bag.push(...Object.keys(blows))
      const [name = ''] = bag.splice(random.below(bag.length), 1)
      note(name)
      counts[name] = (counts[name] ?? 0) + 1
      await blows[name]!(chaos)
      await clients.more(BETWEEN)
      await delay(300)
    }
    const told = await clients.stop()

    await expectAsTold(rig, told, 240_000)
    await passing.stop()
    const events = await expectEventsOf(rig, told, receiver, 120_000)
    for (const mediaId of chaos.uploads) {
      const url = `${access.apis[0]}/agent/v1/media/${mediaId}/content`
      const content = await fetch(url, { headers: { authorization: `Bearer ${rig.key}` } })
      expect(content.status).toBe(200)
      await content.arrayBuffer()
    }
    expect(places.filter(({ server }) => !server.isRunning)).toEqual([])
    console.log(
      `${database}: ${told.size} posts, ${events.size} events, ${chaos.uploads.length} uploads, ${JSON.stringify(counts)}`,
    )
  },
)

async function restart({ rig }: Chaos, place: Place, descriptors?: number): Promise<void> {
  await place.server.end('SIGKILL')
  place.server = await rig.serve(ROLES, {
    at: place.at,
    ...(descriptors === undefined ? {} : { descriptors }),
  })
}

function killMediaWorkers({ places }: Chaos): void {
  for (const { server } of places) {
    const workers = childrenOf(server.pid).filter(({ title }) => title.includes('media-worker-process'))
    for (const { pid } of workers) process.kill(pid, 'SIGKILL')
  }
}

/** Sends a picture under one key until it is taken. Returns its id. */
async function upload({ access, random }: Chaos): Promise<string> {
  const form = formOf(await aPhoto(600 + random.below(100), 400))
  const idempotencyKey = `upload-${random.below(1e9)}`
  const headers = {
    authorization: `Bearer ${access.key}`,
    'idempotency-key': idempotencyKey,
    'content-type': FORM_TYPE,
  }
  for (let turn = 0; ; turn++) {
    const url = `${access.apis[turn % access.apis.length]}/agent/v1/media`
    const answer = await fetch(url, { method: 'POST', headers, body: form as never }).catch(() => null)
    const body = (await answer?.json().catch(() => null)) as { mediaId?: string; code?: string } | null
    if (answer?.status === 201) return body!.mediaId!
    if (answer !== null) expect([409, 500, 503]).toContain(answer.status)
    await delay(200)
  }
}

async function openAccess(rig: ServerRig, ports: readonly number[]): Promise<Access> {
  const person = await aPerson(rig.db, { password: false })
  await joinAs(rig.db, rig.workspace.workspaceId, person, 'admin')
  return {
    apis: ports.map((port) => `http://127.0.0.1:${port}`),
    workspace: rig.workspace,
    key: rig.key,
    origin: ORIGIN,
    cookie: `postrider=${await openSession(rig.db, person.personId, client)}`,
  }
}
