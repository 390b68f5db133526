import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadOther } from './others.ts'

/** One line of a table: what was measured, and what it stands beside. */
export type Figure = readonly string[]

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value that this share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/**
 * Runs these one after the other, again and again, so that whatever else the machine does befalls all of them alike.
 * Gives the median of each.
 */
export async function interleave<Name extends string>(
  rounds: number,
  measures: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[]
  const seen = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) seen.get(name)?.push(await measures[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(seen.get(name) ?? [])])) as Record<Name, number>
}

export type Load = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** The path and body of the n-th request. */
  make: (n: number) => { path: string; body?: string; headers?: Record<string, string> }
  /** How long to go on, unless `amount` says how many. */
  seconds?: number
  amount?: number
  connections?: number
}

const SAMPLE_MS = 10

/** Requests per second that a server answers with success. Throws when it answers with anything else. */
export async function requestsPerSecond({ url, make, method = 'GET', ...load }: Load): Promise<number> {
  const autocannon = await loadOther('autocannon')
  let n = 0
  const result = await autocannon({
    url,
    connections: load.connections ?? 32,
    // Of an amount, the end is looked for at each sample: with those of a second, all rates would be of whole seconds.
    ...(load.amount === undefined
      ? { duration: load.seconds ?? 2 }
      : { amount: load.amount, sampleInt: SAMPLE_MS }),
    requests: [
      {
        method,
        setupRequest(request) {
          const { headers, ...made } = make(n++)
          return { ...request, ...made, headers: { ...request.headers, ...load.headers, ...headers } }
        },
      },
    ],
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} requests failed.`)
  }
  return result['2xx'] / result.duration
}

/** A script of this folder in a process of its own; it says `{ url }` once it is ready. */
export async function startBeside(script: string, ...args: string[]) {
  const child: ChildProcess = fork(join(import.meta.dirname, script), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    async stop() {
      child.disconnect()
      await ended
    },
  }
}

const TICKS_PER_SECOND = 100

/** CPU seconds that these processes have used so far. Linux only; NaN elsewhere. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + secondsOf(pid, 'own'), 0)
}

/** The same of a process and its children, those that have ended included. */
export function cpuSecondsOfFamily(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  const ofChildren = children.map((child) => {
    try {
      return secondsOf(child, 'own')
    } catch {
      // It has ended since: what it used is its parent's now.
      return 0
    }
  })
  return ofChildren.reduce((sum, seconds) => sum + seconds, secondsOf(pid, 'with ended children'))
}

function secondsOf(pid: number, what: 'own' | 'with ended children'): number {
  if (process.platform !== 'linux') return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name may hold anything; the numbers begin after its bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const counted = fields.slice(11, what === 'own' ? 13 : 15)
  return counted.reduce((ticks, field) => ticks + Number(field), 0) / TICKS_PER_SECOND
}

/** Resident memory of a process, in MB. Linux only; NaN elsewhere. */
export function residentMb(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) / 1_000
}

/** Memory of these processes in MB, with what they share counted once. Linux only; NaN elsewhere. */
export function sharedOutMb(pids: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN
  const kb = pids.map((pid) =>
    Number(/^Pss:\s+(\d+) kB$/m.exec(readOfProcess(pid, 'smaps_rollup'))?.[1] ?? 0),
  )
  return kb.reduce((sum, one) => sum + one, 0) / 1_000
}

/** A file of a process; empty when it has ended since it was listed. */
function readOfProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return ''
    throw fault
  }
}

/** A Markdown table with its columns aligned. */
export function table(head: Figure, rows: readonly Figure[]): string {
  const widths = head.map((_name, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`
}

export function ratio(value: number, limit: number): string {
  return (value / limit).toFixed(2)
}
