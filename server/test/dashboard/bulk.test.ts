import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { setRole } from '../../src/people/members/member-store.ts'
import { aChannel, anApproval, type APost, aPost, openTransaction, untilBlocked } from '../rigs/fixtures.ts'
import type { RunningApp } from '../rigs/running-app.ts'
import { DESKTOP, seriousFindings, sees, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, inDays, openDashboardWorld } from './dashboard-world.ts'

/* What is done with several posts goes on without the page, and the page says how far it is; a move is one request. */

vi.setConfig({ testTimeout: 240_000 })

let world: DashboardWorld
let app: RunningApp
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}))
  app = world.app
})
afterAll(() => opened[Symbol.asyncDispose]())

const HOUR = 3_600_000

/** Posts on two channels of their own. */
async function manyPosts(
  count: number,
  displayName: string,
): Promise<{ channelId: string; posts: APost[]; at: Date }> {
  const { workspaceId } = app.workspace
  const channelIds = [await aChannel(app.db, workspaceId, { displayName })]
  channelIds.push(await aChannel(app.db, workspaceId, { displayName: `${displayName} two` }))
  const at = inDays(5)
  const posts: APost[] = []
  for (let n = 0; n < count; n++) {
    const options = { states: ['scheduled', 'scheduled'] as const, channelIds, publishAt: at }
    posts.push(await aPost(app.db, workspaceId, { ...options, texts: [`${displayName} ${n}`] }))
  }
  return { channelId: channelIds[0]!, posts, at }
}

/** By how many hours each channel of each post was moved. */
async function movedBy({ posts, at }: { posts: readonly APost[]; at: Date }): Promise<number[][]> {
  const ids = posts.map(({ postId }) => postId)
  const rows = await app.db<{ postId: string; publishAt: Date }[]>`
    select post_id as "postId", publish_at as "publishAt" from destination where post_id = any(${ids}::uuid[]) order by id`
  const by = Map.groupBy(rows, ({ postId }) => postId)
  return ids.map((id) =>
    by.get(id)!.map(({ publishAt }) => Math.round((publishAt.getTime() - at.getTime()) / HOUR)),
  )
}

/** Has a run stop at a post until `release`: whoever changes it waits. */
async function heldAt({ postId }: APost) {
  const held = await openTransaction(app.db)
  await held.tx`select from post where id = ${postId} for update`
  return { release: () => held.rollback() }
}

/** Selects all posts of a channel in the list, and moves them by a day. */
async function moveAll(page: Page, count: number): Promise<void> {
  const shown = page.getByRole('list', { name: 'Posts', exact: true }).getByRole('link')
  while ((await shown.count()) < count) {
    const before = await shown.count()
    await page.getByRole('button', { name: /older/i }).click()
    await expect.poll(() => shown.count()).toBeGreaterThan(before)
  }
  await page.getByRole('checkbox', { name: 'Select all shown' }).check()
  await page.getByRole('button', { name: 'Move by…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move posts' })
  await sees(dialog, `Moves: ${count} posts on ${2 * count} channels.`)
  await dialog.getByRole('button', { name: 'Move posts' }).click()
  await dialog.waitFor({ state: 'detached' })
}

const runs = (page: Page) => page.getByRole('list', { name: 'Changes to several posts' })

test('forty posts are moved through a reload in the middle, and back again', async () => {
  const scene = await manyPosts(40, 'Forty')
  const page = await world.open(world.desk, `posts?channelId=${scene.channelId}`)
  // Newest first: the list is begun from there.
  const middle = await heldAt(scene.posts[25]!)
  await moveAll(page, 40)
  await sees(runs(page), 'Moving posts: 14 of 40.')
  expect(await seriousFindings(page)).toEqual([])

  await page.reload()
  await settled(page)
  await sees(runs(page), 'Moving posts: 14 of 40.')
  await runs(page).getByRole('button', { name: 'Stop' }).waitFor()
  await middle.release()
  await sees(runs(page), 'Moved 40 posts.')
  expect(await movedBy(scene)).toEqual(scene.posts.map(() => [24, 24]))

  await page.goto('about:blank')
  await page.goto(`${world.workspaceUrl}/today`)
  await runs(page).getByRole('button', { name: 'Undo' }).click()
  await page.goto('about:blank')
  await expect.poll(() => movedBy(scene), { timeout: 60_000 }).toEqual(scene.posts.map(() => [0, 0]))
  await page.goto(`${world.workspaceUrl}/calendar`)
  await sees(runs(page), 'Moved back 40 posts.')
  await runs(page).getByRole('button', { name: 'Hide' }).click()
  await runs(page).waitFor({ state: 'detached' })
  expectNoFaults(world.browser, [])
})

test('it is stopped in the middle, says what was left and what was refused, and undoes the rest', async () => {
  const scene = await manyPosts(12, 'Stopped')
  const page = await world.open(world.desk, `posts?channelId=${scene.channelId}`)
  const middle = await heldAt(scene.posts[6]!)
  // Changed by somebody after it was selected.
  await page.route('**/bulk-runs', async (route) => {
    await app.db`update post set edit_token = 'another' where id = ${scene.posts[11]!.postId}`
    await route.continue()
  })
  await moveAll(page, 12)
  await sees(runs(page), 'Moving posts: 5 of 12.')
  await runs(page).getByText('1 post not changed').click()
  await sees(runs(page), /Stopped 11: The post has changed/)
  await runs(page).getByRole('button', { name: 'Stop' }).click()
  await middle.release()
  const line = runs(page).getByText(/Stopped: \d+ posts left as they were\./)
  await line.waitFor()
  const [, moved, left] = /Moved (\d+) posts?\. Stopped: (\d+)/.exec((await line.textContent())!)!
  expect(Number(moved) + Number(left)).toBe(11)
  expect((await movedBy(scene)).filter(([first]) => first === 24)).toHaveLength(Number(moved))
  await runs(page).getByRole('button', { name: 'Undo' }).click()
  await sees(runs(page), `Moved back ${moved} posts.`)
  expect(await movedBy(scene)).toEqual(scene.posts.map(() => [0, 0]))
  expectNoFaults(world.browser, [])
})

/** Drafts that wait for approval, to be published in some days. */
async function manyRequests(count: number, title: string): Promise<APost[]> {
  const { workspaceId } = app.workspace
  const channelIds = [await aChannel(app.db, workspaceId, { displayName: title })]
  const posts: APost[] = []
  for (let n = 0; n < count; n++) {
    const post = await aPost(app.db, workspaceId, { states: ['draft'], channelIds, texts: [`${title} ${n}`] })
    await app.db`update destination set publish_at = ${inDays(5)} where post_id = ${post.postId}`
    await anApproval(app.db, workspaceId, post.postId)
    posts.push(post)
  }
  return posts
}

async function reviewsOf(posts: readonly APost[]): Promise<string[]> {
  const rows = await app.db<{ status: string }[]>`
    select status from approval where post_id = any(${posts.map(({ postId }) => postId)}::uuid[]) order by seq`
  return rows.map(({ status }) => status)
}

/** Selects requests one after the other, and looks at each. */
async function lookAtEach(page: Page, title: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await page.getByRole('checkbox', { name: `Select “${title} ${n}”` }).check()
    await page.getByRole('button', { name: new RegExp(`^${title} ${n}`) }).click()
    await sees(page.getByRole('article', { name: /^Request from / }), `${title} ${n}`)
    await sees(page, `${n + 1} selected, ${n + 1} reviewed.`)
  }
}

test('several requests are approved by one write, through a reload and a stop in the middle, and wait again', async () => {
  const posts = await manyRequests(6, 'Decided')
  const page = await world.open(world.desk, 'approvals')
  await lookAtEach(page, 'Decided', 6)
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST')
      writes.push(new URL(request.url()).pathname.replace(/.*\/workspaces\/[^/]+/, ''))
  })
  const middle = await heldAt(posts[3]!)
  await page.getByRole('button', { name: 'Approve 6 selected' }).click()
  await sees(runs(page), 'Approving posts: 3 of 6.')
  expect(writes).toEqual(['/approvals/decide'])
  expect(await seriousFindings(page)).toEqual([])

  await page.reload()
  await settled(page)
  await sees(runs(page), 'Approving posts: 3 of 6.')
  await runs(page).getByRole('button', { name: 'Stop' }).click()
  // The stop waits for the request that is being decided, as this waits for its post.
  await untilBlocked(app.db, 2)
  await middle.release()
  const line = runs(page).getByText(/^Approved \d posts?\. Stopped: \d posts? left as they were\./)
  await line.waitFor()
  const [, approved] = /Approved (\d)/.exec((await line.textContent())!)!
  const expected = posts.map((_, n) => (n < Number(approved) ? 'approved' : 'pending'))
  expect(await reviewsOf(posts)).toEqual(expected)

  await runs(page).getByRole('button', { name: 'Undo' }).click()
  await page.goto('about:blank')
  await expect.poll(() => reviewsOf(posts)).toEqual(posts.map(() => 'pending'))
  await page.goto(`${world.workspaceUrl}/approvals`)
  await sees(runs(page), `Waiting for approval again: ${approved} posts.`)
  await sees(page, '6 waiting.')
  await app.db`update approval set status = 'superseded' where status = 'pending'`
  expectNoFaults(world.browser, [])
})

test('an approver who leaves the page has each of them rejected, with the reason, and is told of what had changed', async () => {
  const posts = await manyRequests(5, 'Verdict')
  const personId = await world.aMember('approver')
  await using own = await world.browser.profile({
    ...DESKTOP,
    storageState: await world.signedIn(personId),
  })
  const page = await world.open(own, 'approvals')
  await lookAtEach(page, 'Verdict', 5)
  // Changed by somebody after it was looked at.
  await page.route('**/approvals/decide', async (route) => {
    await app.db`
      update part set text = 'Changed' where destination_id in (select id from destination where post_id = ${posts[1]!.postId})`
    await route.continue()
  })
  await page.getByRole('button', { name: 'Reject…' }).first().click()
  await page.getByLabel('Reason (the authors see it)').fill('Not now')
  const middle = await heldAt(posts[2]!)
  await page.getByRole('button', { name: 'Reject 5 selected' }).click()
  await sees(runs(page), 'Rejecting posts: 2 of 5.')
  await page.goto('about:blank')
  await middle.release()
  await expect
    .poll(() => reviewsOf(posts))
    .toEqual(['rejected', 'pending', 'rejected', 'rejected', 'rejected'])
  await page.goto(`${world.workspaceUrl}/today`)
  await sees(runs(page), 'Rejected 4 posts.')
  await runs(page).getByText('1 post not changed').click()
  await sees(runs(page), /This post changed after you opened it/)
  await runs(page).getByRole('button', { name: 'Undo' }).waitFor()
  const notes = await app.db<{ note: string }[]>`
    select distinct note from approval where status = 'rejected' and post_id = any(${posts.map(({ postId }) => postId)}::uuid[])`
  expect(notes).toEqual([{ note: 'Not now' }])
  await app.db`update approval set status = 'superseded' where status = 'pending'`
  expectNoFaults(world.browser, [])
})

test('it ends with the right of its member, in German, too', async () => {
  const { workspaceId } = app.workspace
  const scene = await manyPosts(4, 'Rechte')
  const personId = await world.aMember('owner')
  const storageState = await world.signedIn(personId)
  const [{ memberId }] = await app.db<[{ memberId: string }]>`
    select id as "memberId" from member where workspace_id = ${workspaceId} and person_id = ${personId}`
  await using german = await world.browser.profile({ ...DESKTOP, storageState, locale: 'de-DE' })
  const page = await world.open(german, `posts?channelId=${scene.channelId}`)
  await page.getByRole('checkbox', { name: 'Alle angezeigten auswählen' }).check()
  await page.getByRole('button', { name: 'Verschieben…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Beiträge verschieben' })
  await sees(dialog, /4 Beiträge auf 8 Kanälen/)
  const middle = await heldAt(scene.posts[2]!)
  await dialog.getByRole('button', { name: 'Beiträge verschieben' }).click()
  const line = page.getByRole('list', { name: 'Änderungen an mehreren Beiträgen' })
  await sees(line, 'Beiträge werden verschoben: 1 von 4.')
  // The change of the role waits for the post that is being changed, and comes before the next one.
  const changed = app.db.begin((tx) => setRole(tx, workspaceId, memberId, 'viewer'))
  await middle.release()
  await changed
  await sees(line, /Wer es begonnen hat, darf keine Beiträge mehr ändern\./)
  const moved = (await movedBy(scene)).filter(([first]) => first === 24).length
  expect(moved).toBeLessThan(4)
  // What the page asked for before it knew of the role.
  expectNoFaults(world.browser, [/403 \(Forbidden\)/])
})

test('a card of three channels is moved, and moved back, by one request each', async () => {
  const { workspaceId } = app.workspace
  const names = ['Ein', 'Zwei', 'Drei']
  const channelIds = await Promise.all(
    names.map((displayName) => aChannel(app.db, workspaceId, { displayName })),
  )
  const at = inDays(40)
  const states = names.map(() => 'scheduled' as const)
  const post = await aPost(app.db, workspaceId, {
    states,
    channelIds,
    texts: ['Of three channels'],
    publishAt: at,
  })
  const page = await world.open(world.desk, `calendar?view=week&day=${at.toISOString().slice(0, 10)}`)
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') writes.push(new URL(request.url()).pathname.replace(/.*\//, ''))
  })
  const card = page.getByRole('link', { name: /Of three channels/ })
  await card.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await sees(page, /^Moved to .*, on 3 channels\./)
  expect(await movedBy({ posts: [post], at })).toEqual([[24, 24, 24]])
  await page.getByRole('button', { name: 'Undo' }).click()
  await sees(page, /^Moved back to .*, on 3 channels\./)
  expect(await movedBy({ posts: [post], at })).toEqual([[0, 0, 0]])
  expect(writes).toEqual(['move', 'move'])
})
