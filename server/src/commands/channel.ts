import { join } from 'node:path'
import type { Command } from 'commander'
import { enabledChannels } from '../channels/channel-store.ts'
import { addChannel } from '../channels/connect-channel.ts'
import type { Config } from '../config.ts'
import { openKeyring } from '../platform/sealing.ts'
import {
  isSandboxReachable,
  type NewSandboxAccount,
  type SandboxProfile,
  sandboxProfiles,
  takeSandboxAccount,
} from '../sandbox-accounts.ts'
import { sandboxConnection } from '../sandbox-channel.ts'
import { sandboxUrlOf, startSandboxProcess } from '../sandbox-process.ts'
import { CommandFault, WrongUsage } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { table } from './output.ts'
import { chooseWorkspace, withDatabase } from './session.ts'

type InWorkspace = { workspace?: string }
type AddOptions = InWorkspace & { handle: string; profile: string; name?: string }

/** `postrider channel …` */
export function addChannelCommands(program: Command, { config, output }: CommandLine): void {
  const channel = program.command('channel').description('connected accounts')
  const add = channel.command('add').description('connect an account')

  add
    .command('sandbox')
    .description('make an account on the sandbox network and connect it')
    .requiredOption('--handle <handle>', 'letters, digits, _ and -, up to 30')
    .requiredOption('--profile <profile>', 'short (280 characters) or professional (3000)')
    .option('--name <name>', 'the name that is displayed; the handle when left out')
    .option('--workspace <id or name>', 'not needed when there is only one')
    .action(async (options: AddOptions, command: Command) => {
      const account = readAccount(options)
      const settings = await config()
      if (!settings.sandbox.on) throw new CommandFault('The sandbox network is switched off. Set SANDBOX=on.')
      const added = await withDatabase(settings, async ({ db, dataDir }) => {
        const { workspaceId } = await chooseWorkspace(db, options.workspace)
        const keyring = await openKeyring({ secretKeys: settings.secretKeys, dataDir })
        return withSandbox(settings, dataDir, async (networkUrl) => {
          const made = await takeSandboxAccount(networkUrl, account, { takeOver: false })
          const { channelId } = await addChannel(
            db,
            keyring,
            sandboxConnection(workspaceId, networkUrl, made),
          )
          return { channelId, provider: `sandbox-${account.profile}`, handle: account.handle, url: made.url }
        })
      })
      output(command).answer(
        added,
        `Connected @${added.handle} as channel ${added.channelId} (${added.provider}).\nIts public page: ${added.url}`,
      )
    })

  channel
    .command('list')
    .description('list the enabled channels of a workspace')
    .option('--workspace <id or name>', 'not needed when there is only one')
    .action(async (options: InWorkspace, command: Command) => {
      const channels = await withDatabase(await config(), async ({ db }) =>
        enabledChannels(db, (await chooseWorkspace(db, options.workspace)).workspaceId),
      )
      const rows = channels.map(({ channelId, provider, handle, displayName, connectionStatus }) => [
        channelId,
        provider,
        `@${handle}`,
        displayName,
        connectionStatus,
      ])
      output(command).answer(
        channels,
        rows.length === 0
          ? 'The workspace has no channel.'
          : table(['CHANNEL', 'PROVIDER', 'HANDLE', 'NAME', 'CONNECTION'], rows),
      )
    })
}

function readAccount({ handle, profile, name }: AddOptions): NewSandboxAccount {
  if (!isProfile(profile)) {
    throw new WrongUsage(`--profile must be ${sandboxProfiles.join(' or ')}, and "${profile}" is neither.`)
  }
  if (!/^[A-Za-z0-9_-]{1,30}$/.test(handle)) {
    throw new WrongUsage('--handle must be 1 to 30 letters, digits, underscores or hyphens.')
  }
  return { handle, displayName: name ?? handle, profile }
}

function isProfile(text: string): text is SandboxProfile {
  return sandboxProfiles.some((profile) => profile === text)
}

/** Lends the sandbox network: the one that runs, or one for the time of the command. */
async function withSandbox<T>(
  { sandbox }: Config,
  dataDir: string,
  run: (networkUrl: string) => Promise<T>,
): Promise<T> {
  const url = sandboxUrlOf(sandbox)
  if (sandbox.url !== null || (await isSandboxReachable(url))) return run(url)
  const network = await startSandboxProcess({
    host: '127.0.0.1',
    port: sandbox.port,
    dataDir: join(dataDir, 'sandbox'),
  })
  try {
    return await run(network.url)
  } finally {
    await network.stop()
  }
}
