import type { ProblemCode } from '@postrider/contract'
import { plainOf } from '@postrider/contract/plain'
import { german } from '../lib/language.ts'

/** What the server said, in the language of the page where it has that: else what is true of every problem with the code. */
export function problemWords({ code, title, detail }: { code: ProblemCode; title: string; detail: string }): {
  readonly title: string
  readonly detail: string
} {
  const words = german?.problems[code]
  if (german === null || words === undefined) return { title, detail: plainOf(detail) }
  return { title: words.title, detail: german.sentence(detail) ?? words.hint }
}

/** A sentence of the server in the language of the page, in a person's words; as it is where it has none. */
export function sentence(english: string): string {
  return german === null ? plainOf(english) : (german.sentence(english) ?? english)
}
