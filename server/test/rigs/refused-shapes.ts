import { expect, test } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../src/networks/providers/port/calls.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import { type CallTable, changesOf, readCall } from '../doubles/call-table.ts'
import type { Answered } from '../doubles/http-double.ts'
import { callTableOf, seenOf } from './watched-adapter.ts'

/*
 * What an adapter makes of the network's own answer to a call whose shape is wrong: with each field left out that is needed, one more
 * field, another type, body, method, host, path or version. Nothing was made by such a call, and the same call is refused each time: so it
 * ends, and proves nothing of posts, accounts and authorizations.
 */

type Played = {
  readonly outcome: { readonly is: string }
  readonly requests: readonly HttpRequest[]
}

type Shapes = {
  /** Calls that publish. */
  readonly calls: readonly {
    readonly request: HttpRequest
    readonly judge: (response: HttpResponse) => string
  }[]
  readonly talks: readonly {
    readonly name: string
    readonly good: readonly string[]
    readonly play: (instead?: { at: number; response: HttpResponse }) => Played
  }[]
}

export async function testRefusedShapes(provider: Provider, { calls, talks }: Shapes): Promise<void> {
  const table = await callTableOf(provider)
  if (table === null) return

  test('a call that publishes is over once its shape is refused', () => {
    const open = calls.flatMap(({ request, judge }) =>
      refusalsOf(table, request).flatMap(({ what, response }) => {
        const verdict = judge(response)
        return ['rejected', 'reauthorize'].includes(verdict) ? [] : [`${what}: ${verdict}`]
      }),
    )
    expect([...new Set(open)]).toEqual([])
  })

  test.each(talks)(
    '$name ends well without the call, or says that it was refused',
    ({ name, good, play }) => {
      const { requests } = play()
      const wrong = requests.flatMap((request, at) =>
        refusalsOf(table, request).flatMap(({ what, response }) => {
          const { outcome, requests: made } = play({ at, response })
          // It can do without the call, or asked in another way.
          const goesOn = good.includes(outcome.is) && made.length > at + 1
          return goesOn || endingsOf(name).includes(outcome.is) ? [] : [`${what}: ${outcome.is}`]
        }),
      )
      expect([...new Set(wrong)]).toEqual([])
    },
  )
}

/** What a talk may conclude. */
function endingsOf(name: string): readonly string[] {
  if (/^(?:upload|prepare)/.test(name)) return ['rejected', 'uploaded', 'prepared']
  if (/^(?:connect|authorize|exchange|register)/.test(name)) return ['refused', 'unavailable']
  return ['unavailable']
}

/** The network's answers to a call that is made otherwise than it is, each once. */
export function refusalsOf(table: CallTable, request: HttpRequest) {
  const seen = seenOf(request)
  const read = readCall(table, seen)
  if ('fault' in read) throw new Error(`no row: ${JSON.stringify([read.fault, seen])}`)
  const answers = changesOf(table, read.row, seen).flatMap(({ what, call }) => {
    const found = readCall(table, call)
    // Another call, which is in the table, too.
    if ('row' in found) return []
    return [
      { what: `${read.row.call}, ${what}`, response: responseOf(table.refusal(found.fault, call.path)) },
    ]
  })
  return [...new Map(answers.map((answer) => [JSON.stringify(answer.response), answer])).values()]
}

function responseOf({ status, body, headers = {} }: Answered): HttpResponse {
  return {
    status,
    headers,
    body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
  }
}
