import { expect, test } from 'vitest'
import { killAtEachRoundTrip } from '../../../test/rigs/round-trip-kills.ts'
import {
  begin,
  consent,
  consentForm,
  exchange,
  type Flow,
  me,
  REDIRECT,
  refresh,
} from '../../../test/rigs/oauth-flow.ts'
import { beginDevice, DEVICE_GRANT, poll } from '../../../test/rigs/oauth-device.ts'
import { Browser, type OAuthWorld, openOAuthWorld } from '../../../test/rigs/oauth-world.ts'
import { aPerson } from '../../../test/rigs/people-world.ts'
import type { Asked } from '../../../test/rigs/oauth-process.ts'
import { insertMember } from '../members/member-store.ts'
import { openSession } from '../sign-in/session/session-store.ts'

/*
 * A server is killed at each of its round trips to the database while a person lets a client or a device in, the client exchanges
 * its code, and refreshes. Whatever the moment: trying again leads in, and no code or token counts twice.
 */

const TIMEOUT_MS = 120_000
const PROGRAM = 'oauth-process.ts'

/** The browser of another member of the workspace. */
async function aMember({ world: { db }, workspace: { workspaceId }, baseUrl }: OAuthWorld): Promise<Browser> {
  const { personId } = await aPerson(db)
  await db.begin((tx) => insertMember(tx, { workspaceId, personId, role: 'editor' }))
  const session = await openSession(db, personId, { address: '127.0.0.1', userAgent: null })
  return new Browser(baseUrl, [['postrider', session]])
}

/** So many cases, made one after the other. */
async function several<Case>(count: number, make: () => Promise<Case>): Promise<Case[]> {
  const cases: Case[] = []
  for (let n = 0; n < count; n++) cases.push(await make())
  return cases
}

/** The client asks again for access and gets it. */
async function connectsAgain(world: OAuthWorld, { client }: Flow): Promise<void> {
  const flow = await begin(world, {}, client)
  const { access_token } = await exchange(flow, await consent(world, flow))
  expect((await me(world, access_token)).status).toBe(200)
}

test(
  'killed while a person lets a client in: the same form leads in, or the client begins again',
  { timeout: TIMEOUT_MS },
  async () => {
    await using world = await openOAuthWorld()
    const { db } = world.world
    const form = consentForm(world)
    const cases = await several(22, async () => {
      const flow = await begin(world)
      const owner = world.browser()
      const { url: page } = await owner.follow(await owner.get(flow.url))
      const sent = [...owner.hidden, ...form]
      const given: Asked = { baseUrl: world.baseUrl, cookie: owner.cookie, path: page.pathname, form: sent }
      return { flow, owner, page, given }
    })
    const roundTrips = await killAtEachRoundTrip(world.world, PROGRAM, 'consent', cases)

    const ledIn: boolean[] = []
    for (const { flow, owner, page } of cases) {
      const { url: callback, answer } = await owner.follow(await owner.submit(page, form))
      ledIn.push(callback.href.startsWith(REDIRECT))
      if (callback.href.startsWith(REDIRECT)) {
        const { access_token } = await exchange(flow, callback)
        expect((await me(world, access_token)).status).toBe(200)
        // One form, however often it was sent, is one connected app.
        expect(await db`select from oauth_grant where client_id = ${flow.client.client_id}`).toHaveLength(1)
      } else {
        expect(answer.status).toBe(404)
        await connectsAgain(world, flow)
      }
    }
    expectOnceThenNever(ledIn, roundTrips)
  },
)

/** What was tried again worked until a moment of the killed process, and from then on never. */
function expectOnceThenNever(worked: readonly boolean[], roundTrips: number): void {
  const times = worked.filter(Boolean).length
  expect(worked).toEqual(worked.map((_, n) => n < times))
  expect([worked[0], worked[roundTrips - 1]]).toEqual([true, false])
}

test(
  'killed while a code is exchanged: it gives tokens once or never, and the client begins again',
  { timeout: TIMEOUT_MS },
  async () => {
    await using world = await openOAuthWorld()
    const cases = await several(9, async () => {
      const flow = await begin(world)
      const callback = await consent(world, flow)
      const token = {
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code')!,
        redirect_uri: REDIRECT,
        client_id: flow.client.client_id,
        code_verifier: flow.verifier,
      }
      return { flow, callback, given: { baseUrl: world.baseUrl, token } satisfies Asked }
    })
    const roundTrips = await killAtEachRoundTrip(world.world, PROGRAM, 'token', cases)

    const gaveTokens: boolean[] = []
    for (const { flow, callback } of cases) {
      const tokens = await exchange(flow, callback).catch(() => null)
      gaveTokens.push(tokens !== null)
      if (tokens !== null) expect((await me(world, tokens.access_token)).status).toBe(200)
      await expect(exchange(flow, callback)).rejects.toThrow('server responded with an error')
      await connectsAgain(world, flow)
    }
    expectOnceThenNever(gaveTokens, roundTrips)
  },
)

test(
  'killed while it refreshes, a client that tries again gets its tokens: at once whatever was stored, and any time if nothing was',
  { timeout: TIMEOUT_MS },
  async () => {
    await using world = await openOAuthWorld()
    const cases = await several(9, async () => {
      const flow = await begin(world)
      const tokens = await exchange(flow, await consent(world, flow))
      const { client_id } = flow.client
      const token = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token!, client_id }
      return { flow, tokens, given: { baseUrl: world.baseUrl, token } satisfies Asked }
    })
    const roundTrips = await killAtEachRoundTrip(world.world, PROGRAM, 'token', cases)
    const triesAgain = async ({ flow, tokens }: (typeof cases)[number]) => {
      const answer = await refresh(flow, tokens.refresh_token!)
      if (answer.status !== 200) return answer.status
      const { access_token } = (await answer.json()) as { access_token: string }
      return (await me(world, access_token)).status
    }

    // The last round trip stores the access token: it had left, and the client never heard of it.
    const [neverSent, ...heard] = cases.slice(roundTrips - 1)
    expect(await triesAgain(neverSent!)).toBe(200)

    await world.world.db`
      update oauth_artifact set consumed_at = consumed_at - interval '1 hour', used_at = used_at - interval '1 hour'
      where  model = 'RefreshToken'`
    for (const unanswered of cases.slice(0, roundTrips - 1)) expect(await triesAgain(unanswered)).toBe(200)
    for (const replaced of heard) {
      expect(await triesAgain(replaced)).toBe(400)
      expect((await me(world, replaced.tokens.access_token)).status).toBe(401)
      await connectsAgain(world, replaced.flow)
    }
  },
)

test(
  'killed while a person lets a device in: the same form lets it in, once, or it was let in',
  { timeout: TIMEOUT_MS },
  async () => {
    await using world = await openOAuthWorld()
    const { db } = world.world
    const cases = await several(22, async () => {
      const device = await beginDevice(world)
      // Of one person, ten codes at once are too many.
      const owner = await aMember(world)
      await owner.submit('/device', [['code', device.answer.user_code]])
      const form = [...owner.hidden, ...consentForm(world)]
      const given: Asked = { baseUrl: world.baseUrl, cookie: owner.cookie, path: '/device', form }
      return { device, owner, given }
    })
    const roundTrips = await killAtEachRoundTrip(world.world, PROGRAM, 'device', cases)

    const stillOpen: boolean[] = []
    for (const { device, owner } of cases) {
      const { status } = await owner.submit('/device', consentForm(world))
      stillOpen.push(status === 200)
      const { client_id } = device.client
      expect(await db`select from oauth_grant where client_id = ${client_id}`).toHaveLength(1)
      const { body } = await poll(device)
      expect((await me(world, body.access_token)).status).toBe(200)
    }
    expectOnceThenNever(stillOpen, roundTrips)
  },
)

test(
  'killed while a device gets its tokens: it gets them once or never, and begins again',
  { timeout: TIMEOUT_MS },
  async () => {
    await using world = await openOAuthWorld()
    const cases = await several(11, async () => {
      const device = await beginDevice(world)
      const owner = world.browser()
      await owner.submit('/device', [['code', device.answer.user_code]])
      await owner.submit('/device', consentForm(world))
      const token = {
        grant_type: DEVICE_GRANT,
        device_code: device.answer.device_code,
        client_id: device.client.client_id,
      }
      return { device, given: { baseUrl: world.baseUrl, token } satisfies Asked }
    })
    const roundTrips = await killAtEachRoundTrip(world.world, PROGRAM, 'token', cases)

    const gaveTokens: boolean[] = []
    for (const { device } of cases) {
      const { status, body } = await poll(device)
      gaveTokens.push(status === 200)
      if (status === 200) expect((await me(world, body.access_token)).status).toBe(200)
      expect(await poll(device)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      const again = await beginDevice(world, {}, device.client)
      const owner = world.browser()
      await owner.submit('/device', [['code', again.answer.user_code]])
      await owner.submit('/device', consentForm(world))
      expect((await poll(again)).status).toBe(200)
    }
    expectOnceThenNever(gaveTokens, roundTrips)
  },
)
