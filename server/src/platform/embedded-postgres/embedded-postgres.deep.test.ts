import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { copyCluster } from '../../../test/rigs/cluster.ts'
import { makeDatabaseFolder } from '../../../test/rigs/database-folder.ts'
import { guardFolder } from '../../../test/rigs/guard.ts'
import { MUCH_WORK } from '../../../test/rigs/much-work.ts'
import { openDb } from '../postgres/db.ts'
import { cannotRun, type Place } from './cluster.ts'
import { type EmbeddedPostgres, EmbeddedPostgresFault, startEmbeddedPostgres } from './embedded-postgres.ts'
import { healLockFile, readPostmasterPid } from './pid-file.ts'
import { childrenOf } from './postmaster.ts'

/** A data folder with a stopped cluster, unless it is to be new; at the end nothing of it is left, processes included. */
async function openFolder({ name = 'folder', isNew = false, onDisk = false } = {}) {
  const parent = onDisk ? await mkdtemp(join(tmpdir(), 'embedded-')) : await makeDatabaseFolder('embedded-')
  await chmod(parent, 0o711)
  const dataDir = join(parent, name)
  const cluster = join(dataDir, 'postgres')
  if (!isNew) {
    await mkdir(dataDir, { mode: 0o711 })
    await copyCluster(dataDir)
  }
  const children: ChildProcess[] = []
  const guard = guardFolder(dataDir, parent)
  return {
    dataDir,
    cluster,
    start: (options: { log?: (message: string) => void; restartWaitsMs?: number[] } = {}) =>
      startEmbeddedPostgres({ dataDir, ...options }),
    /** Starts another process on the folder, and waits until its PostgreSQL is ready. */
    async hold(task = 'wait') {
      const script = join(import.meta.dirname, '../../../test/rigs/hold-postgres.ts')
      const child = spawn(process.execPath, [script, dataDir, task], {
        stdio: ['pipe', 'pipe', 'inherit'],
        detached: true,
      })
      children.push(child)
      const lines: string[] = []
      const reader = createInterface({ input: child.stdout })
      const first = once(reader, 'line')
      reader.on('line', (line) => lines.push(line))
      const { pid, alreadyRunning } = JSON.parse(String((await first)[0])) as {
        pid: number
        alreadyRunning: boolean
      }
      const exited = once(child, 'close')
      const leave = async () => {
        child.stdin.end()
        await exited
      }
      const kill = async () => {
        child.kill('SIGKILL')
        await exited
      }
      return { child, reader, lines, pid, alreadyRunning, leave, kill }
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      const pid = await readPostmasterPid(cluster)
      if (pid !== null && alive(pid)) {
        process.kill(pid, 'SIGQUIT')
        await expect.poll(() => alive(pid), { timeout: 10_000 }).toBe(false)
      }
      guard.dismiss()
      await rm(parent, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** A zombie does not count. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const openPool = (postgres: EmbeddedPostgres) =>
  openDb({ ...postgres.connection, applicationName: 'test', max: 1 })

test('what was written is there after a stop and a second start', async () => {
  await using folder = await openFolder({ isNew: true })
  const first = await folder.start()
  expect(first.alreadyRunning).toBe(false)
  let db = openPool(first)
  await db`create table kept as select 7 as n`
  await db.end()
  await first.stop()
  await expect.poll(() => alive(first.pid)).toBe(false)

  const second = await folder.start()
  db = openPool(second)
  expect([...(await db`select n from kept`)]).toEqual([{ n: 7 }])
  const [facts] = await db`
    select current_setting('fsync') as fsync, current_setting('data_checksums') as checksums, current_setting('listen_addresses') as network,
           (select datlocale from pg_database where datname = 'postrider') as locale`
  expect(facts).toEqual({ fsync: 'on', checksums: 'on', network: '', locale: 'C.UTF-8' })
  await db.end()
  await second.stop()
})

test('half a cluster that a killed start has left an hour ago is removed by the next one', async () => {
  await using folder = await openFolder()
  const half = `${folder.cluster}.new-killed`
  await mkdir(half)
  await utimes(half, new Date(0), new Date(0))
  const postgres = await folder.start()
  expect(existsSync(half)).toBe(false)
  await postgres.stop()
})

test('a start that is given up while it creates its cluster leaves none', async () => {
  await using folder = await openFolder({ isNew: true })
  const giveUp = new AbortController()
  const starting = startEmbeddedPostgres({ dataDir: folder.dataDir, signal: giveUp.signal })
  const ended = starting.catch((error: unknown) => error)
  const found = async () =>
    (await readdir(folder.dataDir).catch(() => [])).filter((name) => name.startsWith('postgres'))
  await vi.waitUntil(
    async () => (await found()).some((name) => existsSync(join(folder.dataDir, name, 'PG_VERSION'))),
    { timeout: 30_000, interval: 5 },
  )

  giveUp.abort()

  expect(await ended).toMatchObject({ name: 'AbortError' })
  expect(await found()).toEqual([])
})

test('a client that is gone in the middle of a long statement does not keep it running', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()
  const [client, other] = [openPool(postgres), openPool(postgres)]
  const statement = client`select pg_sleep(600)`.catch((error: unknown) => error)
  await expect
    .poll(
      () =>
        other`select from pg_stat_activity where query = 'select pg_sleep(600)' and wait_event = 'PgSleep'`,
    )
    .toHaveLength(1)
  await other.end()

  await client.end({ timeout: 0 })
  expect(await statement).toBeInstanceOf(Error)
  await postgres.stop()

  await expect.poll(() => alive(postgres.pid)).toBe(false)
})

test('a clock that is set ahead ends neither a start nor a stop', async () => {
  await using folder = await openFolder()
  let aheadMs = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (aheadMs += 3_600_000))
  onTestFinished(() => clock.mockRestore())
  const postgres = await folder.start()
  await postgres.stop()
  clock.mockRestore()
  await expect.poll(() => alive(postgres.pid)).toBe(false)
})

test('only its own user may enter the folder of the socket', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()

  expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700)
  expect((await stat(folder.cluster)).mode & 0o077).toBe(0)
  await postgres.stop()
})

test('a server that was killed leaves its PostgreSQL running, and the next one uses it, with every acknowledged row', async () => {
  await using folder = await openFolder()
  const killed = await folder.hold('insert')
  while (killed.lines.length < 200) await once(killed.reader, 'line')
  await killed.kill()
  const acknowledged = killed.lines.length - 1

  const postgres = await folder.start()

  expect(postgres).toMatchObject({ alreadyRunning: true, pid: killed.pid })
  const db = openPool(postgres)
  const [row] = await db<{ n: number }[]>`select count(*)::int as n from kept`
  expect(row?.n).toBeGreaterThanOrEqual(acknowledged)
  await db.end()
  await postgres.stop()
  await expect.poll(() => alive(killed.pid)).toBe(false)
})

test('killed together with its PostgreSQL, it starts again at once with every acknowledged row', async () => {
  await using folder = await openFolder()
  const killed = await folder.hold('insert')
  while (killed.lines.length < 200) await once(killed.reader, 'line')
  process.kill(killed.pid, 'SIGKILL')
  await killed.kill()
  const acknowledged = killed.lines.slice(1).filter((line) => /^\d+$/.test(line)).length

  const postgres = await folder.start()

  expect(postgres.alreadyRunning).toBe(false)
  const db = openPool(postgres)
  const [row] = await db<{ n: number }[]>`select count(*)::int as n from kept`
  expect(row?.n).toBeGreaterThanOrEqual(acknowledged)
  await db.end()
  await postgres.stop()
})

test('lock files whose process id now belongs to another program do not keep it from starting', async () => {
  await using folder = await openFolder()
  const first = await folder.start()
  const locks = [join(folder.cluster, 'postmaster.pid'), join(first.connection.host, '.s.PGSQL.5432.lock')]
  const texts = await Promise.all(locks.map((path) => readFile(path, 'utf8')))
  const { uid, gid } = await stat(folder.cluster)
  await first.stop()
  const other = spawn('sleep', ['60'], { uid, gid, cwd: '/' })
  for (const [index, path] of locks.entries()) {
    await writeFile(path, texts[index]!.replace(/^\d+/, String(other.pid)))
    await chown(path, uid, gid)
  }

  const second = await folder.start()

  expect(second.alreadyRunning).toBe(false)
  expect(alive(other.pid!)).toBe(true)
  other.kill()
  await second.stop()
})

test('a lock file that names a living PostgreSQL is never touched', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()
  const lock = join(folder.cluster, 'postmaster.pid')
  const before = await readFile(lock, 'utf8')

  await healLockFile(lock, 999_999)

  expect(await readFile(lock, 'utf8')).toBe(before)
  await postgres.stop()
})

test('processes that start at once share one PostgreSQL', async () => {
  await using folder = await openFolder({ isNew: true })

  const holders = await Promise.all([folder.hold(), folder.hold(), folder.hold()])

  expect(new Set(holders.map(({ pid }) => pid)).size).toBe(1)
  expect(holders.filter(({ alreadyRunning }) => !alreadyRunning).length).toBeLessThanOrEqual(1)
})

test('it runs until the last process lets go, whichever started it', async () => {
  await using folder = await openFolder()
  const starter = await folder.hold()
  const second = await folder.hold()
  expect([starter.alreadyRunning, second.alreadyRunning]).toEqual([false, true])

  await starter.leave()
  expect(alive(starter.pid)).toBe(true)
  await second.leave()
  // Whoever inherited the process may take a moment to reap it.
  await expect.poll(() => alive(starter.pid), { timeout: 10_000 }).toBe(false)
})

test('processes that let go at once do not leave it behind', async () => {
  await using folder = await openFolder()
  const holders = await Promise.all([folder.hold(), folder.hold(), folder.hold()])

  await Promise.all(holders.map(({ leave }) => leave()))

  expect(existsSync(join(folder.cluster, 'postmaster.pid'))).toBe(false)
})

test('it is left running while a client of any other kind is connected', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()
  const stranger = openPool(postgres)
  await stranger`select 1`

  await postgres.stop()

  expect([...(await stranger`select 1 as n`)]).toEqual([{ n: 1 }])
  await stranger.end()
})

test('a signal to the whole process group of the server does not reach it', async () => {
  await using folder = await openFolder()
  const holder = await folder.hold()

  process.kill(-(holder.child.pid ?? 0), 'SIGINT')
  await once(holder.child, 'close')

  const postgres = await folder.start()
  expect(postgres).toMatchObject({ alreadyRunning: true, pid: holder.pid })
  await postgres.stop()
})

test.each(['started', 'alreadyRunning'])('one that was %s is started again when it dies', async (how) => {
  await using folder = await openFolder()
  if (how === 'alreadyRunning') await (await folder.hold()).kill()
  const lines: string[] = []
  const postgres = await folder.start({ log: (message) => lines.push(message) })
  expect(postgres.alreadyRunning).toBe(how === 'alreadyRunning')
  const first = postgres.pid
  const db = openPool(postgres)
  await db`create table kept as select 7 as n`

  process.kill(first, 'SIGKILL')

  await expect.poll(() => lines, { timeout: 20_000 }).toContain('PostgreSQL is back')
  expect(postgres.pid).not.toBe(first)
  await expect
    .poll(() => db`select n from kept`.catch(() => 'not yet'), { timeout: 20_000 })
    .toEqual([{ n: 7 }])
  await db.end()
  await postgres.stop()
  await expect.poll(() => alive(postgres.pid)).toBe(false)
})

test('one that cannot be started again is tried until it can, however often that fails', async () => {
  await using folder = await openFolder()
  const lines: string[] = []
  const log = (message: string, level = 'info') => void lines.push(`${level}: ${message}`)
  const postgres = await folder.start({ log, restartWaitsMs: [0, 10] })
  const { pid } = postgres
  const db = openPool(postgres)
  await db`create table kept (n int)`
  await rename(folder.cluster, `${folder.cluster}.away`)
  process.kill(pid, 'SIGKILL')
  const failures = () => lines.filter((line) => line.includes('could not be started again'))
  await expect.poll(() => failures().length, { timeout: 60_000 }).toBeGreaterThan(2)
  expect(failures()[0]).toMatch(
    /^warn: .*: PostgreSQL does not start: postgres: could not .*postgres\.log has more\.$/,
  )

  await rename(`${folder.cluster}.away`, folder.cluster)

  await expect.poll(() => db`select from kept`.catch(() => null), { timeout: 30_000 }).toEqual([])
  // It answers a moment before its new id is known.
  await expect.poll(() => postgres.pid).not.toBe(pid)
  await db.end()
  await postgres.stop()
  await expect.poll(() => alive(postgres.pid)).toBe(false)
})

/** The process id of a PostgreSQL that takes connections, as its lock file says in the eighth line; else null. */
async function readyPostmaster(cluster: string): Promise<number | null> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[7]?.trim() === 'ready' ? Number(lines[0]) : null
}

/** A connection that is lost while it is being opened is met by some of these deaths, which come right after the start. */
const DEATHS = Number(process.env['POSTGRES_DEATHS'] ?? 10)

test(
  'one that dies again and again, each time right after its start, is started again each time',
  async () => {
    await using folder = await openFolder()
    const postgres = await folder.start({ restartWaitsMs: [0, 10] })
    let pid: number | null = null
    for (let death = 0; death < DEATHS; death++) {
      const former = pid
      const isBack = async () => {
        pid = await readyPostmaster(folder.cluster)
        return pid !== null && pid !== former
      }
      await expect.poll(isBack, { timeout: 20_000, interval: 1 }).toBe(true)
      await delay(Math.random() * 30)
      process.kill(pid!, death % 3 === 0 ? 'SIGKILL' : 'SIGQUIT')
    }
    await expect.poll(() => postgres.pid, { timeout: 20_000 }).not.toBe(pid)
    await postgres.stop()
    await expect.poll(() => alive(postgres.pid)).toBe(false)
  },
  60_000 + DEATHS * 2_000,
)

test('one that is stopped while it is being started again stays down', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start({ restartWaitsMs: [0, 60_000] })
  await rename(folder.cluster, `${folder.cluster}.away`)
  process.kill(postgres.pid, 'SIGKILL')

  await postgres.stop()

  expect(existsSync(join(folder.cluster, 'postmaster.pid'))).toBe(false)
})

test('the crash of one backend is no end', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()
  const { pid } = postgres
  const db = openPool(postgres)
  const [row] = await db<{ pid: number }[]>`select pg_backend_pid() as pid`
  process.kill(row?.pid ?? 0, 'SIGKILL')

  await expect.poll(answers(db), { timeout: 20_000 }).toBe(true)

  await db.end()
  expect(postgres.pid).toBe(pid)
  await postgres.stop()
  await expect.poll(() => alive(postgres.pid)).toBe(false)
})

const childOf = (postmaster: number, name: string) =>
  childrenOf(postmaster).find(({ title }) => title.startsWith(`postgres: ${name}`))?.pid

const answers = (db: ReturnType<typeof openPool>) => () =>
  db`select 1`.then(
    () => true,
    () => false,
  )

/** A crash whose recovery takes a moment, in which it can be hit; resolves as it begins. */
async function crashWithWork(postgres: EmbeddedPostgres, db: ReturnType<typeof openPool>): Promise<void> {
  await db.script(MUCH_WORK)
  const [row] = await db<{ pid: number }[]>`select pg_backend_pid() as pid`
  process.kill(row?.pid ?? 0, 'SIGKILL')
  await expect
    .poll(() => childOf(postgres.pid, 'startup') ?? null, { timeout: 20_000, interval: 1 })
    .not.toBeNull()
}

/**
 * A crash whose recovery is stopped before it has told its postmaster that it recovers: killed after that, it takes the postmaster
 * with it. On a disk it syncs every file before, which takes a moment; where it was faster, there is another crash.
 */
async function holdStartOfRecovery(
  postgres: EmbeddedPostgres,
  db: ReturnType<typeof openPool>,
): Promise<number> {
  for (let attempt = 0; attempt < 10; attempt++) {
    await crashWithWork(postgres, db)
    const startup = childOf(postgres.pid, 'startup')
    if (startup !== undefined) {
      process.kill(startup, 'SIGSTOP')
      const told = await db`select 1`.then(() => 'recovered', String)
      if (told.includes('in recovery mode')) return startup
      process.kill(startup, 'SIGCONT')
    }
    await expect.poll(answers(db), { timeout: 40_000 }).toBe(true)
  }
  throw new Error('The start of a recovery was never met.')
}

test.each(['supervised', 'joined'])(
  'one that has lost the process that recovers it, and is %s, is ended and started again',
  async (how) => {
    await using folder = await openFolder({ onDisk: true })
    const lines: string[] = []
    const log = (message: string) => lines.push(message)
    let postgres = await folder.start({ log })
    const first = postgres.pid
    const db = openPool(postgres)
    await db`create table kept as select 7 as n`
    const startup = await holdStartOfRecovery(postgres, db)
    process.kill(startup, 'SIGKILL')
    if (how === 'joined') {
      await postgres.stop()
      expect(alive(first)).toBe(true)
      postgres = await folder.start({ log })
    }

    await expect.poll(answers(db), { timeout: 40_000 }).toBe(true)
    expect(lines).toContain('PostgreSQL has lost the process that recovers it, and is ended')
    await expect.poll(() => postgres.pid).not.toBe(first)
    expect([...(await db`select n from kept`)]).toEqual([{ n: 7 }])
    expect(postgres.goneForMs()).toBe(0)
    await db.end()
    await postgres.stop()
  },
)

test('one whose recovery takes long is left to it, and does not count as gone', async () => {
  await using folder = await openFolder()
  const lines: string[] = []
  const postgres = await folder.start({ log: (message) => lines.push(message) })
  const { pid } = postgres
  const db = openPool(postgres)
  await crashWithWork(postgres, db)
  const startup = childOf(pid, 'startup')!
  process.kill(startup, 'SIGSTOP')
  const sinceMs = performance.now()

  await expect.poll(() => performance.now() - sinceMs, { timeout: 20_000 }).toBeGreaterThan(14_000)
  expect([alive(startup), postgres.goneForMs() < 5_000]).toEqual([true, true])
  process.kill(startup, 'SIGCONT')

  await expect.poll(answers(db), { timeout: 40_000 }).toBe(true)
  expect(lines).toEqual([])
  expect(postgres.pid).toBe(pid)
  await db.end()
  await postgres.stop()
})

test.each(['startup', 'checkpointer', 'background writer'])(
  'one whose %s is killed in its recovery comes back with every row, each time',
  async (name) => {
    await using folder = await openFolder()
    const postgres = await folder.start({ restartWaitsMs: [0, 10] })
    const db = openPool(postgres)
    await db`create table kept as select 7 as n`
    await crashWithWork(postgres, db)
    let victim: number | undefined
    // The others come some moments after the process that recovers.
    await expect.poll(() => (victim = childOf(postgres.pid, name)), { interval: 2 }).toBeDefined()
    process.kill(victim!, 'SIGKILL')

    await expect.poll(answers(db), { timeout: 40_000 }).toBe(true)
    expect([...(await db`select n from kept`)]).toEqual([{ n: 7 }])
    await db.end()
    await postgres.stop()
  },
)

test('one that is stopped while it recovers leaves at once', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()
  const db = openPool(postgres)
  await crashWithWork(postgres, db)
  const startup = childOf(postgres.pid, 'startup')!
  process.kill(startup, 'SIGSTOP')
  await db.end()

  const sinceMs = performance.now()
  await postgres.stop()

  expect(performance.now() - sinceMs).toBeLessThan(5_000)
  process.kill(startup, 'SIGCONT')
})

test('a start that is given up ends at once, together with the PostgreSQL that it has launched', async () => {
  await using folder = await openFolder()
  // Its recovery takes a moment, in which the start is given up.
  const killed = await folder.hold('fill')
  await once(killed.reader, 'line')
  process.kill(killed.pid, 'SIGKILL')
  await killed.kill()
  const givenUp = new AbortController()
  const starting = startEmbeddedPostgres({ dataDir: folder.dataDir, signal: givenUp.signal })
  const outcome = starting.then(() => 'started', String)
  const launched = async () => {
    const pid = await readPostmasterPid(folder.cluster)
    return pid !== null && pid !== killed.pid && childOf(pid, 'startup') !== undefined
  }
  await expect.poll(launched, { timeout: 20_000, interval: 1 }).toBe(true)
  const pid = await readPostmasterPid(folder.cluster)

  givenUp.abort()

  expect(await outcome).toContain('aborted')
  expect(alive(pid!)).toBe(false)
})

test('what the machine is short of is not blamed on the program', () => {
  const place = { binaries: { postgres: '/bin/postgres' } } as Place
  const fault = (code: string) => Object.assign(new Error(`spawn ${code}`), { code })
  expect(cannotRun(place, fault('EMFILE'))).toMatchObject({ name: 'Error', code: 'EMFILE' })
  expect(cannotRun(place, fault('ENOENT'))).toBeInstanceOf(EmbeddedPostgresFault)
})

test('a cluster of another major version is refused in words', async () => {
  await using folder = await openFolder({ isNew: true })
  await mkdir(folder.cluster, { recursive: true })
  await writeFile(join(folder.cluster, 'PG_VERSION'), '16\n')

  const refusal = folder.start()

  await expect(refusal).rejects.toBeInstanceOf(EmbeddedPostgresFault)
  await expect(refusal).rejects.toThrow(/was written by PostgreSQL 16, and this release brings PostgreSQL 18/)
})

test('files that are no cluster are left alone and named', async () => {
  await using folder = await openFolder({ isNew: true })
  await mkdir(folder.cluster, { recursive: true })
  await writeFile(join(folder.cluster, 'diary.txt'), 'mine')

  await expect(folder.start()).rejects.toThrow(/holds files that are not a PostgreSQL cluster/)
  expect(await readFile(join(folder.cluster, 'diary.txt'), 'utf8')).toBe('mine')
})

test('below a long path the socket is in /tmp, and every process finds it there', async () => {
  await using folder = await openFolder({ name: 'x'.repeat(100) })
  const first = await folder.start()
  const second = await folder.start()

  expect(first.connection.host).toMatch(/^\/tmp\/postrider-[0-9a-f]{16}$/)
  expect(second).toMatchObject({ alreadyRunning: true, connection: first.connection })
  await first.stop()
  await second.stop()
  await rm(first.connection.host, { recursive: true })
})

test('a pool and its listener come back by themselves after a restart of the database', async () => {
  await using folder = await openFolder()
  const postgres = await folder.start()
  const db = openPool(postgres)
  const again = Promise.withResolvers<void>()
  const heard = Promise.withResolvers<string>()
  let times = 0
  await db.listen('news', heard.resolve, () => {
    times += 1
    if (times === 2) again.resolve()
  })

  process.kill(postgres.pid, 'SIGINT')

  await again.promise
  await db.notify('news', 'after')

  expect(await heard.promise).toBe('after')
  await db.end()
  await postgres.stop()
})
