import type { ConnectRefusal } from '../port/port.ts'
import { refused } from '../port/verdicts.ts'

/**
 * The origin that a person means by what they typed: an address, or a bare host. Anything besides (a path, a query, a
 * password) is refused, since it would be ignored. `example` shows what the field wants.
 */
export function readServerAddress(
  typed: string,
  { field, example }: { field: string; example: string },
): { readonly server: string } | ConnectRefusal {
  const url = URL.parse(/^https?:\/\//i.test(typed) ? typed : `https://${typed}`)
  const bare = url !== null && url.pathname === '/' && url.search === '' && url.hash === ''
  if (!bare || url.username !== '' || url.password !== '') {
    return refused('invalid_field', `This is not a server address. It looks like ${example}.`, field)
  }
  return { server: url.origin }
}
