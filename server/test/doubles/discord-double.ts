import type { IncomingMessage } from 'node:http'
import { discordCalls } from './discord-calls.ts'
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
import { discordValues } from './discord-values.ts'

/*
 * Discord as its documentation describes it (https://docs.discord.com/developers/resources/webhook), with one webhook. It
 * refuses whatever is not in the table of its calls.
 */

export type DiscordDouble = HttpDouble & {
  readonly messages: Message[]
  /** What becomes of the next messages, in this order: nothing for none. */
  readonly orders: Order[]
  /** The webhook; null once it was deleted. */
  webhook: typeof WEBHOOK | null
  /** How many calls to post there were. */
  calls: number
}

/** `500 after posting`: it stands in the channel, and the answer does not say so. */
export type Order = 'rate limit' | '500 after posting' | 'last of the limit' | 'blocked' | 'forum'

type Attachment = Received & { readonly altText: string | null }
type Message = {
  readonly id: string
  readonly text: string
  readonly flags: number
  readonly username: string | null
  readonly files: readonly Attachment[]
}

export const WEBHOOK_ID = '223704706495545344'
export const WEBHOOK_TOKEN = '3d89bb7572e0fb30d8128367b3b1b44f-token_of_the_webhook'
const WEBHOOK = {
  id: WEBHOOK_ID,
  type: 1,
  channel_id: '199737254929760256',
  guild_id: '199737254929760257',
  name: 'News',
  avatar: 'a_0123456789abcdef',
  application_id: null,
  token: WEBHOOK_TOKEN,
}

const RESET_MS = 1_500

const refuse = (status: number, code: number, message: string): Refusal =>
  new Refusal(status, { code, message })

export async function openDiscordDouble(): Promise<DiscordDouble> {
  const messages: Message[] = []
  const orders: Order[] = []
  let ids = 1_400_000_000_000_000_000n
  /** When the limit resets, once it is spent. */
  let spentUntil = 0

  async function handle(request: IncomingMessage, { pathname }: URL): Promise<Answered> {
    // reference#user-agent; it says the same to addresses that it keeps away.
    if (!/^DiscordBot \(https?:\/\/\S+, \d+\)$/.test(request.headers['user-agent'] ?? '')) {
      throw refuse(403, 40_333, 'Cloudflare is blocking your request')
    }
    const [, , , , id, token] = pathname.split('/')
    if (double.webhook === null || id !== double.webhook.id) throw refuse(404, 10_015, 'Unknown Webhook')
    if (token !== WEBHOOK_TOKEN) throw refuse(401, 50_027, 'Invalid Webhook Token')
    if (request.method !== 'GET') return post(request)
    const headers = {
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset-after': '1.5',
    }
    return { status: 200, body: double.webhook, headers }
  }

  async function post(request: IncomingMessage): Promise<Answered> {
    double.calls += 1
    const order = orders.shift()
    if (order === 'rate limit' || Date.now() < spentUntil) {
      throw new Refusal(
        429,
        { message: 'You are being rate limited.', retry_after: 1.57, global: false },
        { 'retry-after': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.57' },
      )
    }
    if (order === 'blocked') throw refuse(400, 200_000, 'Message was blocked by automatic moderation')
    if (order === 'forum')
      throw refuse(400, 220_001, 'Webhooks posted to forum channels must have a thread_name')
    const message = await create(request)
    if (order === '500 after posting') throw new Refusal(500, '')
    const { id, text: content } = message
    if (order === 'last of the limit') spentUntil = Date.now() + RESET_MS
    return {
      status: 200,
      body: { id, content, channel_id: double.webhook?.channel_id, webhook_id: WEBHOOK_ID, type: 0 },
      headers: {
        'x-ratelimit-remaining': order === 'last of the limit' ? '0' : '4',
        'x-ratelimit-reset-after': String(RESET_MS / 1_000),
      },
    }
  }

  async function create(request: IncomingMessage): Promise<Message> {
    const { payload, files: sent } = await readBody(request)
    const { content = '', flags = 0, username = null, attachments = [] } = payload
    if (content.trim() === '' && sent.size === 0) throw refuse(400, 50_006, 'Cannot send an empty message')
    const files = attachments.map(({ id, filename, description = null }): Attachment => {
      const file = sent.get(`files[${id}]`)
      if (file === undefined || file.name !== filename) throw refuse(400, 50_146, 'Uploaded file not found.')
      return { ...file, altText: description }
    })
    if (files.length !== sent.size) throw refuse(400, 50_035, 'A file is named by no attachment')
    const message = { id: String(++ids), text: content, flags, username, files }
    messages.push(message)
    return message
  }

  const server = await openHttpDouble(handle, discordCalls, discordValues)
  const double: DiscordDouble = { ...server, messages, orders, webhook: WEBHOOK, calls: 0 }
  return double
}

type Payload = {
  readonly content?: string
  readonly flags?: number
  readonly username?: string
  readonly attachments?: readonly {
    readonly id: string
    readonly filename: string
    readonly description?: string
  }[]
}

/** JSON, or a form of `payload_json` and files. */
async function readBody(request: IncomingMessage) {
  const files = new Map<string, Received>()
  if (request.headers['content-type'] === 'application/json') {
    return { payload: JSON.parse((await bytesOf(request)).toString()) as Payload, files }
  }
  let payload: Payload = {}
  for (const [name, value] of await formOf(request)) {
    if (value instanceof File) files.set(name, await received(value))
    else payload = JSON.parse(value) as Payload
  }
  return { payload, files }
}
