import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { openSession } from '../../src/people/sign-in/session/session-store.ts'
import { aChannel, type APost, aPost } from '../rigs/fixtures.ts'
import { aPerson, client, join } from '../rigs/people-world.ts'
import { openRunningApp, type RunningApp } from '../rigs/running-app.ts'
import { DESKTOP, openBrowser, settled, type TestBrowser } from './browser.ts'

/** The app on a database of its own, and a browser in which its owner is signed in. */
export type DashboardWorld = AsyncDisposable & {
  readonly app: RunningApp
  readonly browser: TestBrowser
  /** The address of the workspace's screens. */
  readonly workspaceUrl: string
  /** The profile of the owner, Ada, on a desk. */
  readonly desk: BrowserContext
  /** Signs her in there anew: a session may ask so much a minute. */
  readonly signInAnew: () => Promise<void>
  /** Somebody new who is a member with this role; their id. */
  readonly aMember: (role: 'owner' | 'approver') => Promise<string>
  /** What the browser of a person keeps who has just signed in. */
  readonly signedIn: (personId: string) => Promise<SignedIn>
  /** A tab, which is closed with its test: it would read anew whatever the next ones change. */
  readonly open: (context: BrowserContext, screen: string) => Promise<Page>
  /** A post on a channel of its own, which bears its text in its name. */
  readonly aScheduled: (text: string, publishAt: Date) => Promise<APost>
}

type Cookie = Awaited<ReturnType<BrowserContext['cookies']>>[number]
type SignedIn = { cookies: Cookie[]; origins: [] }

export async function openDashboardWorld(
  env: Record<string, string>,
  more: Parameters<typeof openRunningApp>[0] = {},
): Promise<DashboardWorld> {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await openRunningApp({ roles: 'api,webhooks', env, ...more }))
  const { db } = app
  const { workspaceId } = app.workspace
  const baseUrl = app.baseUrl.replace('127.0.0.1', 'localhost')
  const workspaceUrl = `${baseUrl}/w/${workspaceId}`
  const browser = opened.use(await openBrowser(baseUrl))

  async function aMember(role: 'owner' | 'approver'): Promise<string> {
    const person = await aPerson(db, { name: role === 'owner' ? 'Ada' : 'Grace' })
    await join(db, workspaceId, person, role)
    return person.personId
  }
  async function signedIn(personId: string): Promise<SignedIn> {
    const value = await openSession(db, personId, client)
    const cookie = { name: 'postrider', value, domain: 'localhost', path: '/', expires: -1 }
    return { cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' }], origins: [] }
  }

  const owner = await aMember('owner')
  const desk = await browser.profile({ ...DESKTOP, storageState: await signedIn(owner) })
  const running = opened.move()
  return {
    app,
    browser,
    workspaceUrl,
    desk,
    aMember,
    signedIn,
    signInAnew: async () => desk.addCookies((await signedIn(owner)).cookies),
    async open(context, screen) {
      const page = await context.newPage()
      onTestFinished(() => page.close())
      await page.goto(`${workspaceUrl}/${screen}`)
      await settled(page)
      return page
    },
    async aScheduled(text, publishAt) {
      const channelId = await aChannel(db, workspaceId, { displayName: `Channel of ${text}` })
      const options = { channelIds: [channelId], texts: [text], publishAt }
      return aPost(db, workspaceId, { ...options, states: ['scheduled'] })
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Ten in the morning, so many days after today, in UTC: the workspace's zone. */
export function inDays(days: number): Date {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  return new Date(`${day}T10:00:00Z`)
}

/** The same on a day of next week, 1 for Monday: a week and a month both show it together with its neighbours. */
export function nextWeek(day: number): Date {
  const today = new Date().getUTCDay() || 7
  return inDays(7 - today + day)
}

/** Fails on whatever went wrong in a tab, but for what the tests of a file provoked. */
export function expectNoFaults({ faults }: TestBrowser, provoked: readonly RegExp[]): void {
  expect(faults.filter((fault) => !provoked.some((one) => one.test(fault)))).toEqual([])
}
