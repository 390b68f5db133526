import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import { Postrider } from '../../../sdk/src/index.ts'
import { buildCli, type CliCall, type CliResult, runCli } from './cli.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { aChannel } from './fixtures.ts'
import { openRunningApp, type RunningApp } from './running-app.ts'

/** A server that publishes to a sandbox network, a proxy in front of it that can break connections, and the built command line. */
export type CliWorld = AsyncDisposable & {
  readonly network: SandboxNetwork
  readonly app: RunningApp
  readonly proxy: FaultProxy
  /** The folder of the package. */
  readonly built: string
  /** Where files of the test are. */
  readonly folder: string
  readonly client: Postrider
  /** Runs a command with the agent key of the workspace. */
  readonly cli: (args: readonly string[], call?: CliCall) => Promise<CliResult>
  readonly json: (...args: string[]) => Promise<CliResult>
  /** A channel on the network, by the name of its account. */
  readonly aSandboxChannel: (handle: string, profile?: string) => Promise<string>
  /** Writes a file, and gives where it is. */
  readonly aFile: (name: string, content: string | Uint8Array) => Promise<string>
}

export async function openCliWorld(): Promise<CliWorld> {
  const built = await buildCli()
  const network = await startSandboxNetwork({ memory: true })
  const app = await openRunningApp({ roles: 'api,publisher', sandboxUrl: network.url })
  const proxy = await openFaultProxy(new URL(app.baseUrl))
  const folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'))
  const cli = (args: readonly string[], call: CliCall = {}) =>
    runCli(built.folder, args, {
      ...call,
      env: {
        POSTRIDER_KEY: app.key,
        POSTRIDER_URL: app.baseUrl,
        POSTRIDER_CONFIG_DIR: join(folder, 'config'),
        ...call.env,
      },
    })
  return {
    network,
    app,
    proxy,
    folder,
    cli,
    built: built.folder,
    client: new Postrider({ key: app.key, baseUrl: app.baseUrl }),
    json: (...args) => cli([...args, '--json']),
    async aSandboxChannel(handle, profile = 'short') {
      const response = await fetch(`${network.url}/control/accounts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ handle, profile }),
      })
      const account = (await response.json()) as { id: string; token: string }
      const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
      const options = {
        provider: `sandbox-${profile}`,
        authorization,
        keyring: app.keyring,
        displayName: handle,
      }
      const id = await aChannel(app.db, app.workspace.workspaceId, options)
      await app.db`update channel set handle = ${handle} where id = ${id}`
      return id
    },
    async aFile(name, content) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
      return path
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
      await network.close()
      await built[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
