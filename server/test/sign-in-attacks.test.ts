import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Authenticator } from './rigs/authenticator.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { openIssuerSite } from './rigs/issuer-site.ts'
import { type ABrowser, aBrowser, aPerson, client, OWN_PAGE, PASSWORD, SITE } from './rigs/people-world.ts'
import { createWorkspace } from '../src/people/members/workspace-store.ts'
import { insertInvitation } from '../src/people/members/invitation-store.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { makeOwnerLink } from '../src/people/sign-in/link/set-up-owner.ts'
import { emailOf } from '../src/platform/text/email-address.ts'

/* What somebody else could do to a browser before or while its person signs in, on every way in. */

const { world } = await openFileWorld()
const { db } = world
const issuerSite = await openIssuerSite(db)
const { idp, site } = issuerSite
afterAll(() => issuerSite[Symbol.asyncDispose]())
const COOKIE = '__Host-postrider'
const aVictim = () => aPerson(db, { name: 'Victim' })

/** A request of the API from a page of ours, with the cookies of the browser. */
async function api(one: ABrowser, path: string, body: object = {}) {
  const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await site.app.inject({
    method: 'POST',
    url: `/app/api${path}`,
    headers: { host: 'postrider.test', cookie, ...OWN_PAGE, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  for (const { name, value, maxAge } of answer.cookies) {
    if (maxAge === 0) one.cookies.delete(name)
    else one.cookies.set(name, value)
  }
  return answer.json()
}

/** Ways by which a person comes in, in a browser that they share with nobody, they think. */
const ways: Record<string, (one: ABrowser) => Promise<unknown>> = {
  'the page': async (one) => {
    const { email } = await aVictim()
    await one.post('/sign-in', { email, password: PASSWORD })
  },
  'a second factor': async (one) => {
    const { email, personId } = await aVictim()
    await db`insert into totp (person_id, sealed, confirmed_at) values (${personId}, 'x', now())`
    await db`insert into recovery_code values (${personId}, sha256('aaaabbbbcccc'))`
    await one.post('/sign-in', { email, password: PASSWORD })
    await one.post('/sign-in/code', { code: 'aaaa-bbbb-cccc' })
  },
  'a passkey': async (one) => {
    const { personId } = await aVictim()
    const device = new Authenticator(SITE)
    const before = aBrowser(site.app, new Map([[COOKIE, await openSession(db, personId, client)]]))
    const { options } = await api(before, '/passkeys/offer')
    await api(before, '/passkeys', { name: 'x', credential: device.create(options) })
    const begun = await api(one, '/sign-in/passkey/begin')
    await api(one, '/sign-in/passkey', { credential: device.get(begun.options) })
  },
  'an identity provider': async (one) => {
    const { email, personId } = await aVictim()
    await db`update person set email_proven_at = now() where id = ${personId}`
    idp.user = { sub: personId, email, email_verified: true }
    const { pathname, search } = await idp.visit((await one.get('/sign-in/issuer')).location!)
    await one.get(pathname + search)
  },
  'the link of the first owner': async (one) => {
    const owner = { name: 'Owner', email: emailOf(`${Math.random()}@example.com`) }
    const { workspaceId } = await createWorkspace(db, { name: 'A', timeZone: 'UTC', owner })
    const secret = await db.begin((tx) => makeOwnerLink(tx, workspaceId))
    await one.post(`/set-up/${secret}`, {
      name: 'Victim',
      email: `${Math.random()}@example.com`,
      password: PASSWORD,
    })
  },
}

describe('a session that somebody planted before', () => {
  test.each(Object.keys(ways))('is over, and never the victim’s, after %s', async (way) => {
    const attacker = await aPerson(db, { name: 'Attacker' })
    const planted = await openSession(db, attacker.personId, client)
    const one = aBrowser(site.app, new Map([[COOKIE, planted]]))
    await ways[way]!(one)
    expect(one.cookies.get(COOKIE)).not.toBe(planted)
    expect((await one.get('/account')).text).toContain('<h1>Victim</h1>')
    const thief = aBrowser(site.app, new Map([[COOKIE, planted]]))
    expect((await thief.get('/account')).location).toBe('/sign-in')
  })

  test.each(Object.keys(ways))('and that nobody has, is not taken over by %s', async (way) => {
    const made = 'a'.repeat(43)
    const one = aBrowser(site.app, new Map([[COOKIE, made]]))
    await ways[way]!(one)
    expect(one.cookies.get(COOKIE)).not.toBe(made)
    const thief = aBrowser(site.app, new Map([[COOKIE, made]]))
    expect((await thief.get('/account')).location).toBe('/sign-in')
  })

  test('does not become whoever takes an invitation up', async () => {
    const { workspaceId, memberId } = await aWorkspace(db)
    const attacker = await aPerson(db, { name: 'Attacker' })
    const planted = await openSession(db, attacker.personId, client)
    const invited = {
      workspaceId,
      email: emailOf('invited@example.com'),
      role: 'editor',
      invitedBy: memberId,
    } as const
    const { secret } = await db.begin((tx) => insertInvitation(tx, { ...invited, byMail: false }))
    const one = aBrowser(site.app, new Map([[COOKIE, planted]]))
    const page = await one.get(`/invitation/${secret}`)
    expect(page.text).toContain(`You are signed in as ${attacker.email}`)
    expect(await one.post(`/invitation/${secret}`, { name: 'Victim', password: PASSWORD })).toMatchObject({
      status: 410,
    })
    expect(one.cookies.get(COOKIE)).toBe(planted)
  })
})

test('no page can be framed, whichever it is and whoever opens it', async () => {
  const folder = join(import.meta.dirname, '../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('-pages.ts'),
  )
  const paths = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('${HERE}', '/account/passkeys')
    return [...text.matchAll(/['`]GET (\/[\w/:-]*)['`]/g)].map(([, path = '']) =>
      path.replaceAll(/:\w+/g, 'x'),
    )
  })
  expect(paths.length).toBeGreaterThan(12)
  const person = await aPerson(db)
  const one = aBrowser(site.app, new Map([[COOKIE, await openSession(db, person.personId, client)]]))
  for (const browser of [one, aBrowser(site.app)]) {
    for (const path of paths) {
      const { headers, status } = await browser.get(path)
      if (status === 303) continue
      expect([path, headers['x-frame-options']]).toEqual([path, 'DENY'])
      expect(String(headers['content-security-policy'])).toContain("frame-ancestors 'none'")
      expect(String(headers['content-security-policy'])).not.toContain('unsafe')
      expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    }
  }
})

test('what only some people need is loaded by nobody else: no file imports it before it is used', () => {
  const folder = join(import.meta.dirname, '../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const early = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const found = text.match(
      /^import (?!type ).*from '(nodemailer|openid-client|@simplewebauthn\/server|oidc-provider)'/gm,
    )
    return (found ?? []).map((line) => `${name}: ${line}`)
  })
  expect(early).toEqual([])
})
