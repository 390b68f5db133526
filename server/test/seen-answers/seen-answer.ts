import type { HttpResponse } from '../../src/networks/providers/port/calls.ts'
import type { Adapter } from '../../src/networks/providers/port/port.ts'
import type { Steps } from '../../src/networks/providers/port/procedure.ts'

/*
 * Answers that people have shown in public threads, in a shorter form of ours, and what each proves. Where a thread shows the words
 * alone, they stand in the form that the network answers in.
 */

export type SeenAnswer = {
  readonly status: number
  /** As JSON; a text is sent as it is. At Nostr, the words of an `OK false`. */
  readonly body: unknown
  /** Those that decide. Without a date in the thread, the answer came at `nine`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The call that it answered, by its name; a plain post when left out. */
  readonly to?: string
  /** Where it is shown, and when that was read. */
  readonly seen: string
  readonly read: string
  /** The verdict, its code where it has one, and how long it puts the post off. */
  readonly is: string
}

/** Any conclusion of an adapter. */
type Concluded = { readonly is: string; readonly code?: string; readonly afterMs?: number | null }

/** Calls besides those that publish, by name: what the adapter concludes from their answer. */
export type OtherCalls = Readonly<Record<string, (adapter: Adapter, answer: HttpResponse) => Concluded>>

export type SeenAt = { readonly answers: readonly SeenAnswer[]; readonly others?: OtherCalls }

/** A conclusion in the words of `SeenAnswer.is`. */
export function inWords({ is, code, afterMs = null }: Concluded): string {
  const waits = afterMs === null ? [] : [`${Math.round(afterMs / 1_000)} s`]
  return [is, ...(code === undefined ? [] : [code]), ...waits].join(' ')
}

/** How a procedure ends whose call gets this answer, between these; or that it goes on. */
export function endOf<Outcome extends Concluded>(
  steps: Steps<Outcome>,
  answer: HttpResponse,
  before: readonly HttpResponse[] = [],
  after: readonly HttpResponse[] = [],
): Concluded {
  const replies = [...before, answer, ...after]
  let reply: unknown
  for (;;) {
    const { done, value } = steps.next(reply)
    if (done === true) return value
    if (value.is === 'wait') return { is: 'waits' }
    if (value.is === 'digest') {
      reply = '0'.repeat(64)
      continue
    }
    if (value.is !== 'call') throw new Error(`nobody carries out the step ${value.is}`)
    reply = replies.shift()
    if (reply === undefined) return { is: 'goes on' }
  }
}

/** An error as all APIs of Meta write it. */
export function graphError(code: number, message: string, subcode?: number, type = 'OAuthException') {
  return { error: { message, type, code, ...(subcode === undefined ? {} : { error_subcode: subcode }) } }
}
