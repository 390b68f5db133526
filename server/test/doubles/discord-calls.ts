import Type from 'typebox'
import { aFile, type CallFault, type CallTable, exact, filled, jsonText, oneOf, text } from './call-table.ts'
import type { Answered } from './http-double.ts'

/* The calls that we make at Discord, by a webhook (https://docs.discord.com/developers/resources/webhook). */

/** Discord's own description of its API: it has each field but those of files. */
const SPEC = {
  source: 'https://github.com/discord/discord-api-spec/blob/74fda0f/specs/openapi.json',
  read: '2026-11-29',
}
const DOCS = 'https://docs.discord.com/developers'

const snowflake = Type.String({ pattern: '^(?:0|[1-9][0-9]*)$' })
const place = '^[0-9]$'
/** `wait`: only the answer to such a call proves anything. */
const query = exact({ wait: oneOf('true'), thread_id: Type.Optional(snowflake) })

const message = {
  // Without it, everybody is pinged whom the text names.
  allowed_mentions: exact({ parse: Type.Array(text, { maxItems: 0 }) }),
  // SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, both.
  flags: Type.Optional(Type.Enum([4, 4_096, 4_100])),
  // resources/user#usernames-and-nicknames; `clyde` by resources/webhook#create-webhook.
  username: Type.Optional(
    Type.String({
      maxLength: 80,
      pattern: '^(?!.*([dD]iscord|[cC]lyde))[^@#:]+$',
      examples: ['Newsroom'],
    }),
  ),
}
const attachment = exact({
  id: Type.String({ pattern: place }),
  filename: filled,
  description: Type.Optional(filled),
})

export const discordCalls: CallTable = {
  version: { segment: 'v10' },
  refusal,
  rows: [
    {
      call: 'GET {server}/api/v10/webhooks/{webhook:[0-9]+}/{token}',
      ...SPEC,
    },
    {
      call: 'POST {server}/api/v10/webhooks/{webhook:[0-9]+}/{token}',
      query,
      json: exact({ content: filled, ...message }),
      ...SPEC,
    },
    {
      call: 'POST {server}/api/v10/webhooks/{webhook:[0-9]+}/{token}',
      query,
      multipart: exact(
        {
          payload_json: jsonText(
            exact({
              content: Type.Optional(filled),
              ...message,
              attachments: Type.Array(attachment, { minItems: 1, maxItems: 10 }),
            }),
          ),
        },
        { '^files\\[[0-9]\\]$': aFile },
      ),
      source: `${DOCS}/reference#uploading-files`,
      read: '2026-11',
    },
  ],
}

/** https://docs.discord.com/developers/reference#error-messages, https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
function refusal(fault: CallFault): Answered {
  switch (fault.is) {
    case 'path':
    case 'host':
      return refused(404, 0, '404: Not Found')
    case 'version':
      return refused(400, 50_041, 'Invalid API version provided')
    case 'method':
      return refused(405, 0, '405: Method Not Allowed')
    case 'body':
      return fault.wanted === 'json'
        ? refused(400, 50_006, 'Cannot send an empty message')
        : refused(400, 50_035, 'Invalid Form Body')
    case 'missing':
    case 'unknown':
    case 'type': {
      const [code, words] =
        fault.is === 'missing'
          ? ['BASE_TYPE_REQUIRED', 'This field is required']
          : fault.is === 'type'
            ? ['BASE_TYPE_CHOICES', 'The value is not one that this field takes.']
            : ['MODEL_TYPE_UNKNOWN', 'This field is not known.']
      const told: object = { _errors: [{ code, message: words }] }
      const errors = fault.field.reduceRight<object>((inner, name) => ({ [name]: inner }), told)
      return { status: 400, body: { code: 50_035, errors, message: 'Invalid Form Body' } }
    }
    default:
      return fault satisfies never
  }
}

function refused(status: number, code: number, message: string): Answered {
  return { status, body: { code, message } }
}
