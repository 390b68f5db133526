import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { agentResource } from '../src/edge/api/documents/resources.ts'
import { makeLink } from '../src/accounts/connect/connect-flow.ts'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { insertMember } from '../src/people/members/member-store.ts'
import { DESKTOP, openBrowser, PHONE, sees, seriousFindings } from './dashboard/browser.ts'
import { makeCertificate } from './rigs/certificate.ts'
import { beginDevice, poll } from './rigs/oauth-device.ts'
import { begin, exchange, me } from './rigs/oauth-flow.ts'
import { aPerson, client, PASSWORD } from './rigs/people-world.ts'
import { OPERATOR } from './rigs/publishing-rig.ts'
import { openRunningApp } from './rigs/running-app.ts'

/* The pages and their script in Chromium, with the virtual authenticator of its DevTools protocol. */

const app = await openRunningApp({
  roles: 'api',
  env: { X_CLIENT_ID: 'an-app', X_CLIENT_SECRET: 'its-secret' },
})
const url = app.baseUrl
/** The page that each other site shows, by its name. */
const pages = new Map<string, string>()
const others = createServer(makeCertificate(['localhost']), ({ headers }, response) => {
  response.setHeader('content-type', 'text/html').end(pages.get(headers.host ?? ''))
}).listen(0, '127.0.0.1')
await once(others, 'listening')
const browser = await openBrowser(url, { othersPort: (others.address() as AddressInfo).port })
const TO_OTHERS = { ...DESKTOP, ignoreHTTPSErrors: true }
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  others.close()
  await app[Symbol.asyncDispose]()
})

test('a passkey is added, signs in without a password, proves once more who it is, and is refused when removed', async () => {
  const person = await aPerson(app.db)
  const profile = await browser.profile()
  const value = await openSession(app.db, person.personId, client)
  await profile.addCookies([{ name: 'postrider', value, url }])
  const page = await profile.newPage()
  const devtools = await profile.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })

  await page.goto(`${url}/account/passkeys`)
  await page.getByLabel('Name, for example').fill('Laptop')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('heading', { name: 'Laptop' }).waitFor()

  // The device has a passkey of this account: it is not asked for a second one.
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await sees(page, 'This device already has a passkey for your account.')

  await profile.clearCookies()
  await page.goto(`${url}/sign-in?next=%2Faccount`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { name: person.name }).waitFor()
  expect(page.url()).toBe(`${url}/account`)

  await app.db`update session set proved_at = now() - interval '1 hour'`
  await page.goto(`${url}/prove?next=%2Faccount%2Fpasskeys`)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Laptop' }).waitFor()

  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('heading', { name: 'Laptop' }).waitFor({ state: 'detached' })
  await profile.clearCookies()
  await page.goto(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await sees(page, /The passkey was not accepted/)

  // Refusals of the API are errors to the console; nothing else went wrong, no policy was broken, and nobody else asked.
  expect(browser.faults.filter((fault) => !/Failed to load resource/.test(fault))).toEqual([])
  await profile.close()
})

test('the page of a link sends a person to the network, and a page of another site sends nobody', async () => {
  const profile = await browser.profile(TO_OTHERS)
  const target = { workspaceId: app.workspace.workspaceId, channelId: null, actor: OPERATOR }
  const { url: link } = await makeLink(app, target, 'x', app.baseUrl)
  const token = new URL(link).searchParams.get('link') ?? ''
  pages.set('x.com', '<h1>Sign in to X</h1>')
  pages.set(
    'evil.example',
    `<form method="post" action="${app.baseUrl}/connect/x"><input name="link" value="${token}"></form>
<script>document.forms[0].submit()</script>`,
  )

  const page = await profile.newPage()
  await page.goto('https://evil.example/')
  await page.getByRole('heading', { name: 'Request blocked' }).waitFor()
  expect(await profile.cookies(`${app.baseUrl}/connect/x`)).toEqual([])

  await page.goto(link)
  await page.getByRole('button', { name: 'Continue to X' }).click()
  await page.getByRole('heading', { name: 'Sign in to X' }).waitFor()
  expect(await profile.cookies(`${app.baseUrl}/connect/x`)).toHaveLength(1)

  // X sends people back to the number of this machine, and the way back is known under its name.
  const way = new URL(page.url()).searchParams
  const back = new URL(way.get('redirect_uri') ?? '')
  expect(back.origin).toBe(url.replace('localhost', '127.0.0.1'))
  back.search = new URLSearchParams({ error: 'access_denied', state: way.get('state') ?? '' }).toString()
  await page.goto(back.href)
  expect(new URL(page.url()).origin).toBe(url)
  await page.getByRole('heading', { name: 'X was not connected' }).waitFor()
  expect(await page.getByText('another browser').count()).toBe(0)
  await profile.close()
})

test.each(['localhost', '127.0.0.1'])(
  'an app is let in by a person whose browser it sends to %s',
  async (name) => {
    const callback = 'https://agent.example/callback'
    const flow = await begin(
      { resource: agentResource(url) },
      { redirect_uri: callback },
      await anApp(callback),
    )
    const profile = await browser.profile(TO_OTHERS)
    const value = await openSession(app.db, app.workspace.caller.member.personId, client)
    await profile.addCookies([{ name: 'postrider', value, url }])
    pages.set('agent.example', '<h1>Back at the app</h1>')

    const page = await profile.newPage()
    await page.goto(flow.url.href.replace('//localhost', `//${name}`))
    await sees(page, 'agent.example')
    expect(new URL(page.url()).origin).toBe(url)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'Back at the app' }).waitFor()
    const tokens = await exchange(flow, new URL(page.url()))
    expect((await me(app, tokens.access_token)).status).toBe(200)
    await profile.close()
  },
)

test('a device is let in by a person who signs in on a phone, enters its code and looks at what it asks for', async () => {
  const device = await beginDevice({ resource: agentResource(url) })
  const person = await aPerson(app.db)
  const { workspaceId } = app.workspace
  await app.db.begin((tx) => insertMember(tx, { workspaceId, personId: person.personId, role: 'editor' }))
  const profile = await browser.profile({ ...PHONE, colorScheme: 'dark' })
  const page = await profile.newPage()
  const isSound = async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
  }

  await page.goto(device.answer.verification_uri)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
  await isSound()
  await page.getByLabel('Code').fill('bcdf ghjk')
  await page.getByRole('button', { name: 'Continue' }).click()
  await sees(page, /No device waits under this code/)
  await page.getByLabel('Code').fill(device.answer.user_code.toLowerCase())
  await page.getByRole('button', { name: 'Continue' }).click()
  await sees(page, 'Allow An agent access?')
  await sees(page, device.answer.user_code)
  await sees(page, /If another person sent it to you, close this page/)
  await isSound()
  await page.getByLabel('Read connected channels').uncheck()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Access allowed' }).waitFor()
  await isSound()
  const { body } = await poll(device)
  expect(await (await me(app, body.access_token)).json()).toMatchObject({
    credential: { name: 'An agent', permissions: ['posts:read'] },
    user: { email: person.email },
  })
  // Sending the form once more, as by a reload, lets nobody else in.
  await page.reload()
  await sees(page, /No device waits under this code/)
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await profile.close()
})

/** An app that is registered with this callback. */
async function anApp(callback: string) {
  const answer = await fetch(`${url}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'An app',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
    }),
  })
  return (await answer.json()) as { client_id: string }
}

test('no page is wider than the screen of a phone', async () => {
  const person = await aPerson(app.db, { name: 'A'.repeat(100), email: `${'a'.repeat(60)}@example.com` })
  const profile = await browser.profile(PHONE)
  const page = await profile.newPage()
  const wide: string[] = []
  async function visit(path: string): Promise<void> {
    await page.goto(url + path)
    if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))) wide.push(path)
  }
  for (const path of ['/sign-in', '/forgot-password', '/problems', '/problems/validation_failed'])
    await visit(path)
  const value = await openSession(app.db, person.personId, client)
  await profile.addCookies([{ name: 'postrider', value, url }])
  for (const path of [
    '/account',
    '/account/passkeys',
    '/account/email',
    '/account/password',
    '/account/authenticator',
    '/device',
    '/review/unknown',
    '/unknown',
  ])
    await visit(path)
  expect(wide).toEqual([])
})
