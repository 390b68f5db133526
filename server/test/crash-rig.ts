import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Post } from '@postrider/contract'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect } from 'vitest'
import { addChannel } from '../src/channels/connect-channel.ts'
import type { Db } from '../src/platform/db.ts'
import { runPeriodically } from '../src/platform/run-periodically.ts'
import { makeKeyring } from '../src/platform/sealing.ts'
import { openSandboxAccount } from '../src/sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../src/sandbox/sandbox-channel.ts'
import { commandLineWith, type CommandRun } from './command-line.ts'
import type { CrashPlan, Kill } from './crash-worker.ts'
import { anApi, aWorkspace, type AnApi, type AWorkspace } from './fixtures.ts'
import { openWorld } from './world.ts'

/** A channel with its account at the network. */
export type Place = {
  workspace: AWorkspace
  channelId: string
  accountId: string
  handle: string
  /** Looks at this account are never answered: what is in doubt there, only a person can settle. */
  blind: boolean
}

/** A post of a crash test: all its parts begin with `post <number> `, and no two posts share a word. */
export type Subject = {
  number: number
  workspace: AWorkspace
  postId: string
  places: readonly Place[]
  /** What it says, by the last edit that was accepted. */
  words: readonly string[]
}

/** One API, one database and one network, with publishers that are killed. Whoever opens it disposes of it. */
export type CrashRig = AsyncDisposable & {
  db: Db
  api: AnApi
  networkUrl: string
  places: readonly Place[]
  subjects: readonly Subject[]
  /** Makes a post by the API. A scheduled one is for in an hour. */
  create: (
    state: 'draft' | 'scheduled' | 'immediate',
    places: readonly Place[],
    wordsOf: (number: number) => readonly string[],
  ) => Promise<Subject>
  /** The time of what is scheduled comes. */
  comes: (subject?: Subject) => Promise<void>
  /** Whether the publisher came to its point; one that does not within the time is killed as it idles. */
  publishUntilKilled: (kill: Kill, withinMs: number) => Promise<boolean>
  /** Publishes, unkilled, until nothing is left. */
  publishAll: (left: () => Promise<readonly string[]>) => Promise<void>
  /** A person's command. */
  postrider: (...args: string[]) => Promise<CommandRun>
}

/** Two workspaces with two channels each, one of them blind. Waits of the engine are cut short. */
export async function openCrashRig(): Promise<CrashRig> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const { db } = world
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  const api = opened.use(await anApi(db))
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-crash-'))
  opened.defer(() => rm(dataDir, { recursive: true }))
  const secret = randomBytes(32)
  const places = await openPlaces(db, network.url, secret)
  await recordStatuses(db)
  const publishers = opened.use(publisherProcesses({ databaseUrl: world.databaseUrl, secret }))
  const skipping = runPeriodically(
    () => skipWaits(db),
    100,
    (fault) => Promise.reject(fault),
  )
  opened.defer(() => skipping.stop())

  const subjects: Subject[] = []
  let numbers = 0
  const rig: Omit<CrashRig, keyof AsyncDisposable> = {
    ...{ db, api, places, subjects },
    networkUrl: network.url,

    async create(state, at, wordsOf) {
      const number = ++numbers
      const words = wordsOf(number)
      const [text, ...thread] = words
      const { workspace } = at[0]!
      const { status, body } = await api.call(workspace, 'POST', '/posts', {
        ...{ confirmed: true, idempotencyKey: `post-${number}`, state, text },
        channelIds: at.map(({ channelId }) => channelId),
        ...(thread.length > 0 ? { thread: thread.map((text) => ({ text })) } : {}),
        ...(state === 'scheduled' ? { publishAt: inAnHour() } : {}),
      })
      expect({ status, body }).toMatchObject({ status: 201 })
      const subject = { number, workspace, postId: (body as Post).postId, places: at, words }
      subjects.push(subject)
      return subject
    },

    async comes(subject) {
      await db`
        with coming as (
          select workspace_id, id from destination
          where  status = 'scheduled' and due_at > now() ${subject === undefined ? db`` : db`and post_id = ${subject.postId}`}
          order  by id
          for    no key update
        )
        update destination d
        set    publish_at = now(), due_at = now(), expires_at = now() + interval '24 hours'
        from   coming
        where  d.workspace_id = coming.workspace_id and d.id = coming.id`
    },

    async publishUntilKilled(kill, withinMs) {
      const child = await publishers.begin(kill)
      const exited = once(child, 'exit')
      const lateness = setTimeout(() => child.kill('SIGINT'), withinMs)
      const [, signal] = (await exited) as [number | null, NodeJS.Signals | null]
      clearTimeout(lateness)
      return signal === 'SIGKILL'
    },

    async publishAll(left) {
      const child = await publishers.begin(null)
      let [fewest, end] = [Infinity, 0]
      for (let still = await left(); still.length > 0; still = await left()) {
        // However much there is, and however slow the machine: it has to get less.
        if (still.length < fewest) [fewest, end] = [still.length, Date.now() + 60_000]
        if (Date.now() > end) throw new Error(`left in the end: ${still.join(', ')}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
    },

    postrider: commandLineWith({
      DATABASE_URL: world.databaseUrl,
      DATA_DIR: dataDir,
      SECRET_KEYS: secret.toString('base64'),
      SANDBOX_URL: network.url,
      // That nothing is there counts for a person after 4.5 seconds, long after every call of these publishers.
      LEASE_SECONDS: '5',
      PUBLISH_TIMEOUT_SECONDS: '1',
    }),
  }
  const running = opened.move()
  return { ...rig, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function openPlaces(db: Db, networkUrl: string, secret: Buffer): Promise<Place[]> {
  const keyring = makeKeyring([secret])
  const places: Place[] = []
  for (const name of ['one', 'two']) {
    const workspace = await aWorkspace(db)
    const { workspaceId } = workspace
    for (const profile of ['short', 'professional'] as const) {
      const handle = `${name}_${profile}`
      const account = await openSandboxAccount(
        networkUrl,
        { handle, displayName: name, profile },
        { takeOver: false },
      )
      const { channelId } = await addChannel(db, keyring, sandboxConnection(workspaceId, networkUrl, account))
      places.push({ workspace, channelId, accountId: account.id, handle, blind: places.length === 3 })
    }
  }
  const blind = places.find((place) => place.blind)!
  const plan = { fault: { kind: 'outage' }, match: { accountId: blind.accountId, calls: 'read' } }
  const answer = await fetch(`${networkUrl}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...plan, times: 'always' }),
  })
  expect(answer.status).toBe(201)
  return places
}

/** Has the database itself write down every status that a destination enters: the truth that events are held against. */
async function recordStatuses(db: Db): Promise<void> {
  await db`
    create table status_history (
      seq bigint generated always as identity, destination_id uuid not null, status text not null, wait text, out int)`
  await db`
    create function record_status() returns trigger language plpgsql as 'begin
      insert into status_history (destination_id, status, wait, out)
      select new.id, new.status, new.announced_wait, count(*)
      from   part where destination_id = new.id and part.status = ''published'';
      return null;
    end'`
  await db`create trigger status_first after insert on destination for each row execute function record_status()`
  await db`
    create trigger status_entered after update on destination for each row
    when (old.status <> new.status or old.control_token <> new.control_token) execute function record_status()`
}

/**
 * Ends waits: for the next try, the next lookup, the next poll, and for the end of a provider's pause. Rows that the
 * engine holds are left to the next time: who waits for locks out of the engine's order ends in a deadlock.
 */
async function skipWaits(db: Db): Promise<void> {
  await db`
    with paused as (
      select workspace_id, id from channel where paused_until is not null for no key update skip locked)
    update channel c set paused_until = null
    from   paused
    where  c.workspace_id = paused.workspace_id and c.id = paused.id`
  await db`
    with waiting as (
      select workspace_id, id from destination
      where  due_at > now() and (
               status in ('checking', 'delayed', 'partially_published') or (status = 'publishing' and lease_until is null))
      for    no key update skip locked
    )
    update destination d set due_at = now()
    from   waiting
    where  d.workspace_id = waiting.workspace_id and d.id = waiting.id`
}

/** Publishers in processes of their own. The next one is ready while the last one runs. */
function publisherProcesses({ databaseUrl, secret }: { databaseUrl: string; secret: Buffer }) {
  const children = new Set<ChildProcess>()
  const spares: Promise<ChildProcess>[] = [ready(), ready()]

  async function ready(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-worker.ts')], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // Hundreds of short runs: the code is compiled for the first of them.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'postrider-crash-test') },
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    await once(child.stdout, 'data')
    return child
  }

  return {
    async begin(kill: Kill | null): Promise<ChildProcess> {
      const next = spares.shift() ?? ready()
      spares.push(ready())
      const child = await next
      const plan: CrashPlan = { databaseUrl, secretKey: secret.toString('base64'), kill }
      child.stdin!.write(`${JSON.stringify(plan)}\n`)
      return child
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(spares)
      await Promise.all(
        [...children].map(async (child) => {
          child.kill('SIGKILL')
          await once(child, 'exit')
        }),
      )
    },
  }
}
