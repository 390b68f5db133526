import { describe, expect, test } from 'vitest'
import { answer, aPartFile, aPublishWork } from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { PublishWork } from '../port/port.ts'
import { loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { telegram } from './telegram.ts'

const server = 'https://api.telegram.org'
const token = '123456:AAE-secret_token_of_the_bot'
const chatId = -1001234567890
const authorization = { server, token, chatId }
const chat = { id: chatId, type: 'channel', title: 'News', username: 'examplenews' }

const done = (result: unknown) => answer(200, { ok: true, result })
const refused = (error_code: number, description: string, parameters?: object) =>
  answer(error_code, { ok: false, error_code, description, parameters })
const message = (id: number, change: object = {}) => ({ message_id: id, date: 1, chat, ...change })

const answers: Record<string, HttpResponse> = {
  getMe: done({ id: 123456, is_bot: true, username: 'example_bot' }),
  getChat: done(chat),
  getChatMember: done({ status: 'administrator', can_post_messages: true }),
}

/** A Bot API server where all goes well, or with other answers of some methods. */
function where(others: Record<string, HttpResponse> = {}) {
  return ({ url }: HttpRequest): HttpResponse => {
    const method = url.pathname.split('/').at(-1) ?? ''
    const given = { ...answers, ...others }[method]
    if (given === undefined) throw new Error(`nobody answers ${url.href}`)
    return given
  }
}

const { publish, form, profile } = await loadWith(telegram, ['form', 'profile'])

await testAdapter(telegram, {
  authorization,
  secrets: [token],
  success: () => done(message(91)),
  network: where(),
  refusals: [
    { ok: false, error_code: 400, description: 'Bad Request: message is too long' },
    { ok: false, error_code: 401, description: 'Unauthorized' },
    { ok: false, error_code: 403, description: 'Forbidden: bot was kicked from the channel chat' },
    { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 5 } },
  ],
  settings: { linkPreview: false, silent: true, protectContent: true },
  form: { chat: '@examplenews', botToken: token },
})

const photo = aPartFile('image', 'image/jpeg')
const video = aPartFile('video', 'video/mp4')
const workOf = (change: Partial<PublishWork> = {}) => aPublishWork(authorization, change)

describe('what is sent', () => {
  const sent = (change: Partial<PublishWork>) => publish.request(workOf(change))
  const methodOf = ({ url }: HttpRequest) => url.pathname.split('/').at(-1)
  const partsOf = ({ multipart }: HttpRequest) =>
    Object.fromEntries(
      (multipart?.parts ?? []).map((part) => [part.name, 'file' in part ? part.fileName : part.value]),
    )

  test('a text goes as it was written, to the chat of the authorization', () => {
    expect(sent({ text: '*a* <b>_c_' }).json).toEqual({ chat_id: chatId, text: '*a* <b>_c_' })
  })

  test('a part replies to the one before, whose id a person may have given as its link', () => {
    for (const remoteId of ['90', 'https://t.me/c/1234567890/90']) {
      expect(sent({ parent: { remoteId } }).json).toMatchObject({ reply_parameters: { message_id: 90 } })
    }
  })

  test('settings turn off the preview, the sound and forwarding', () => {
    const settings = { linkPreview: false, silent: true, protectContent: true }
    expect(sent({ settings }).json).toEqual({
      chat_id: chatId,
      text: 'Hello',
      link_preview_options: { is_disabled: true },
      disable_notification: true,
      protect_content: true,
    })
  })

  test('one photo or video has the text as its caption', () => {
    const withPhoto = sent({ files: [photo] })
    expect(partsOf(withPhoto)).toEqual({
      chat_id: String(chatId),
      photo: 'attach://file0',
      caption: 'Hello',
      file0: 'media-1.jpg',
    })
    const withVideo = sent({ files: [video], text: '' })
    expect(methodOf(withVideo)).toBe('sendVideo')
    expect(partsOf(withVideo)).toEqual({
      chat_id: String(chatId),
      video: 'attach://file0',
      file0: 'media-1.mp4',
      width: '640',
      height: '480',
      supports_streaming: 'true',
    })
  })

  test('several go as one album, whose first item has the caption', () => {
    const album = sent({ files: [photo, video] })
    expect(methodOf(album)).toBe('sendMediaGroup')
    const { media = '' } = partsOf(album)
    expect(JSON.parse(media)).toEqual([
      { type: 'photo', media: 'attach://file0', caption: 'Hello' },
      {
        type: 'video',
        media: 'attach://file1',
        width: 640,
        height: 480,
        supports_streaming: true,
      },
    ])
  })
})

describe('what an answer to a message proves', () => {
  const album = { files: [photo, photo] }
  const reply = { parent: { remoteId: '90' } }
  test.each([
    ['a message in the chat', done(message(91)), {}, 'published'],
    ['a message in another chat', done(message(91, { chat: { id: -5 } })), {}, 'unknown'],
    ['a message that the server has put off by itself', done(message(0)), {}, 'unknown'],
    ['an album', done([message(91), message(92)]), album, 'published'],
    ['half an album', done([message(91)]), album, 'unknown'],
    ['one message for an album', done(message(91)), album, 'unknown'],
    ...[400, 403, 413, 429, 500].map(
      (code) =>
        [
          `an album of which one message failed, with ${code}`,
          answer(code, {
            ok: false,
            error_code: code,
            parameters: { retry_after: 3 },
            description:
              'Bad Request: failed to send message #2 with the error message "PHOTO_SAVE_FILE_INVALID"',
          }),
          album,
          'unknown',
        ] as const,
    ),
    ['a revoked token', refused(401, 'Unauthorized'), {}, 'reauthorize'],
    ['a bot that was deleted', refused(404, 'Not Found'), {}, 'reauthorize'],
    ['a server without this method', refused(404, 'Not Found: method not found'), {}, 'rejected'],
    [
      'a bot that was removed',
      refused(403, 'Forbidden: bot was kicked from the channel chat'),
      {},
      'reauthorize',
    ],
    [
      'a bot that is no administrator',
      refused(400, 'Bad Request: need administrator rights in the channel chat'),
      {},
      'reauthorize',
    ],
  ] as const)('%s', (_, response, change, verdict) => {
    expect(publish.judge(response, workOf(change)).is).toBe(verdict)
  })

  test.each([
    ['message is too long', {}, 'content_refused'],
    ['message text is empty', {}, 'content_refused'],
    ['something that nobody has seen yet', {}, 'content_refused'],
    ['message to be replied not found', reply, 'parent_missing'],
    ['not enough rights to send photos to the chat', { files: [photo] }, 'permission_refused'],
    ['PHOTO_INVALID_DIMENSIONS', { files: [photo] }, 'media_refused'],
    ['message caption is too long', { files: [photo] }, 'content_refused'],
  ] as const)('a refusal for "%s"', (description, change, code) => {
    const verdict = publish.judge(refused(400, `Bad Request: ${description}`), workOf(change))
    expect(verdict).toMatchObject({ is: 'rejected', code })
  })

  test('flood control ends when Telegram says', () => {
    const limited = refused(429, 'Too Many Requests: retry after 9', { retry_after: 9 })
    expect(publish.judge(limited, workOf())).toMatchObject({ afterMs: 9_000 })
  })

  test('a message has the address that its chat gives it', () => {
    const urlOf = (shown: object) => {
      const verdict = publish.judge(done(message(91, { chat: shown })), workOf())
      return verdict.is === 'published' ? verdict.url : null
    }
    expect(urlOf(chat)).toBe('https://t.me/examplenews/91')
    expect(urlOf({ id: chatId, type: 'channel', title: 'Members' })).toBe('https://t.me/c/1234567890/91')
  })
})

describe('connecting', () => {
  const fill = (fields: Record<string, string>, others: Record<string, HttpResponse> = {}) =>
    play(
      form({ fields: { chat: '@examplenews', botToken: token, ...fields }, now: new Date(0) }),
      where(others),
    )

  test.each(['@examplenews', 'examplenews', 'https://t.me/examplenews/91', 't.me/s/examplenews/'])(
    '%s is the channel of that name',
    (typed) => {
      const { outcome, requests } = fill({ chat: typed })
      expect(requests[1]?.url.searchParams.get('chat_id')).toBe('@examplenews')
      expect(outcome).toMatchObject({
        is: 'connected',
        authorization,
        account: {
          remoteAccountId: String(chatId),
          displayName: 'News',
          handle: 'examplenews',
          avatarUrl: null,
          limits: null,
        },
      })
    },
  )

  test.each([String(chatId), 'https://t.me/c/1234567890/5'])('%s is a private channel', (typed) => {
    const { outcome, requests } = fill({ chat: typed }, { getChat: done({ ...chat, username: undefined }) })
    expect(requests[1]?.url.searchParams.get('chat_id')).toBe(String(chatId))
    expect(outcome).toMatchObject({ is: 'connected', account: { handle: String(chatId) } })
  })

  test.each([
    ['no name of a channel', { chat: 'two words' }, {}, 'invalid_field'],
    ['no token', { botToken: 'hunter2' }, {}, 'credentials_refused'],
    ['a token that was revoked', {}, { getMe: refused(401, 'Unauthorized') }, 'credentials_refused'],
    [
      'a server that is none of these',
      { server: 'https://elsewhere.example' },
      { getMe: answer(200, '<html></html>') },
      'invalid_field',
    ],
    ['an unknown channel', {}, { getChat: refused(400, 'Bad Request: chat not found') }, 'invalid_field'],
    ['a person', {}, { getChat: done({ ...chat, type: 'private' }) }, 'invalid_field'],
    [
      'a bot that may not post',
      {},
      { getChatMember: done({ status: 'administrator', can_post_messages: false }) },
      'missing_scope',
    ],
    [
      'a bot that is no member',
      {},
      { getChatMember: refused(400, 'Bad Request: member list is inaccessible') },
      'missing_scope',
    ],
  ] as const)('%s is refused with what to do', (_, fields, others, code) => {
    const { outcome } = fill(fields, others)
    expect(outcome).toMatchObject({ is: 'refused', code })
    expect(JSON.stringify(outcome)).not.toContain(token)
  })

  test('a member of a group may post, unless it was restricted', () => {
    const group = { getChat: done({ ...chat, type: 'supergroup' }) }
    const as = (member: object) => fill({}, { ...group, getChatMember: done(member) }).outcome.is
    expect(as({ status: 'member' })).toBe('connected')
    expect(as({ status: 'restricted', can_send_messages: false })).toBe('refused')
  })

  test('only the word of Telegram ends an authorization', () => {
    const seen = (others: Record<string, HttpResponse>) =>
      play(profile({ authorization, now: new Date(0) }), where(others)).outcome.is
    expect(seen({})).toBe('profile')
    expect(seen({ getMe: refused(401, 'Unauthorized') })).toBe('reauthorize')
    expect(seen({ getChat: refused(403, 'Forbidden: bot was kicked from the channel chat') })).toBe(
      'reauthorize',
    )
    expect(seen({ getChatMember: refused(400, 'Bad Request: user not found') })).toBe('reauthorize')
    expect(seen({ getChat: refused(500, 'Internal Server Error') })).toBe('unavailable')
    expect(seen({ getChat: refused(400, 'Bad Request: chat_id is empty') })).toBe('unavailable')
    expect(seen({ getChatMember: refused(404, 'Not Found: method not found') })).toBe('unavailable')
  })
})

test('a caption is shorter than a text', () => {
  const check = (text: string, mediaCount: number) =>
    telegram.check?.({
      kind: 'post',
      text,
      mediaCount,
      mediaKinds: [],
      mediaSizes: [],
      index: 0,
      settings: {},
      limits: telegram.limits,
    })
  expect(check('a'.repeat(1_025), 0)).toEqual([])
  expect(check('a'.repeat(1_024), 1)).toEqual([])
  expect(check('a'.repeat(1_025), 1)).toMatchObject([{ severity: 'error' }])
})
