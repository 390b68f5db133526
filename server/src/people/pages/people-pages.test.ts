import { afterAll, describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aWorkspace, openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { writtenIn } from '../../platform/text/language.ts'
import { ago } from './page-kit.ts'
import { moment } from '../../platform/text/moments.ts'
import { aBrowser, aPerson, join, openSite, PASSWORD, SITE } from '../../../test/rigs/people-world.ts'
import { lockMembers, setRole } from '../members/member-store.ts'
import { createWorkspace } from '../members/workspace-store.ts'
import { insertInvitation, listInvitations, revokeInvitation } from '../members/invitation-store.ts'
import { makeResetLink } from '../sign-in/password/reset-password.ts'
import { makeOwnerLink } from '../sign-in/link/set-up-owner.ts'
import { totpCode } from '../sign-in/second-factor/totp.ts'
import { emailOf } from '../../platform/text/email-address.ts'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const browser = () => aBrowser(site.app)
const COOKIE = '__Host-postrider'

async function anOwnerless() {
  const owner = { name: 'Owner', email: emailOf(`owner-${Math.random()}@localhost`) }
  const { workspaceId } = await createWorkspace(db, {
    name: 'Acme',
    timeZone: 'UTC',
    owner,
  })
  const link = await db.begin((tx) => makeOwnerLink(tx, workspaceId))
  return { workspaceId, link: link!, again: () => db.begin((tx) => makeOwnerLink(tx, workspaceId)) }
}

async function signedIn(email: string, next = '') {
  const one = browser()
  const answer = await one.post('/sign-in', { email, password: PASSWORD, next })
  expect(answer.status).toBe(303)
  return one
}

describe('the first owner', () => {
  test('is told by the sign-in page how to get in, until there is one', async () => {
    await using empty = await openWorld()
    await using own = await openSite(empty.db)
    const page = async () => (await aBrowser(own.app).get('/sign-in')).text
    expect(await page()).toContain('npm run postrider -- owner link')
    await aPerson(empty.db)
    expect(await page()).not.toContain('owner link')
  })

  test('comes in by the link, once, and it is void from then on', async () => {
    const { link, again } = await anOwnerless()
    const another = await again()
    const one = browser()
    expect((await one.get(`/set-up/${link}`)).text).toContain('Create account')
    const fields = { name: 'Ada', email: 'ada.first@example.com', password: PASSWORD }
    const done = await one.post(`/set-up/${link}`, fields)
    expect(done).toMatchObject({ status: 303, location: '/' })
    const account = (await one.get('/account')).text
    expect(account).toContain('<h1>Ada</h1>')
    expect(account).toContain('Acme</a>, Owner')

    for (const secret of [link, another!, 'unknown']) {
      expect((await browser().get(`/set-up/${secret}`)).status).toBe(410)
      expect((await browser().post(`/set-up/${secret}`, fields)).status).toBe(410)
    }
    expect(await again()).toBeNull()
  })

  test('is one of two who come at once', async () => {
    const { link, again } = await anOwnerless()
    const other = await again()
    const answers = await Promise.all(
      [link, other!].map((secret, n) =>
        browser().post(`/set-up/${secret}`, {
          name: `N${n}`,
          email: `race${n}@example.com`,
          password: PASSWORD,
        }),
      ),
    )
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['303', '410'])
    expect(await db`select from person where email like 'race%'`).toHaveLength(1)
  })

  test('has a link that expires, and a password and an address that are good', async () => {
    const { link } = await anOwnerless()
    const taken = await aPerson(db)
    const good = { name: 'Ada', email: 'fresh@example.com', password: PASSWORD }
    for (const [wrong, status, words] of [
      [{ password: 'short' }, 400, 'at least 12 characters'],
      [{ email: 'nobody' }, 400, 'not an email address'],
      [{ name: '' }, 400, 'The name must have'],
      [{ name: 'Ada\u202e' }, 400, 'changes the direction of writing (U+202E)'],
      [{ name: '\u3164' }, 400, 'has only spaces or invisible characters'],
      [{ email: taken.email }, 409, 'An account with this email address'],
    ] as const) {
      const answer = await browser().post(`/set-up/${link}`, { ...good, ...wrong })
      expect(answer.status).toBe(status)
      expect(answer.text).toContain(words)
    }
    await db`update one_time_link set expires_at = now() where kind = 'owner'`
    const late = await browser().post(`/set-up/${link}`, good)
    expect(late).toMatchObject({
      status: 410,
      text: expect.stringContaining('postrider owner link') as unknown,
    })
  })
})

describe('the session', () => {
  test('is a cookie that no script reads and no other site sends', async () => {
    const person = await aPerson(db)
    const one = browser()
    const { headers } = await one.post('/sign-in', { email: person.email, password: PASSWORD })
    const cookie = [headers['set-cookie']].flat().find((text) => String(text).startsWith(`${COOKIE}=`))
    expect(cookie).toMatch(
      /^__Host-postrider=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  test('that somebody planted before the sign-in is not the one that is signed in', async () => {
    const [victim, attacker] = [await aPerson(db), await aPerson(db)]
    const planted = (await signedIn(attacker.email)).cookies.get(COOKIE)!
    const one = aBrowser(site.app, new Map([[COOKIE, planted]]))
    await one.post('/sign-in', { email: victim.email, password: PASSWORD })
    expect(one.cookies.get(COOKIE)).not.toBe(planted)
    expect((await one.get('/account')).text).toContain(victim.email)
    const thief = aBrowser(site.app, new Map([[COOKIE, planted]]))
    expect((await thief.get('/account')).location).toBe('/sign-in')
  })

  test('with two cookies of its name, one of them foreign, is none', async () => {
    const person = await aPerson(db)
    const secret = (await signedIn(person.email)).cookies.get(COOKIE)!
    const cookie = `${COOKIE}=${'a'.repeat(43)}; ${COOKIE}=${secret}`
    expect((await browser().get('/account', { cookie })).location).toBe('/sign-in')
  })

  test('is listed, and ended from another browser, at once', async () => {
    const person = await aPerson(db)
    const [one, other] = [await signedIn(person.email), await signedIn(person.email)]
    const stranger = await signedIn((await aPerson(db)).email)
    const ids = [...(await one.get('/account')).text.matchAll(/name="sessionId" value="([0-9a-f-]{36})"/g)]
    expect(ids).toHaveLength(1)
    const sessionId = ids[0]![1]!
    await stranger.post('/account/sessions/end', { sessionId })
    await one.post('/account/sessions/end', { sessionId: 'nonsense' })
    expect((await other.get('/account')).status).toBe(200)
    await one.post('/account/sessions/end', { sessionId })
    expect((await other.get('/account')).location).toBe('/sign-in')
    await one.post('/sign-out')
    expect(one.cookies.has(COOKIE)).toBe(false)
    expect((await one.get('/account')).location).toBe('/sign-in')
  })

  test.for([
    ['en', '2 hours ago'],
    ['de', 'vor 2 Stunden'],
  ] as const)('is told in words, and by the clock of the workspace: %s', async ([language, words]) => {
    const person = await aPerson(db)
    const { workspaceId } = await aWorkspace(db)
    await db`update workspace set time_zone = 'Europe/Berlin' where id = ${workspaceId}`
    await join(db, workspaceId, person, 'viewer')
    const [one] = [await signedIn(person.email), await signedIn(person.email)]
    const at = new Date(Date.now() - 2.25 * 3_600_000)
    await db`update session set seen_at = ${at} where person_id = ${person.personId}`
    const { text } = await one.get('/account', { 'accept-language': language })
    expect(text).toContain(words)
    expect(text).toContain(await writtenIn(language, () => moment(at, 'Europe/Berlin')))
  })

  test('has the times of a zone as the reader’s language writes them', async () => {
    const at = new Date('2026-10-24T22:30:00Z')
    expect(moment(at, 'Europe/Berlin')).toBe('25 Oct 2026, 00:30 (Berlin)')
    expect(moment(at, 'America/New_York')).toBe('24 Oct 2026, 18:30 (New York)')
    expect(await writtenIn('de', () => moment(at, 'Europe/Berlin'))).toBe('25.10.2026, 00:30 (Berlin)')
    const after = (seconds: number) => ago(at, 'Europe/Berlin', new Date(at.getTime() + seconds * 1_000))
    expect([0, 59, 60, 86_400, 90_000].map(after)).toEqual([
      'now',
      '59 seconds ago',
      '1 minute ago',
      // The clocks are put back on this day.
      '24 hours ago',
      'yesterday',
    ])
    // A clock that another server set ahead says nothing of the future.
    expect(after(-5)).toBe('now')
  })

  test('leads on to pages of ours only', async () => {
    const person = await aPerson(db)
    const one = await signedIn(person.email)
    for (const [next, to] of [
      ['/review/1?a=b', '/review/1?a=b'],
      ['/review/./1//2?a=//b', '/review/1//2?a=//b'],
      ['/%09/evil.example', '/%09/evil.example'],
      ['//evil.example/', '/'],
      ['/\\evil.example', '/'],
      ['/\t/evil.example', '/'],
      ['https://evil.example/', '/'],
      ['javascript:alert(1)', '/'],
      ['/.//evil.example', '/'],
      ['/..//evil.example', '/'],
      ['/review/..//evil.example', '/'],
      ['/%2e//evil.example', '/'],
      ['/review/%2E%2e//evil.example', '/'],
      ['/./\\evil.example', '/'],
      ['/.\\\\evil.example', '/'],
      ['/.\t/\n/evil.example', '/'],
    ] as const) {
      expect(new URL(to, SITE).origin).toBe(SITE)
      // Whoever is signed in, and has just shown who they are, is sent on at once.
      for (const page of ['/sign-in', '/prove']) {
        expect((await one.get(`${page}?next=${encodeURIComponent(next)}`)).location).toBe(to)
      }
    }
    for (const [next, to] of [
      ['/review/1?a=b', '/review/1?a=b'],
      ['/.//evil.example', '/'],
    ] as const) {
      const fields = { email: person.email, password: PASSWORD, next }
      expect((await browser().post('/sign-in', fields)).location).toBe(to)
    }
  })
})

describe('a form of another site', () => {
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${SITE}.evil.example` },
    { origin: SITE, 'sec-fetch-site': 'cross-site' },
    { origin: SITE, 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://postrider.test', 'sec-fetch-site': 'same-origin' },
  ]

  test.each(foreign)('changes nothing: %j', async (headers) => {
    const person = await aPerson(db)
    const one = await signedIn(person.email)
    const answers = [
      await one.post('/sign-out', {}, headers),
      await one.post('/account/sessions/end-others', {}, headers),
      await one.post('/account/password', { password: 'another password' }, headers),
      await browser().post('/sign-in', { email: person.email, password: PASSWORD }, headers),
    ]
    for (const { status, headers: sent } of answers) {
      expect(status).toBe(403)
      expect(sent).not.toHaveProperty('set-cookie')
    }
    expect((await one.get('/account')).status).toBe(200)
  })

  test('comes from a page of ours when a browser says so in either way', async () => {
    const person = await aPerson(db)
    const either: Record<string, string>[] = [{ origin: SITE }, { 'sec-fetch-site': 'same-origin' }]
    for (const headers of either) {
      const answer = await browser().post('/sign-in', { email: person.email, password: PASSWORD }, headers)
      expect(answer.status).toBe(303)
    }
  })
})

test('no page can be framed, runs anything that is written in it, or is kept', async () => {
  const person = await aPerson(db)
  const one = await signedIn(person.email)
  for (const path of [
    '/sign-in',
    '/account',
    '/account/password',
    '/forgot-password',
    '/set-up/x',
    '/prove',
  ]) {
    const { headers, text } = await (path === '/sign-in' ? browser() : one).get(path)
    expect(headers['x-frame-options'] ?? (headers['location'] && 'DENY')).toBe('DENY')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<script(?![^>]*src="\/)|\son\w+=|style="/)
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  }
})

test('a name that is HTML stays a name', async () => {
  const person = await aPerson(db, { name: '<img src=x onerror=alert(1)>"\'&' })
  const one = await signedIn(person.email)
  const { text } = await one.get('/account')
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;')
  expect(text).not.toContain('<img')
})

describe('a new password', () => {
  test('comes by a link that works once, and ends every session', async () => {
    const person = await aPerson(db)
    const one = await signedIn(person.email)
    const { secret } = (await makeResetLink(db, person.email, { byMail: true }))!
    const second = (await makeResetLink(db, person.email, { byMail: false }))!
    expect((await browser().get(`/reset-password/${secret}`)).text).toContain(person.email)
    expect((await browser().post(`/reset-password/${secret}`, { password: 'short' })).status).toBe(400)
    const done = await browser().post(`/reset-password/${secret}`, { password: 'a brand new password' })
    expect(done.text).toContain('Password changed')

    expect((await one.get('/account')).location).toBe('/sign-in')
    for (const used of [secret, second.secret]) {
      expect((await browser().post(`/reset-password/${used}`, { password: PASSWORD })).status).toBe(410)
    }
    expect((await browser().post('/sign-in', { email: person.email, password: PASSWORD })).status).toBe(401)
    const [row] =
      await db`select email_proven_at is not null as proven from person where id = ${person.personId}`
    expect(row).toMatchObject({ proven: true })
  })

  test('needs that one has shown who one is just before', async () => {
    const person = await aPerson(db)
    const one = await signedIn(person.email)
    await db`update session set proved_at = now() - interval '1 hour' where person_id = ${person.personId}`
    const asked = await one.post('/account/password', { password: 'a brand new password' })
    expect(asked.location).toBe('/prove?next=%2Faccount%2Fpassword')
    expect((await one.post('/prove', { password: 'wrong', next: '/account/password' })).status).toBe(401)
    const before = one.cookies.get(COOKIE)
    const proved = await one.post('/prove', { password: PASSWORD, next: '/account/password' })
    expect(proved.location).toBe('/account/password')
    expect(one.cookies.get(COOKIE)).not.toBe(before)
    expect((await one.post('/account/password', { password: 'a brand new password' })).location).toBe(
      '/account',
    )
  })
})

describe('an invitation', () => {
  async function anInvitation(email: string, byMail = false) {
    const { workspaceId, memberId } = await aWorkspace(db)
    const made = await db.begin((tx) =>
      insertInvitation(tx, {
        workspaceId,
        email: emailOf(email),
        role: 'editor',
        invitedBy: memberId,
        byMail,
      }),
    )
    return { workspaceId, memberId, ...made, path: `/invitation/${made.secret}` }
  }
  const roleOf = async (workspaceId: string, email: string) =>
    (
      await db<{ role: string }[]>`
      select m.role from member m join person p on p.id = m.person_id
      where  m.workspace_id = ${workspaceId} and p.email = ${email} and m.removed_at is null`
    )[0]?.role ?? null

  test('that is withdrawn while it is being accepted makes nobody a member', async () => {
    const { workspaceId, invitationId, path } = await anInvitation('withdrawn@example.com')
    const held = await openTransaction(db)
    await revokeInvitation(held.tx, workspaceId, invitationId)
    const accepting = browser().post(path, { name: 'Late', password: PASSWORD })
    await untilBlocked(db)
    await held.commit()
    expect((await accepting).status).toBe(410)
    expect(await db`select from person where email = 'withdrawn@example.com'`).toEqual([])
  })

  test('makes an account and a member, once', async () => {
    const { workspaceId, path } = await anInvitation('bob.new@example.com', true)
    const one = browser()
    expect((await one.get(path)).text).toContain(
      'Ada invites bob.new@example.com. Role: <strong>Editor</strong>',
    )
    expect(await one.post(path, { name: 'Bob', password: PASSWORD })).toMatchObject({
      status: 303,
      location: '/',
    })
    expect((await one.get('/account')).text).toContain('Test</a>, Editor')
    expect(await roleOf(workspaceId, 'bob.new@example.com')).toBe('editor')

    for (const again of [
      await browser().get(path),
      await browser().post(path, { name: 'Eve', password: PASSWORD }),
    ]) {
      expect(again.status).toBe(410)
    }
  })

  test('taken up by two at once makes one of them a member', async () => {
    const { workspaceId, path } = await anInvitation('carol@example.com')
    const answers = await Promise.all(
      [1, 2].map((n) => browser().post(path, { name: `C${n}`, password: PASSWORD })),
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    const rows = await db`select from member where workspace_id = ${workspaceId} and role = 'editor'`
    expect(rows).toHaveLength(1)
  })

  test('to an address that has an account is taken up by signing in with it, and by nobody else', async () => {
    const person = await aPerson(db)
    const { workspaceId, path } = await anInvitation(person.email.toUpperCase())
    expect((await browser().post(path, { name: 'Thief', password: 'thief thief thief' })).status).toBe(409)
    const stranger = await signedIn((await aPerson(db)).email)
    expect((await stranger.post(path)).status).toBe(410)
    expect(await roleOf(workspaceId, person.email)).toBeNull()

    const one = await signedIn(person.email, path)
    expect(await one.post(path)).toMatchObject({ status: 303 })
    expect(await roleOf(workspaceId, person.email)).toBe('editor')
  })

  test('does not open the account of an owner who never signed in', async () => {
    const owner = { name: 'Boss', email: emailOf('boss@example.com') }
    await createWorkspace(db, { name: 'Other', timeZone: 'UTC', owner })
    const { path } = await anInvitation(owner.email)
    expect((await browser().post(path, { name: 'Thief', password: PASSWORD })).status).toBe(409)
    const [row] = await db`select password_hash from person where email = ${owner.email}`
    expect(row).toEqual({ password_hash: null })
  })

  test('is listed while it is open, withdrawn by its own workspace, and replaced by a second one', async () => {
    const { workspaceId, memberId, invitationId, path } = await anInvitation('fay@example.com')
    const other = await aWorkspace(db)
    const revoke = (of: string) => db.begin((tx) => revokeInvitation(tx, of, invitationId))
    expect(await revoke(other.workspaceId)).toBeNull()
    const second = await db.begin((tx) =>
      insertInvitation(tx, {
        workspaceId,
        email: emailOf('FAY@example.com'),
        role: 'viewer',
        invitedBy: memberId,
        byMail: false,
      } as const),
    )
    expect((await browser().get(path)).status).toBe(410)
    const open = await listInvitations(db, workspaceId)
    expect(open).toMatchObject([{ invitationId: second.invitationId, role: 'viewer', invitedBy: 'Ada' }])
    expect(await revoke(workspaceId)).toBeNull()
    const withdrawn = await db.begin((tx) => revokeInvitation(tx, workspaceId, second.invitationId))
    expect(withdrawn).toEqual({ email: 'fay@example.com', role: 'viewer' })
    expect((await browser().get(`/invitation/${second.secret}`)).status).toBe(410)
    expect(await listInvitations(db, workspaceId)).toEqual([])
  })

  test('ends also when whoever gave it loses the right to while it is being accepted', async () => {
    const person = await aPerson(db)
    const member = await signedIn(person.email)
    for (const [email, accept] of [
      ['gina@example.com', (path: string) => browser().post(path, { name: 'Gina', password: PASSWORD })],
      [person.email, (path: string) => member.post(path)],
    ] as const) {
      const { workspaceId, memberId, path } = await anInvitation(email)
      const changing = await openTransaction(db)
      await lockMembers(changing.tx, workspaceId)
      await setRole(changing.tx, workspaceId, memberId, 'viewer')
      const accepting = accept(path)
      await untilBlocked(db)
      await changing.commit()
      expect((await accepting).status).toBe(410)
      expect(await roleOf(workspaceId, email)).toBeNull()
    }
    expect(await db`select from person where email = 'gina@example.com'`).toEqual([])
  })

  test('ends when it expires, or when whoever gave it may no longer give it', async () => {
    const ends = [
      (id: string) => db`update invitation set expires_at = now() where id = ${id}`,
      (_: string, memberId: string) => db`update member set role = 'viewer' where id = ${memberId}`,
      (_: string, memberId: string) => db`update member set removed_at = now() where id = ${memberId}`,
    ]
    for (const end of ends) {
      const { path, invitationId, memberId } = await anInvitation('dora@example.com')
      await end(invitationId, memberId)
      expect((await browser().get(path)).status).toBe(410)
      expect((await browser().post(path, { name: 'Dora', password: PASSWORD })).status).toBe(410)
    }
    expect(await db`select from person where email = 'dora@example.com'`).toEqual([])
  })
})

describe('the authenticator app', () => {
  test('is set up, asked for, and taken away', async () => {
    const person = await aPerson(db)
    const one = await signedIn(person.email)
    const offered = (await one.get('/account/authenticator')).text
    expect(offered).toContain(`otpauth://totp/Postrider:${encodeURIComponent(person.email)}?secret=`)
    const wrong = await one.post('/account/authenticator', { code: '000000' })
    expect(wrong).toMatchObject({ status: 401 })
    const secretOf = (text: string) => /secret=([A-Z2-7]{32})/.exec(text)![1]!
    const secret = secretOf(offered)
    expect(secretOf(wrong.text)).toBe(secret)

    const code = () => totpCode(base32Decoded(secret), Math.floor(Date.now() / 30_000))
    const codes = recoveryCodesIn(await one.post('/account/authenticator', { code: code() }))
    expect(codes).toHaveLength(10)
    expect((await one.get('/account/authenticator')).status).toBe(409)
    expect((await one.get('/account')).text).toContain('10 recovery codes left')

    const other = browser()
    const begun = await other.post('/sign-in', { email: person.email, password: PASSWORD })
    expect(begun.location).toMatch(/^\/sign-in\/code/)
    expect([...other.cookies.keys()]).toEqual([`${COOKIE}-step`])
    expect((await other.post('/sign-in/code', { code: '000000' })).status).toBe(401)
    expect((await other.post('/sign-in/code', { code: codes[0]! })).status).toBe(303)
    expect([...other.cookies.keys()]).toEqual([COOKIE, `${COOKIE}-known`])

    const renewed = recoveryCodesIn(await one.post('/account/recovery-codes'))
    expect(renewed).toHaveLength(10)
    expect(renewed).not.toEqual(codes)
    expect((await one.post('/account/authenticator/remove')).location).toBe('/account')
    expect((await one.post('/account/recovery-codes')).status).toBe(404)
    await signedIn(person.email)
  })
})

const recoveryCodesIn = ({ text }: { text: string }) =>
  /<pre><code>([^<]*)/
    .exec(text)![1]!
    .split('\n')
    .map((code) => code.trim())

function base32Decoded(text: string): Buffer {
  const bits = Array.from(text, (char) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'),
  ).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

test('an e-mail address is changed at once where no mail is sent, unless somebody has it', async () => {
  const [person, other] = [await aPerson(db), await aPerson(db)]
  const one = await signedIn(person.email)
  expect((await one.post('/account/email', { email: other.email })).status).toBe(409)
  const email = `new-${person.email}`
  expect((await one.post('/account/email', { email })).location).toBe('/account')
  expect((await one.get('/account')).text).toContain(`<p>${email}</p>`)
})

describe('a server that dies between any two writes', () => {
  /** Everything of these people, and everything that the workspace has of them. */
  const rowsOf = (email: string) => db<{ table: string; transaction: string }[]>`
    with someone as (select id, xmin::text as x from person where email = ${email})
    select 'person' as table, x as transaction from someone
    union all select 'member', m.xmin::text from member m join someone s on s.id = m.person_id
    union all select 'session', e.xmin::text from session e join someone s on s.id = e.person_id
    union all select 'audit_entry', a.xmin::text from audit_entry a join someone s on s.id = a.person_id
    union all select 'one_time_link', l.xmin::text from one_time_link l join someone s on s.id = l.person_id where used_at is not null
    union all select 'invitation', i.xmin::text from invitation i where i.email = ${email} and accepted_at is not null
    order  by 1`

  /** The last write of a transaction is refused, as if the process had been gone before it. */
  async function withoutLastWrite<T>(run: () => Promise<T>): Promise<T> {
    await db`create function die() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`
    await db`create constraint trigger die after insert on audit_entry deferrable initially deferred for each row execute function die()`
    try {
      return await run()
    } finally {
      await db`drop function die cascade`
    }
  }

  test('leaves a whole owner or none', async () => {
    const { link } = await anOwnerless()
    const fields = { name: 'Late', email: 'late@example.com', password: PASSWORD }
    const killed = await withoutLastWrite(() => browser().post(`/set-up/${link}`, fields))
    expect(killed.status).toBe(500)
    expect(await rowsOf(fields.email)).toEqual([])

    expect((await browser().post(`/set-up/${link}`, fields)).status).toBe(303)
    const rows = (await rowsOf(fields.email)).filter(({ table }) => table !== 'member')
    expect(rows.map(({ table }) => table)).toEqual(['audit_entry', 'one_time_link', 'person', 'session'])
    expect(new Set(rows.map(({ transaction }) => transaction)).size).toBe(1)
  })

  test('leaves a whole member or none', async () => {
    const { workspaceId, memberId } = await aWorkspace(db)
    const email = emailOf('late.member@example.com')
    const { secret } = await db.begin((tx) =>
      insertInvitation(tx, { workspaceId, email, role: 'viewer', invitedBy: memberId, byMail: true }),
    )
    const fields = { name: 'Late', password: PASSWORD }
    const killed = await withoutLastWrite(() => browser().post(`/invitation/${secret}`, fields))
    expect(killed.status).toBe(500)
    expect(await rowsOf(email)).toEqual([])

    expect((await browser().post(`/invitation/${secret}`, fields)).status).toBe(303)
    const rows = await rowsOf(email)
    expect(rows.map(({ table }) => table)).toEqual([
      'audit_entry',
      'invitation',
      'member',
      'person',
      'session',
    ])
    expect(new Set(rows.map(({ transaction }) => transaction)).size).toBe(1)
  })
})

describe('who reads German', () => {
  test('has it on the pages by their browser, and after signing in by their choice', async () => {
    const german = aBrowser(site.app, new Map(), 'de-AT,de;q=0.9,en;q=0.5')
    const signIn = (await german.get('/sign-in')).text
    expect(signIn).toContain('<html lang="de">')
    expect(signIn).toContain('Passwort vergessen?')
    const { email } = await aPerson(db)
    const refused = await german.post('/sign-in', { email, password: 'a wrong password' })
    expect(refused.text).toContain('E-Mail oder Passwort ist falsch.')
    expect((await browser().get('/sign-in')).text).toContain('Forgot your password?')
    await db`update person set language = 'en' where email = ${email}`
    expect((await german.post('/sign-in', { email, password: PASSWORD })).status).toBe(303)
    expect((await german.get('/account')).text).toContain('Where you are signed in')
  })
})

describe('an address where nothing is', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

  test('is a page with a way back to who opens it in a browser, in their language', async () => {
    const { status, text, headers } = await browser().get('/foo?a=b', { accept })
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(text).toContain('<h1>Page not found</h1>')
    expect(text).toContain('<a href="/">Back to the dashboard</a>')
    const german = (await aBrowser(site.app, new Map(), 'de').get('/foo', { accept })).text
    expect(german).toContain('<h1>Seite nicht gefunden</h1>')
    expect(german).toContain('<a href="/">Zurück zum Dashboard</a>')
    const formOnly = await browser().get('/sign-out', { accept })
    expect([formOnly.status, formOnly.headers['allow']]).toEqual([405, 'POST'])
    expect(formOnly.text).toContain('<h1>Page not found</h1>')
  })

  test('is a problem to programs', async () => {
    for (const [path, accepted] of [
      ['/foo', 'application/json'],
      ['/foo', '*/*'],
      ['/foo', undefined],
      ['/agent/v1/nothing', accept],
      ['/app/api/nothing', accept],
    ] as const) {
      const answer = await browser().get(path, accepted === undefined ? {} : { accept: accepted })
      expect([path, answer.headers['content-type']]).toEqual([path, 'application/problem+json'])
      expect(JSON.parse(answer.text)).toMatchObject({ status: 404, code: 'not_found' })
    }
    const sent = await browser().post('/foo', {}, { accept })
    expect(JSON.parse(sent.text)).toMatchObject({ status: 404, code: 'not_found' })
  })
})
