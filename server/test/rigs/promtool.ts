import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackDebian } from './debian-packages.ts'

const run = promisify(execFile)

/** The alert rules that we give to others. */
export const RULES = join(import.meta.dirname, '../../../docs/monitoring/postrider.rules.yml')

/** What Prometheus read from `/metrics` at one moment, by series; null where nothing answered. */
export type Scrape = ReadonlyMap<string, number> | null

/** Prometheus's own tool, of Debian. */
export async function promtool(...args: string[]): Promise<string> {
  const root = await unpackDebian('bookworm', ['prometheus'])
  const { stdout, stderr } = await run(join(root, 'usr/bin/promtool'), args).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return `${stdout}${stderr}`
}

/** What a server measures; of disks only how large they are, since how full that of a test is says nothing about the server. */
export async function scrape(baseUrl: string): Promise<Scrape> {
  const answer = await fetch(`${baseUrl}/metrics`).catch(() => null)
  if (answer === null) return null
  const lines = (await answer.text()).split('\n').filter((line) => /^postrider_(?!disk_free)/.test(line))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

/**
 * The alerts that fire so many minutes after a change from one scrape to another, each of which is what Prometheus had read
 * again and again.
 */
export async function firing(before: Scrape, after: Scrape, minutes = 60): Promise<string[]> {
  const names = [...new Set([...(before ?? new Map()).keys(), ...(after ?? new Map()).keys()])] as string[]
  const series = [
    { name: 'up', from: before === null ? 0 : 1, to: after === null ? 0 : 1 },
    ...names.map((name) => ({ name, from: before?.get(name), to: after?.get(name) })),
  ].map(({ name, from, to }) => ({ series: labelled(name), values: `${times(from, 6)} ${times(to, 700)}` }))
  const evaluations = [
    {
      interval: '5m',
      input_series: series,
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${30 + minutes}m`,
          exp_samples: [{ labels: '{of="this test"}', value: 1 }],
        },
      ],
    },
  ]
  const folder = await mkdtemp(join(tmpdir(), 'postrider-rules-'))
  try {
    const file = join(folder, 'test.yml')
    // JSON is YAML.
    await writeFile(
      file,
      JSON.stringify({ rule_files: [RULES], evaluation_interval: '5m', tests: evaluations }),
    )
    const said = await promtool('test', 'rules', file)
    const [, got] = /^\s+got: ?(.*)$/m.exec(said) ?? []
    if (got === undefined) throw new Error(said)
    return [...got.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name!).toSorted()
  } finally {
    await rm(folder, { recursive: true })
  }
}

function times(value: number | undefined, count: number): string {
  return value === undefined ? `_x${count}` : `${value}+0x${count - 1}`
}

function labelled(series: string): string {
  const target = 'job="postrider",instance="one:4000"'
  return series.endsWith('}') ? `${series.slice(0, -1)},${target}}` : `${series}{${target}}`
}

export function alertsOf(rules: string): string[] {
  return [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!)
}

/** Whether an alert fires at a minute, of what was measured at each. */
export type RuleCheck = {
  readonly name: string
  /** How many minutes lie between two looks. */
  readonly step: number
  readonly series: Readonly<Record<string, (minute: number) => number | undefined>>
  readonly expected: readonly {
    readonly minute: number
    readonly alert: string
    readonly isFiring: boolean
  }[]
}

/** What Prometheus finds otherwise; empty where all is as expected. All checks have the same step. */
export async function testRules(checks: readonly RuleCheck[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-rules-'))
  try {
    const tests = checks.map(({ name, step, series, expected }) => {
      const last = Math.max(...expected.map(({ minute }) => minute))
      const minutes = Array.from({ length: last / step + 2 }, (_, n) => n * step)
      return {
        name,
        interval: `${step}m`,
        input_series: Object.entries(series).map(([one, of]) => ({
          series: labelled(one),
          values: minutes.map((minute) => of(minute) ?? 'stale').join(' '),
        })),
        promql_expr_test: expected.map(({ minute, alert, isFiring }) => ({
          expr: `count by (alertname) (ALERTS{alertstate="firing",alertname="${alert}"}) > bool 0`,
          eval_time: `${minute}m`,
          exp_samples: isFiring ? [{ labels: `{alertname="${alert}"}`, value: 1 }] : [],
        })),
      }
    })
    const file = join(folder, 'test.yml')
    await writeFile(
      file,
      JSON.stringify({ rule_files: [RULES], evaluation_interval: `${checks[0]?.step ?? 1}m`, tests }),
    )
    const said = await promtool('test', 'rules', file)
    return said.includes('SUCCESS') ? '' : said
  } finally {
    await rm(folder, { recursive: true })
  }
}
