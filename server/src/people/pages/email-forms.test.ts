import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aWorkspace } from '../../../test/rigs/fixtures.ts'
import { signToken } from '../../../test/rigs/issuer.ts'
import { openIssuerSite } from '../../../test/rigs/issuer-site.ts'
import { aBrowser, aPerson, aUser, join, PASSWORD } from '../../../test/rigs/people-world.ts'

const { world } = await openFileWorld()
const { db } = world
const issuerSite = await openIssuerSite(db, { domains: ['bank.example'] })
const { idp, site } = issuerSite
afterAll(() => issuerSite[Symbol.asyncDispose]())
beforeEach(async () => {
  await db`delete from throttle`
})
const COOKIE = '__Host-postrider'
const browser = () => aBrowser(site.app)

/** Somebody with an address that has a proven account, and what `lower` or a mapping makes that address of. */
async function anAdmin() {
  const mark = randomBytes(4).toString('hex')
  const person = await aPerson(db, { email: `admin.ik.${mark}@bank.example` })
  await db`update person set email_proven_at = now() where id = ${person.personId}`
  const { email } = person
  const alike = [
    email.replace('i', 'İ'),
    email.replace('k', '\u212A'),
    email.replace('admin', 'ａdmin'),
    email.replace('@b', '@\u00adb'),
    email.replace('@bank', '@ban\u212A'),
    email.replace('bank', 'ｂank'),
    email.replace('bank.', 'bank\u3002'),
    `${email}\n`,
    ` ${email}`,
    `${email}\r\nBcc: eve@evil.example`,
    `${email}\0`,
    `eve@evil.example@${email.split('@')[1]}`,
    `${email}@evil.example`,
    `${'a'.repeat(300)}@bank.example`,
  ]
  return { person, alike }
}

async function throughIssuer() {
  const one = browser()
  const { location } = await one.get('/sign-in/issuer')
  const url = await idp.visit(location!)
  return { one, answer: await one.get(url.pathname + url.search) }
}

test('what the issuer has verified opens the account with that very address, and makes none of what is no address', async () => {
  const { person, alike } = await anAdmin()
  const people = () => db`select from person`
  const before = await people()
  for (const email of alike) {
    await db`delete from throttle`
    idp.user = { sub: randomBytes(8).toString('hex'), email, email_verified: true }
    const { one, answer } = await throughIssuer()
    expect({ email, status: answer.status, in: one.cookies.has(COOKIE) }).toEqual({
      email,
      status: 401,
      in: false,
    })
    expect(answer.text).toContain('this server does not accept')
  }
  expect(await people()).toHaveLength(before.length)
  expect(await db`select from person_identity where person_id = ${person.personId}`).toEqual([])

  idp.user = { sub: randomBytes(8).toString('hex'), email: person.email.toUpperCase(), email_verified: true }
  expect((await throughIssuer()).answer.status).toBe(303)
})

test.each(['', 'a\0b', 'ä', 'x'.repeat(256)])(
  'a subject that the protocol does not allow opens nothing',
  async (sub) => {
    const { person } = await anAdmin()
    idp.user = { sub: 'fine', email: person.email, email_verified: true }
    idp.forge = ({ header, claims }) =>
      signToken({ header, claims: { ...claims, ...idp.user, sub } }, idp.key)
    const { one, answer } = await throughIssuer()
    idp.forge = null
    expect({ status: answer.status, in: one.cookies.has(COOKIE) }).toEqual({ status: 401, in: false })
  },
)

test('a name of nothing that can be shown does not keep its person out', async () => {
  const email = `${randomBytes(6).toString('hex')}@bank.example`
  idp.user = { sub: randomBytes(8).toString('hex'), email, email_verified: true, name: '\0\u0007' }
  const { one, answer } = await throughIssuer()
  expect(answer.status).toBe(303)
  expect((await one.get('/account')).text).toContain(`<h1>${email}</h1>`)
})

describe('an address that looks like another one when its letters are folded', () => {
  test('signs nobody in, and does not count as another account', async () => {
    const { person, alike } = await anAdmin()
    for (const email of alike) {
      await db`delete from throttle`
      const one = browser()
      // A form's spaces around an address are not part of it.
      if (email.trim() !== person.email) {
        expect({ email, status: (await one.post('/sign-in', { email, password: PASSWORD })).status }).toEqual(
          {
            email,
            status: 400,
          },
        )
      }
    }
    expect(await db`select from session where person_id = ${person.personId}`).toEqual([])
    for (let n = 0; n < 10; n++) {
      const email = n % 2 === 0 ? person.email : person.email.toUpperCase()
      await browser().post('/sign-in', { email, password: 'wrong' })
    }
    expect((await browser().post('/sign-in', { email: person.email, password: PASSWORD })).status).toBe(429)
  })

  test('is invited by nobody, and nobody changes theirs to it', async () => {
    const { person, alike } = await anAdmin()
    const { workspaceId } = await aWorkspace(db)
    const owner = await aUser(db, site.app, 'Olga')
    await join(db, workspaceId, owner, 'owner')
    const page = aBrowser(site.app, new Map([[COOKIE, owner.cookie.split('=')[1]!]]))
    const change = async (email: string) => (await page.post('/account/email', { email })).status
    const invite = (email: string) =>
      owner.ask(`POST /workspaces/${workspaceId}/invitations`, { email, role: 'editor', deliverBy: 'link' })
    for (const email of alike) {
      expect({ email, status: (await invite(email)).status }).toEqual({ email, status: 400 })
      // A form's spaces around an address are not part of it.
      if (email.trim() !== person.email)
        expect({ email, status: await change(email) }).toEqual({ email, status: 400 })
    }
    await join(db, workspaceId, person, 'viewer')
    expect((await invite(person.email.toUpperCase())).body.code).toBe('already_exists')
    expect(await change(person.email.toUpperCase())).toBe(409)
    const { status, body } = await invite('BOB@Müller.example'.replace('M', 'm'))
    expect(status).toBe(201)
    const bob = browser()
    await bob.post(new URL(body.link).pathname, { name: 'Bob', password: PASSWORD })
    expect(
      (await browser().post('/sign-in', { email: 'bob@xn--mller-kva.example', password: PASSWORD })).status,
    ).toBe(303)
  })

  test('is nobody’s at the command line', async () => {
    const { person, alike } = await anAdmin()
    const dataDir = await mkdtemp(pathOf(tmpdir(), 'postrider-forms-'))
    try {
      const postrider = commandLineWith({
        DATABASE_URL: world.databaseUrl,
        DATA_DIR: dataDir,
        SECRET_KEYS: randomBytes(32).toString('base64'),
      })
      for (const email of alike.filter((one) => !one.includes('\0')).slice(0, 6)) {
        expect(await postrider('member', 'reset', email)).toMatchObject({ exitCode: 1 })
        const made = await postrider(
          'workspace',
          'create',
          '--name',
          'X',
          '--owner-name',
          'X',
          '--owner-email',
          email,
        )
        expect(made).toMatchObject({ exitCode: 2 })
      }
      expect(await postrider('member', 'reset', person.email.toUpperCase())).toMatchObject({ exitCode: 0 })
    } finally {
      await rm(dataDir, { recursive: true })
    }
  })
})

test.each(['Ada@example.com', 'admİn@example.com', 'ada@müller.example', 'example.com', ''])(
  'is stored in no other form than the canonical one: %j',
  async (email) => {
    const { workspaceId, memberId } = await aWorkspace(db)
    await expect(
      db`insert into person (id, name, email) values (gen_random_uuid(), 'P', ${email})`,
    ).rejects.toThrow('person_email_is_canonical')
    await expect(
      db`
        insert into invitation (workspace_id, id, token_hash, email, role, by_mail, invited_by, expires_at)
        values (${workspaceId}, gen_random_uuid(), ${randomBytes(32)}, ${email}, 'editor', true, ${memberId}, now())`,
    ).rejects.toThrow('invitation_email_is_canonical')
  },
)
