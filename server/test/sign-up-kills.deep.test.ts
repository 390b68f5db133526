import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createWorkspace } from '../src/people/members/workspace-store.ts'
import { acceptAsNew } from '../src/people/sign-in/link/accept-invitation.ts'
import { insertInvitation } from '../src/people/members/invitation-store.ts'
import { makeResetLink, resetPassword } from '../src/people/sign-in/password/reset-password.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { makeOwnerLink, setUpOwner } from '../src/people/sign-in/link/set-up-owner.ts'
import { signInWithPassword } from '../src/people/sign-in/sign-in.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { killAtEachRoundTrip } from './rigs/round-trip-kills.ts'
import { aPerson, client, PASSWORD, peopleParts } from './rigs/people-world.ts'
import type { TakenUp } from './rigs/sign-up-process.ts'
import { type EmailAddress, emailOf } from '../src/platform/text/email-address.ts'

/*
 * A process that takes a link up is killed at each of its round trips to the database. Whatever the moment: the link has
 * either done nothing and is still good, or has done everything and is used up.
 */

const { world } = await openFileWorld()
const { db } = world
const parts = peopleParts(db)
/** More than each takes round trips. */
const CASES = { owner: 21, invitation: 16, reset: 21 }
const TIMEOUT_MS = 120_000
const NEW_PASSWORD = 'a brand new password'

type Link = {
  readonly given: TakenUp
  /** Takes the link up in this process. */
  readonly use: () => Promise<object>
  /** The password from before, which must work as long as the link has done nothing. */
  readonly before: string | null
}

async function opens(email: EmailAddress, password: string): Promise<boolean> {
  const entry = await signInWithPassword(parts, { email, password }, client)
  await db`delete from throttle`
  return 'is' in entry
}

/** For each case, whether the link had done everything; and after how many round trips it has. */
async function kills(what: keyof typeof makers): Promise<{ happened: boolean[]; roundTrips: number }> {
  // One after the other, since a process hashes few passwords at once.
  const links: Link[] = []
  while (links.length < CASES[what]) links.push(await makers[what]())
  const roundTrips = await killAtEachRoundTrip(world, 'sign-up-process.ts', what, links)
  const happened: boolean[] = []
  for (const link of links) happened.push(await tryAgain(link))
  return { happened, roundTrips }
}

/** Nobody is locked out: what has not happened is done with the same link, and nothing happens twice. */
async function tryAgain({ given: { email }, use, before }: Link): Promise<boolean> {
  const happened = await opens(email, NEW_PASSWORD)
  if (before !== null) expect(await opens(email, before)).toBe(!happened)
  expect('refused' in (await use())).toBe(happened)
  expect(await opens(email, NEW_PASSWORD)).toBe(true)
  expect(await use()).toMatchObject({ refused: 'link_not_valid' })
  return happened
}

const anEmail = () => emailOf(`${randomBytes(6).toString('hex')}@example.com`)

const makers = {
  async owner(): Promise<Link> {
    const owner = { name: 'Owner', email: anEmail() }
    const wanted = { name: 'Acme', timeZone: 'UTC', owner }
    const { workspaceId } = await createWorkspace(db, wanted)
    const secret = (await db.begin((tx) => makeOwnerLink(tx, workspaceId)))!
    const account = { email: anEmail(), password: NEW_PASSWORD }
    const use = () => setUpOwner(parts, secret, { name: 'Ada', ...account }, client)
    return { given: { secret, ...account }, use, before: null }
  },
  async invitation(): Promise<Link> {
    const email = anEmail()
    const { workspaceId, memberId } = await aWorkspace(db)
    const { secret } = await db.begin((tx) =>
      insertInvitation(tx, { workspaceId, email, role: 'editor', invitedBy: memberId, byMail: true }),
    )
    const use = () => acceptAsNew(parts, secret, { name: 'Ada', password: NEW_PASSWORD }, client)
    return { given: { secret, email, password: NEW_PASSWORD }, use, before: null }
  },
  async reset(): Promise<Link> {
    const { email, personId } = await aPerson(db)
    await openSession(db, personId, client)
    const { secret } = (await makeResetLink(db, email, { byMail: true }))!
    const use = () => resetPassword(parts, secret, NEW_PASSWORD, client)
    return { given: { secret, email, password: NEW_PASSWORD }, use, before: PASSWORD }
  },
}

test.each([
  ['the set-up of an owner has happened or can be done again', 'owner'],
  ['an invitation was taken up or still can be', 'invitation'],
  ['a new password holds with all sessions over, or the one before with its link', 'reset'],
] as const)('killed anywhere, %s', { timeout: TIMEOUT_MS }, async (_, what) => {
  const { happened, roundTrips } = await kills(what)
  expect(roundTrips).toBeGreaterThan(3)
  // Everything before the commit is nothing; the commit, the last round trip, had left, and its answer never came.
  expect(happened).toEqual(happened.map((_happened, n) => n >= roundTrips - 1))
})
