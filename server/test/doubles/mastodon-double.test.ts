import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectByForm } from '../../src/accounts/connect/connect-by-form.ts'
import { expire } from '../../src/engine/destinations/expire-store.ts'
import { mastodon } from '../../src/networks/providers/mastodon/mastodon.ts'
import { openFileWorld } from '../rigs/file-world.ts'
import { aWorkspace } from '../rigs/fixtures.ts'
import { fullLimit, openMastodonDouble, TOKEN, type MastodonDouble } from './mastodon-double.ts'
import {
  openPublishingRig,
  OPERATOR,
  type ConnectedChannel,
  type PublishingRig,
} from '../rigs/publishing-rig.ts'

/* What the documentation of Mastodon says, kept by a strict double, and the publisher of production. */

const { world, api } = await openFileWorld()
let instance: MastodonDouble
let rig: PublishingRig
let connected: ConnectedChannel

beforeAll(async () => {
  instance = await openMastodonDouble()
  rig = await openPublishingRig({
    world,
    api,
    provider: mastodon,
    trustedOrigins: [instance.url],
    callTimeoutMs: 1_500,
    lateCallMs: 15 * 60_000,
  })
})
beforeEach(async () => {
  await rig.abandon()
  instance.statuses.length = 0
  instance.orders.length = 0
  Object.assign(instance, { maxCharacters: 500, calls: 0, software: 'mastodon', ...fullLimit() })
  const workspace = await aWorkspace(world.db)
  const target = { workspaceId: workspace.workspaceId, channelId: null, actor: OPERATOR }
  const result = await connectByForm(rig.connect, target, mastodon, {
    server: instance.url,
    accessToken: TOKEN,
  })
  if (result.is !== 'connected') throw new Error(result.detail)
  connected = { workspace, channelId: result.channelId }
})
afterAll(async () => {
  await rig.close()
  await instance[Symbol.asyncDispose]()
})

test('on the command line an account is connected with its access token, which is asked for, and can publish', async () => {
  const workspace = await aWorkspace(world.db)
  const add = ['--json', 'channel', 'add', 'mastodon', '--server', instance.url]
  const at = ['--workspace', workspace.workspaceId]
  const refused = await rig.postrider({ secrets: ['another token'] }, ...add, ...at)
  expect(refused).toMatchObject({ exitCode: 1, said: '' })
  expect(JSON.parse(refused.errors).error).toMatchObject({ detail: expect.stringContaining('access token') })

  const { said, errors } = await rig.postrider({ secrets: [TOKEN] }, ...add, ...at)
  expect(errors).toBe('')
  const { channelId, ...shown } = JSON.parse(said) as { channelId: string }
  expect(shown).toEqual({ provider: 'mastodon', handle: 'alice@social.example', reconnected: false })
  const added = { workspace, channelId }
  await rig.until(added, await rig.publish(added, { text: 'From the terminal' }), 'published')
  expect(instance.statuses).toMatchObject([{ text: 'From the terminal' }])

  const again = await rig.postrider({ secrets: [TOKEN] }, ...add, ...at)
  expect(JSON.parse(again.said)).toMatchObject({ channelId, reconnected: true })
})

test('a thread waits for its pictures to be processed, and has the settings in every part', async () => {
  const mediaIds = [
    await rig.anImage(connected.workspace, 'One'),
    await rig.anImage(connected.workspace, 'Two'),
  ]
  const postId = await rig.publish(connected, {
    text: 'With pictures',
    mediaIds,
    thread: [{ text: 'The end' }],
    settings: { visibility: 'unlisted', contentWarning: 'Birds', language: 'en' },
  })
  await rig.until(connected, postId, 'published')
  const [first, second] = instance.statuses
  expect(instance.statuses).toMatchObject([
    { text: 'With pictures', spoilerText: 'Birds', visibility: 'unlisted', parent: null },
    { text: 'The end', spoilerText: 'Birds', visibility: 'unlisted', parent: first?.id },
  ])
  expect(first?.media.map(({ description }) => description)).toEqual(['One', 'Two'])
  expect(second?.media).toEqual([])
})

test('a post that was stored before the server failed is found by what was sent, and not sent again', async () => {
  instance.orders.push('500 after storing')
  const postId = await rig.publish(connected, { text: 'Stored <b>&amp; lost</b>' })
  const { releaseUrl } = await rig.until(connected, postId, 'published')
  expect(instance).toMatchObject({ calls: 1, statuses: [{ text: 'Stored <b>&amp; lost</b>' }] })
  expect(releaseUrl).toBe(`${instance.url}/@alice/${instance.statuses[0]?.id}`)
})

test('a post that was stored before its hashtag was refused is found', async () => {
  instance.orders.push('422 after storing')
  await rig.until(connected, await rig.publish(connected, { text: 'With #a tag' }), 'published')
  expect(instance).toMatchObject({ calls: 1, statuses: [{ text: 'With #a tag' }] })
})

test('a refusal in words that are not known fails once it is certain that nothing is there, and is not repeated', async () => {
  instance.orders.push('422 in unknown words')
  const postId = await rig.publish(connected, { text: 'Refused' })
  const { error } = await rig.until(connected, postId, 'failed')
  expect(error).toMatchObject({
    code: 'not_published',
    message: expect.stringContaining('HTTP 422'),
    retryable: true,
  })
  expect(instance).toMatchObject({ calls: 1, statuses: [] })
})

test('GoToSocial counts links in full, and its reason is shown', async () => {
  instance.software = 'gotosocial'
  const workspace = await aWorkspace(world.db)
  const target = { workspaceId: workspace.workspaceId, channelId: null, actor: OPERATOR }
  const fields = { server: instance.url, accessToken: TOKEN }
  const result = await connectByForm(rig.connect, target, mastodon, fields)
  if (result.is !== 'connected') throw new Error(result.detail)
  const at = { workspace, channelId: result.channelId }
  const long = { text: `https://example.com/${'a'.repeat(490)}` }
  await expect(rig.plan(at, long)).rejects.toThrow('422')
  await rig.plan(connected, long)

  instance.maxCharacters = 10
  const { error } = await rig.until(at, await rig.publish(at, { text: 'Longer than ten' }), 'failed')
  expect(error).toMatchObject({
    code: 'content_refused',
    message: 'The instance refuses the post. It says: “Bad Request: text with spoiler exceed max chars (10)”',
  })
})

test('one with a picture and no word is found by its upload', async () => {
  instance.orders.push('500 after storing')
  const mediaIds = [await rig.anImage(connected.workspace, 'Alone')]
  await rig.until(connected, await rig.publish(connected, { text: '', mediaIds }), 'published')
  expect(instance).toMatchObject({ calls: 1, statuses: [{ text: '' }] })
})

test('what was not stored is sent again once that is certain', async () => {
  instance.orders.push('503')
  await rig.until(connected, await rig.publish(connected, { text: 'Not yet' }), 'published')
  expect(instance).toMatchObject({ calls: 2, statuses: [{ text: 'Not yet' }] })
})

test('a call that a proxy held up for longer than the look-ups waited makes nothing more', async () => {
  instance.orders.push('held up')
  const postId = await rig.publish(connected, { text: 'Held up' })
  await rig.until(connected, postId, 'published')
  expect(instance).toMatchObject({ calls: 2, statuses: [{ text: 'Held up' }] })
  instance.letGo()
  expect(instance.statuses).toHaveLength(1)
  const keys = await world.db`
    select distinct a.key from attempt a join destination d on d.id = a.destination_id where d.post_id = ${postId}`
  expect(keys).toHaveLength(1)
})

test('where the server keeps no keys, the post waits until no call can be on its way, and is found when one was', async () => {
  instance.software = 'gotosocial'
  instance.orders.push('held up')
  const postId = await rig.publish(connected, { text: 'Held up' })
  await rig.until(connected, postId, 'checking')
  await rig.age(connected, postId, 95_000)
  await rig.untilLooked(connected, postId, 'not_yet')
  expect(instance).toMatchObject({ calls: 1, statuses: [] })

  instance.letGo()
  await rig.endWaits(connected)
  await rig.until(connected, postId, 'published')
  expect(instance).toMatchObject({ calls: 1, statuses: [{ text: 'Held up' }] })
})

test('once none can be on its way, what is not there is sent again', async () => {
  instance.software = 'gotosocial'
  instance.orders.push('503')
  const postId = await rig.publish(connected, { text: 'Never arrived' })
  await rig.until(connected, postId, 'checking')
  await rig.age(connected, postId, 16 * 60_000)
  await rig.until(connected, postId, 'published')
  expect(instance).toMatchObject({ calls: 2, statuses: [{ text: 'Never arrived' }] })
})

test('as long as a call may still arrive nobody is told that it is not out: not by a cancel, an edit, or the end of its time', async () => {
  instance.orders.push('held up', '503', '503', '503', '503')
  const postId = await rig.publish(connected, { text: 'Held up' })
  await rig.until(connected, postId, 'checking')
  await rig.age(connected, postId, 66_000)
  await rig.untilLooked(connected, postId, 'not_yet')
  await world.db`update destination set expires_at = now() where post_id = ${postId}`
  const { controlToken, channelId, allowedActions } = await rig.destinationOf(connected, postId)
  expect([allowedActions.cancel.allowed, allowedActions.edit.allowed]).toEqual([false, false])
  const cancelled = await api.command(connected.workspace, postId, 'cancel', { channelId, controlToken })
  expect(cancelled.status).toBe(409)
  expect(await expire(world.db, 10)).toEqual([])

  instance.letGo()
  await rig.endWaits(connected)
  await rig.until(connected, postId, 'published')
  expect(instance.statuses).toMatchObject([{ text: 'Held up' }])
})

test('once none can, what has had no time left is not sent again', async () => {
  instance.orders.push('503', '503', '503', '503', '503')
  const postId = await rig.publish(connected, { text: 'Too late' })
  await rig.until(connected, postId, 'checking')
  await world.db`update destination set expires_at = now() where post_id = ${postId}`
  const { calls } = instance
  await rig.age(connected, postId, 21 * 60_000)
  await rig.until(connected, postId, 'expired')
  expect(instance).toMatchObject({ calls, statuses: [] })
})

test('a followers-only post that the list of its server leaves out is left to a person', async () => {
  instance.software = 'snac'
  instance.orders.push('500 after storing')
  const settings = { visibility: 'private' }
  const postId = await rig.publish(connected, { text: 'For followers', settings })
  await rig.until(connected, postId, 'checking')
  await rig.age(connected, postId, 3_600_000)
  await rig.untilLooked(connected, postId, 'unavailable')
  expect(instance).toMatchObject({ calls: 1, statuses: [{ text: 'For followers' }] })
  await rig.until(connected, postId, 'checking')
})

test('a rate limit pauses the channel until the time that the instance names', async () => {
  Object.assign(instance, { postsLeft: 0, limitResetsAt: Date.now() + 2_000 })
  const postId = await rig.publish(connected, { text: 'Later' })
  await rig.until(connected, postId, 'delayed')
  await rig.until(connected, postId, 'published')
  expect(instance).toMatchObject({ calls: 2, statuses: [{ text: 'Later' }] })
})

test('a channel whose limit is spent waits for its reset, without a call that would be refused', async () => {
  instance.postsLeft = 1
  const thread = await rig.publish(connected, { text: 'One', thread: [{ text: 'Two' }] })
  const waiting = await rig.until(connected, thread, 'partially_published')
  expect(waiting.error).toMatchObject({ code: 'rate_limited', retryable: true })
  expect(Date.parse(waiting.checkAgainAt!)).toBeGreaterThanOrEqual(instance.limitResetsAt - 5_000)
  const other = await rig.publish(connected, { text: 'Three' })
  await world.db`update destination set due_at = now() - interval '1 minute' where post_id = ${other}`
  rig.wake()
  const held = await rig.until(connected, other, 'delayed')
  expect(Date.parse(held.checkAgainAt!)).toBeGreaterThanOrEqual(instance.limitResetsAt - 5_000)
  expect(instance).toMatchObject({ calls: 1, statuses: [{ text: 'One' }] })

  Object.assign(instance, fullLimit())
  await rig.endWaits(connected)
  await rig.until(connected, thread, 'published')
  await rig.until(connected, other, 'published')
  expect(instance.calls).toBe(3)
})

test('a thread that no longer fits the instance by what it says of itself fails before any call', async () => {
  const postId = await rig.plan(connected, { text: 'Short', thread: [{ text: 'Longer than ten' }] })
  await world.db`
    update channel set limits = jsonb_set(limits, '{maxCharacters}', '10') where id = ${connected.channelId}`
  await rig.come(postId)
  const { error, parts } = await rig.until(connected, postId, 'failed')
  expect(error).toMatchObject({
    code: 'content_refused',
    retryable: false,
    message: expect.stringContaining('Mastodon allows 10. Shorten it by 5'),
  })
  expect(parts.map(({ status }) => status)).toEqual(['skipped', 'failed'])
  expect(instance.calls).toBe(0)
})

test('a video is waited for while the instance processes it', async () => {
  const mediaIds = [await rig.aVideo(connected.workspace, 'A walk')]
  await rig.until(connected, await rig.publish(connected, { text: 'Moving', mediaIds }), 'published')
  expect(instance.statuses).toMatchObject([
    { text: 'Moving', media: [{ description: 'A walk', type: 'video', polls: 2 }] },
  ])
})

test('a text that is longer than the instance takes by now fails, and says why', async () => {
  instance.maxCharacters = 10
  const postId = await rig.publish(connected, { text: 'Longer than ten' })
  const { error } = await rig.until(connected, postId, 'failed')
  expect(error).toMatchObject({
    code: 'content_refused',
    message: 'The text is longer than the instance allows.',
  })
})

test('the same call again under its key makes nothing new', async () => {
  const adapter = await mastodon.load()
  const authorization = { server: instance.url, accountId: '7', accessToken: TOKEN }
  const part = {
    kind: 'post',
    authorization,
    text: 'Once',
    media: [],
    settings: {},
    parent: null,
    root: null,
    files: [],
  } as const
  const work = { ...part, prepared: { newestId: null }, idempotencyKey: crypto.randomUUID() }
  for (let time = 0; time < 3; time++) {
    const answer = await rig.connect.tools.call(adapter.publish.request(work))
    if (!answer.arrived) throw new Error(answer.reason)
    expect(adapter.publish.judge(answer.response, work)).toMatchObject({
      is: 'published',
      remoteId: instance.statuses[0]?.id,
    })
  }
  expect(instance.statuses).toHaveLength(1)
})
