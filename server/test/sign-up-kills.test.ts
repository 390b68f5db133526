import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createWorkspace } from '../src/identity/workspace-store.ts'
import { acceptAsNew } from '../src/people/accept-invitation.ts'
import { insertInvitation } from '../src/people/invitation-store.ts'
import { makeResetLink, resetPassword } from '../src/people/reset-password.ts'
import { openSession } from '../src/people/session-store.ts'
import { makeOwnerLink, setUpOwner } from '../src/people/set-up-owner.ts'
import { signIn } from '../src/people/sign-in.ts'
import { openDatabaseProxy } from './database-proxy.ts'
import { aWorkspace } from './fixtures.ts'
import { aPerson, client, PASSWORD, peopleParts } from './people-world.ts'
import { openWorld } from './world.ts'

/*
 * A process that takes a link up is killed before each of its round trips to the database in turn, and once more right
 * after its commit has left. Whatever the moment: the link has either done nothing and is still good, or has done
 * everything and is used up.
 */

const world = await openWorld()
const proxy = await openDatabaseProxy(world.connection)
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
const { db } = world
const parts = peopleParts(db)
/** Some twelve processes, one after the other. */
const TIMEOUT_MS = 240_000
const NEW_PASSWORD = 'a brand new password'

type Link = {
  readonly secret: string
  readonly email: string
  /** Takes the link up in this process. */
  readonly use: () => Promise<object>
  /** The password from before, which must work as long as the link has done nothing. */
  readonly before: string | null
}

async function opens(email: string, password: string): Promise<boolean> {
  const entry = await signIn(parts, { email, password }, client)
  await db`delete from throttle`
  return 'is' in entry
}

/** Round trips of a process, which is killed at one of them; how many there were when it was not. */
async function run(what: string, { secret, email }: Link, killAt: number, passOn: boolean): Promise<number> {
  proxy.syncs = 0
  let child: ChildProcess | null = null
  proxy.rewrite = (bytes) => {
    if (proxy.syncs < killAt) return bytes
    child?.kill('SIGKILL')
    return passOn ? bytes : Buffer.alloc(0)
  }
  const program = join(import.meta.dirname, 'sign-up-process.ts')
  child = spawn(process.execPath, [program, proxy.url, what, secret, NEW_PASSWORD, email], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect({ code, signal }).toEqual(
    killAt === Infinity ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
  )
  // What the killed process had open is over before anything is looked at.
  await expect
    .poll(
      () =>
        db`select from pg_stat_activity where application_name = 'sign-up' and datname = current_database()`,
      {
        timeout: 30_000,
      },
    )
    .toHaveLength(0)
  return proxy.syncs
}

/** Whether a link had done everything after a kill, and whether its commit had left by then. */
type Survived = { readonly done: boolean; readonly committed: boolean }

async function survivesKills(what: string, make: () => Promise<Link>): Promise<Survived[]> {
  const whole = await make()
  const trips = await run(what, whole, Infinity, true)
  expect(trips).toBeGreaterThan(3)
  expect(await opens(whole.email, NEW_PASSWORD)).toBe(true)

  const survived: Survived[] = []
  const moments = [
    ...Array.from({ length: trips }, (_, n) => [n + 1, false] as const),
    [trips, true] as const,
  ]
  for (const [killAt, passOn] of moments) {
    const link = await make()
    await run(what, link, killAt, passOn)
    const works = await opens(link.email, NEW_PASSWORD)
    survived.push({ done: works, committed: passOn })
    if (link.before !== null) expect(await opens(link.email, link.before)).toBe(!works)
    // Nobody is locked out: what has not happened is done with the same link, and nothing happens twice.
    expect('refused' in (await link.use())).toBe(works)
    expect(await opens(link.email, NEW_PASSWORD)).toBe(true)
    expect(await link.use()).toMatchObject({ refused: 'link_not_valid' })
  }
  return survived
}

/** Everything before the commit is nothing, and the commit is everything. */
function expectAllOrNothing(survived: readonly Survived[]): void {
  expect(survived.filter(({ done, committed }) => done !== committed)).toEqual([])
  expect(survived.some(({ done }) => done)).toBe(true)
}

const anEmail = () => `${randomBytes(6).toString('hex')}@example.com`

test(
  'killed anywhere, the set-up of an owner has happened or can be done again',
  { timeout: TIMEOUT_MS },
  async () => {
    const survived = await survivesKills('owner', async () => {
      const email = anEmail()
      const owner = { name: 'Owner', email: anEmail() }
      const { workspaceId } = await createWorkspace(db, {
        name: 'Acme',
        timeZone: 'UTC',
        allowedHours: 24,
        owner,
      })
      const secret = (await db.begin((tx) => makeOwnerLink(tx, workspaceId)))!
      const use = () => setUpOwner(parts, secret, { name: 'Ada', email, password: NEW_PASSWORD }, client)
      return { secret, email, use, before: null }
    })
    expectAllOrNothing(survived)
  },
)

test('killed anywhere, an invitation was taken up or still can be', { timeout: TIMEOUT_MS }, async () => {
  const survived = await survivesKills('invitation', async () => {
    const email = anEmail()
    const { workspaceId, memberId } = await aWorkspace(db)
    const { secret } = await db.begin((tx) =>
      insertInvitation(tx, { workspaceId, email, role: 'editor', invitedBy: memberId, byMail: true }),
    )
    const use = () => acceptAsNew(parts, secret, { name: 'Ada', password: NEW_PASSWORD }, client)
    return { secret, email, use, before: null }
  })
  expectAllOrNothing(survived)
})

test(
  'killed anywhere, a new password holds with all sessions over, or the one before with its link',
  { timeout: TIMEOUT_MS },
  async () => {
    const survived = await survivesKills('reset', async () => {
      const { email, personId } = await aPerson(db)
      await openSession(db, personId, client)
      const { secret } = (await makeResetLink(db, email, { byMail: true }))!
      const use = () => resetPassword(parts, secret, NEW_PASSWORD, client)
      return { secret, email, use, before: PASSWORD }
    })
    expectAllOrNothing(survived)
  },
)
