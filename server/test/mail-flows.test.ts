import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { announceApprovals, rewriteRequests } from '../src/attention/reviews/announce-approvals.ts'
import { decideApproval } from '../src/attention/reviews/decide-approval.ts'
import { undoDecision } from '../src/attention/reviews/undo-decision.ts'
import { recordAct } from '../src/people/audit/audit-store.ts'
import { mailQueue } from '../src/people/mail/mail-store.ts'
import { sendDueMail } from '../src/people/mail/send-mail.ts'
import { rewriteInvitation } from '../src/people/members/mail-invitation.ts'
import { answerResetRequests } from '../src/people/sign-in/password/mail-reset.ts'
import { createLog } from '../src/platform/process/log.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace } from './rigs/fixtures.ts'
import { openMailServer } from './rigs/mail-server.ts'
import { aBrowser, aPerson, aUser, join, openSite, PASSWORD, SITE } from './rigs/people-world.ts'

const { world } = await openFileWorld()
const { db } = world
const keyring = makeKeyring([randomBytes(32)])
const mail = mailQueue(keyring, SITE)
const site = await openSite(db, { mail })
const server = await openMailServer()
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function write() {
  await announceApprovals({ db, mail })
  await answerResetRequests({ db, mail, recordAct })
}

/** What the sender does in a round; gives the mail that arrived for these addresses since the last time. */
async function post(...to: string[]) {
  await write()
  // Requests wait for others that come at the same time, or soon after.
  await db`update mail set due_at = now() where kind = 'approval' and attempts = 0`
  await sendDueMail({
    db,
    keyring,
    log: createLog({ level: 'silent' }),
    smtp: server.smtp,
    rewrites: { approval: rewriteRequests(db, SITE), invitation: rewriteInvitation(db) },
  })
  const arrived = server.arrivals.filter((one) => to.includes(one.to))
  server.arrivals.splice(0)
  return arrived
}

const linkIn = (text: string) => new URL(/https:\/\/postrider\.test\S+/.exec(text)![0]).pathname
const browser = () => aBrowser(site.app)
const requests = () => db<{ email: string }[]>`select email from reset_request`

/** A browser in which the person is signed in. */
async function signedIn({ email }: { email: string }) {
  const one = browser()
  expect((await one.post('/sign-in', { email, password: PASSWORD })).status).toBe(303)
  return one
}

test('a forgotten password is replaced by a link in a mail, which works once and ends all sessions', async () => {
  const person = await aPerson(db)
  const one = await signedIn(person)
  const asked = await browser().post('/forgot-password', { email: person.email.toUpperCase() })
  expect(asked).toMatchObject({
    status: 200,
    text: expect.stringContaining('Check your email') as unknown,
  })
  const [arrived, ...more] = await post(person.email)
  expect(more).toEqual([])
  expect(arrived).toMatchObject({ subject: 'Set a new Postrider password' })
  const path = linkIn(arrived!.text)
  const secret = path.split('/').at(-1)!
  const [stored] = await db<{ text: string }[]>`
    select string_agg(l::text, '') || (select string_agg(m::text, '') from mail m) as text from one_time_link l`
  expect(stored!.text).not.toContain(secret)

  expect((await browser().post(path, { password: 'a brand new password' })).text).toContain(
    'Password changed',
  )
  expect((await browser().post(path, { password: 'another new password' })).status).toBe(410)
  expect((await one.get('/account')).location).toBe('/sign-in')
  const [told] = await post(person.email)
  expect(told).toMatchObject({ subject: 'Your password was changed' })
  expect(told!.text).not.toContain(secret)
  const acts =
    await db`select action, actor_type as type from audit_entry where person_id = ${person.personId} order by seq`
  expect(acts).toMatchObject([
    { action: 'signIn' },
    { action: 'mailResetLink', type: 'service' },
    { action: 'resetPassword', type: 'person' },
  ])
})

test('a mailed link is good for an hour', async () => {
  const person = await aPerson(db)
  await browser().post('/forgot-password', { email: person.email })
  const path = linkIn((await post(person.email))[0]!.text)
  await db`update one_time_link set expires_at = expires_at - interval '59 minutes' where person_id = ${person.personId}`
  expect((await browser().get(path)).status).toBe(200)
  await db`update one_time_link set expires_at = expires_at - interval '2 minutes' where person_id = ${person.personId}`
  expect((await browser().get(path)).status).toBe(410)
})

test('an address that nobody has is answered alike, after the same statements, and gets nothing', async () => {
  const person = await aPerson(db)
  await aPerson(db, { email: 'never@example.com', password: false })
  const answers = []
  for (const email of [person.email, 'nobody@example.com', 'never@example.com']) {
    answers.push(await browser().post('/forgot-password', { email }))
  }
  const [{ text } = { text: '' }] = answers
  expect(text).toContain('If there is an account with this address')
  expect(answers.map((answer) => ({ status: answer.status, text: answer.text }))).toEqual(
    answers.map(() => ({ status: 200, text })),
  )
  // A request does nothing but note what was typed: who that is, is looked up later.
  expect((await requests()).map(({ email }) => email)).toEqual([
    person.email,
    'nobody@example.com',
    'never@example.com',
  ])
  expect(await post(person.email, 'nobody@example.com', 'never@example.com')).toHaveLength(1)
  expect(await requests()).toEqual([])
})

test('links are asked for three times a quarter of an hour, whether there is an account or not', async () => {
  const person = await aPerson(db)
  for (const email of [person.email, 'unknown@example.com']) {
    const statuses = []
    for (let n = 0; n < 4; n++) {
      statuses.push((await browser().post('/forgot-password', { email })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
  }
  expect(await post(person.email)).toHaveLength(3)
  expect((await browser().post('/forgot-password', { email: 'x' })).status).toBe(400)
})

test('an invitation is in the language of the inviter, else in that of an owner who has chosen one', async () => {
  const { workspaceId } = await aWorkspace(db)
  const [owner, admin] = [await aUser(db, site.app, 'Olga'), await aUser(db, site.app, 'Anna')]
  await join(db, workspaceId, owner, 'owner')
  await join(db, workspaceId, admin, 'admin')
  const subjectFor = async (email: string) => {
    await admin.ask(`POST /workspaces/${workspaceId}/invitations`, {
      email,
      role: 'editor',
      deliverBy: 'mail',
    })
    return (await post(email))[0]?.subject
  }
  expect(await subjectFor('one@example.com')).toBe('Invitation to a workspace on Postrider: Test')
  await db`update person set language = 'de' where name = 'Olga'`
  expect(await subjectFor('two@example.com')).toBe('Einladung in einen Arbeitsbereich bei Postrider: Test')
  await db`update person set language = 'en' where name = 'Anna'`
  expect(await subjectFor('three@example.com')).toBe('Invitation to a workspace on Postrider: Test')
})

test('an invitation goes to the address and is shown to nobody else; taking it up proves the address', async () => {
  const { workspaceId } = await aWorkspace(db)
  const owner = await aUser(db, site.app, 'Olga')
  await join(db, workspaceId, owner, 'owner')
  const invite = (email: string) =>
    owner.ask(`POST /workspaces/${workspaceId}/invitations`, { email, role: 'editor', deliverBy: 'mail' })
  const made = await invite('bob@example.com')
  expect(made).toMatchObject({ status: 201, body: { link: null } })
  const [arrived] = await post('bob@example.com')
  expect(arrived).toMatchObject({ subject: 'Invitation to a workspace on Postrider: Test' })
  const path = linkIn(arrived!.text)
  const one = browser()
  expect((await one.post(path, { name: 'Bob', password: PASSWORD })).status).toBe(303)
  expect((await browser().post(path, { name: 'Eve', password: PASSWORD })).status).toBe(410)
  const [row] =
    await db`select email_proven_at is not null as proven from person where email = 'bob@example.com'`
  expect(row).toEqual({ proven: true })
  const { body: log } = await owner.ask(`GET /workspaces/${workspaceId}/audit`)
  expect(JSON.stringify(log)).not.toContain(path.split('/').at(-1))

  await db`update throttle set count = 50 where count = 1`
  expect((await invite('carol@example.com')).body).toMatchObject({ code: 'rate_limited' })
  expect(await post('carol@example.com')).toEqual([])
})

test('an address gets five mails a day from people who may be strangers, whoever asks for them', async () => {
  const email = 'stranger@example.com'
  const statuses = []
  for (let n = 0; n < 3; n++) {
    const { workspaceId } = await aWorkspace(db)
    const owner = await aUser(db, site.app, 'Olga')
    await join(db, workspaceId, owner, 'owner')
    for (let times = 0; times < 2; times++) {
      const invited = { email, role: 'editor', deliverBy: 'mail' }
      statuses.push((await owner.ask(`POST /workspaces/${workspaceId}/invitations`, invited)).status)
    }
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
  const person = await aPerson(db)
  const one = await signedIn(person)
  expect((await one.post('/account/email', { email })).status).toBe(429)
  // In a day, and not in a quarter of an hour.
  const [row] = await db`
    select max(ends_at) > now() + interval '23 hours' as tomorrow from throttle where count >= 5`
  expect(row).toEqual({ tomorrow: true })
})

test('a request for approval is mailed once to each who may decide, with the page on which they do', async () => {
  const { workspaceId } = await aWorkspace(db)
  const people = await Promise.all(
    (['owner', 'admin', 'approver', 'editor', 'viewer'] as const).map(async (role) => {
      const person = await aPerson(db, { name: role })
      await join(db, workspaceId, person, role)
      return person.email
    }),
  )
  const without = await aPerson(db, { password: false })
  await join(db, workspaceId, without, 'approver')
  const channelId = await aChannel(db, workspaceId)
  const { postId } = await aPost(db, workspaceId, { channelIds: [channelId], texts: ['<b>Exactly</b> this'] })
  const approvalId = await anApproval(db, workspaceId, postId)

  const rounds = await Promise.all([announceApprovals({ db, mail }), announceApprovals({ db, mail })])
  expect(rounds).toHaveLength(2)
  const arrived = await post(...people, without.email)
  expect(arrived.map(({ to }) => to).toSorted()).toEqual(people.slice(0, 3).toSorted())
  for (const { text, html, subject } of arrived) {
    expect(subject).toBe('Approval needed in Test')
    expect(linkIn(text)).toBe(`/review/${approvalId}`)
    expect(text).toContain('> <b>Exactly</b> this')
    expect(text).toContain('wants to publish a post on A channel')
    expect(text).toContain('If approved, it’s published right away.')
    expect(html).toContain('&lt;b&gt;Exactly&lt;/b&gt; this')
  }
  expect(await post(...people)).toEqual([])

  const approver = browser()
  await approver.post('/sign-in', { email: people[2]!, password: PASSWORD })
  expect((await approver.get(linkIn(arrived[0]!.text))).location).toBe(
    `/w/${workspaceId}/approvals?request=${approvalId}`,
  )
})

test('an approver reads where, when and what, in the zone of the workspace and in their language', async () => {
  const { workspaceId } = await aWorkspace(db)
  await db`update workspace set time_zone = 'Europe/Berlin' where id = ${workspaceId}`
  const person = await aPerson(db, { name: 'Ada' })
  await join(db, workspaceId, person, 'owner')
  const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']
  const channelIds: string[] = []
  for (const displayName of names) channelIds.push(await aChannel(db, workspaceId, { displayName }))
  const { postId } = await aPost(db, workspaceId, {
    channelIds,
    texts: ['First', 'Second'],
    states: channelIds.map(() => 'draft' as const),
  })
  await db`update destination set publish_at = '2027-12-01T08:00Z' where post_id = ${postId}`
  const askAnew = async () => {
    const approvalId = await anApproval(db, workspaceId, postId)
    await db`update approval set expires_at = '2027-11-30T08:00Z' where id = ${approvalId}`
    const [{ text }] = (await post(person.email)) as [(typeof server.arrivals)[0]]
    await db`update approval set status = 'superseded' where id = ${approvalId}`
    return text
  }
  const inEnglish = await askAnew()
  expect(inEnglish).toMatch(/wants to publish a post on (?:\w+, ){4}\w+ and 2 more \(workspace Test\)\./)
  expect(inEnglish).toContain('If approved, it’s published on 1 Dec 2027, 09:00 (Berlin).')
  expect(inEnglish).toContain('Decide by 30 Nov 2027, 09:00 (Berlin), or it won’t be published.')
  expect(inEnglish).toContain('> First\n> \n> Second')
  expect(inEnglish).not.toContain('differs')

  await db`update person set language = 'de' where id = ${person.personId}`
  await db`
    update destination set publish_at = '2027-12-02T08:00Z' where id = (
      select id from destination where post_id = ${postId} order by id desc limit 1)`
  await db`
    update part set text = 'Another' where (index, destination_id) = (0, (
      select id from destination where post_id = ${postId} order by id desc limit 1))`
  const inGerman = await askAnew()
  expect(inGerman).toContain('und 2 weitere')
  expect(inGerman).toContain(
    'Nach der Freigabe wird er am 01.12.2027, 09:00 (Berlin) veröffentlicht, auf anderen Kanälen später.',
  )
  expect(inGerman).toContain('Auf anderen Kanälen ist der Beitrag ein anderer.')
})

test('requests that were decided or are over before anybody was told are told of to nobody', async () => {
  const { workspaceId } = await aWorkspace(db)
  const owner = await aPerson(db)
  await join(db, workspaceId, owner, 'owner')
  for (const change of [db`status = 'superseded'`, db`expires_at = now()`]) {
    const { postId } = await aPost(db, workspaceId, {})
    const approvalId = await anApproval(db, workspaceId, postId)
    await db`update approval set ${change} where id = ${approvalId}`
  }
  expect(await post(owner.email)).toEqual([])
})

test('a request is mailed to nobody who may not decide by then, nor once it is decided', async () => {
  const { workspaceId } = await aWorkspace(db)
  const members = []
  for (const role of ['owner', 'approver', 'approver', 'admin', 'admin'] as const) {
    const person = await aPerson(db)
    members.push({ ...person, memberId: await join(db, workspaceId, person, role) })
  }
  const [owner, removed, demoted, moved, off] = members
  const emails = members.map(({ email }) => email)
  const ask = async () => {
    const { postId } = await aPost(db, workspaceId, { texts: ['Secret'] })
    const approvalId = await anApproval(db, workspaceId, postId)
    await write()
    return approvalId
  }
  await ask()
  await db`update member set removed_at = now() where id = ${removed!.memberId}`
  await db`update member set role = 'editor' where id = ${demoted!.memberId}`
  await db`update person set email = ${`new-${moved!.email}`} where id = ${moved!.personId}`
  await db`
    insert into notice_reader (workspace_id, member_id, choices, told_to)
    values (${workspaceId}, ${off!.memberId}, '{"approvals": false}', 0)`
  expect((await post(...emails)).map(({ to }) => to)).toEqual([owner!.email])
  const decided = await ask()
  await db`update approval set status = 'rejected', decided_at = now() where id = ${decided}`
  expect(await post(...emails)).toEqual([])
})

describe('a decision that is taken back', () => {
  const aRequest = async () => {
    const { workspaceId, memberId } = await aWorkspace(db)
    const approver = await aPerson(db)
    await join(db, workspaceId, approver, 'approver')
    const { postId } = await aPost(db, workspaceId, { states: ['draft'], texts: ['Secret'] })
    const approvalId = await anApproval(db, workspaceId, postId)
    const by = { workspaceId, approvalId, memberName: 'Ada' } as const
    const decision = { ...by, verdict: 'reject', memberId, note: null } as const
    return {
      workspaceId,
      approvalId,
      to: approver.email,
      decide: () => db.begin((tx) => decideApproval(tx, decision)),
      undo: () => db.begin((tx) => undoDecision(tx, { ...by, baseUrl: 'https://postrider.test' })),
    }
  }

  test('is mailed to who had no mail of the request, once', async () => {
    const { decide, undo, to } = await aRequest()
    const takeBack = async () => {
      await write()
      await decide()
      expect(await post(to)).toEqual([])
      await undo()
    }
    await takeBack()
    await takeBack()
    expect((await post(to)).map((one) => one.to)).toEqual([to])
    expect(await post(to)).toEqual([])
  })

  test('is not mailed to who had one, nor a second time to who waits for one', async () => {
    const told = await aRequest()
    expect(await post(told.to)).toHaveLength(1)
    await told.decide()
    await told.undo()
    expect(await post(told.to)).toEqual([])
    const waiting = await aRequest()
    await write()
    await waiting.decide()
    await waiting.undo()
    await write()
    expect(await post(waiting.to)).toHaveLength(1)
    expect(await post(waiting.to)).toEqual([])
  })

  test('while a mail of others is tried again, is sent with it', async () => {
    const { workspaceId, to, decide, undo } = await aRequest()
    const { postId } = await aPost(db, workspaceId, { states: ['draft'] })
    await anApproval(db, workspaceId, postId)
    server.refusals.push(451)
    expect(await post(to)).toEqual([])
    await decide()
    await db`update mail set due_at = now() where content_sealed is not null`
    await undo()
    const [arrived, ...more] = await post(to)
    expect([arrived?.subject, more]).toEqual(['2 posts need approval in Test', []])
    expect(await post(to)).toEqual([])
  })
})

describe('many requests', () => {
  const ask = async (workspaceId: string, count: number, credentialId: string | null = null) => {
    for (let n = 0; n < count; n++) {
      const { postId } = await aPost(db, workspaceId, { states: ['draft'], texts: [`Post ${n}`] })
      await db`update post set created_by_id = ${credentialId} where id = ${postId}`
      await anApproval(db, workspaceId, postId)
    }
  }
  const approversOf = async (workspaceId: string, count: number) => {
    const people = []
    for (let n = 0; n < count; n++) {
      const person = await aPerson(db)
      await join(db, workspaceId, person, 'approver')
      people.push(person.email)
    }
    return people
  }
  /** In how many minutes, of which a part counts as one, mail that waits is sent to each. */
  const minutes = async (...to: string[]) => {
    const rows = await db<{ minutes: number }[]>`
      select ceil(extract(epoch from due_at - now()) / 60)::int as minutes
      from   mail
      where  recipient = any(${to}) and content_sealed is not null`
    return rows.map((row) => row.minutes)
  }

  test('are one mail to each approver, and what follows within a quarter of an hour is one more', async () => {
    const { workspaceId } = await aWorkspace(db)
    const to = await approversOf(workspaceId, 3)
    await ask(workspaceId, 13)
    await write()
    expect(await minutes(...to)).toEqual([1, 1, 1])
    await ask(workspaceId, 1)
    const arrived = await post(...to)
    expect(arrived.map((mail) => mail.to).toSorted()).toEqual(to.toSorted())
    for (const { subject, text } of arrived) {
      expect(subject).toBe('14 posts need approval in Test')
      expect(text.match(/\/review\//g)).toHaveLength(10)
      expect(text).toContain('And 4 more.')
      expect(text).toContain(`/w/${workspaceId}/approvals`)
    }
    for (let n = 0; n < 2; n++) {
      await ask(workspaceId, 2)
      await write()
      expect(await minutes(...to)).toEqual([15, 15, 15])
    }
    expect((await post(...to)).map(({ subject }) => subject)).toEqual(
      Array(3).fill('4 posts need approval in Test'),
    )
    expect(await post(...to)).toEqual([])
  })

  test('of one credential are mailed every two hours after a dozen of mails a day, those of others as before', async () => {
    const { workspaceId } = await aWorkspace(db)
    const [to] = (await approversOf(workspaceId, 1)) as unknown as [string]
    const [noisy, quiet] = [randomUUID(), randomUUID()]
    for (let n = 0; n < 12; n++) {
      await ask(workspaceId, 1, noisy)
      expect(await post(to)).toHaveLength(1)
    }
    await ask(workspaceId, 1, noisy)
    await write()
    expect(await minutes(to)).toEqual([120])
    await ask(workspaceId, 1, quiet)
    await write()
    expect(await minutes(to)).toEqual([15])
    expect((await post(to)).map(({ subject }) => subject)).toEqual(['2 posts need approval in Test'])
  })
})

test('an invitation that is withdrawn or replaced before it is sent is not sent', async () => {
  const { workspaceId } = await aWorkspace(db)
  const owner = await aUser(db, site.app, 'Olga')
  await join(db, workspaceId, owner, 'owner')
  const at = `/workspaces/${workspaceId}/invitations`
  const invite = async (email: string) =>
    (await owner.ask(`POST ${at}`, { email, role: 'editor', deliverBy: 'mail' })).body as {
      invitationId: string
    }
  const { invitationId } = await invite('dora@example.com')
  expect((await owner.ask(`POST ${at}/${invitationId}/revoke`)).status).toBe(200)
  for (let n = 0; n < 2; n++) await invite('emil@example.com')
  const arrived = await post('dora@example.com', 'emil@example.com')
  expect(arrived.map(({ to }) => to)).toEqual(['emil@example.com'])
  expect((await browser().get(linkIn(arrived[0]!.text))).status).toBe(200)
})

test('a name ends no sentence of a mail and turns no direction', async () => {
  const { workspaceId } = await aWorkspace(db)
  const owner = await aUser(db, site.app, 'Olga')
  await join(db, workspaceId, owner, 'owner')
  const name = 'Ours\r\n\r\nYour account is locked: evil.example\u202e\u2028\u0007'
  // No operation takes such a name: it was there before that was refused.
  expect((await owner.ask(`POST /workspaces/${workspaceId}`, { name })).status).toBe(400)
  await db`update workspace set name = ${name} where id = ${workspaceId}`
  await owner.ask(`POST /workspaces/${workspaceId}/invitations`, {
    email: 'finn@example.com',
    role: 'editor',
    deliverBy: 'mail',
  })
  const [{ subject, text, html }] = (await post('finn@example.com')) as [(typeof server.arrivals)[0]]
  expect(subject).toBe('Invitation to a workspace on Postrider: Ours Your account is locked: evil.example')
  expect(text).toMatch(
    /^Olga invited you to the workspace Ours Your account is locked: evil\.example on Postrider\./,
  )
  for (const each of [subject, text, html]) expect(each).not.toMatch(/[\u202e\u2028\u0007]/)
})

test('an address is changed by the link that is sent there, and both addresses hear of it', async () => {
  const person = await aPerson(db)
  const one = await signedIn(person)
  await browser().post('/forgot-password', { email: person.email })
  const reset = linkIn((await post(person.email))[0]!.text)
  const next = `new-${person.email}`
  expect((await one.post('/account/email', { email: next })).text).toContain('A link is on its way')
  const arrived = await post(person.email, next)
  expect(arrived).toMatchObject([{ to: next, subject: 'Confirm your email address for Postrider' }])
  const path = linkIn(arrived[0]!.text)
  expect((await one.get(path)).text).toContain(next)
  expect((await one.get('/account')).text).not.toContain(next)

  expect((await one.post(path)).text).toContain(`Sign in with ${next}`)
  expect((await browser().post(path)).status).toBe(410)
  expect((await browser().get(reset)).status).toBe(410)
  const told = await post(person.email, next)
  expect(told.map(({ to }) => to).toSorted()).toEqual([next, person.email].toSorted())
  for (const { subject } of told) expect(subject).toBe('The email address of your account was changed')
  expect((await browser().post('/sign-in', { email: person.email, password: PASSWORD })).status).toBe(401)
  await signedIn({ email: next })
})

test('an address that somebody has is told to those who read its mail only, and a new password voids the link', async () => {
  const [person, other] = [await aPerson(db), await aPerson(db)]
  const one = await signedIn(person)
  const asked = await one.post('/account/email', { email: other.email })
  expect(asked.text).toContain('A link is on its way')
  const taken = await one.post(linkIn((await post(other.email))[0]!.text))
  expect(taken).toMatchObject({ status: 409 })
  expect((await one.get('/account')).text).toContain(person.email)

  await one.post('/account/email', { email: 'thief@example.com' })
  const path = linkIn((await post('thief@example.com'))[0]!.text)
  await one.post('/account/password', { password: 'a brand new password' })
  expect((await browser().post(path)).status).toBe(410)
  for (let n = 0; n < 4; n++) await one.post('/account/email', { email: 'x@example.com' })
  expect((await one.post('/account/email', { email: 'x@example.com' })).status).toBe(429)
  await db`update session set proved_at = now() - interval '1 hour' where person_id = ${person.personId}`
  expect((await one.post('/account/email', { email: 'x@example.com' })).location).toMatch(/^\/prove/)
})

test('people hear of every change of how they sign in, from where it was made', async () => {
  const person = await aPerson(db)
  const one = await signedIn(person)
  await one.post('/account/password', { password: 'a brand new password' })
  const [told] = await post(person.email)
  expect(told).toMatchObject({ subject: 'Your password was changed' })
  expect(told!.text).toContain('from the address 127.0.0.1')
  expect(told!.text).toContain('If this wasn’t you')
})
