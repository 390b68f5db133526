import type { Fault } from './faults.ts'

type Unit = 'ms' | 'seconds'

export type Directive = {
  /** The number after `=`, with its unit and default; null where the directive takes none. */
  amount: { unit: Unit; default: number } | null
  /** Whether it strikes the first create of this text only, or each of them. */
  fires: 'once' | 'always'
  fault: (amount: number) => Fault
  /** One sentence: what a client sees. */
  meaning: string
}

const most: Record<Unit, number> = { ms: 600_000, seconds: 86_400 }

/** Every directive that the text of a post may carry as `#sandbox:<name>` or `#sandbox:<name>=<amount>`. */
export const directives: Readonly<Record<string, Directive>> = {
  refuse: {
    amount: null,
    fires: 'always',
    fault: () => ({ kind: 'refuse', status: 422, code: 'content_refused' }),
    meaning: 'Refused for good with 422, however often it is sent.',
  },
  'rate-limit': {
    amount: { unit: 'seconds', default: 5 },
    fires: 'once',
    fault: (retryAfterSeconds) => ({ kind: 'rate_limit', retryAfterSeconds }),
    meaning: 'The first try gets 429 with Retry-After, in seconds; the next one is accepted.',
  },
  outage: {
    amount: { unit: 'seconds', default: 5 },
    fires: 'once',
    fault: (retryAfterSeconds) => ({ kind: 'outage', retryAfterSeconds }),
    meaning: 'The first try gets 503 with Retry-After, in seconds; the next one is accepted.',
  },
  unauthorized: {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'revoke' }),
    meaning: 'The account is revoked: every call gets 401 until it is restored, then the post is accepted.',
  },
  'accept-then-drop': {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'accept_then_drop' }),
    meaning: 'The post is stored and public, but the connection closes without an answer.',
  },
  'accept-then-500': {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'accept_then_500' }),
    meaning: 'The post is stored and public, but the answer is 500.',
  },
  garbage: {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'garbage' }),
    meaning: 'The post is stored and public, but the answer is 200 with an HTML page.',
  },
  truncate: {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'truncate' }),
    meaning: 'The post is stored and public, but the answer breaks off in the middle.',
  },
  hang: {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'hang' }),
    meaning: 'The post is stored and public, but no answer ever comes.',
  },
  drop: {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'drop_before' }),
    meaning: 'On the first try the connection closes and nothing is stored; the next one is accepted.',
  },
  'error-500': {
    amount: null,
    fires: 'once',
    fault: () => ({ kind: 'error_500_before' }),
    meaning: 'The first try gets 500 and nothing is stored; the next one is accepted.',
  },
  slow: {
    amount: { unit: 'ms', default: 5000 },
    fires: 'once',
    fault: (ms) => ({ kind: 'latency', ms }),
    meaning:
      'The first try is stored and answered only after the delay, in milliseconds, even if the client has gone.',
  },
  processing: {
    amount: { unit: 'ms', default: 2000 },
    fires: 'once',
    fault: (ms) => ({ kind: 'slow_processing', ms }),
    meaning: 'The answer is 202; the post becomes public after the delay, in milliseconds.',
  },
  'processing-fails': {
    amount: { unit: 'ms', default: 2000 },
    fires: 'once',
    fault: (ms) => ({ kind: 'slow_processing', ms, thenFail: true }),
    meaning:
      'The answer is 202; after the delay, in milliseconds, the post turns out to have failed and never becomes public.',
  },
}

const DIRECTIVE = /#sandbox:([a-z0-9]+(?:-[a-z0-9]+)*)(?:=(\d+))?/giu

export type Step = { fault: Fault; fires: Directive['fires'] }
export type Rehearsal = { is: 'steps'; steps: readonly Step[] } | { is: 'unreadable'; why: string }

/** The faults a text asks for, in order; unreadable when a directive is misspelt, so that no typo is ignored. */
export function rehearsalIn(text: string): Rehearsal {
  const steps: Step[] = []
  for (const [written, name = '', amount] of text.matchAll(DIRECTIVE)) {
    const directive = Object.hasOwn(directives, name.toLowerCase())
      ? directives[name.toLowerCase()]
      : undefined
    if (directive === undefined) {
      return {
        is: 'unreadable',
        why: `${written} is not a directive. Known: ${Object.keys(directives).join(', ')}.`,
      }
    }
    if (amount !== undefined && directive.amount === null) {
      return { is: 'unreadable', why: `${written}: this directive takes no number.` }
    }
    const value = amount === undefined ? (directive.amount?.default ?? 0) : Number(amount)
    const limit = directive.amount === null ? 0 : most[directive.amount.unit]
    if (value > limit) return { is: 'unreadable', why: `${written}: the number may be at most ${limit}.` }
    steps.push({ fault: directive.fault(value), fires: directive.fires })
  }
  return { is: 'steps', steps }
}
