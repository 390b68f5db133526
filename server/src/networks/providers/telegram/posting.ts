import Type, { type Static } from 'typebox'
import { boundaryOf, fileNameOf } from '../shared/multipart.ts'
import type { HttpRequest, HttpResponse, Multipart } from '../port/calls.ts'
import type { PartFile, PublishWork, Refusal, Verdict } from '../port/port.ts'
import { notOffered, rateLimited, rejected, unknown } from '../port/verdicts.ts'
import {
  isChatClosed,
  isTokenRefused,
  limitMs,
  methodUrl,
  refusalOf,
  resultOf,
  withToken,
} from './bot-api.ts'
import { telegramAuthorization } from './authorization.ts'

/**
 * https://core.telegram.org/bots/api#message: `message_id` is 0 for what the server has put off by itself, "and the relevant
 * message will be unusable until it is actually sent". That is no proof.
 */
const Message = Type.Object({
  message_id: Type.Integer({ minimum: 1 }),
  chat: Type.Object({ id: Type.Integer(), username: Type.Optional(Type.String({ pattern: '^\\w{1,64}$' })) }),
})
type Message = Static<typeof Message>
const Album = Type.Array(Message, { minItems: 2 })

/* ----------------------------------------------------------------------------------------------------------- publish */

type Fields = Readonly<Record<string, unknown>>

/**
 * A text, one photo or video with a caption, or an album with one. There is no `parse_mode`: the text is shown as it was
 * written, and Telegram itself marks links, mentions and hashtags.
 */
export function publishRequest(work: PublishWork): HttpRequest {
  const { text, files, settings } = work
  const [file] = files
  if (file === undefined) {
    const noPreview = settings['linkPreview'] === false ? { link_preview_options: { is_disabled: true } } : {}
    return toMethod(work, 'sendMessage', { text, ...noPreview })
  }
  if (files.length > 1) return toMethod(work, 'sendMediaGroup', { media: albumOf(work) })
  const method = file.kind === 'video' ? 'sendVideo' : 'sendPhoto'
  return toMethod(work, method, { [typeOf(file)]: attached(0), ...captionOf(text), ...shapeOf(file) })
}

/** Files go as parts of their own, which `attach://` names (https://core.telegram.org/bots/api#sending-files). */
const attachedName = (place: number) => `file${place}`
const attached = (place: number) => `attach://${attachedName(place)}`

/** https://core.telegram.org/bots/api#sendmediagroup: the caption of the first item is the one of the album. */
function albumOf({ text, files }: PublishWork): Fields[] {
  return files.map((file, place) => ({
    type: typeOf(file),
    media: attached(place),
    ...(place === 0 ? captionOf(text) : {}),
    ...shapeOf(file),
  }))
}

function typeOf({ kind }: PartFile): 'photo' | 'video' {
  return kind === 'video' ? 'video' : 'photo'
}

function captionOf(text: string): Fields {
  return text === '' ? {} : { caption: text }
}

/** Of a video Telegram has to be told; of a photo it sees it. */
function shapeOf({ kind, width, height }: PartFile): Fields {
  if (kind !== 'video') return {}
  const size = width == null || height == null ? {} : { width, height }
  return { ...size, supports_streaming: true }
}

function toMethod(work: PublishWork, method: string, own: Fields): HttpRequest {
  const { parent, settings, files, idempotencyKey } = work
  const authorization = telegramAuthorization(work.authorization)
  const fields: Fields = {
    chat_id: authorization.chatId,
    ...own,
    ...(parent === null ? {} : { reply_parameters: { message_id: messageIdOf(parent) } }),
    ...(settings['silent'] === true ? { disable_notification: true } : {}),
    ...(settings['protectContent'] === true ? { protect_content: true } : {}),
  }
  const call = {
    method: 'POST',
    url: methodUrl(authorization, method),
    authorization: withToken(authorization),
  } as const
  if (files.length === 0) return { ...call, json: fields }
  const parts: Multipart['parts'] = [
    ...Object.entries(fields).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
    ...files.map((file, place) => ({ name: attachedName(place), fileName: fileNameOf(file, place), file })),
  ]
  return { ...call, multipart: { boundary: boundaryOf(idempotencyKey), parts } }
}

/** What a person gave as the id of a part may be its link, which ends in the id. */
function messageIdOf({ remoteId }: { readonly remoteId: string }): number {
  return Number(/\d+$/.exec(remoteId)?.[0])
}

/* ------------------------------------------------------------------------------------------------------------- judge */

export function judgePublish(response: HttpResponse, work: PublishWork): Verdict {
  const message = messageIn(response, work)
  if (message !== null) return published(message)
  return judgeRefusal(response, work) ?? unknown(response, 'the message was sent')
}

/** The message that stands in the chat now, the first one of an album; null for an answer that does not prove all of it. */
function messageIn(response: HttpResponse, { authorization, files }: PublishWork): Message | null {
  const { chatId } = telegramAuthorization(authorization)
  const messages =
    files.length > 1
      ? (resultOf(response, Album) ?? [])
      : [resultOf(response, Message)].filter((one) => one !== null)
  const whole =
    messages.length === Math.max(1, files.length) && messages.every(({ chat }) => chat.id === chatId)
  return whole ? (messages[0] ?? null) : null
}

/** https://core.telegram.org/api/links#message-links: a chat without a name has links for its members. */
function published({ message_id, chat: { id, username } }: Message): Verdict {
  const place = username ?? `c/${String(id).replace(/^-100/, '')}`
  return { is: 'published', remoteId: String(message_id), url: `https://t.me/${place}/${message_id}` }
}

/**
 * What the Bot API server says of one message of an album: the others may stand (telegram-bot-api/Client.cpp, fail_query_with_error). Older
 * servers say that the group failed (https://github.com/telegraf/telegraf/issues/1481, 2021-06-30).
 */
const ONE_OF_ALBUM = /failed to send message #\d|group send failed/i

/** What is refused was not published: a message is checked before it is sent. */
function judgeRefusal(response: HttpResponse, { files }: PublishWork): Refusal | null {
  const refused = refusalOf(response)
  if (refused !== null && ONE_OF_ALBUM.test(refused.description)) return null
  if (response.status === 429) return rateLimited(limitMs(response))
  if (refused === null) return null
  if (isTokenRefused(refused) || isChatClosed(refused)) return { is: 'reauthorize' }
  switch (refused.error_code) {
    case 400:
      return files.length > 0 ? mediaOrText(refused.description) : textRefusal(refused.description)
    case 403:
      return PERMISSION
    // A server without the method; a token that is none was told apart.
    case 404:
    case 405:
      return notOffered('Telegram')
    case 413:
      return rejected('media_refused', 'The files of this post are larger than Telegram allows.')
    default:
      return null
  }
}

function mediaOrText(description: string): Refusal {
  return /PHOTO_|IMAGE_|VIDEO_|MEDIA_|FILE_|file|photo|video/i.test(description) &&
    !/rights/i.test(description)
    ? rejected('media_refused', 'Telegram does not accept the type, size or shape of a file of this post.')
    : textRefusal(description)
}

/**
 * There are no codes, and the texts may change: what none of them fits is refused all the same. Older and newer
 * wordings of one answer are in use side by side: "have no rights to send a message"
 * (https://github.com/TediCross/TediCross/issues/200), "TOPIC_CLOSED", "reply message not found" and "replied message not
 * found" (server/test/seen-answers/telegram.ts, read 2026-11-29).
 */
function textRefusal(description: string): Refusal {
  if (
    /not enough rights|have no rights|no write access|CHAT_WRITE_FORBIDDEN|CHAT_ADMIN_REQUIRED|CHAT_RESTRICTED|TOPIC_CLOSED/i.test(
      description,
    )
  )
    return PERMISSION
  if (
    /message to be replied not found|repl(?:y|ied) message not found|REPLY_MESSAGE_ID_INVALID/i.test(
      description,
    )
  ) {
    return rejected(
      'parent_missing',
      'The post before this one is no longer on Telegram, so this one would not be a reply to it.',
    )
  }
  if (/too long/i.test(description)) {
    return rejected('content_refused', 'The text is longer than Telegram allows.')
  }
  if (/text is empty|must be non-empty/i.test(description)) {
    return rejected('content_refused', 'Telegram takes no message without visible characters.')
  }
  return rejected('content_refused', 'Telegram refuses the message as invalid.')
}

const PERMISSION = rejected(
  'permission_refused',
  "The bot can't post this here. Give it the right to post messages and media in the channel.",
)
