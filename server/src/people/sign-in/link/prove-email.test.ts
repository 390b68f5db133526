import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join as pathOf } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aPost, aWorkspace, openTransaction, untilBlocked } from '../../../../test/rigs/fixtures.ts'
import {
  aBrowser,
  type ABrowser,
  aPerson,
  client,
  openSite,
  PASSWORD,
  SITE,
} from '../../../../test/rigs/people-world.ts'
import { agentKeys } from '../../keys/authenticate.ts'
import { createKey } from '../../keys/key-store.ts'
import { insertPerson } from '../../members/person-store.ts'
import { createWorkspace } from '../../members/workspace-store.ts'
import { ChangedMeanwhile } from '../../../edge/operations/changed-meanwhile.ts'
import { mailQueue } from '../../mail/mail-store.ts'
import { putGrant } from '../../apps/app-grant-store.ts'
import { type EmailAddress, emailOf } from '../../../platform/text/email-address.ts'
import { makeKeyring } from '../../../platform/sealing/sealing.ts'
import { claimMail } from '../../mail/mail-store.ts'
import { beginStep } from '../sign-in-step-store.ts'
import { insertInvitation } from '../../members/invitation-store.ts'
import { makeResetLink } from '../password/reset-password.ts'
import { lockPerson, setEmail } from '../person-sign-in-store.ts'
import { openSession } from '../session/session-store.ts'
import { makeOwnerLink } from './set-up-owner.ts'

const { world } = await openFileWorld()
const { db } = world
const keyring = makeKeyring([randomBytes(32)])
const site = await openSite(db, { mail: mailQueue(keyring, SITE) })
afterAll(() => site[Symbol.asyncDispose]())
beforeEach(async () => {
  await db`delete from throttle`
  await db`delete from mail`
})
const browser = () => aBrowser(site.app)
const NEW_PASSWORD = 'a brand new password'

/** An account that somebody made for another person's address, by a link that was handed over, with all that can be added to one. */
async function aHijackedAccount() {
  const email = emailOf(`${randomBytes(6).toString('hex')}@example.com`)
  const { workspaceId, memberId } = await aWorkspace(db)
  const invited = { workspaceId, email, role: 'editor', invitedBy: memberId, byMail: false } as const
  const { secret } = await db.begin((tx) => insertInvitation(tx, invited))
  const mallory = browser()
  await mallory.post(`/invitation/${secret}`, { name: 'Mallory', password: PASSWORD })
  const [person] = await db<{ personId: string; memberId: string }[]>`
    select p.id as "personId", m.id as "memberId" from person p join member m on m.person_id = p.id where p.email = ${email}`
  const { personId } = person!
  await addWaysIn(personId)
  const named = { clientId: 'c', clientName: 'An app', clientOrigin: 'app.example', permissions: [] }
  const artifactGrantId = randomBytes(9).toString('hex')
  await putGrant(db, { workspaceId, memberId: person!.memberId, artifactGrantId, ...named })
  const { keyId, key } = await createKey(db, workspaceId, {
    memberId: person!.memberId,
    name: 'k',
    permissions: [],
    expiresAt: null,
  })
  const { destinationIds } = await aPost(db, workspaceId, { states: ['scheduled'] })
  await db`
    update destination set planned_by_id = ${keyId}
    where  id = any(${destinationIds}::uuid[])`
  const another = {
    workspaceId,
    email: emailOf(`other-${email}`),
    role: 'viewer',
    invitedBy: person!.memberId,
    byMail: false,
  } as const
  const invitation = (await db.begin((tx) => insertInvitation(tx, another))).secret
  return { personId, email, mallory, key, destinationIds, invitation }
}

async function addWaysIn(personId: string) {
  await db`
    insert into passkey (id, person_id, credential_id, public_key, counter, transports, name)
    values (gen_random_uuid(), ${personId}, ${randomBytes(16)}, 'x', 0, '{}', 'Key')`
  await db`insert into totp (person_id, sealed, confirmed_at) values (${personId}, 'x', now())`
  await db`insert into recovery_code (person_id, code_hash) values (${personId}, ${randomBytes(32)})`
  await db`
    insert into person_identity (issuer, subject, person_id)
    values ('https://idp.example', ${randomBytes(6).toString('hex')}, ${personId})`
  const other = await openSession(db, personId, client)
  const [session] = await db<{ id: string }[]>`select id from session where person_id = ${personId} limit 1`
  await beginStep(db, 'second_factor', { personId })
  await beginStep(db, 'passkey_registration', { personId, sessionId: session!.id })
  return other
}

/** What opens the account, or may come to. */
async function waysInto(personId: string) {
  const rows = await db<{ what: string }[]>`
    select 'passkey' as what from passkey where person_id = ${personId}
    union all select 'app' from totp where person_id = ${personId}
    union all select 'code' from recovery_code where person_id = ${personId}
    union all select 'identity' from person_identity where person_id = ${personId}
    union all select 'ceremony' from ceremony where person_id = ${personId}
    union all select 'link' from one_time_link where person_id = ${personId} and used_at is null
    union all select 'session' from session where person_id = ${personId}`
  return [...new Set(rows.map(({ what }) => what))].toSorted()
}
const ALL = ['app', 'ceremony', 'code', 'identity', 'passkey', 'session']

async function isProven(personId: string): Promise<boolean> {
  return (await db`select from person where id = ${personId} and email_proven_at is not null`).length === 1
}

async function workingOf(personId: string) {
  const [row] = await db`
    select (select count(*)::int from agent_key k join member m on m.id = k.member_id
            where m.person_id = ${personId} and k.revoked_at is null) as keys,
           (select count(*)::int from oauth_grant g join member m on m.id = g.member_id
            where m.person_id = ${personId} and g.revoked_at is null) as apps`
  return { ...row }
}

async function mailTo(email: EmailAddress): Promise<string[]> {
  const texts: string[] = []
  for (let one = await claimMail(db, keyring, 60); one !== null; one = await claimMail(db, keyring, 60))
    if (one.to === email) texts.push(one.message!.paragraphs.join(' '))
  return texts
}

async function resetBy(person: { email: EmailAddress }, byMail: boolean) {
  const { secret } = (await makeResetLink(db, person.email, { byMail }))!
  return browser().post(`/reset-password/${secret}`, { password: NEW_PASSWORD })
}

const signIn = (one: ABrowser, email: string, password: string) => one.post('/sign-in', { email, password })

test('whoever reads the mail of an address gets the account for themselves by a new password, and is told what was removed', async () => {
  const { personId, email, mallory, key, destinationIds, invitation } = await aHijackedAccount()
  expect(await waysInto(personId)).toEqual(ALL)
  const sent = (await agentKeys.find(db, key))!
  await makeResetLink(db, email, { byMail: false })

  const { text } = await resetBy({ email }, true)
  expect(await waysInto(personId)).toEqual([])
  expect((await mallory.get('/account')).location).toBe('/sign-in')
  expect((await signIn(browser(), email, PASSWORD)).status).toBe(401)
  expect((await signIn(browser(), email, NEW_PASSWORD)).location).toBe('/')

  const told =
    /1 passkey, its authenticator app with the recovery codes, 1 connection with an identity provider and 1 open invitation that it had sent.*revoked.*cancelled: 1 agent key \(“k”\) and 1 connected app \(“An app”\)/
  expect(text).toMatch(told)
  expect((await mailTo(email)).filter((one) => told.test(one))).toHaveLength(1)
  expect(await workingOf(personId)).toEqual({ keys: 0, apps: 0 })
  expect(await agentKeys.find(db, key)).toBeNull()
  expect((await browser().get(`/invitation/${invitation}`)).text).toContain('withdrawn')
  // Nor does it write what it has begun to send.
  await expect(db.begin((tx) => sent.hold!(tx))).rejects.toThrow(ChangedMeanwhile)
  expect(await db`select status from destination where id = any(${destinationIds}::uuid[])`).toEqual([
    { status: 'cancelled' },
  ])
  const acts = await db`select action, after from audit_entry where person_id = ${personId} order by seq`
  expect(acts.find(({ action }) => action === 'proveEmail')).toMatchObject({
    after: {
      withdrawn: { passkeys: 1, authenticator: true, identities: 1 },
      stopped: { keys: ['k'], apps: ['An app'] },
    },
  })
  expect(acts.find(({ action }) => action === 'stopKey')).toMatchObject({
    after: { name: 'k', cancelled: 1 },
  })
  expect(acts.filter(({ action }) => action === 'stopApp')).toHaveLength(1)

  // What its reader adds stays: the address is proven from then on.
  await addWaysIn(personId)
  expect((await resetBy({ email }, true)).text).not.toContain('removed')
  expect(await waysInto(personId)).toEqual(['app', 'code', 'identity', 'passkey'].toSorted())
})

test('agents of a person whom the operator named and gave a link act on, and are told', async () => {
  const email = emailOf(`${randomBytes(6).toString('hex')}@example.com`)
  const { workspaceId, memberId } = await createWorkspace(db, {
    name: 'Acme',
    timeZone: 'UTC',
    owner: { name: 'Owner', email },
  })
  const secret = await db.begin((tx) => makeOwnerLink(tx, workspaceId))
  await browser().post(`/set-up/${secret}`, { name: 'Ada', email, password: PASSWORD })
  const { key } = await createKey(db, workspaceId, {
    memberId,
    name: 'k',
    permissions: [],
    expiresAt: null,
  })
  const { text } = await resetBy({ email }, true)
  expect(text).toMatch(/1 agent key that the account had before still work/)
  expect((await mailTo(email)).filter((one) => one.includes('1 agent key'))).toHaveLength(1)
  expect(await agentKeys.find(db, key)).not.toBeNull()
})

test('a link that an operator hands over proves no address, and removes nothing but sessions', async () => {
  const { personId, email } = await aHijackedAccount()
  await resetBy({ email }, false)
  expect(await waysInto(personId)).toEqual(['app', 'code', 'identity', 'passkey'].toSorted())
  expect(await db`select from person where id = ${personId} and email_proven_at is not null`).toEqual([])
})

test('an address is confirmed in a browser that is signed in to the account, and in no other', async () => {
  const { personId, email, mallory } = await aHijackedAccount()
  const victim = emailOf(`victim-${email}`)
  await mallory.post('/account/email', { email: victim })
  const path = await confirmPath(victim)

  const reader = browser()
  expect((await reader.get(path)).location).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
  const another = await aPerson(db)
  await signIn(reader, another.email, PASSWORD)
  for (const one of [browser(), reader]) {
    expect(await one.post(path)).toMatchObject({ status: 401 })
  }
  expect((await reader.get(path)).status).toBe(401)
  expect(await db`select from person where email = ${victim}`).toEqual([])

  const { text } = await mallory.post(path)
  expect(text).toContain(`Sign in with ${victim}`)
  expect(text).toMatch(/1 passkey, its authenticator app .* 1 session and 1 open invitation/)
  expect(await waysInto(personId)).toEqual(['session'])
  expect((await mallory.get('/account')).text).toContain(victim)
  expect((await mailTo(victim)).filter((one) => one.includes('1 passkey'))).toHaveLength(1)

  await addWaysIn(personId)
  await mallory.post('/account/email', { email })
  expect((await mallory.post(await confirmPath(email))).text).not.toContain('removed')
  expect(await waysInto(personId)).toEqual(ALL)
})

test('an invitation that came by mail proves the address of the account that accepts it', async () => {
  const { personId, email, mallory } = await aHijackedAccount()
  const { workspaceId, memberId } = await aWorkspace(db)
  const invited = { workspaceId, email, role: 'viewer', invitedBy: memberId, byMail: true } as const
  const { secret } = await db.begin((tx) => insertInvitation(tx, invited))
  expect((await mallory.post(`/invitation/${secret}`)).text).toContain('1 passkey')
  expect(await waysInto(personId)).toEqual(['session'])
})

test('an invitation that came by mail proves no other address, which the account gets meanwhile', async () => {
  const { personId, email, mallory } = await aHijackedAccount()
  const { workspaceId, memberId } = await aWorkspace(db)
  const invited = { workspaceId, email, role: 'viewer', invitedBy: memberId, byMail: true } as const
  const { secret } = await db.begin((tx) => insertInvitation(tx, invited))
  const changing = await openTransaction(db)
  await lockPerson(changing.tx, personId)
  await setEmail(changing.tx, personId, emailOf(`victim-${email}`), { staysProven: false })
  const answer = mallory.post(`/invitation/${secret}`)
  await untilBlocked(db)
  await changing.commit()
  expect((await answer).text).toContain(`signed in as victim-${email}`)
  expect(await isProven(personId)).toBe(false)
})

describe('an owner’s link', () => {
  /** Of an owner whose only way to sign in was taken by an operator, and who had shown that they read their mail. */
  async function anOwnerLink() {
    const owner = await aPerson(db, { password: false })
    await db`update person set email_proven_at = now() where id = ${owner.personId}`
    const { workspaceId } = await createWorkspace(db, {
      name: 'Acme',
      timeZone: 'UTC',
      owner,
    })
    const secret = await db.begin((tx) => makeOwnerLink(tx, workspaceId))
    return { ...owner, path: `/set-up/${secret}` }
  }
  const form = (email: string) => ({ name: 'Mallory', email, password: PASSWORD })

  test.each([
    ['keeps the proof of the address that was proven', '', true],
    ['proves no other address', 'victim-', false],
  ])('%s', async (_, prefix, proven) => {
    const { path, personId, email } = await anOwnerLink()
    expect((await browser().post(path, form(`${prefix}${email}`))).status).toBe(303)
    expect(await isProven(personId)).toBe(proven)
  })

  test('gives no address that another account gets in the same moment', async () => {
    const { path, email } = await anOwnerLink()
    const taken = emailOf(`taken-${email}`)
    const other = await openTransaction(db)
    await insertPerson(other.tx, { name: 'Other', email: taken, proven: true })
    const answer = browser().post(path, form(taken))
    await untilBlocked(db)
    await other.commit()
    expect(await answer).toMatchObject({ status: 409 })
    // The link is good still.
    expect((await browser().post(path, form(email))).status).toBe(303)
  })
})

test('an account with nothing to remove is told nothing', async () => {
  const person = await aPerson(db)
  expect((await resetBy(person, true)).text).toContain('Sign in with it.</p>')
  expect(await mailTo(person.email)).toHaveLength(1)
})

test('an address is noted as proven in one place', async () => {
  const folder = pathOf(import.meta.dirname, '../../..')
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(pathOf(folder, name), 'utf8')]),
  )
  const having = (pattern: RegExp) => texts.filter(([, text]) => pattern.test(text!)).map(([name]) => name)
  expect(having(/email_proven_at\s*=/)).toEqual(['people/members/person-store.ts'])
  expect(having(/await markEmailProven\(/)).toEqual(['people/sign-in/link/prove-email.ts'])
})

/** Where the link leads that was mailed last to confirm an address. */
async function confirmPath(email: EmailAddress): Promise<string> {
  for (let one = await claimMail(db, keyring, 60); one !== null; one = await claimMail(db, keyring, 60))
    if (one.to === email && one.message!.link !== undefined) return new URL(one.message!.link.url).pathname
  throw new Error('no such mail')
}
