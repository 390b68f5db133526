import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { ownChild } from '../../platform/process/own-child.ts'
import { programFile } from '../../platform/process/product-files.ts'
import { askSandbox } from './ask-sandbox.ts'

export type SandboxProcess = {
  /** Where the network listens; the same after every restart. */
  url: string
  /** Ends the process and waits until it is gone. */
  stop(): Promise<void>
}

export type SandboxOptions = {
  host: string
  port: number
  dataDir: string
  /** The address of its public pages, when it is not the listening one. */
  publicBaseUrl?: string
  onRestart?: (facts: { exitCode: number | null; said: string; waitMs: number }) => void
}

/** Where the sandbox network is, run by this process or another. */
export function sandboxUrlOf({ url, port }: { url: string | null; port: number }): string {
  return url ?? `http://127.0.0.1:${port}`
}

/** Whether a sandbox network answers at this address. */
export async function isSandboxReachable(networkUrl: string): Promise<boolean> {
  const answer = await askSandbox(new URL('/control/accounts', networkUrl)).catch(() => null)
  const body = answer?.body
  return typeof body === 'object' && body !== null && 'items' in body
}

/** The sandbox network cannot be started; the message says what to do. */
export class SandboxFault extends Error {
  override name = 'SandboxFault'
  /** Whether it may be over in a moment. */
  readonly transient: boolean

  constructor(message: string, { transient } = { transient: false }) {
    super(message)
    this.transient = transient
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>
type Running = { url: string; child: Child; ended: Promise<Ended> }
type Ended = { exitCode: number | null; said: string }

const START_LIMIT_MS = 15_000
const STOP_LIMIT_MS = 5_000
/** The network of a server that was just killed needs a moment to notice and to free its port. */
const PORT_RETRY_MS = 3_000
const MAX_WAIT_MS = 30_000
const STABLE_MS = 60_000

/**
 * Runs the sandbox network in a process of its own, and again after growing waits whenever it dies. It has its own
 * process group, so that Ctrl-C in a terminal does not reach it before the server is done with it, and it ends by
 * itself when its standard input closes: it cannot outlive a server that was killed.
 * Throws SandboxFault, in words, when the first start fails.
 */
export async function startSandboxProcess(options: SandboxOptions): Promise<SandboxProcess> {
  const first = await launchWithRetries(options)
  const stopping = new AbortController()
  // The address is stored with every channel, so a port that was chosen freely must stay the same.
  const port = Number(new URL(first.url).port)
  const supervision = supervise(first, { ...options, port }, stopping.signal)
  return {
    url: first.url,
    stop: () => {
      stopping.abort()
      return supervision
    },
  }
}

async function supervise(first: Running, options: SandboxOptions, stopping: AbortSignal): Promise<void> {
  let running: Running | null = first
  let waitMs = 0
  while (!stopping.aborted) {
    const startedMs = performance.now()
    const ended = await (running === null ? runOnce(options, stopping) : endOf(running, stopping))
    running = null
    if (stopping.aborted) return
    waitMs = performance.now() - startedMs > STABLE_MS ? 0 : Math.min(Math.max(waitMs * 2, 500), MAX_WAIT_MS)
    options.onRestart?.({ ...ended, waitMs })
    await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined)
  }
}

async function runOnce(options: SandboxOptions, stopping: AbortSignal): Promise<Ended> {
  try {
    return await endOf(await launch(options), stopping)
  } catch (error) {
    return { exitCode: null, said: error instanceof Error ? error.message : String(error) }
  }
}

/** Resolves when the process has ended, by itself or because it was told to. */
async function endOf({ child, ended }: Running, stopping: AbortSignal): Promise<Ended> {
  const end = () => {
    child.stdin.end()
    setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS).unref()
  }
  if (stopping.aborted) end()
  stopping.addEventListener('abort', end, { once: true })
  return ended.finally(() => stopping.removeEventListener('abort', end))
}

async function launchWithRetries(options: SandboxOptions): Promise<Running> {
  const deadline = performance.now() + PORT_RETRY_MS
  for (;;) {
    try {
      return await launch(options)
    } catch (error) {
      const transient = error instanceof SandboxFault && error.transient
      if (!transient || performance.now() > deadline) throw error
      await delay(200)
    }
  }
}

/** Starts the process once, and resolves as soon as it says where it listens. */
async function launch({ host, port, dataDir, publicBaseUrl }: SandboxOptions): Promise<Running> {
  const args = ['--host', host, '--port', String(port), '--data', dataDir, '--exit-with-stdin']
  if (publicBaseUrl !== undefined) args.push('--public-base-url', publicBaseUrl)
  const child = spawn(process.execPath, [programFile('sandbox-network'), ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    // It reads nothing of the environment, in which the server's secrets are.
    env: {},
  })
  ownChild(child)
  await once(child, 'spawn')

  const ended = watchEnd(child)
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  const failed = ended.then((end) => Promise.reject(faultOf(end, host, port)))
  const url = await Promise.race([readListening(child), failed]).finally(() => clearTimeout(tooLate))
  return { url, child, ended }
}

function watchEnd(child: Child): Promise<Ended> {
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, said: error.message }))
    child.once('close', (exitCode) => resolve({ exitCode, said: said.trim() }))
  })
}

function readListening(child: Child): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = listeningIn(line)
      if (url !== null) resolve(url)
    })
  })
}

/** The address in the line `{"listening":"http://…"}`; null for any other line. */
export function listeningIn(line: string): string | null {
  if (!line.startsWith('{"listening":')) return null
  const said: unknown = JSON.parse(line)
  if (typeof said !== 'object' || said === null || !('listening' in said)) return null
  return typeof said.listening === 'string' ? said.listening : null
}

function faultOf({ exitCode, said }: Ended, host: string, port: number): SandboxFault {
  if (said.includes('EADDRINUSE')) {
    return new SandboxFault(
      `The sandbox network cannot listen on ${host}:${port}: another program has that port. ` +
        'Stop that program, or set SANDBOX_PORT to a free one. ' +
        'If it is the sandbox network of another server of yours, set SANDBOX_URL to its address.',
      { transient: true },
    )
  }
  if (said.includes('another process may have them open')) {
    return new SandboxFault(
      'The sandbox network of this DATA_DIR runs already, perhaps with another Postrider. Stop that one, or set another DATA_DIR, PORT and SANDBOX_PORT.',
      { transient: true },
    )
  }
  return new SandboxFault(
    `The sandbox network ended as soon as it was started (exit code ${exitCode}): ${said}`,
  )
}
