import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { decideOutcome } from './decide-outcome.ts'
import { engineTasks } from './engine-port.ts'
import type { Conclusion } from '../queue/work.ts'
import type { AttemptReport } from './engine-port.ts'
import { createMetrics } from '../../platform/process/metrics.ts'
import { publicationMetrics, settlementMoves } from './publication-metrics.ts'

const conclusions: { [Is in Conclusion['is']]: Extract<Conclusion, { is: Is }> } = {
  published: { is: 'published', remoteId: 'r', url: 'https://example.com/r' },
  rejected: { is: 'rejected', code: 'content_refused', detail: 'no' },
  deferred: { is: 'deferred', code: 'rate_limited', afterMs: null },
  reauthorize: { is: 'reauthorize' },
  absent: { is: 'absent' },
  unknown: { is: 'unknown', detail: '' },
} as never

/** The moves that the engine makes of a conclusion, over every place in a thread and both ways in which it can be reached. */
function movesOf(conclusion: Conclusion): string[] {
  const part = { index: 0, status: 'pending', text: 'x' }
  const out = { ...part, status: 'published' }
  const threads = [[part], [part, { ...part, index: 1 }], [out, { ...part, index: 1 }]]
  const found = threads.flatMap((parts) =>
    (['publishing', 'checking'] as const).map((status) => {
      const partIndex = parts[0] === out ? 1 : 0
      const context = { status, provider: 'sandbox', parts, partIndex, tries: 0 }
      return decideOutcome(context as never, conclusion, 0).move ?? 'next_part'
    }),
  )
  return [...new Set(found)].toSorted()
}

test.each(Object.entries(conclusions))(
  'every move that follows from %s is counted from 0',
  (is, conclusion) => {
    const moves = movesOf(conclusion)
    expect(settlementMoves[is as Conclusion['is']].toSorted()).toEqual(moves)
  },
)

test('as many workspaces as are asked for are told apart, and the rest is counted together', async () => {
  const report = (workspaceId: string, provider: string) =>
    ({
      subject: { workspaceId, provider },
      attempt: null,
      outcome: { move: 'reject' },
      settled: true,
    }) as unknown as AttemptReport
  for (const [most, lines] of [
    [0, ['other x 5', 'other y 1']],
    [2, ['a x 2', 'a y 1', 'b x 1', 'other x 2']],
  ] as const) {
    const { registry, workspaceLabel } = createMetrics({ workspaces: most })
    const metrics = publicationMetrics(registry, ['x', 'y'], workspaceLabel)
    for (const [workspaceId, provider] of ['ax', 'bx', 'ax', 'ay', 'cx', 'dx'])
      metrics.countSettlement(report(workspaceId!, provider!))
    const told = (await registry.metrics()).matchAll(
      /postrider_posts_ended_total\{workspace="(\w+)",provider="(\w)",result="failed"\} (\d)/g,
    )
    expect([...told].map(([, ...parts]) => parts.join(' ')).toSorted()).toEqual(lines)
  }
})

test('the counters of the engine are there before anything is counted', async () => {
  const registry = new Registry()
  publicationMetrics(registry, ['sandbox', 'x'])
  const text = await registry.metrics()
  for (const doing of engineTasks) expect(text).toContain(`postrider_engine_faults_total{doing="${doing}"} 0`)
  expect(text).toContain('postrider_settlements_total{provider="x",conclusion="published",move="confirm"} 0')
})

test('what ends is counted by workspace, of which no more than 200 have series of their own', async () => {
  const registry = new Registry()
  const metrics = publicationMetrics(registry, ['x'])
  const settle = (workspaceId: string, move: string, settled = true) =>
    metrics.countSettlement({
      subject: { workspaceId, provider: 'x' },
      attempt: null,
      outcome: { move },
      settled,
    } as never)
  settle('w0', 'confirm')
  settle('w0', 'reject')
  settle('w0', 'lose')
  settle('w0', 'reject', false)
  metrics.countExpired(Array.from({ length: 202 }, (_, n) => ({ workspaceId: `w${n}`, provider: 'x' })))
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('postrider_posts_ended_total{'))
  expect(lines).toHaveLength(203)
  const of = (workspace: string, result: string) =>
    `postrider_posts_ended_total{workspace="${workspace}",provider="x",result="${result}"}`
  for (const line of [`${of('w0', 'published')} 1`, `${of('w0', 'failed')} 1`, `${of('other', 'expired')} 2`])
    expect(lines).toContain(line)
})
