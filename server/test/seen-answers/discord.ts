import type { SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const refused = (code: number, message: string) => ({ message, code })

export const discord: SeenAt = {
  answers: [
    {
      status: 400,
      body: refused(50_006, 'Cannot send an empty message'),
      seen: 'https://github.com/formbricks/formbricks/issues/4671',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: refused(50_035, 'Invalid Form Body'),
      seen: 'https://github.com/lexicalunit/spellbot/issues/384',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: {
        ...refused(50_035, 'Invalid Form Body'),
        errors: {
          username: { _errors: [{ code: 'USERNAME_INVALID', message: 'Username cannot be "here"' }] },
        },
      },
      seen: 'https://github.com/MinnDevelopment/discord-webhooks/issues/100',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: refused(220_001, 'Webhooks posted to forum channels must have a thread_name or thread_id'),
      seen: 'https://github.com/Qolors/FeedCord/issues/90',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 413,
      body: refused(40_005, 'Request entity too large'),
      to: 'file',
      seen: 'https://github.com/tardisx/discord-auto-upload/issues/2',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 404,
      body: refused(10_015, 'Unknown Webhook'),
      seen: 'https://github.com/Reimnop/Discord4Fabric/issues/81',
      read,
      is: 'reauthorize',
    },
    {
      status: 401,
      body: refused(50_027, 'Invalid Webhook Token'),
      seen: 'https://github.com/thesleax/ticket-bot/issues/2',
      read,
      is: 'reauthorize',
    },
    // Cloudflare blocks the address or the user agent, in the shape of an error of Discord.
    {
      status: 403,
      body: refused(40_333, 'internal network error'),
      seen: 'https://github.com/discord/discord-api-docs/issues/6473',
      read,
      is: 'deferred provider_unavailable',
    },
    // The same, as Cloudflare says it: a page, which says nothing of what became of the message.
    {
      status: 400,
      body: '<html>\n<head><title>400 Bad Request</title></head>\n<hr><center>cloudflare</center>',
      seen: 'https://github.com/DiscordMessenger/dm/issues/198',
      read,
      is: 'unknown',
    },
    // Neither how long it holds nor a header of a limit.
    {
      status: 429,
      body: refused(
        0,
        'You are being blocked from accessing our API temporarily due to exceeding our rate limits frequently.',
      ),
      seen: 'https://github.com/discord/discord-api-docs/issues/5810',
      read,
      is: 'deferred rate_limited',
    },
    {
      status: 429,
      body: 'error code: 1015',
      headers: { 'retry-after': '3600' },
      seen: 'https://github.com/discord/discord-api-docs/issues/5385',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 500,
      body: '500: Internal Server Error',
      seen: 'https://github.com/discord/discord-api-docs/issues/8554',
      read,
      is: 'unknown',
    },
    // Some of these messages came through, some did not.
    {
      status: 500,
      body: refused(0, '500: Internal Server Error'),
      to: 'file',
      seen: 'https://github.com/discord/discord-api-docs/issues/7695',
      read,
      is: 'unknown',
    },
    {
      status: 504,
      body: '<html><head><title>504 Gateway Time-out</title></head></html>',
      to: 'file',
      seen: 'https://github.com/discord/discord-api-docs/issues/7695',
      read,
      is: 'unknown',
    },
    // The message was live, and was sent three more times.
    {
      status: 204,
      body: '',
      seen: 'https://github.com/bytebase/bytebase/issues/20925',
      read,
      is: 'unknown',
    },
    {
      status: 400,
      body: refused(0, '400: Bad Request'),
      seen: 'https://github.com/discord/discord-api-docs/issues/1197',
      read: '2026-11-28',
      is: 'unknown',
    },
  ],
}
