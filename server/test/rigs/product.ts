import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import './built.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { freePort } from './free-port.ts'
import { guardFolder } from './guard.ts'

/** The folder of the project. */
export const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** What a newcomer has: a folder for the data, two free ports, and no settings besides these. */
export async function openPlace(settings: Record<string, string> = {}) {
  const dataDir = await makeDatabaseFolder('postrider-black-box-')
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    ...settings,
  }
  return {
    dataDir,
    env,
    async [Symbol.asyncDispose]() {
      for (const line of processesOn(dataDir)) process.kill(Number.parseInt(line, 10), 'SIGKILL')
      guard.dismiss()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

export type Place = Awaited<ReturnType<typeof openPlace>>

/** `npm start`, in a process group of its own as a terminal would give it. */
export async function startProduct(place: Place) {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: place.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let said = ''
  let output = ''
  let logged = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    logged += chunk.toString()
    // Written before the line that names it.
    const [, file] = /"greeting":"([^"]+)".*"msg":"Postrider is ready"/.exec(logged) ?? []
    if (file !== undefined && said === '') said = readFileSync(file, 'utf8')
  })
  const isUp = () => said !== ''
  const product = {
    /** The greeting, from the file that the log names. */
    said: () => said,
    logged: () => logged,
    /** On standard output, which is no terminal. */
    output: () => output,
    signal: (signal: NodeJS.Signals) => signalGroup(child, signal),
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGKILL')
      await ended
    },
  }
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    await vi.waitUntil(() => isUp() || hasEnded(), { timeout: 60_000, interval: 50 })
    expect(isUp(), `It ended with ${child.exitCode}.\n${output}\n${logged}`).toBe(true)
  } catch (error) {
    await product[Symbol.asyncDispose]()
    throw error
  }
  return product
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-child.pid!, signal)
}

/** The command that stands in the greeting under these words, as it would be selected with the mouse. */
export function printed(said: string, heading: string): string {
  const below = said.slice(said.indexOf(heading) + heading.length).replace(/^\n+/, '')
  return below.slice(0, below.indexOf('\n\n'))
}

/** What a script answers that was pasted into a shell in the project's folder. */
export async function shell(place: Place, script: string): Promise<unknown> {
  const { stdout } = await run('sh', ['-c', script], { env: place.env, cwd: root })
  return JSON.parse(stdout)
}

/** Processes that have the data folder in their arguments: PostgreSQL and the sandbox network. */
export function processesOn(dataDir: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n')
  return all.filter((line) => line.includes(dataDir))
}

export async function pageOf(url: string): Promise<string> {
  const response = await fetch(url)
  return response.text()
}
