import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody, retryAfterMs } from '../shared/answers.ts'
import { boundaryOf, fileNameOf } from '../shared/multipart.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { PublishWork, Refusal, Verdict } from '../port/port.ts'
import { AWAY, notOffered, rateLimited, rejected, unknown } from '../port/verdicts.ts'
import { discordAuthorization, Snowflake } from './authorization.ts'
import { errorCodeOf, isNoCall, isWebhookGone, KEPT_AWAY, webhookCall } from './webhook.ts'

/** https://docs.discord.com/developers/resources/message#message-object */
const Message = Type.Object({ id: Snowflake, channel_id: Snowflake })
/** Of the names that Discord refuses, some are in no document: https://github.com/MinnDevelopment/discord-webhooks/issues/100 (2025-02-27). */
const NameRefused = Type.Object({
  code: Type.Literal(50_035),
  errors: Type.Object({ username: Type.Object({}) }),
})
const RateLimited = Type.Object({ retry_after: Type.Number({ minimum: 0, maximum: 1e7 }) })

/* ----------------------------------------------------------------------------------------------------------- publish */

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2
const SUPPRESS_NOTIFICATIONS = 1 << 12

/**
 * One message, which with `wait` is answered once it stands in the channel. A webhook cannot reply, so the parts of a thread
 * are messages one after the other. Nobody is pinged, whatever the text names.
 */
export function publishRequest(work: PublishWork): HttpRequest {
  const { files, idempotencyKey } = work
  const authorization = discordAuthorization(work.authorization)
  const { url, ...call } = webhookCall(authorization)
  url.searchParams.set('wait', 'true')
  if (authorization.threadId !== null) url.searchParams.set('thread_id', authorization.threadId)
  const message = messageOf(work)
  if (files.length === 0) return { ...call, method: 'POST', url, json: message }
  const attachments = files.map((file, place) => ({
    id: String(place),
    filename: fileNameOf(file, place),
    ...(file.altText === null || file.altText === '' ? {} : { description: file.altText }),
  }))
  // https://docs.discord.com/developers/reference#uploading-files
  const payload = {
    name: 'payload_json',
    value: JSON.stringify({ ...message, attachments }),
    contentType: 'application/json',
  }
  const bodies = files.map((file, place) => ({
    name: `files[${place}]`,
    fileName: fileNameOf(file, place),
    file,
  }))
  return {
    ...call,
    method: 'POST',
    url,
    multipart: { boundary: boundaryOf(idempotencyKey), parts: [payload, ...bodies] },
  }
}

function messageOf({ text, settings }: PublishWork): Readonly<Record<string, unknown>> {
  const { linkPreview, silent, username } = settings
  const flags = (linkPreview === false ? SUPPRESS_EMBEDS : 0) | (silent === true ? SUPPRESS_NOTIFICATIONS : 0)
  return {
    ...(text === '' ? {} : { content: text }),
    // https://docs.discord.com/developers/resources/message#allowed-mentions-object
    allowed_mentions: { parse: [] },
    ...(flags === 0 ? {} : { flags }),
    ...(username === undefined ? {} : { username }),
  }
}

/* ------------------------------------------------------------------------------------------------------------- judge */

export function judgePublish(response: HttpResponse, work: PublishWork): Verdict {
  const message = readBody(response, Message)
  if (message !== null) {
    const { server, guildId } = discordAuthorization(work.authorization)
    const url = guildId === null ? null : `${server}/channels/${guildId}/${message.channel_id}/${message.id}`
    return { is: 'published', remoteId: message.id, url }
  }
  return judgeRefusal(response) ?? unknown(response, 'the message was posted')
}

/** Errors of 400 to 499 come before anything is stored; a code says which one it is. */
function judgeRefusal(response: HttpResponse): Refusal | null {
  const { status } = response
  if (status === 429) return rateLimited(limitMs(response))
  if (isWebhookGone(response)) return { is: 'reauthorize' }
  if (isNoCall(response)) return notOffered('Discord')
  const code = errorCodeOf(response)
  if (code === null) return null
  if (Check(NameRefused, jsonOf(response))) return NAME_REFUSED
  return REFUSALS.get(code) ?? refusalOfStatus(status, code)
}

/** 0 is no code of its own: what stands behind it is told by nothing. */
function refusalOfStatus(status: number, code: number): Refusal | null {
  if (code === 0) return null
  if (status === 400) return rejected('content_refused', 'Discord refuses the message as invalid.')
  if (status === 403) return PERMISSION
  return status === 413 ? FILE_TOO_LARGE : null
}

const PERMISSION = rejected(
  'permission_refused',
  'Discord does not let this webhook post here. Check the settings of the channel and the server.',
)
const FILE_TOO_LARGE = rejected('media_refused', 'The files of this post are larger than the server allows.')
const FILE_REFUSED = rejected('media_refused', 'Discord does not accept a file of this post.')
const NAME_REFUSED = rejected(
  'content_refused',
  'Discord does not accept the name that this message is shown under. Choose another username.',
)
const BLOCKED = rejected('content_refused', 'A filter of the Discord server blocks this message.')
const FORUM = rejected(
  'content_refused',
  'The webhook belongs to a forum or media channel, where messages need a thread. Reconnect with ?thread_id= and the number of a thread at the end of the address.',
)
const BUSY = rateLimited(null)

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json: what can meet a message of a webhook. */
const REFUSALS: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [20_009, BLOCKED],
  [20_016, BUSY],
  [20_028, BUSY],
  [20_029, BUSY],
  [30_015, FILE_REFUSED],
  [40_004, AWAY],
  [40_005, FILE_TOO_LARGE],
  [40_006, AWAY],
  [40_058, FORUM],
  [40_062, BUSY],
  [KEPT_AWAY, AWAY],
  [50_006, rejected('content_refused', 'Discord takes no message without text or files.')],
  [50_035, rejected('content_refused', 'Discord refuses the message as invalid. It may be too long.')],
  [50_041, notOffered('Discord')],
  [50_045, FILE_TOO_LARGE],
  [50_046, FILE_REFUSED],
  [50_110, FILE_REFUSED],
  [50_123, FILE_REFUSED],
  [50_146, FILE_REFUSED],
  [200_000, BLOCKED],
  [220_001, FORUM],
  [240_000, BLOCKED],
  [400_001, rejected('media_refused', 'The Discord server is not accepting files right now.')],
])

/** https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
function limitMs(response: HttpResponse): number | null {
  const body = jsonOf(response)
  return Check(RateLimited, body) ? Math.ceil(body.retry_after * 1_000) : retryAfterMs(response.headers)
}
