import type { Role } from '@postrider/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aPerson, join } from '../rigs/people-world.ts'
import { DESKTOP, sees, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, openDashboardWorld } from './dashboard-world.ts'

/* What people do about themselves in a workspace, in a real browser: their name, who owns it, leaving, and another one. */

let world: DashboardWorld
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}))
})
afterAll(() => opened[Symbol.asyncDispose]())

const workspaceIdIn = (page: Page) => new URL(page.url()).pathname.split('/')[2]!

async function rolesIn(workspaceId: string): Promise<Record<string, string>> {
  const rows = await world.app.db<{ name: string; role: string }[]>`
    select p.name, m.role from member m join person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null`
  return Object.fromEntries(rows.map(({ name, role }) => [name, role]))
}

/** A browser of somebody new who is a member of one workspace. */
async function aBrowserOf(name: string, role: Role) {
  const person = await aPerson(world.app.db, { name })
  await join(world.app.db, world.app.workspace.workspaceId, person, role)
  return world.browser.profile({ ...DESKTOP, storageState: await world.signedIn(person.personId) })
}

test('a person changes their name by the keyboard, and sees it everywhere', async () => {
  await using profile = await aBrowserOf('Grace', 'approver')
  const page = await world.open(profile, 'settings')
  await page.getByLabel('Your name').press('Control+a')
  await page.keyboard.type('  Grace Hopper ')
  await page.keyboard.press('Enter')
  await sees(page, 'Your name is now Grace Hopper.')
  await page.getByRole('button', { name: 'Account of Grace Hopper' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Save name' }).isDisabled()).toBe(true)
  expect(await rolesIn(world.app.workspace.workspaceId)).toMatchObject({ 'Grace Hopper': 'approver' })
  // Who owns no workspace creates none, and hands none over.
  expect(await page.getByRole('button', { name: 'Create workspace' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Transfer ownership' }).count()).toBe(0)
})

test('a time zone that the browser calls otherwise stays as it was written, and is no second choice', async () => {
  const { db, workspace } = world.app
  const { workspaceId } = workspace
  const [before] = await db<{ name: string; zone: string }[]>`
    select name, time_zone as zone from workspace where id = ${workspaceId}`
  await db`update workspace set time_zone = 'Asia/Kolkata' where id = ${workspaceId}`
  await using profile = await aBrowserOf('Indira', 'owner')
  const page = await world.open(profile, 'settings')
  const zone = page.getByRole('form', { name: 'Workspace' }).getByLabel('Time zone')
  expect(await zone.inputValue()).toBe('Asia/Kolkata')
  expect(
    await zone.locator('option[value^="Asia/Ko"], option[value="Asia/Calcutta"]').allTextContents(),
  ).toEqual(['Kolkata (Asia/Kolkata)'])
  await page.getByLabel('Name', { exact: true }).fill('Kept')
  await page.getByRole('form', { name: 'Workspace' }).locator('[type=submit]').click()
  await expect
    .poll(() => db`select name, time_zone as zone from workspace where id = ${workspaceId}`)
    .toEqual([{ name: 'Kept', zone: 'Asia/Kolkata' }])
  await world.open(profile, 'calendar')
  await db`update workspace set name = ${before!.name}, time_zone = ${before!.zone} where id = ${workspaceId}`
})

test('an owner creates a workspace, hands it over and leaves it, by the keyboard', async () => {
  const { db } = world.app
  await using profile = await aBrowserOf('Olga', 'owner')
  const page = await world.open(profile, 'settings')
  const press = async (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')

  await press('Create workspace')
  const dialog = page.getByRole('dialog', { name: 'Create workspace' })
  await dialog.getByLabel('Name').press('A')
  await page.keyboard.type('nother')
  await dialog.getByLabel('Time zone').selectOption('Europe/Vienna')
  await db`update session set proved_at = now() - interval '1 hour'`
  await press('Create')
  const proof = page.waitForEvent('popup')
  await dialog.getByRole('link', { name: 'Confirm it’s you (new tab)' }).click()
  await (await proof).getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
  await db`update session set proved_at = now()`
  await (await proof).reload()
  await (await proof).getByRole('heading', { name: 'Identity confirmed' }).waitFor()
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Another')
  await press('Create')
  await page.getByRole('link', { name: 'Another', exact: true }).waitFor()
  await settled(page)
  const made = workspaceIdIn(page)
  expect(made).not.toBe(world.app.workspace.workspaceId)
  expect(await rolesIn(made)).toEqual({ Olga: 'owner' })

  // Nobody is there who could own it.
  await page.goto(page.url().replace('/today', '/settings'))
  await sees(page, 'You’re the only member. Invite the next owner first.')
  await sees(page, 'You’re the only owner. Transfer ownership before you leave.')
  await expect.poll(() => page.getByRole('button', { name: 'Leave workspace' }).isDisabled()).toBe(true)

  await join(db, made, await aPerson(db, { name: 'Hedy' }), 'editor')
  await page.reload()
  await page.getByLabel('New owner').focus()
  await page.keyboard.press('ArrowDown')
  await press('Transfer ownership')
  const confirm = page.getByRole('dialog', { name: 'Make Hedy an owner?' })
  await sees(confirm, /You become an admin/)
  await confirm.getByRole('button', { name: 'Transfer ownership' }).press('Enter')
  await sees(page, 'Hedy is now an owner of Another. You are an admin.')
  await sees(page, 'Olga, Admin in Another')
  expect(await page.getByRole('button', { name: 'Transfer ownership' }).count()).toBe(0)
  expect(await rolesIn(made)).toEqual({ Olga: 'admin', Hedy: 'owner' })

  await press('Leave workspace')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await rolesIn(made)).toHaveProperty('Olga')
  await press('Leave workspace')
  const leaving = page.getByRole('dialog', { name: 'Leave Another?' })
  expect(await leaving.getByText('your only workspace').count()).toBe(0)
  await leaving.getByRole('button', { name: 'Leave workspace' }).press('Enter')
  await page.waitForURL(`${world.workspaceUrl}/today`)
  await settled(page)
  expect(await rolesIn(made)).toEqual({ Hedy: 'owner' })
})

test('who leaves their last workspace keeps the account, and is told how to come back', async () => {
  await using profile = await aBrowserOf('Mary', 'approver')
  const page = await world.open(profile, 'settings')
  await page.getByRole('button', { name: 'Leave workspace' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave Test?' })
  await sees(dialog, /This is your only workspace\. You keep your account\./)
  await dialog.getByRole('button', { name: 'Leave workspace' }).click()
  await page.getByRole('heading', { level: 1, name: 'You’re not in a workspace yet' }).waitFor()
  expect(await rolesIn(world.app.workspace.workspaceId)).not.toHaveProperty('Mary')
  await page.getByRole('link', { name: 'Your account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Mary' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})

test('what a role may not do is not in its menu, and an address that is none leads on', async () => {
  await using profile = await aBrowserOf('Vera', 'viewer')
  const page = await world.open(profile, 'nonsense')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Members' }).waitFor()
  for (const name of ['New post', 'Agent keys', 'Connected apps', 'Webhooks', 'Audit log'])
    expect(await menu.getByRole('link', { name, exact: true }).count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('go to')
  await expect.poll(() => page.getByRole('option', { name: 'Go to posts' }).count()).toBe(1)
  expect(await page.getByRole('option', { name: 'Go to webhooks' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Go to Today' }).click()
  await page.getByRole('heading', { level: 1, name: /^Today, / }).waitFor()
})

test('who was removed from a workspace is told so, and can sign out', async () => {
  await using profile = await aBrowserOf('Otto', 'editor')
  const page = await world.open(profile, 'channels')
  await world.app.db`
    update member m set removed_at = now() from person p where p.id = m.person_id and p.name = 'Otto'`
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'You’re not in this workspace' }).waitFor()
  await page.getByRole('link', { name: 'Your account' }).waitFor()
  expect(await rolesIn(world.app.workspace.workspaceId)).not.toHaveProperty('Otto')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})

test('nothing threw or failed but what was meant to', () => {
  expectNoFaults(world.browser, [
    // The proof of identity that was too old.
    /status of 403 .*\/app\/api\/workspaces$/,
    // What the page asked for just before it learned that its member has left or was removed.
    /status of 404 .*\/app\/api\/workspaces\/[^/]+\/\w+$/,
  ])
})
