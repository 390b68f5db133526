import { codeOf } from './error-code.ts'

/** What this process needs and is not part of it, beside its database, whose faults bear classes of their own. */
export type Outside = 'store' | 'mail' | 'issuer' | 'network' | 'api'

/** A fault that says of whom it speaks: the same code means something else of each. */
export class OutsideFault extends Error {
  override name = 'OutsideFault'
  readonly of: Outside
  readonly code: string

  constructor(of: Outside, cause: unknown) {
    super(wordsOf(cause), { cause })
    this.of = of
    this.code = codeIn(cause)
  }
}

/** The fault of something outside among the causes of this one; null where there is none. */
export function outsideFaultIn(fault: unknown): OutsideFault | null {
  const causes = causesOf(fault)
  return causes.find((cause) => cause instanceof OutsideFault) ?? null
}

/** The code of what went wrong at the bottom; libraries put their own words around it. The name where nothing has a code. */
export function codeIn(fault: unknown): string {
  const causes = causesOf(fault)
  const code = causes.findLast((cause) => codeOf(cause) !== undefined)
  return codeOf(code) ?? causes[0]?.name ?? 'unknown'
}

/** What was thrown, and the cause that it gives, which says more. */
function wordsOf(fault: unknown): string {
  const words = causesOf(fault).flatMap(({ message }) =>
    message === '' ? [] : [message.replace(/[.\s]+$/, '')],
  )
  return words.length === 0 ? codeIn(fault) : [...new Set(words)].join(': ')
}

const DEEPEST = 5

function causesOf(fault: unknown, depth = 0): Error[] {
  if (!(fault instanceof Error) || depth === DEEPEST) return []
  // One of each address that was tried.
  const cause: unknown = fault instanceof AggregateError ? fault.errors[0] : fault.cause
  return [fault, ...causesOf(cause, depth + 1)]
}
