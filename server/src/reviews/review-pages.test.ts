import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../test/rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace } from '../../test/rigs/fixtures.ts'
import { aBrowser, aPerson, join, openSite, type PageAnswer, PASSWORD } from '../../test/rigs/people-world.ts'
import type { Role } from '@postrider/contract'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

async function aRequest(texts = ['First', 'Second']) {
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [
    await aChannel(db, workspaceId, { displayName: 'News <b>' }),
    await aChannel(db, workspaceId),
  ]
  const post = await aPost(db, workspaceId, { states: ['draft', 'draft'], channelIds, texts })
  const approvalId = await anApproval(db, workspaceId, post.postId)
  const statuses = async () =>
    (
      await db<
        { status: string }[]
      >`select status from destination where post_id = ${post.postId} order by id`
    ).map(({ status }) => status)
  return { workspaceId, ...post, approvalId, path: `/review/${approvalId}`, statuses }
}

async function somebody(workspaceId: string | null, role: Role = 'approver') {
  const person = await aPerson(db)
  if (workspaceId !== null) await join(db, workspaceId, person, role)
  const browser = aBrowser(site.app)
  return {
    ...person,
    browser,
    signIn: (next: string) => browser.post('/sign-in', { email: person.email, password: PASSWORD, next }),
  }
}

const digestIn = (text: string) => /name="digest" value="([0-9a-f]{64})"/.exec(text)![1]!

test('whoever opens it signs in first, sees exactly what goes where, and approves with one click', async () => {
  const { workspaceId, path, statuses, postId, approvalId } = await aRequest(['First <script>', 'Second'])
  const { browser, signIn, personId } = await somebody(workspaceId)
  expect(await browser.get(path)).toMatchObject({
    status: 303,
    location: `/sign-in?next=${encodeURIComponent(path)}`,
  })
  expect((await signIn(path)).location).toBe(path)
  const page = await browser.get(path)
  expect(page.text).toContain('<h2>@a-channel, “News &lt;b&gt;” (sandbox-short)</h2>')
  expect(page.text).toContain(
    '<pre class="part">\nFirst &lt;script&gt;</pre><pre class="part">\nSecond</pre>',
  )
  expect(page.text).toContain('Approve: publish it')

  const done = await browser.post(path, { verdict: 'approve', digest: digestIn(page.text) })
  expect(done).toMatchObject({ status: 303, location: path })
  expect(await statuses()).toEqual(['scheduled', 'scheduled'])
  const after = (await browser.get(path)).text
  expect(after).toContain('Eve approved it at')
  expect(after).not.toContain('<button name="verdict"')
  const again = await browser.post(path, { verdict: 'reject', digest: digestIn(page.text) })
  expect(again).toMatchObject({
    status: 409,
    text: expect.stringContaining('This request is closed') as unknown,
  })
  const acts =
    await db`select action, subject, after, actor_id from audit_entry where workspace_id = ${workspaceId}`
  expect(acts.map((act) => ({ ...act }))).toEqual([
    {
      ...{ action: 'decideApproval', subject: { approvalId, postId }, actor_id: personId },
      after: { verdict: 'approve', note: null },
    },
  ])
})

test('a rejection tells why, and the post stays a draft', async () => {
  const { workspaceId, path, statuses } = await aRequest()
  const { browser, signIn } = await somebody(workspaceId, 'owner')
  await signIn(path)
  const digest = digestIn((await browser.get(path)).text)
  await browser.post(path, { verdict: 'reject', digest, note: ' Too loud ' })
  expect((await browser.get(path)).text).toContain('Eve rejected it')
  expect((await browser.get(path)).text).toContain(': Too loud')
  expect(await statuses()).toEqual(['draft', 'draft'])
})

test('what changed since it was seen is not approved', async () => {
  const { workspaceId, path, postId, statuses } = await aRequest()
  const { browser, signIn } = await somebody(workspaceId)
  await signIn(path)
  const digest = digestIn((await browser.get(path)).text)
  await db`update part set text = 'Swapped' where destination_id in (select id from destination where post_id = ${postId})`
  const answer = await browser.post(path, { verdict: 'approve', digest })
  expect(answer).toMatchObject({
    status: 409,
    text: expect.stringContaining('no longer what you saw') as unknown,
  })
  expect(answer.text).toContain('cannot be approved by this request')
  // Neither by the digest of what is there now: nobody asked for that.
  expect((await browser.post(path, { verdict: 'approve', digest: digestIn(answer.text) })).status).toBe(409)
  expect(await statuses()).toEqual(['draft', 'draft'])
})

test('of two who decide at once, one does', async () => {
  const { workspaceId, path, statuses } = await aRequest()
  const both = [await somebody(workspaceId), await somebody(workspaceId, 'admin')]
  for (const { signIn } of both) await signIn(path)
  const digest = digestIn((await both[0]!.browser.get(path)).text)
  const answers = await Promise.all(
    both.map(({ browser }, n) => browser.post(path, { verdict: n === 0 ? 'approve' : 'reject', digest })),
  )
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['303', '409'])
  expect(new Set(await statuses()).size).toBe(1)
})

test('whoever may only look sees it, and decides nothing; neither does one who was removed meanwhile', async () => {
  const { workspaceId, path, statuses } = await aRequest()
  for (const role of ['editor', 'viewer'] as const) {
    const { browser, signIn } = await somebody(workspaceId, role)
    await signIn(path)
    const { text } = await browser.get(path)
    expect(text).toContain('First')
    expect(text).not.toContain('<button name="verdict"')
    expect((await browser.post(path, { verdict: 'approve', digest: '' })).status).toBe(403)
  }
  const gone = await somebody(workspaceId)
  await gone.signIn(path)
  const digest = digestIn((await gone.browser.get(path)).text)
  await db`update member set removed_at = now() where person_id = ${gone.personId}`
  expect((await gone.browser.post(path, { verdict: 'approve', digest })).status).toBe(404)
  expect(await statuses()).toEqual(['draft', 'draft'])
})

test('to a stranger it looks like one that nobody has', async () => {
  const { path } = await aRequest()
  const { browser, signIn } = await somebody(null)
  await signIn(path)
  const pages: PageAnswer[] = []
  for (const at of [
    path,
    '/review/0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
    '/review/mine',
    '/review/%3Cb%3E',
  ]) {
    pages.push(await browser.get(at))
    expect((await browser.post(at, { verdict: 'approve', digest: '' })).status).toBe(404)
  }
  expect(pages.map(({ status, text }) => ({ status, text }))).toEqual(
    pages.map(() => ({ status: 404, text: pages[0]!.text })),
  )
})

test('a list leads to all that waits where one may decide', async () => {
  const [one, other] = [await aRequest(), await aRequest()]
  const { browser, signIn, personId } = await somebody(one.workspaceId)
  await join(db, other.workspaceId, { personId }, 'viewer')
  expect((await browser.get('/review')).location).toBe('/sign-in?next=%2Freview')
  expect((await signIn('/review')).location).toBe('/review')
  const { text } = await browser.get('/review')
  expect(text).toContain(`href="${one.path}"`)
  expect(text).not.toContain(other.path)
})
