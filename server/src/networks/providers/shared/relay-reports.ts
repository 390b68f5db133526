import Type, { type Static } from 'typebox'
import type { HttpResponse, Json } from '../port/calls.ts'
import { readBody } from './answers.ts'

/** What one relay said to the messages of a talk. */
export type RelayReport = {
  /** Its address. */
  readonly relay: string
  /** Whether anything of ours may have reached it. */
  readonly sent: boolean
  /** Why it did not talk to the end; null where it did. */
  readonly silence: string | null
  /** Its messages about ours, in order. */
  readonly said: readonly Json[]
}

const Reports = Type.Array(
  Type.Object({
    relay: Type.String({ minLength: 1 }),
    sent: Type.Boolean(),
    silence: Type.Union([Type.String(), Type.Null()]),
    said: Type.Array(Type.Array(Type.Unsafe<Json>(Type.Unknown()))),
  }),
  { minItems: 1 },
)

/** What the relays of a talk said; null for an answer that is none of a talk. */
export function reportsOf(response: HttpResponse): Static<typeof Reports> | null {
  return readBody(response, Reports, 101)
}
