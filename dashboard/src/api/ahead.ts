import { OURS, placeOf } from './address.ts'
import type { InputOf, OperationId } from './client.ts'

/*
 * What is asked for while the scripts of the page are still on their way: on a slow line that is most of the time until
 * something is seen. Each answer is taken once, by the first read that asks the same.
 */

const KEPT_MS = 30_000

const asked = new Map<string, Promise<Response>>()

/** Asks ahead; the answer is that of the operation once it is taken. */
export function askAhead<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<Response> {
  const { url } = placeOf(id, input)
  const answer = fetch(url, { headers: OURS, credentials: 'same-origin', redirect: 'error' })
  asked.set(url.href, answer)
  // Told where it is taken.
  answer.catch(() => undefined)
  // What nobody has taken by then is old.
  setTimeout(() => asked.delete(url.href), KEPT_MS)
  return answer
}

/** The answer that was asked for ahead; null where none was. */
export function takeAhead({ href }: URL, { method, signal }: RequestInit): Promise<Response> | null {
  const answer = method === 'GET' ? asked.get(href) : undefined
  if (answer === undefined) return null
  asked.delete(href)
  return answer.then((response) => {
    signal?.throwIfAborted()
    return response
  })
}
