/*
 * An inspector: opens files that strangers made, one at a time, and ends with the process that started it. It is
 * given no environment, so there is nothing in it to steal, and it is the first to go when memory runs out.
 */
import { writeFileSync } from 'node:fs'
import { inspect } from './inspect.ts'
import type { Order, Report } from './inspection.ts'

process.on('disconnect', () => process.exit(0))
// Of a terminal's Ctrl+C the parent decides what it means.
process.on('SIGINT', () => undefined)

if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')

process.on('message', ({ id, inspection }: Order) => {
  void inspect(inspection).then((finding) => say({ id, ...finding }))
})
say({ ready: true })

function say(report: Report): void {
  process.send?.(report)
}
