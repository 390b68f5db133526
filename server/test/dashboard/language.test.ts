import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, expectNoFaults, openDashboardWorld } from './dashboard-world.ts'
import { DESKTOP, settled } from './browser.ts'

/* In which language the dashboard speaks to a person. */

let world: DashboardWorld
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}))
})
afterAll(() => opened[Symbol.asyncDispose]())

test('the language that a person chooses is theirs in every browser, and takes the place of the browser’s', async () => {
  const storageState = await world.signedIn(await world.aMember('owner'))
  await using english = await world.browser.profile({ ...DESKTOP, storageState })
  const page = await world.open(english, 'settings')
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')

  await using other = await world.browser.profile({ ...DESKTOP, storageState })
  const elsewhere = await world.open(other, 'settings')
  await elsewhere.getByLabel('Sprache').selectOption('English')
  await elsewhere.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()

  await using german = await world.browser.profile({ ...DESKTOP, storageState, locale: 'de-DE' })
  const chosen = await world.open(german, 'settings')
  await chosen.getByLabel('Language').selectOption('Same as this browser')
  await chosen.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  await settled(chosen)
})

test('nothing went wrong in any tab', () => {
  expectNoFaults(world.browser, [])
})
