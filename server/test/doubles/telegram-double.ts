import type { IncomingMessage } from 'node:http'
import {
  bytesOf,
  formOf,
  openHttpDouble,
  received,
  Refusal,
  type Answered,
  type HttpDouble,
  type Received,
} from './http-double.ts'
import { telegramCalls } from './telegram-calls.ts'
import { telegramValues } from './telegram-values.ts'

/*
 * A Bot API server as its documentation describes it (https://core.telegram.org/bots/api), with one bot in one channel. It
 * refuses whatever is not in the table of its calls.
 */

export type TelegramDouble = HttpDouble & {
  readonly messages: Message[]
  /** What becomes of the next messages, in this order: nothing for none. */
  readonly orders: Order[]
  /** What the bot is in the channel. */
  member: { readonly status: string; readonly can_post_messages?: boolean }
  /** How many calls to post there were. */
  calls: number
}

/** `500 after sending`: it stands in the channel, and the answer does not say so. */
export type Order = 'rate limit' | '500 after sending' | 'put off'

type Media = Received & { readonly type: string }
type Files = ReadonlyMap<string, Received>
type Message = {
  readonly id: number
  readonly text: string
  readonly media: Media | null
  readonly replyTo: number | null
  readonly album: string | null
  readonly fields: Readonly<Record<string, unknown>>
}

export const BOT_TOKEN = '123456:AAE-token_of_the_bot'
/** The public channel that the bot posts to, and a private one. */
export const CHANNEL = { id: -1001234567890, type: 'channel', title: 'News', username: 'examplenews' }
export const PRIVATE_CHANNEL = { id: -1009876543210, type: 'channel', title: 'Members' }
const PERSON = { id: 77, type: 'private', first_name: 'Ada', username: 'ada_example' }
const BOT = { id: 123456, is_bot: true, first_name: 'News bot', username: 'example_news_bot' }

type Caption = { readonly caption?: string }
/** Those of all methods. */
type Fields = { readonly chat_id: number; readonly reply_parameters?: { readonly message_id: number } } & (
  | { readonly text: string }
  | ({ readonly photo: string } & Caption)
  | ({ readonly video: string } & Caption)
  | { readonly media: readonly ({ readonly type: string; readonly media: string } & Caption)[] }
)

const refuse = (error_code: number, description: string, parameters: object = {}): Refusal =>
  new Refusal(error_code, { ok: false, error_code, description, ...parameters })
const ok = (result: unknown): Answered => ({ status: 200, body: { ok: true, result } })

export async function openTelegramDouble(): Promise<TelegramDouble> {
  const messages: Message[] = []
  const orders: Order[] = []
  let ids = 40

  async function handle(request: IncomingMessage, { pathname, searchParams }: URL): Promise<Answered> {
    const [, bot = '', method = ''] = pathname.split('/')
    if (bot !== `bot${BOT_TOKEN}`) throw refuse(401, 'Unauthorized')
    if (method === 'getMe') return ok(BOT)
    if (method === 'getChat') return ok(chatOf(searchParams.get('chat_id')))
    if (method === 'getChatMember') return ok(memberOf(searchParams))
    return send(request, method)
  }

  function chatOf(named: string | null) {
    const chat = [CHANNEL, PRIVATE_CHANNEL, PERSON].find(
      (one) => String(one.id) === named || ('username' in one && `@${one.username}` === named),
    )
    if (chat === undefined) throw refuse(400, 'Bad Request: chat not found')
    return chat
  }

  function memberOf(query: URLSearchParams) {
    chatOf(query.get('chat_id'))
    if (query.get('user_id') !== String(BOT.id)) throw refuse(400, 'Bad Request: user not found')
    return { user: BOT, ...double.member }
  }

  async function send(request: IncomingMessage, method: string): Promise<Answered> {
    double.calls += 1
    const order = orders.shift()
    if (order === 'rate limit') {
      throw refuse(429, 'Too Many Requests: retry after 2', { parameters: { retry_after: 2 } })
    }
    const { fields, files } = await readBody(request)
    const chat = chatOf(String(fields.chat_id))
    if (double.member.status === 'kicked')
      throw refuse(403, 'Forbidden: bot was kicked from the channel chat')
    if (double.member.status !== 'administrator' || double.member.can_post_messages !== true) {
      throw refuse(400, 'Bad Request: need administrator rights in the channel chat')
    }
    const sent = create(fields, files)
    if (order === '500 after sending') throw refuse(500, 'Internal Server Error')
    const shown = sent.map(({ id }) => ({
      message_id: order === 'put off' ? 0 : id,
      date: 1_795_251_600,
      chat,
    }))
    return ok(method === 'sendMediaGroup' ? shown : shown[0])
  }

  function create(fields: Fields, files: Files): Message[] {
    const replyTo = fields.reply_parameters?.message_id ?? null
    if (replyTo !== null && !messages.some(({ id }) => id === replyTo)) {
      throw refuse(400, 'Bad Request: message to be replied not found')
    }
    const made = itemsOf(fields).map((item): Message => {
      const media = item.media === null ? null : mediaOf(item.type, item.media, files)
      if (media === null && item.text.trim() === '') throw refuse(400, 'Bad Request: message text is empty')
      return { id: ++ids, text: item.text, media, replyTo, album: null, fields }
    })
    if (made.filter(({ media }) => media !== null).length !== files.size) {
      throw refuse(400, 'Bad Request: a file is named by nothing')
    }
    const album = made.length > 1 ? `album-${ids}` : null
    const sent = made.map((message) => ({ ...message, album }))
    messages.push(...sent)
    return sent
  }

  const server = await openHttpDouble(handle, telegramCalls, telegramValues)
  const double: TelegramDouble = {
    ...server,
    messages,
    orders,
    calls: 0,
    member: { status: 'administrator', can_post_messages: true },
  }
  return double
}

type Item = { readonly type: string; readonly text: string; readonly media: string | null }

function itemsOf(fields: Fields): Item[] {
  if ('text' in fields) return [{ type: 'text', text: fields.text, media: null }]
  if ('media' in fields) {
    return fields.media.map(({ type, media, caption: text = '' }) => ({ type, media, text }))
  }
  const { caption: text = '' } = fields
  return [
    'photo' in fields
      ? { type: 'photo', media: fields.photo, text }
      : { type: 'video', media: fields.video, text },
  ]
}

function mediaOf(type: string, named: string, files: Files): Media {
  const file = files.get(named.replace('attach://', ''))
  if (file === undefined) throw refuse(400, 'Bad Request: wrong file identifier/HTTP URL specified')
  const types = type === 'photo' ? ['image/jpeg', 'image/png'] : ['video/mp4']
  if (!types.includes(file.contentType)) throw refuse(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS')
  return { type, ...file }
}

/** JSON as it is; in a form every field is text, and what is no text is JSON. */
async function readBody(request: IncomingMessage) {
  const files = new Map<string, Received>()
  if (request.headers['content-type'] === 'application/json') {
    return { fields: JSON.parse((await bytesOf(request)).toString()) as Fields, files }
  }
  const fields: Record<string, unknown> = {}
  for (const [name, value] of await formOf(request)) {
    if (value instanceof File) {
      files.set(name, await received(value))
    } else fields[name] = PLAIN.includes(name) ? value : JSON.parse(value)
  }
  return { fields: fields as Fields, files }
}

const PLAIN: readonly string[] = ['text', 'caption', 'photo', 'video']
