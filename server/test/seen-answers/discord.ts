import type { SeenAt } from './seen-answer.ts'

const read = '2026-11-28'

export const discord: SeenAt = {
  answers: [
    {
      status: 400,
      body: { message: 'Cannot send an empty message', code: 50_006 },
      seen: 'https://github.com/formbricks/formbricks/issues/4671',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: { message: 'Invalid Form Body', code: 50_035 },
      seen: 'https://github.com/Rapptz/discord.py/issues/10201',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 500,
      body: '500: Internal Server Error',
      seen: 'https://github.com/discord/discord-api-docs/issues/8554',
      read,
      is: 'unknown',
    },
    {
      status: 400,
      body: { message: '400: Bad Request', code: 0 },
      seen: 'https://github.com/discord/discord-api-docs/issues/1197',
      read,
      is: 'unknown',
    },
  ],
}
