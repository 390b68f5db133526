import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { directives, rehearsalIn } from './directives.ts'

test('a text without directives asks for nothing', () => {
  expect(rehearsalIn('#sandbox is a nice beach, see sandbox:drop')).toEqual({ is: 'steps', steps: [] })
})

test('directives are read in the order written, in any letter case, with their numbers', () => {
  expect(rehearsalIn('Go #Sandbox:Rate-Limit=30, then #sandbox:processing.')).toEqual({
    is: 'steps',
    steps: [
      { fault: { kind: 'rate_limit', retryAfterSeconds: 30 }, fires: 'once' },
      { fault: { kind: 'slow_processing', ms: 2000 }, fires: 'once' },
    ],
  })
})

test.each(['#sandbox:ratelimit', '#sandbox:drop=5', '#sandbox:slow=600001', '#sandbox:constructor'])(
  '%s is refused and never ignored',
  (text) => {
    expect(rehearsalIn(text).is).toBe('unreadable')
  },
)

test('the documentation has every directive', () => {
  const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `#sandbox:([a-z0-9-]+)/gm)].map(([, name]) => name)
  expect(documented).toEqual(Object.keys(directives))
})
