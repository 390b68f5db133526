import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { openDiscordDouble } from './discord-double.ts'
import { discordValues } from './discord-values.ts'
import { openFacebookDouble } from './facebook-double.ts'
import { facebookValues } from './facebook-values.ts'
import type { HttpDouble } from './http-double.ts'
import { openInstagramDouble } from './instagram-double.ts'
import { instagramValues } from './instagram-values.ts'
import { openLinkedinDouble } from './linkedin-double.ts'
import { linkedinValues } from './linkedin-values.ts'
import { openMastodonDouble } from './mastodon-double.ts'
import { mastodonValues } from './mastodon-values.ts'
import { openTelegramDouble } from './telegram-double.ts'
import { telegramValues } from './telegram-values.ts'
import { openThreadsDouble } from './threads-double.ts'
import { threadsValues } from './threads-values.ts'
import type { Fact, ValueTable } from './value-table.ts'
import { openXDouble } from './x-double.ts'
import { xValues } from './x-values.ts'
import { openYoutubeDouble } from './youtube-double.ts'
import { youtubeValues } from './youtube-values.ts'

/*
 * The doubles answer calls by their tables of values: with one more than a network takes, each gives the network's answer, and with as much
 * as it takes another. What it says of a call is what it says before it asks who calls.
 */

/** A call with so much of what a fact is about; of which facts it is, the key says. */
type Calls = Readonly<Record<string, (value: number) => RequestInit & { readonly path: string }>>
type Case = {
  readonly name: string
  readonly open: () => Promise<HttpDouble>
  readonly values: ValueTable
  readonly calls: Calls
}

const words = (length: number) => 'x'.repeat(length)
const many = <One>(count: number, one: (at: number) => One): One[] =>
  Array.from({ length: count }, (_, at) => one(at))

function json(path: string, body: unknown, method = 'POST') {
  return { path, method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function form(path: string, fields: Readonly<Record<string, string | File>>) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return { path, method: 'POST', body }
}

const file = (bytes: number | Uint8Array<ArrayBuffer>, type: string) =>
  new File([typeof bytes === 'number' ? new Uint8Array(bytes) : bytes], 'media-1', { type })
const picture = async (width: number, height: number) =>
  Uint8Array.from(
    await sharp({ create: { width, height, channels: 3, background: '#fff' } })
      .png()
      .toBuffer(),
  )

const [long, longer, wide, wider] = await Promise.all([
  picture(5_000, 5_000),
  picture(5_001, 5_000),
  picture(2_000, 100),
  picture(2_102, 100),
])

const DISCORD = '/api/v10/webhooks/1/token?wait=true'
const TELEGRAM = '/bot1:token'
const media = (count: number) => many(count, (at) => ({ id: String(at), filename: `media-${at}.png` }))

const cases: readonly Case[] = [
  {
    name: 'discord',
    open: openDiscordDouble,
    values: discordValues,
    calls: {
      'text characters': (value) => json(DISCORD, { content: words(value) }),
      'sender characters': (value) => json(DISCORD, { content: 'Words', username: words(value) }),
      'alt text characters': (value) =>
        json(DISCORD, { attachments: [{ id: '0', filename: 'a.png', description: words(value) }] }),
      'part files': (value) => json(DISCORD, { content: 'Words', attachments: media(value) }),
      'image bytes': (value) => form(DISCORD, { payload_json: '{}', 'files[0]': file(value, 'image/png') }),
    },
  },
  {
    name: 'telegram',
    open: openTelegramDouble,
    values: telegramValues,
    calls: {
      'text characters': (value) => json(`${TELEGRAM}/sendMessage`, { chat_id: 1, text: words(value) }),
      'caption characters': (value) =>
        form(`${TELEGRAM}/sendPhoto`, { caption: words(value), photo: file(wide, 'image/png') }),
      'part files': (value) =>
        form(`${TELEGRAM}/sendMediaGroup`, { media: JSON.stringify(many(value, () => ({ type: 'photo' }))) }),
      'image sides': (value) =>
        form(`${TELEGRAM}/sendPhoto`, { photo: file(value > 10_000 ? longer : long, 'image/png') }),
      'image ratio': (value) =>
        form(`${TELEGRAM}/sendPhoto`, { photo: file(value > 20 ? wider : wide, 'image/png') }),
      'image bytes': (value) => form(`${TELEGRAM}/sendPhoto`, { photo: file(value, 'image/jpeg') }),
    },
  },
  {
    name: 'mastodon',
    open: openMastodonDouble,
    values: mastodonValues,
    calls: {
      'alt text characters': (value) =>
        form('/api/v2/media', { file: file(1, 'image/png'), description: words(value) }),
      'image bytes': (value) => form('/api/v2/media', { file: file(value, 'image/png') }),
      'part files': (value) => json('/api/v1/statuses', { status: '', media_ids: many(value, String) }),
    },
  },
  {
    name: 'x',
    open: openXDouble,
    values: xValues,
    calls: {
      'alt text characters': (value) =>
        json('/2/media/metadata', { id: '7', metadata: { alt_text: { text: words(value) } } }),
      'image bytes': (value) =>
        json('/2/media/upload/initialize', {
          media_type: 'image/png',
          total_bytes: value,
          media_category: 'tweet_image',
        }),
      'image bytes animations': (value) =>
        json('/2/media/upload/initialize', {
          media_type: 'image/gif',
          total_bytes: value,
          media_category: 'tweet_gif',
        }),
      'video bytes': (value) =>
        json('/2/media/upload/initialize', {
          media_type: 'video/mp4',
          total_bytes: value,
          media_category: 'tweet_video',
        }),
    },
  },
  {
    name: 'instagram',
    open: openInstagramDouble,
    values: instagramValues,
    calls: {
      'text characters': (value) => form('/v27.0/1/media', { caption: words(value) }),
      'hashtags count': (value) =>
        form('/v27.0/1/media', { caption: many(value, (at) => `#a${at}`).join(' ') }),
      'mentions count': (value) =>
        form('/v27.0/1/media', { caption: many(value, (at) => `@a${at}`).join(' ') }),
      'alt text characters': (value) => form('/v27.0/1/media', { alt_text: words(value) }),
      'part files': (value) => form('/v27.0/1/media', { children: many(value, String).join(',') }),
    },
  },
  {
    name: 'threads',
    open: openThreadsDouble,
    values: threadsValues,
    calls: {
      'text characters': (value) => form('/v1.0/1/threads', { text: words(value) }),
      'links count': (value) =>
        form('/v1.0/1/threads', { text: many(value, (at) => `https://example.com/${at}`).join(' ') }),
      'topic characters': (value) => form('/v1.0/1/threads', { topic_tag: words(value) }),
      'alt text characters': (value) => form('/v1.0/1/threads', { alt_text: words(value) }),
      'part files': (value) => form('/v1.0/1/threads', { children: many(value, String).join(',') }),
    },
  },
  {
    name: 'facebook',
    open: openFacebookDouble,
    values: facebookValues,
    calls: { 'image bytes': (value) => form('/v27.0/1/photos', { source: file(value, 'image/jpeg') }) },
  },
  {
    name: 'linkedin',
    open: openLinkedinDouble,
    values: linkedinValues,
    calls: {
      'text characters': (value) => json('/rest/posts', { commentary: words(value) }),
      'part files': (value) =>
        json('/rest/posts', { content: { multiImage: { images: many(value, String) } } }),
    },
  },
  {
    name: 'youtube',
    open: openYoutubeDouble,
    values: youtubeValues,
    calls: {
      'title characters': (value) => json('/youtube/v3/videos', { snippet: { title: words(value) } }, 'PUT'),
      'text bytes': (value) => json('/youtube/v3/videos', { snippet: { description: words(value) } }, 'PUT'),
      'tags characters': (value) => json('/youtube/v3/videos', { snippet: { tags: [words(value)] } }, 'PUT'),
      'image bytes': (value) => ({
        path: '/upload/youtube/v3/thumbnails/set',
        method: 'POST',
        headers: { 'content-type': 'image/jpeg' },
        body: new Uint8Array(value),
      }),
      'video bytes': (value) => ({
        path: '/upload/youtube/v3/videos',
        method: 'POST',
        headers: { 'x-upload-content-type': 'video/mp4', 'x-upload-content-length': String(value) },
      }),
    },
  },
]

const keyOf = ({ of, measure, among }: Fact) =>
  [of, measure, ...(among === undefined ? [] : [among])].join(' ')

describe.each(cases)('$name', ({ open, values, calls }) => {
  const opened = open()
  afterAll(async () => (await opened)[Symbol.asyncDispose]())

  test.each(Object.entries(calls))('%s', async (key, call) => {
    const fact = values.facts.find((one) => keyOf(one) === key && one.max !== undefined)
    if (fact?.max === undefined || fact.refused === 'fitted there' || 'later' in fact.refused)
      return expect.unreachable(`no answer to ${key}`)
    const { url } = await opened
    const told = async (value: number) => {
      const { path, ...request } = call(value)
      const response = await fetch(url + path, request)
      return { status: response.status, text: await response.text() }
    }
    const refusal = { status: fact.refused.status, text: JSON.stringify(fact.refused.body) }
    expect(await told(fact.max)).not.toEqual(refusal)
    expect(await told(fact.max + 1)).toEqual(refusal)
  })
})
