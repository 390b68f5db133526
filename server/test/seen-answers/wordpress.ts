import type { SeenAt } from './seen-answer.ts'

const wp = (status: number, code: string) => ({ code, message: 'Sorry.', data: { status } })
const read = '2026-11-28'

export const wordpress: SeenAt = {
  answers: [
    {
      status: 401,
      body: wp(401, 'rest_cannot_create'),
      seen: 'https://github.com/WordPress/application-passwords/issues/67',
      read,
      is: 'reauthorize',
    },
    {
      status: 401,
      body: wp(401, 'rest_cannot_create_user'),
      seen: 'https://github.com/WP-API/WP-API/issues/2586',
      read,
      is: 'reauthorize',
    },
  ],
}
