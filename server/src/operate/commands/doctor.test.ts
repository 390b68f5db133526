import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { freePort } from '../../../test/rigs/free-port.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { aChannel, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { readBlockers } from '../../platform/postgres/read-blockers.ts'
import { release } from '../../platform/process/version.ts'
import type { ShownFinding } from './doctor-findings.ts'

test('a look that fails is told in its place, and hides nothing of what the others find', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const doctor = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SANDBOX: 'off' })
  const found = async () => JSON.parse((await doctor('doctor', '--json')).said) as ShownFinding[]
  const usual = await found()
  expect(usual[0]).toMatchObject({ code: 'release_ok', name: 'Postrider', detail: release })
  await world.db.script(`
    create function full_disk() returns int language plpgsql as
      $$ begin raise exception 'could not write to file: No space left on device' using errcode = '53100'; end $$;
    alter table activity rename to really_active;
    create view activity as select part, now() + full_disk() * interval '1 s' as at from really_active;
    insert into really_active (part) values ('webhooks');`)

  const broken = await found()

  const full = {
    code: 'look_failed',
    name: 'work',
    detail: 'could not be looked at',
    fix: 'The disk of the database is full. Free some room on it.',
  }
  expect(broken).toContainEqual({ ...full, status: 'fail' })
  const others = usual
    .map(({ name }) => name)
    .filter((name) => ['disk', 'schema', 'channels', 'API'].includes(name))
  expect(others).toHaveLength(4)
  expect(broken.map(({ name }) => name)).toEqual(expect.arrayContaining(others))
})

test.each([
  [
    'postgres://hush-hush@127.0.0.1:1/none',
    'The database does not answer. Start it, or correct DATABASE_URL.',
  ],
  [
    'postgres://hush-hush@hush-hush.invalid/none',
    expect.stringMatching(/^The host in DATABASE_URL (does not exist|cannot be looked up)/) as string,
  ],
])('a database that is down has the code of that, and a report says what to do: %s', async (url, fix) => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const doctor = commandLineWith({ DATABASE_URL: url, DATA_DIR: folder, SANDBOX: 'off' })
  for (const options of [[], ['--redacted']]) {
    const { exitCode, said } = await doctor('doctor', '--json', ...options)
    const findings = JSON.parse(said) as ShownFinding[]
    expect(findings.filter(({ name }) => name === 'database')).toEqual([
      { code: 'database_unreachable', name: 'database', status: 'fail', detail: 'cannot be opened', fix },
    ])
    expect(exitCode).toBe(1)
  }
})

test('the help of `doctor` has the options of what it does alone', async () => {
  const { said } = await commandLineWith({})('doctor', '--help')
  expect(said).toMatch(/^ +--strict /m)
  expect(said).toMatch(/^ +--redacted /m)
})

test('who holds a lock that others wait for is named, and nothing of what it says', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const doctor = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SANDBOX: 'off' })
  const locks = async () =>
    (JSON.parse((await doctor('doctor', '--json')).said) as ShownFinding[]).filter(
      ({ name }) => name === 'locks',
    )
  expect(await locks()).toMatchObject([{ code: 'locks_ok', detail: 'nothing waits for one' }])

  const holder = await world.db.reserve()
  const [{ pid }] = await holder<[{ pid: number }]>`
    select pg_backend_pid() as pid, set_config('application_name', 'nightly report', false)`
  await holder.script('begin')
  await holder.script('lock table session in exclusive mode /* of ada@example.org */')
  const waiting = Promise.all([1, 2].map(() => world.db`delete from session`))
  const count = async () => (await readBlockers(world.db)).map((one) => one.waiting)
  await expect.poll(count).toEqual([2])
  const [found, ...others] = await locks()
  expect(others).toEqual([])
  expect(found).toMatchObject({
    code: 'locks_waited_for',
    status: 'warn',
    fix: expect.stringContaining(`pg_terminate_backend(${pid})`) as string,
  })
  expect(found?.detail).toMatch(
    new RegExp(
      String.raw`^2 statements wait for process ${pid} of the database \(nightly report\): idle in transaction, for \d+ s in its transaction, last with LOCK$`,
    ),
  )
  await holder.script('rollback')
  holder.release()
  await waiting
})

test('a file of keys that any user of the machine can read, and one that is damaged, are told of', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const doctor = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SANDBOX: 'off' })
  const file = join(folder, 'secret-keys')
  const told = async (name: string) =>
    (JSON.parse((await doctor('doctor', '--json')).said) as ShownFinding[]).find(
      (finding) => finding.name === name,
    )
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  expect(await told('secret keys')).toMatchObject({ status: 'ok' })
  await chmod(file, 0o604)
  expect(await told('secret keys')).toMatchObject({
    status: 'warn',
    fix: expect.stringContaining(`chmod 600 ${file}`) as string,
  })
  await writeFile(file, '')
  expect(await told('secret keys')).toMatchObject({
    status: 'fail',
    detail: 'could not be looked at',
    fix: expect.stringMatching(/holds no usable keys: .+ Restore it from your backup/) as string,
  })
})

/** With a database of its own, nothing of which runs. */
async function openDoctor(env: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const postrider = commandLineWith({
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: folder,
    SANDBOX: 'off',
    ...env,
  })
  const all = opened.move()
  return {
    db: world.db,
    folder,
    databaseUrl: world.databaseUrl,
    postrider,
    async found(...options: string[]) {
      const { said, errors } = await postrider('doctor', '--json', ...options)
      expect(errors).toBe('')
      return JSON.parse(said) as ShownFinding[]
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

test('with --strict, it ends with 1 where work stands still, and as ever where something is only to be seen to', async () => {
  await using doctor = await openDoctor()
  const { db, postrider } = doctor
  const ends = async (...options: string[]) => (await postrider('doctor', ...options)).exitCode
  expect([await ends(), await ends('--strict')]).toEqual([0, 1])
  await db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{api,publisher}', 'a', 1)`
  await db`insert into activity (part, at) values ('webhooks', now()), ('housekeeping', now())`
  // No server answers at BASE_URL.
  const stopped = (await doctor.found()).filter(({ status }) => status !== 'ok').map(({ code }) => code)
  expect(stopped).toContain('api_silent')
  const { server, url } = await anyServer()
  onTestFinished(() => void server.close())
  const answered = commandLineWith({
    DATABASE_URL: doctor.databaseUrl,
    DATA_DIR: doctor.folder,
    SANDBOX: 'off',
    BASE_URL: url,
  })
  expect((await answered('doctor', '--strict')).exitCode).toBe(0)
  await db`update schema_migration set applied_at = now() - interval '25 hours'`
  await db`insert into activity (part, at) values ('backup', now() - interval '3 days')`
  expect((await answered('doctor', '--strict')).exitCode).toBe(0)
  await db`update worker set heartbeat_at = now() - interval '2 minutes'`
  expect((await answered('doctor')).exitCode).toBe(0)
  expect((await answered('doctor', '--strict')).exitCode).toBe(1)
})

test('with --redacted, a report names no host, folder, person, post, or key', async () => {
  const hush = 'hush-hush'
  await using doctor = await openDoctor({
    BASE_URL: `http://${hush}.localhost:9`,
    SMTP_URL: `smtp://${hush}:${hush}@${hush}.localhost:9`,
    MAIL_FROM: `${hush}@example.com`,
    OIDC_ISSUER: `https://${hush}.localhost:9`,
    OIDC_NAME: hush,
    OIDC_CLIENT_ID: hush,
    OIDC_CLIENT_SECRET: hush,
    S3_ENDPOINT: `http://${hush}.localhost:9`,
    S3_BUCKET: hush,
    S3_ACCESS_KEY_ID: hush,
    S3_SECRET_ACCESS_KEY: hush,
  })
  const { db, folder, databaseUrl, found } = doctor
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspaceId)]
  await db`update channel set display_name = ${hush}, connection_status = 'reconnect_required'`
  await aPost(db, workspaceId, { states: ['checking'], channelIds })
  await db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', ${hush}, 1)`
  await writeFile(join(folder, 'secret-keys'), randomBytes(32).toString('base64'), { mode: 0o604 })

  const [plain, redacted] = [await found(), await found('--redacted')]

  const codesOf = (findings: readonly ShownFinding[]) => findings.map(({ code, status }) => [code, status])
  expect(codesOf(redacted)).toEqual(codesOf(plain))
  const names = [hush, folder, new URL(databaseUrl).pathname.slice(1)]
  for (const name of names.slice(0, 2)) expect(JSON.stringify(plain)).toContain(name)
  for (const name of names) expect(JSON.stringify(redacted)).not.toContain(name)
  expect(redacted.find(({ code }) => code === 'publisher_ok')?.detail).toMatch(/by process 1 on …$/)
})

test('after a restore it says what is held, and to start a server only behind that', async () => {
  await using doctor = await openDoctor()
  const { db, found, postrider } = doctor
  const { workspaceId } = await aWorkspace(db)
  await aPost(db, workspaceId, { states: ['scheduled'], channelIds: [await aChannel(db, workspaceId)] })
  const before = await found()
  expect(before.find(({ code }) => code === 'publisher_missing')?.fix).toMatch(/^Start the server/)
  expect((await postrider('restore', '--hold')).exitCode).toBe(0)

  const held = await found()

  expect(held.filter(({ fix }) => /^Start|`postrider resolve/.test(fix))).toEqual([])
  const first = 'First settle what the restore holds (“restore” and “access”). Then start the server.'
  expect(held).toContainEqual(expect.objectContaining({ code: 'publisher_missing', fix: first }))
  expect(held.find(({ code }) => code === 'restore_held')?.fix).toContain('`postrider restored list`')
  // A server that ran since, and died, is to be started again.
  await db`insert into worker (id, roles, host, pid, heartbeat_at)
           values (gen_random_uuid(), '{publisher}', 'a', 1, now() - interval '2 minutes')`
  const died = await found()
  expect(died.find(({ code }) => code === 'publisher_silent')?.fix).toMatch(/^Start the server/)
})

test('the API is asked at its own port, too, and what went wrong is said', async () => {
  const { server, url } = await anyServer()
  onTestFinished(() => void server.close())
  const { port } = new URL(url)
  const silent = `http://127.0.0.1:${await freePort()}`
  await using doctor = await openDoctor({ HOST: '127.0.0.1', PORT: port, BASE_URL: silent })
  const findings = await doctor.found()
  const own = findings.filter(({ name }) => name === 'own port' || name === 'API')
  expect(own).toMatchObject([
    { code: 'own_port_ok', detail: `answers at http://localhost:${port}` },
    {
      code: 'api_silent',
      detail: `does not answer at ${silent.replace('127.0.0.1', 'localhost')} (ECONNREFUSED)`,
      fix: 'Nothing listens there. Start the server, or correct PORT or BASE_URL.',
    },
  ])
  for (const { detail, fix } of findings) {
    expect(detail).not.toMatch(/\.$/)
    expect(fix).toMatch(/^$|[^.]\.$/)
  }
})

async function anyServer() {
  const server = createServer((_request, response) => void response.end())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}` }
}
