import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { telegram } from '../../src/networks/providers/telegram/telegram.ts'
import { testUnprovenCalls } from '../rigs/chat-network.ts'
import { openFormRig } from '../rigs/form-channel.ts'
import { picture } from '../rigs/publishing-rig.ts'
import { BOT_TOKEN, CHANNEL, openTelegramDouble, PRIVATE_CHANNEL } from './telegram-double.ts'

/* What the documentation of the Bot API says, kept by a strict double, and the publisher of production. */

const network = await openTelegramDouble()
const rig = await openFormRig(telegram, network.url)
const administrator = network.member

beforeEach(async () => {
  await rig.abandon()
  network.messages.length = 0
  network.orders.length = 0
  Object.assign(network, { member: administrator, calls: 0 })
})
afterAll(() => network[Symbol.asyncDispose]())

const fieldsAt = (server: string) => ({ chat: `@${CHANNEL.username}`, botToken: BOT_TOKEN, server })
const aChannel = () => rig.aChannel(fieldsAt(network.url))

test('a thread is a chain of replies: an album with its caption, a video, a text', async () => {
  const channel = await aChannel()
  const one = await rig.anImage(channel.workspace, 'One')
  const two = await rig.anImage(channel.workspace, 'Two')
  const three = await rig.aVideo(channel.workspace, 'Three')
  const postId = await rig.publish(channel, {
    text: 'Two *pictures*',
    mediaIds: [one, two],
    thread: [{ text: '', mediaIds: [three] }, { text: '<b>The end</b>' }],
    settings: { silent: true, linkPreview: false },
  })
  const { releaseUrl } = await rig.until(channel, postId, 'published')
  const [first, second, third, fourth] = network.messages
  expect(network.messages).toMatchObject([
    { text: 'Two *pictures*', media: { type: 'photo', name: 'media-1.jpg' }, replyTo: null },
    { text: '', media: { type: 'photo', name: 'media-2.jpg' }, replyTo: null, album: first?.album },
    { text: '', media: { type: 'video', name: 'media-1.mp4' }, replyTo: first?.id, album: null },
    { text: '<b>The end</b>', media: null, replyTo: third?.id },
  ])
  expect(second?.media?.bytes).toEqual(picture)
  expect(fourth?.fields).toMatchObject({
    disable_notification: true,
    link_preview_options: { is_disabled: true },
  })
  expect(releaseUrl).toBe(`https://t.me/${CHANNEL.username}/${first?.id}`)
})

test('a message that Telegram has put off by itself is not taken for published', async () => {
  const channel = await aChannel()
  network.orders.push('put off')
  await rig.until(channel, await rig.publish(channel, { text: 'Sooner or later' }), 'checking')
  expect(network.calls).toBe(1)
})

test('posts wait for a bot that was removed, and go on when the channel is reconnected', async () => {
  const channel = await aChannel()
  network.member = { status: 'kicked' }
  const postId = await rig.publish(channel, { text: 'Not forgotten' })
  await rig.until(channel, postId, 'reconnect_required')
  network.member = administrator
  const again = await rig.connectForm(channel.workspace, fieldsAt(network.url), channel.channelId)
  expect(again).toMatchObject({ is: 'connected', resumed: 1 })
  rig.wake()
  await rig.until(channel, postId, 'published')
  expect(network.messages).toMatchObject([{ text: 'Not forgotten' }])
})

test.each([
  ['another channel', { chat: String(PRIVATE_CHANNEL.id) }, 'another_account'],
  ['a wrong token', { botToken: '123456:AAE-another-token' }, 'credentials_refused'],
  ['a channel that nobody knows', { chat: '@nobody_at_all' }, 'invalid_field'],
  ['a person', { chat: '@ada_example' }, 'invalid_field'],
])('a channel is not reconnected to %s', async (_, change, code) => {
  const { workspace, channelId } = await aChannel()
  const fields = { ...fieldsAt(network.url), ...change }
  expect(await rig.connectForm(workspace, fields, channelId)).toMatchObject({ is: 'refused', code })
})

describe('a call without a proof', () => {
  testUnprovenCalls({
    provider: telegram,
    rig,
    network,
    fieldsAt,
    secret: BOT_TOKEN,
    loseNextAnswer: () => network.orders.push('500 after sending'),
    limitNextCall: () => void network.orders.push('rate limit'),
  })
})
