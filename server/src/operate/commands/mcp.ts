import type { Command } from 'commander'
import { UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'

type Options = { url?: string }

const USUAL_URL = 'http://localhost:4000'

/** `postrider mcp`: needs no database, and runs on any machine that reaches the server. */
export function addMcpCommand(program: Command, { env }: CommandLine): void {
  program
    .command('mcp')
    .helpGroup('On any machine, with an agent key of a server in POSTRIDER_KEY:')
    .description('serve the tools of a server over stdin and stdout, to a client of MCP that starts programs')
    .option('--url <address>', `of the server; POSTRIDER_URL or ${USUAL_URL} when left out`)
    .action(async ({ url = env['POSTRIDER_URL'] ?? USUAL_URL }: Options) => {
      const key = env['POSTRIDER_KEY'] ?? ''
      if (key === '') throw new UsageError('Set POSTRIDER_KEY to an agent key of the server.')
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw new UsageError(`${url} is no address of a server, such as ${USUAL_URL}.`)
      const { serveStdio } = await import('../../doors/mcp/serve-stdio.ts')
      const baseUrl = new URL(url.endsWith('/') ? url : `${url}/`)
      await serveStdio({ baseUrl, key }, { input: process.stdin, output: process.stdout })
    })
}
