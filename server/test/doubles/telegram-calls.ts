import Type from 'typebox'
import {
  aFile,
  type CallFault,
  type CallTable,
  digits,
  exact,
  filled,
  flag,
  jsonText,
  oneOf,
  text,
} from './call-table.ts'
import type { Answered } from './http-double.ts'

/*
 * The calls that we make at a server of the Bot API (https://core.telegram.org/bots/api). Such a server takes each method by GET, too, and
 * leaves out of account what it does not know: a call that means something else than it says.
 */

const READ = '2026-11'
const API = 'https://core.telegram.org/bots/api'

/** Of a message whose fields are JSON. */
const options = {
  reply_parameters: Type.Optional(exact({ message_id: Type.Integer({ minimum: 1 }) })),
  disable_notification: Type.Optional(Type.Boolean()),
  protect_content: Type.Optional(Type.Boolean()),
}
/** The same in a form, where all that is no text is JSON (`making-requests`). */
const formOptions = {
  chat_id: Type.String({ pattern: '^-?[0-9]+$' }),
  reply_parameters: Type.Optional(jsonText(options.reply_parameters)),
  disable_notification: Type.Optional(flag),
  protect_content: Type.Optional(flag),
}
const caption = Type.Optional(filled)
/** Files are parts of the form, which a field names (`sending-files`). */
const attached = Type.String({ pattern: '^attach://file[0-9]$' })
const files = { '^file[0-9]$': aFile }

export const telegramCalls: CallTable = {
  version: null,
  refusal,
  rows: [
    { call: 'GET {server}/bot{token}/getMe', source: `${API}#getme`, read: READ },
    {
      call: 'GET {server}/bot{token}/getChat',
      query: exact({ chat_id: Type.String({ pattern: '^(?:@\\w+|-?[0-9]+)$' }) }),
      source: `${API}#getchat`,
      read: READ,
    },
    {
      call: 'GET {server}/bot{token}/getChatMember',
      query: exact({ chat_id: Type.String({ pattern: '^-?[0-9]+$' }), user_id: digits }),
      source: `${API}#getchatmember`,
      read: READ,
    },
    {
      call: 'POST {server}/bot{token}/sendMessage',
      json: exact({
        chat_id: Type.Integer(),
        text,
        link_preview_options: Type.Optional(exact({ is_disabled: Type.Boolean() })),
        ...options,
      }),
      source: `${API}#sendmessage`,
      read: READ,
    },
    {
      call: 'POST {server}/bot{token}/sendPhoto',
      multipart: exact({ photo: attached, caption, ...formOptions }, files),
      source: `${API}#sendphoto`,
      read: READ,
    },
    {
      call: 'POST {server}/bot{token}/sendVideo',
      multipart: exact(
        {
          video: attached,
          caption,
          width: Type.Optional(digits),
          height: Type.Optional(digits),
          supports_streaming: Type.Optional(flag),
          ...formOptions,
        },
        files,
      ),
      source: `${API}#sendvideo`,
      read: READ,
    },
    {
      call: 'POST {server}/bot{token}/sendMediaGroup',
      multipart: exact(
        {
          media: jsonText(
            Type.Array(
              Type.Union([
                exact({ type: oneOf('photo'), media: attached, caption }),
                exact({
                  type: oneOf('video'),
                  media: attached,
                  caption,
                  width: Type.Optional(Type.Integer()),
                  height: Type.Optional(Type.Integer()),
                  supports_streaming: Type.Optional(Type.Boolean()),
                }),
              ]),
              { minItems: 2, maxItems: 10 },
            ),
          ),
          ...formOptions,
        },
        files,
      ),
      source: `${API}#sendmediagroup`,
      read: READ,
    },
  ],
}

/** https://core.telegram.org/bots/api#making-requests; there is no list of descriptions. */
function refusal(fault: CallFault): Answered {
  switch (fault.is) {
    case 'path':
    case 'host':
    case 'version':
      return refused(404, 'Not Found: method not found')
    case 'method':
      return refused(405, 'Method Not Allowed')
    case 'body':
      return refused(400, 'Bad Request: message text is empty')
    case 'missing':
      return refused(400, `Bad Request: ${fault.field.join('.')} is empty`)
    case 'unknown':
    case 'type':
      return refused(400, `Bad Request: can't parse ${fault.field.join('.')}`)
    default:
      return fault satisfies never
  }
}

function refused(error_code: number, description: string): Answered {
  return { status: error_code, body: { ok: false, error_code, description } }
}
