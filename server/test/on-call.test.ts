import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults } from '../src/operate/monitoring/finding-table.ts'
import { alertCases } from './rigs/alert-cases.ts'
import { root } from './rigs/product.ts'
import { alertsOf, RULES } from './rigs/promtool.ts'

/*
 * docs/on-call.md, beside the rules, the minutes that their tests hold, and the sources whose log lines it names. What a rule measures
 * is held to be there by monitoring.deep.test.ts.
 */

const rules = readFileSync(RULES, 'utf8')
const page = readFileSync(join(root, 'docs/on-call.md'), 'utf8')
const source = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(root, 'server/src', name), 'utf8'))
  .join('\n')

function paragraphOf(alert: string): string {
  return new RegExp(`^### ${alert}\n([^]*?)(?=^##)`, 'm').exec(page)?.[1] ?? ''
}

test.each(alertsOf(rules))(
  '%s has a paragraph with when it fires and ends, and a log line that is written',
  (alert) => {
    const paragraph = paragraphOf(alert)
    const { fires, clears } = alertCases[alert]!
    const begins = fires === 0 ? 'Fires at once' : `Fires after ${time(fires)}`
    const ends = clears === 0 ? 'ends at once' : `ends ${time(clears)} after the last one`
    const [, severity = ''] = new RegExp(`alert: ${alert}\n[^]*?severity: (\\w+)`).exec(rules) ?? []
    expect(paragraph).toContain(
      `${severity.charAt(0).toUpperCase()}${severity.slice(1)}. ${begins}, ${ends}.\n`,
    )
    for (const what of ['Ask', 'Then'])
      expect(paragraph).toMatch(new RegExp(`^- \\*\\*${what}\\*\\*: \\S`, 'm'))

    const [, log = ''] = /^- \*\*Log\*\*: (.*)$/m.exec(paragraph) ?? []
    const named = [...log.matchAll(/`([^`…]+)`/g)].map(([, word]) => word!)
    const lines = named.filter((word) => source.includes(`'${word}'`) && !(word in faults))
    expect(lines).not.toEqual([])
    // What is neither a line nor a code is a field of a line.
    for (const word of named.filter((one) => one.includes(' '))) expect(lines).toContain(word)
    for (const word of named.filter((one) => /^[a-z]+_\w+$/.test(one)))
      expect(Object.keys(faults)).toContain(word)
  },
)

test('no paragraph is of an alert that is gone', () => {
  const paragraphs = [...page.matchAll(/^### (Postrider\w+)$/gm)].map(([, alert]) => alert)
  expect(new Set(paragraphs)).toEqual(new Set(alertsOf(rules)))
})

function time(minutes: number): string {
  if (minutes % 1_440 === 0) return minutes === 1_440 ? '1 day' : `${minutes / 1_440} days`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}
