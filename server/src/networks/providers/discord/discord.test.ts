import { describe, expect, test } from 'vitest'
import { answer, aPartFile, aPublishWork } from '../../../../test/rigs/publish-work.ts'
import type { HttpResponse } from '../port/calls.ts'
import type { PublishWork } from '../port/port.ts'
import { loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { discord } from './discord.ts'

const server = 'https://discord.com'
const token = '3d89bb7572e0fb30-secret_token_of_the_webhook'
const authorization = { server, webhookId: '300', token, channelId: '200', guildId: '100', threadId: null }
const webhookUrl = `${server}/api/webhooks/300/${token}`
const webhook = { id: '300', type: 1, channel_id: '200', guild_id: '100', name: 'News', avatar: 'abc', token }

const refused = (status: number, code: number) => answer(status, { code, message: 'In words of Discord' })
const posted = answer(200, { id: '91', channel_id: '200', content: 'Hello', type: 0 })

const { publish, form, profile, ...adapter } = await loadWith(discord, ['form', 'profile'])

await testAdapter(discord, {
  authorization,
  secrets: [token],
  success: () => posted,
  network: () => answer(200, webhook),
  refusals: [10_015, 50_027, 50_035, 50_013, 40_005, 0].map((code) => ({ code, message: 'no' })),
  settings: { linkPreview: false, silent: true, username: 'Newsroom' },
  successiveParts: true,
  form: { webhookUrl },
})

const fileOf = (altText: string | null) => aPartFile('image', 'image/jpeg', altText)
const workOf = (change: Partial<PublishWork> = {}) => aPublishWork(authorization, change)

describe('what is sent', () => {
  const sent = (change: Partial<PublishWork>) => publish.request(workOf(change))

  test('a message pings nobody, and its answer is waited for', () => {
    const { json, url } = sent({ text: '@everyone <@1> hello' })
    expect(json).toEqual({ content: '@everyone <@1> hello', allowed_mentions: { parse: [] } })
    expect(url.pathname + url.search).toBe('/api/v10/webhooks/300/~secret~?wait=true')
  })

  test.each([
    [{ linkPreview: false }, { flags: 4 }],
    [{ silent: true }, { flags: 4_096 }],
    [{ linkPreview: false, silent: true }, { flags: 4_100 }],
    [{ linkPreview: true, username: 'Newsroom' }, { username: 'Newsroom' }],
  ])('the settings %o become %o', (settings, fields) => {
    expect(sent({ settings }).json).toEqual({
      content: 'Hello',
      allowed_mentions: { parse: [] },
      ...fields,
    })
  })

  test('files are parts of their own, which attachments name with their alt texts', () => {
    const { multipart } = sent({ files: [fileOf('A bird'), fileOf(null)], text: '' })
    const [payload, ...files] = multipart?.parts ?? []
    expect(payload).toMatchObject({ name: 'payload_json', contentType: 'application/json' })
    expect(JSON.parse(payload !== undefined && 'value' in payload ? payload.value : '')).toEqual({
      allowed_mentions: { parse: [] },
      attachments: [
        { id: '0', filename: 'media-1.jpg', description: 'A bird' },
        { id: '1', filename: 'media-2.jpg' },
      ],
    })
    expect(files).toMatchObject([
      { name: 'files[0]', fileName: 'media-1.jpg' },
      { name: 'files[1]', fileName: 'media-2.jpg' },
    ])
  })
})

describe('what an answer to a message proves', () => {
  test.each([
    ['a message', posted, 'published'],
    ['a webhook that was deleted', refused(404, 10_015), 'reauthorize'],
    ['a token that is wrong', refused(401, 50_027), 'reauthorize'],
    ['a thread that was deleted', refused(404, 10_003), 'reauthorize'],
    ['a 404 of something else', refused(404, 0), 'unknown'],
    ['an address that Discord has not', answer(404, { code: 0, message: '404: Not Found' }), 'rejected'],
    ['a version that is over', refused(400, 50_041), 'rejected'],
    ['a 401 of something else', refused(401, 0), 'unknown'],
    ['sending that is switched off', refused(400, 40_004), 'deferred'],
    ['slow mode', refused(400, 20_016), 'deferred'],
  ] as const)('%s', (_, response, verdict) => {
    expect(publish.judge(response, workOf()).is).toBe(verdict)
  })

  test.each([
    [400, 50_035, 'content_refused'],
    [400, 50_006, 'content_refused'],
    [400, 200_000, 'content_refused'],
    [400, 220_001, 'content_refused'],
    [400, 999_999, 'content_refused'],
    [403, 50_013, 'permission_refused'],
    [413, 40_005, 'media_refused'],
    [400, 50_045, 'media_refused'],
    [400, 400_001, 'media_refused'],
  ])('status %i with code %i is refused for good: %s', (status, code, reason) => {
    expect(publish.judge(refused(status, code), workOf())).toMatchObject({ is: 'rejected', code: reason })
  })

  test('a name that Discord takes for nobody is named as what is refused', () => {
    const errors = { username: { _errors: [{ code: 'USERNAME_INVALID', message: 'no' }] } }
    expect(publish.judge(answer(400, { code: 50_035, message: 'no', errors }), workOf())).toMatchObject({
      code: 'content_refused',
      detail: expect.stringContaining('name that this message is shown under'),
    })
  })

  test('a rate limit ends when Discord says, to the fraction of a second', () => {
    const limited = answer(429, { message: 'limited', retry_after: 1.57, global: false })
    expect(publish.judge(limited, workOf())).toMatchObject({ afterMs: 1_570 })
  })

  test('what is left of a limit is told with every answer', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.571' }
    expect(adapter.budget({ status: 200, headers, body: '' }, 'publish', new Date(0))).toEqual({
      remaining: 0,
      resetsInMs: 1_571,
    })
  })

  test('a message has the address of the channel that it stands in', () => {
    const urlOf = (guildId: string | null) => {
      const verdict = publish.judge(posted, workOf({ authorization: { ...authorization, guildId } }))
      return verdict.is === 'published' ? verdict.url : undefined
    }
    expect(urlOf('100')).toBe('https://discord.com/channels/100/200/91')
    expect(urlOf(null)).toBeNull()
  })
})

describe('connecting', () => {
  const fill = (typed: string, response = answer(200, webhook)) =>
    play(form({ fields: { webhookUrl: typed }, now: new Date(0) }), () => response)

  test.each([webhookUrl, `${server}/api/v10/webhooks/300/${token}`, `${server}/api/webhooks/300/${token}/`])(
    'the address that Discord shows is taken (%#)',
    (typed) => {
      expect(fill(typed).outcome).toEqual({
        is: 'connected',
        authorization,
        account: {
          remoteAccountId: '200',
          displayName: 'News',
          handle: 'News',
          avatarUrl: 'https://cdn.discordapp.com/avatars/300/abc.png',
          subscription: null,
          limits: null,
        },
      })
    },
  )

  test.each([
    ['an address of something else', 'https://discord.com/channels/1/2', undefined, 'invalid_field'],
    ['not a webhook address', 'my webhook', undefined, 'invalid_field'],
    ['an address with more than can be kept', `${webhookUrl}?wait=true`, undefined, 'invalid_field'],
    ['a page that answers there', webhookUrl, answer(200, '<html></html>'), 'invalid_field'],
    [
      'a webhook that follows another channel',
      webhookUrl,
      answer(200, { ...webhook, type: 2 }),
      'invalid_field',
    ],
    ['another webhook', webhookUrl, answer(200, { ...webhook, id: '301' }), 'invalid_field'],
    ['a deleted webhook', webhookUrl, refused(404, 10_015), 'credentials_refused'],
    ['half of its token', webhookUrl, refused(401, 50_027), 'credentials_refused'],
  ] as const)('%s is refused with what to do', (_, typed, response, code) => {
    const { outcome } = fill(typed, response)
    expect(outcome).toMatchObject({ is: 'refused', code })
    expect(JSON.stringify(outcome)).not.toContain(token)
  })

  test('a thread of the channel is an account of its own, and posted to', () => {
    const { outcome } = fill(`${webhookUrl}?thread_id=250`)
    if (outcome.is !== 'connected') throw new Error(outcome.is)
    expect(outcome).toMatchObject({ authorization: { threadId: '250' }, account: { remoteAccountId: '250' } })
    const { url } = publish.request(workOf({ authorization: outcome.authorization }))
    expect(Object.fromEntries(url.searchParams)).toEqual({ wait: 'true', thread_id: '250' })
    const files = [fileOf('A bird')]
    const withFile = publish.request(workOf({ authorization: outcome.authorization, files }))
    expect(Object.fromEntries(withFile.url.searchParams)).toEqual({ wait: 'true', thread_id: '250' })
  })

  test.each([
    ['away', answer(502, '')],
    ['behind a page of Cloudflare', answer(403, 'error code: 1010')],
    ['behind an error of Cloudflare', refused(403, 40_333)],
  ])('an address whose server is %s is not called wrong', (_, response) => {
    expect(fill(webhookUrl, response).outcome).toMatchObject({ is: 'unavailable' })
  })

  test('only a webhook that is gone, or was moved to another channel, ends an authorization', () => {
    const seen = (response: HttpResponse) =>
      play(profile({ authorization, now: new Date(0) }), () => response).outcome.is
    expect(seen(answer(200, webhook))).toBe('profile')
    expect(seen(refused(404, 10_015))).toBe('reauthorize')
    expect(seen(answer(200, { ...webhook, channel_id: '201' }))).toBe('reauthorize')
  })
})
