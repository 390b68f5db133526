import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../postgres/db.ts'

export type ServerProcess = { readonly pid: number; readonly title: string }

const HAS_PROC = existsSync('/proc/self/stat')
/** How long a postmaster has to follow a signal before it gets the next. */
const SIGNAL_WAIT_MS = 5_000

/** The processes that a postmaster has started, by the titles that PostgreSQL gives them (`postgres: checkpointer`). */
export function childrenOf(postmaster: number): readonly ServerProcess[] {
  if (!HAS_PROC) return childrenByPs(postmaster)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
    .map((name) => ({ pid: Number(name), title: commandOf(Number(name)) ?? '' }))
}

function childrenByPs(postmaster: number): readonly ServerProcess[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, title = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return Number(parent) === postmaster ? [{ pid: Number(pid), title }] : []
  })
}

function parentOf(pid: string): number | null {
  const parent = statOf(pid)?.[1]
  return parent === undefined ? null : Number(parent)
}

/** What /proc says of a process behind its name: its state, its parent, and more (proc_pid_stat(5)). Null once it has ended. */
function statOf(pid: number | string): readonly string[] | null {
  try {
    // The name in brackets may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** The command line or title of a process, '' for a zombie, null when that cannot be told. */
function commandOf(pid: number): string | null {
  try {
    return HAS_PROC
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}

/** The name of the program a process runs, '' for a zombie, null when that cannot be told. */
export function programOf(pid: number): string | null {
  const command = commandOf(pid)
  return command === null ? null : basename(command.split(' ')[0] ?? '')
}

/**
 * Ends a postmaster by the first of the signals that it follows, and returns once it has ended. Does nothing when the process
 * runs another program.
 */
export async function endPostmaster(pid: number, signals: readonly NodeJS.Signals[]): Promise<void> {
  const runs = () => programOf(pid)?.startsWith('postgres') === true
  for (const signal of signals) {
    if (!runs()) return
    const deadlineMs = performance.now() + SIGNAL_WAIT_MS
    signalIfAlive(pid, signal)
    while ((runs() || exits(pid)) && performance.now() < deadlineMs) await delay(20)
  }
}

/** A process that exits gives up its memory, and with it its title, some moments before it has ended. */
function exits(pid: number): boolean {
  const state = statOf(pid)?.[0]
  return state !== undefined && state !== 'Z' && state !== 'X' && commandOf(pid) === ''
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}
