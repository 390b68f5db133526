import { spawn } from 'node:child_process'
import { join } from 'node:path'
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
  readonly signal?: AbortSignal
}

/** Runs the command line of `@postrider/cli` from its sources, with nothing of this process's environment but its path. */
export async function runCli(
  args: readonly string[],
  { env = {}, cwd, input, signal }: CliCall = {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [join(root, 'cli/src/main.ts'), ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal === undefined ? {} : { signal }),
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks: string[] = []
    stream.setEncoding('utf8').on('data', (chunk: string) => void chunks.push(chunk))
    return chunks
  })
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
