import { parseArgs } from 'node:util'
import { startSandboxNetwork } from './network.ts'
import type { SandboxNetworkOptions } from './network.ts'

const USAGE = `Usage: node main.ts --data <folder | :memory:> [options]

  --data <folder>          where posts are kept; :memory: keeps nothing
  --port <number>          default 4001; 0 takes any free port
  --host <address>         default 127.0.0.1; the control API asks for no credential
  --public-base-url <url>  the address under which posts are public, when it is not the listening one
  --exit-with-stdin        exits when standard input closes, so that it cannot outlive its parent
`

type Command = { options: SandboxNetworkOptions; exitWithStdin: boolean }

function readCommand(): Command {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      port: { type: 'string', default: '4001' },
      host: { type: 'string', default: '127.0.0.1' },
      'public-base-url': { type: 'string' },
      'exit-with-stdin': { type: 'boolean', default: false },
    },
  })
  const { data, port, host, 'public-base-url': publicBaseUrl, 'exit-with-stdin': exitWithStdin } = values
  if (data === undefined) throw new Error('--data is required.')
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error('--port must be 0 to 65535.')
  return {
    options: {
      port: Number(port),
      host,
      ...(publicBaseUrl === undefined ? {} : { publicBaseUrl }),
      ...(data === ':memory:' ? { memory: true } : { dataDir: data }),
    },
    exitWithStdin,
  }
}

async function run({ options, exitWithStdin }: Command): Promise<void> {
  const stopRequested = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)
      process.once(signal, () => resolve())
    if (exitWithStdin) process.stdin.once('close', () => resolve()).resume()
  })
  const network = await startSandboxNetwork(options)
  process.stdout.write(`${JSON.stringify({ listening: network.url })}\n`)
  await stopRequested
  await network.close()
}

function fail(exitCode: number, error: unknown, hint = ''): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${hint}`)
  process.exit(exitCode)
}

let command: Command
try {
  command = readCommand()
} catch (error) {
  fail(2, error, USAGE)
}
await run(command).catch((error: unknown) => fail(1, error))
// A terminal on standard input would otherwise keep the process alive.
process.exit(0)
