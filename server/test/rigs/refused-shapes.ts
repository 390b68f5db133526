import type { HttpResponse } from '../../src/networks/providers/port/calls.ts'
import { type CallRow, type CallTable, changesOf, readCall, type SeenCall } from '../doubles/call-table.ts'
import type { Answered } from '../doubles/http-double.ts'

/*
 * What an adapter makes of the network's own answer to a call whose shape is wrong: with a field left out that is needed, one more
 * field, another type, body, method, host, path or version. Nothing was made by such a call, and the same call is refused each time: so it
 * is over, and proves nothing of posts, accounts and authorizations.
 */

/** A call as an adapter made it. */
export type MadeCall = {
  readonly row: CallRow
  readonly seen: SeenCall
  /** What made it: `publish`, `upload`. */
  readonly by: string
  readonly isOptional: boolean
  /** How it ends with another answer to this call: null where it goes on with calls that were never answered. */
  readonly endsWith: (response: HttpResponse) => string | null
}

/** The calls, as they were changed, and what was made of their refusal, where that is wrong. */
export function misreadRefusals(table: CallTable, calls: readonly MadeCall[]): string[] {
  const misread = calls.flatMap(({ row, seen, by, isOptional, endsWith }) =>
    changesOf(table, row, seen).flatMap(({ what, call }) => {
      const read = readCall(table, call)
      // Another call, which is in the table, too.
      if ('row' in read || isOptional) return []
      const end = endsWith(responseOf(table.refusal(read.fault, call.path, call.body.value)))
      // A question says nothing of the post, and bytes are sent from where they were refused: until the time of the post is over.
      const isRepeated = row.call.startsWith('GET ') || row.file === true
      const isPassing = table.passing?.includes(read.fault.is) === true
      const endings = [...endingsOf(by), ...(isRepeated || isPassing ? ['deferred'] : [])]
      return end === null || endings.includes(end) ? [] : [`${by}: ${row.call}, ${what}: ${end}`]
    }),
  )
  return [...new Set(misread)]
}

/** What may be concluded. */
function endingsOf(by: string): readonly string[] {
  switch (by) {
    case 'publish':
      return ['rejected', 'reauthorize']
    case 'upload':
      return ['rejected']
    case 'poll':
      return ['unknown']
    case 'prepare':
      // Without what is no reason to keep the post back.
      return ['rejected', 'prepared']
    case 'form':
    case 'authorize':
    case 'exchange':
    case 'register':
      return ['refused', 'unavailable']
    case 'examine':
      // What one call does not say, another may.
      return ['unknown', 'app_refused', 'accepted']
    case 'findAddress':
      return ['null']
    default:
      return ['unavailable']
  }
}

function responseOf({ status, body, headers = {} }: Answered): HttpResponse {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers, body: text }
}
