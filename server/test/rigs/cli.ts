import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './product.ts'

export type CliResult = {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly json: any
}

export type CliCall = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  /** Hears what is written to standard error meanwhile. */
  readonly onError?: (text: string) => void
  /** Hears what is written to standard output meanwhile. */
  readonly onOutput?: (text: string) => void
  /** Ends it, by `killSignal`: SIGKILL if left out. */
  readonly signal?: AbortSignal
  readonly killSignal?: NodeJS.Signals
}

/** Builds the package `@postrider/cli` as it is published; its folder goes with it. */
export async function buildCli(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'))
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const config = ['--config', 'vite.config.ts', '--configLoader', 'native', '--logLevel', 'error']
  const args = [vite, 'build', ...config, '--emptyOutDir', '--outDir', folder]
  await promisify(execFile)(process.execPath, args, { cwd: join(root, 'cli') })
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Runs the built command line, with nothing of this process's environment but its path. */
export async function runCli(
  folder: string,
  args: readonly string[],
  { env = {}, cwd, input, onError, onOutput, signal, killSignal = 'SIGKILL' }: CliCall = {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [join(folder, 'postrider.js'), ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal === undefined ? {} : { signal, killSignal }),
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks: string[] = []
    stream.setEncoding('utf8').on('data', (chunk: string) => void chunks.push(chunk))
    return chunks
  })
  child.stderr.on('data', (text: string) => onError?.(text))
  child.stdout.on('data', (text: string) => onOutput?.(text))
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined).end(input ?? '')
  const code = await new Promise<number | null>((ended) => child.once('close', ended))
  const text = out?.join('') ?? ''
  return { code, out: text, err: err?.join('') ?? '', json: jsonIn(text) }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
