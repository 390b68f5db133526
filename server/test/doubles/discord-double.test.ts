import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { discord } from '../../src/networks/providers/discord/discord.ts'
import { testUnprovenCalls } from '../rigs/chat-network.ts'
import { openDiscordDouble, WEBHOOK_TOKEN } from './discord-double.ts'
import { openFormRig } from '../rigs/form-channel.ts'
import { picture } from '../rigs/publishing-rig.ts'

/* What the documentation of Discord says, kept by a strict double, and the publisher of production. */

const network = await openDiscordDouble()
const rig = await openFormRig(discord, network.url)
const { webhook } = network

beforeEach(async () => {
  await rig.abandon()
  network.messages.length = 0
  network.orders.length = 0
  Object.assign(network, { webhook, calls: 0 })
})
afterAll(() => network[Symbol.asyncDispose]())

const webhookUrl = (url: string, id = webhook?.id) => `${url}/api/webhooks/${id}/${WEBHOOK_TOKEN}`
const fieldsAt = (url: string) => ({ webhookUrl: webhookUrl(url) })
const aChannel = () => rig.aChannel(fieldsAt(network.url))

test('a thread is messages one after the other, with files and their alt texts', async () => {
  const channel = await aChannel()
  const mediaIds = [
    await rig.anImage(channel.workspace, 'A bird'),
    await rig.anImage(channel.workspace, 'A bell'),
  ]
  const postId = await rig.publish(channel, {
    text: '@everyone look',
    mediaIds,
    thread: [{ text: '# The end' }],
    settings: { silent: true, linkPreview: false, username: 'Newsroom' },
  })
  const { releaseUrl } = await rig.until(channel, postId, 'published')
  const files = [
    { name: 'media-1.jpg', contentType: 'image/jpeg', altText: 'A bird', bytes: picture },
    { name: 'media-2.jpg', contentType: 'image/jpeg', altText: 'A bell', bytes: picture },
  ]
  expect(network.messages).toMatchObject([
    { text: '@everyone look', flags: 4_100, username: 'Newsroom', files },
    { text: '# The end', flags: 4_100, username: 'Newsroom', files: [] },
  ])
  expect(releaseUrl).toBe(
    `${network.url}/channels/${webhook?.guild_id}/${webhook?.channel_id}/${network.messages[0]?.id}`,
  )
})

test('a thread waits for the limit that its first part has spent, without a call that would be refused', async () => {
  const channel = await aChannel()
  network.orders.push('last of the limit')
  const postId = await rig.publish(channel, { text: 'One', thread: [{ text: 'Two' }] })
  await rig.until(channel, postId, 'published')
  expect(network).toMatchObject({ calls: 2, messages: [{ text: 'One' }, { text: 'Two' }] })
})

test.each([
  ['blocked', 'A filter of the Discord server blocks this message.'],
  ['forum', /^The webhook belongs to a forum or media channel/],
] as const)('a message that is refused (%s) fails, and says why', async (order, message) => {
  const channel = await aChannel()
  network.orders.push(order)
  const { error } = await rig.until(channel, await rig.publish(channel, { text: 'No' }), 'failed')
  expect(error).toMatchObject({ code: 'content_refused', message: expect.stringMatching(message) })
})

test('posts wait for a webhook that was deleted, and go on with another one of the same channel', async () => {
  const channel = await aChannel()
  network.webhook = null
  const postId = await rig.publish(channel, { text: 'Not forgotten' })
  await rig.until(channel, postId, 'reconnect_required')
  const replacement = { ...webhook!, id: '223704706495545999' }
  network.webhook = replacement
  const fields = { webhookUrl: webhookUrl(network.url, replacement.id) }
  const again = await rig.connectForm(channel.workspace, fields, channel.channelId)
  expect(again).toMatchObject({ is: 'connected', resumed: 1 })
  rig.wake()
  await rig.until(channel, postId, 'published')
  expect(network.messages).toMatchObject([{ text: 'Not forgotten' }])
})

test('a channel is not reconnected to a webhook of another one', async () => {
  const { workspace, channelId } = await aChannel()
  network.webhook = { ...webhook!, channel_id: '199737254929769999' }
  expect(await rig.connectForm(workspace, fieldsAt(network.url), channelId)).toMatchObject({
    is: 'refused',
    code: 'another_account',
  })
})

describe('a call without a proof', () => {
  testUnprovenCalls({
    provider: discord,
    rig,
    network,
    fieldsAt,
    secret: WEBHOOK_TOKEN,
    loseNextAnswer: () => network.orders.push('500 after posting'),
    limitNextCall: () => void network.orders.push('rate limit'),
  })
})
