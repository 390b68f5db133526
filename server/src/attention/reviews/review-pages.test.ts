import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { anApproval, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import {
  aBrowser,
  aPerson,
  join,
  openSite,
  type PageAnswer,
  PASSWORD,
} from '../../../test/rigs/people-world.ts'
import type { Role } from '@postrider/contract'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

async function aRequest() {
  const { workspaceId } = await aWorkspace(db)
  const post = await aPost(db, workspaceId, { states: ['draft'] })
  const approvalId = await anApproval(db, workspaceId, post.postId)
  return { workspaceId, approvalId, path: `/review/${approvalId}` }
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

test('whoever opens it signs in first, and comes to the request in the dashboard', async () => {
  const { workspaceId, path, approvalId } = await aRequest()
  const { browser, signIn } = await somebody(workspaceId)
  expect(await browser.get(path)).toMatchObject({
    status: 303,
    location: `/sign-in?next=${encodeURIComponent(path)}`,
  })
  expect((await signIn(path)).location).toBe(path)
  expect(await browser.get(path)).toMatchObject({
    status: 303,
    location: `/w/${workspaceId}/approvals?request=${approvalId}`,
  })
})

test('to a stranger it looks like one that nobody has', async () => {
  const { path } = await aRequest()
  const { browser, signIn } = await somebody(null)
  await signIn(path)
  const pages: PageAnswer[] = []
  for (const at of [path, '/review/0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', '/review/mine', '/review/%3Cb%3E'])
    pages.push(await browser.get(at))
  expect(pages.map(({ status, text }) => ({ status, text }))).toEqual(
    pages.map(() => ({ status: 404, text: pages[0]!.text })),
  )
})

test('the list leads to where one may decide', async () => {
  const [one, other] = [await aRequest(), await aRequest()]
  const { browser, signIn, personId } = await somebody(other.workspaceId, 'viewer')
  expect((await browser.get('/review')).location).toBe('/sign-in?next=%2Freview')
  expect((await signIn('/review')).location).toBe('/review')
  expect((await browser.get('/review')).location).toBe('/')
  await join(db, one.workspaceId, { personId }, 'approver')
  expect((await browser.get('/review')).location).toBe(`/w/${one.workspaceId}/approvals`)
})
