import type { SeenAt } from './seen-answer.ts'

const read = '2026-11-28'

export const mastodon: SeenAt = {
  answers: [
    {
      status: 422,
      body: { error: 'Validation failed: Text character limit of 500 exceeded' },
      seen: 'https://github.com/akrherz/iembot/issues/150',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 422,
      body: { error: 'Cannot attach more than 4 files' },
      seen: 'https://github.com/halcy/Mastodon.py/issues/58',
      read,
      is: 'rejected content_refused',
    },
  ],
}
