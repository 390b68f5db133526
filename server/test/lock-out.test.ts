import { afterAll, describe, expect, test } from 'vitest'
import { openFileWorld } from './rigs/file-world.ts'
import { aBrowser, type ABrowser, aPerson, openSite, PASSWORD } from './rigs/people-world.ts'
import { makeResetLink } from '../src/people/sign-in/password/reset-password.ts'

/* What a stranger who tries passwords can keep the owner of an account from, and how much they may try. */

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

const NEW_PASSWORD = 'another horse battery'
const KNOWN = '__Host-postrider-known'

const signIn = (browser: ABrowser, email: string, password: string) =>
  browser.post('/sign-in', { email, password })

/** Wrong passwords, of strangers with one browser each. */
async function attack(email: string, times = 12): Promise<number[]> {
  const statuses = []
  for (let n = 0; n < times; n++) {
    statuses.push((await signIn(aBrowser(site.app), email, `wrong ${n}`)).status)
  }
  return statuses
}

const freeTheAddress = () => db`
  delete from throttle where bucket = encode(sha256(convert_to('address' || chr(10) || '127.0.0.1', 'UTF8')), 'hex')`

async function anOwner() {
  await freeTheAddress()
  const person = await aPerson(db)
  const browser = aBrowser(site.app)
  expect((await signIn(browser, person.email, PASSWORD)).status).toBe(303)
  return { ...person, browser }
}

test('strangers are held to ten tries in all, whichever browsers they come with', async () => {
  const { email } = await anOwner()
  expect(await attack(email)).toEqual([...Array<number>(10).fill(401), 429, 429])
  // Also with the right one: nobody learns by trying on.
  expect((await signIn(aBrowser(site.app), email, PASSWORD)).status).toBe(429)
})

test('the owner signs in meanwhile, in a browser in which they have before', async () => {
  const { email, browser } = await anOwner()
  await browser.post('/sign-out')
  await attack(email)
  expect((await signIn(browser, email, PASSWORD)).status).toBe(303)
})

test('the owner shows meanwhile who they are, where they are signed in', async () => {
  const { email, browser } = await anOwner()
  await attack(email)
  expect(await browser.post('/prove', { password: PASSWORD })).toMatchObject({ status: 303, location: '/' })
})

test('and signs in after a reset, where they have set the password and everywhere else', async () => {
  const { email } = await anOwner()
  await attack(email)
  const link = await makeResetLink(db, email, { byMail: true })
  const browser = aBrowser(site.app)
  const done = await browser.post(`/reset-password/${link!.secret}`, { password: NEW_PASSWORD })
  expect(done.status).toBe(200)
  expect((await signIn(aBrowser(site.app), email, NEW_PASSWORD)).status).toBe(303)
  await freeTheAddress()
  await attack(email)
  expect((await signIn(browser, email, NEW_PASSWORD)).status).toBe(303)
})

describe('ten codes in all has', () => {
  const withAuthenticator = (personId: string) =>
    db`insert into totp (person_id, sealed, confirmed_at) values (${personId}, '', now())`
  async function sixCodes(thief: ABrowser, email: string, password: string): Promise<number[]> {
    await signIn(thief, email, password)
    const statuses = []
    for (let n = 0; n < 6; n++)
      statuses.push((await thief.post('/sign-in/code', { code: `00000${n}` })).status)
    return statuses
  }

  test('a stranger who reads the mail, however often they set the password', async () => {
    await freeTheAddress()
    const { personId, email } = await aPerson(db)
    await withAuthenticator(personId)
    const statuses = []
    for (const password of ['one horse battery', 'two horse batteries']) {
      const { secret } = (await makeResetLink(db, email, { byMail: false }))!
      const thief = aBrowser(site.app)
      await thief.post(`/reset-password/${secret}`, { password })
      statuses.push(...(await sixCodes(thief, email, password)))
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
  })

  test('a stranger who has signed in with the password before there was an authenticator app', async () => {
    await freeTheAddress()
    const { personId, email } = await aPerson(db)
    const thieves = [aBrowser(site.app), aBrowser(site.app)]
    for (const thief of thieves) expect((await signIn(thief, email, PASSWORD)).status).toBe(303)
    await withAuthenticator(personId)
    await db`delete from session where person_id = ${personId}`
    const statuses = []
    for (const thief of thieves) statuses.push(...(await sixCodes(thief, email, PASSWORD)))
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
  })
})

describe('a known browser', () => {
  test('has ten tries of its own, and a session ten proofs', async () => {
    const { email, browser } = await anOwner()
    const proofs = []
    for (let n = 0; n < 11; n++)
      proofs.push((await browser.post('/prove', { password: `wrong ${n}` })).status)
    expect(proofs).toEqual([...Array<number>(10).fill(401), 429])
    await browser.post('/sign-out')
    const tries = []
    for (let n = 0; n < 11; n++) tries.push((await signIn(browser, email, `wrong ${n}`)).status)
    expect(tries).toEqual([...Array<number>(10).fill(401), 429])
  })

  test('is one of many, which have thirty tries together: they may have been collected', async () => {
    await freeTheAddress()
    const { email } = await aPerson(db)
    const statuses = []
    for (let n = 0; n < 4; n++) {
      const browser = aBrowser(site.app)
      await signIn(browser, email, PASSWORD)
      await browser.post('/sign-out')
      for (let tries = 0; tries < 8; tries++)
        statuses.push((await signIn(browser, email, `wrong ${tries}`)).status)
    }
    expect(statuses).toEqual([...Array<number>(30).fill(401), 429, 429])
  })

  test('is known for its own person alone, and cannot be made up', async () => {
    const [ours, theirs] = [await anOwner(), await anOwner()]
    await attack(ours.email)
    const proof = theirs.browser.cookies.get(KNOWN)!
    for (const made of [proof, `${proof.slice(0, -4)}AAAA`, 'A'.repeat(147), proof.slice(0, 100)]) {
      const browser = aBrowser(site.app, new Map([[KNOWN, made]]))
      expect((await signIn(browser, ours.email, PASSWORD)).status).toBe(429)
    }
  })
})
