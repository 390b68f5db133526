import { mkdtemp, cp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allEventTypeNames, noLimits, permissionNames } from '@postrider/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey } from '../src/people/keys/key-store.ts'
import { MIGRATIONS } from '../src/platform/embedded-postgres/database.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { runPeriodically } from '../src/platform/loops/run-periodically.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { aPerson, client, join as joinAs } from './rigs/people-world.ts'
import { agentAsks, browserAsks, openDashboard, startClients, type Access } from './rigs/process-clients.ts'
import { expectAsTold, expectEventsOf, passTime } from './rigs/process-judge.ts'
import { root } from './rigs/product.ts'
import { openReceiver, type Receiver } from './rigs/receiver.ts'
import { freePort } from './rigs/free-port.ts'
import { openServerRig, type Server, type ServerRig } from './rigs/server-rig.ts'

/*
 * Two processes of each role on one database. PROCESS_KILLS says how many of them are killed, in turn. UPGRADE_FROM names
 * the folder of an older checkout, with its packages installed: the database then has its schema, all processes begin as
 * that release, and each one that was killed comes back as this one.
 */

const { PROCESS_KILLS = '3', UPGRADE_FROM } = process.env
const kills = Number(PROCESS_KILLS)
/** How many posts are settled with their clients before each kill, and before the process is started again. */
const BETWEEN = 8
const ROLES = ['api', 'publisher', 'webhooks', 'api', 'publisher', 'webhooks'] as const
/** Errors of a process that does not fit the schema: an unknown column, or a rule that it breaks (SQLSTATE 42… and 23…). */
const MISFIT = /"code":"(42|23)/
const ORIGIN = 'http://127.0.0.1:4000'

let receiver: Receiver
let rig: ServerRig
let access: Access
let processes: { readonly roles: string; readonly at: number; server: Server }[]

beforeAll(async () => {
  receiver = await openReceiver()
  rig = await openServerRig({
    channels: 24,
    database: 'shared',
    ...(UPGRADE_FROM === undefined ? {} : { release: UPGRADE_FROM }),
    env: { TRUSTED_ORIGINS: receiver.origin, BASE_URL: ORIGIN },
  })
  const ports = await Promise.all(ROLES.map(freePort))
  const from = UPGRADE_FROM ?? root
  const servers = await Promise.all(ROLES.map((roles, n) => rig.serve(roles, { at: ports[n]!, from })))
  processes = ROLES.map((roles, n) => ({ roles, at: ports[n]!, server: servers[n]! }))
  const person = await aPerson(rig.db, { password: false })
  await joinAs(rig.db, rig.workspace.workspaceId, person, 'admin')
  access = {
    apis: processes.filter(({ roles }) => roles === 'api').map(({ at }) => `http://127.0.0.1:${at}`),
    workspace: rig.workspace,
    key: rig.key,
    origin: ORIGIN,
    cookie: `postrider=${await openSession(rig.db, person.personId, client)}`,
  }
}, 240_000)
afterAll(async () => {
  await rig[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test(
  'killed in turn under clients, while a newer schema arrives: nothing is lost, nothing is out twice, and all is told',
  { timeout: 180_000 + kills * 60_000 },
  async () => {
    const hook = { url: `${receiver.origin}/hook`, eventTypes: allEventTypeNames }
    expect(await browserAsks(access, access.apis[0]!, '/endpoints', hook)).toMatchObject({ status: 201 })
    await using one = await openDashboard(access, access.apis[0]!)
    await using other = await openDashboard(access, access.apis[1]!)
    const faults: unknown[] = []
    const passing = runPeriodically(
      () => passTime(rig.db),
      200,
      (fault) => void faults.push(fault),
    )
    const clients = startClients(access, {
      clients: 4,
      channelIds: rig.channelIds,
      slow: '#sandbox:slow=150',
    })

    for (let n = 0; n < kills; n++) {
      await clients.more(BETWEEN)
      const process = processes[n % processes.length]!
      await process.server.end('SIGKILL')
      await clients.more(BETWEEN)
      if (n === 0 && UPGRADE_FROM === undefined) await migrateToNextRelease(rig.db)
      process.server = await rig.serve(process.roles, { at: process.at })
    }
    await clients.more(BETWEEN)
    const told = await clients.stop()

    await expectAsTold(rig, told)
    const events = await expectEventsOf(rig, told, receiver)
    for (const { heard, resets } of [one, other]) {
      await expect.poll(() => heard, { timeout: 20_000 }).toEqual(events)
      expect(resets()).toBe(0)
    }
    await passing.stop()
    expect(faults).toEqual([])
    const misfits = rig.servers.flatMap(({ errors }) => errors.filter((line) => MISFIT.test(line)))
    expect(misfits).toEqual([])
    expect(processes.filter(({ server }) => !server.isRunning)).toEqual([])
    console.log(`${told.size} posts, ${events.size} events, ${kills} processes killed`)
  },
)

/** What the next release may do to the schema while this one runs: every table gets a column that is filled in every row. */
async function migrateToNextRelease(db: Db): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-next-'))
  await cp(MIGRATIONS, dir, { recursive: true })
  const tables = await db<{ name: string }[]>`
    select c.relname as name from pg_class c
    where  c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`
  for (const [n, { name }] of tables.entries()) {
    const file = join(dir, `${9_000 + n}_next_${name}.sql`)
    await writeFile(file, `alter table ${name} add column of_next_release text not null default 'unknown';`)
  }
  expect((await migrate(db, dir)).applied).toHaveLength(tables.length)
  await rm(dir, { recursive: true })
}

test('a credential that one process revokes is refused by the other from the next request on', async () => {
  const { workspaceId, memberId } = rig.workspace
  const [one, other] = access.apis as [string, string]
  for (const [revoker, asked] of [
    [one, other],
    [other, one],
  ] as const) {
    const options = { memberId, name: 'k', permissions: permissionNames, expiresAt: null }
    const { keyId, key } = await createKey(rig.db, workspaceId, options)
    const me = () => agentAsks({ key }, `${asked}/agent/v1/me`)
    expect(await me()).toMatchObject({ status: 200 })
    expect(await browserAsks(access, revoker, `/keys/${keyId}/revoke`, {})).toMatchObject({ status: 200 })
    expect(await me()).toMatchObject({ status: 401, body: { code: 'invalid_credential' } })
  }
})

test('the posts of a credential that has so many a day are counted over all processes', async () => {
  const { workspaceId, memberId } = rig.workspace
  const limits = { ...noLimits, postsPerDay: 5 }
  const options = { memberId, name: 'k', permissions: permissionNames, expiresAt: null, limits }
  const { key } = await createKey(rig.db, workspaceId, options)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      agentAsks(
        { key },
        `${access.apis[n % 2]}/agent/v1/posts`,
        { confirmed: true, state: 'draft', channelIds: [rig.channelIds[0]], text: 'A draft' },
        `draft-${n}`,
      ),
    ),
  )
  expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(5)
  expect(answers.filter((answer) => answer?.body.code === 'credential_limit')).toHaveLength(15)
})
