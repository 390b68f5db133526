import { join } from 'node:path'
import type { Command } from 'commander'
import { addChannel, type Connection } from '../channels/connect-channel.ts'
import type { Config } from '../config/config.ts'
import { resumeChannel } from '../destinations/resume-channel.ts'
import type { Database } from '../platform/database.ts'
import type { Db } from '../platform/db.ts'
import type { Keyring } from '../platform/sealing.ts'
import {
  type NewSandboxAccount,
  renewSandboxAccount,
  type SandboxProfile,
  sandboxProfiles,
  openSandboxAccount,
} from '../sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../sandbox/sandbox-channel.ts'
import { isSandboxReachable, sandboxUrlOf, startSandboxProcess } from '../sandbox/sandbox-process.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { parseHours } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

type AddOptions = InWorkspace & {
  handle: string
  profile: string
  name?: string
  authorizedHours?: string
}

/** `postrider channel add sandbox` */
export function addSandboxCommand(add: Command, { config, output }: CommandLine): void {
  add
    .command('sandbox')
    .description('create an account on the sandbox network and connect it')
    .requiredOption('--handle <handle>', 'letters, digits, _ and -, up to 30')
    .requiredOption('--profile <profile>', 'short (280 characters) or professional (3000)')
    .option('--name <name>', 'display name (default: the handle)')
    .option(
      '--authorized-hours <hours>',
      'after how many hours the network ends each authorization; never when left out',
    )
    .addOption(workspaceOption())
    .action(async (options: AddOptions, command: Command) => {
      const account = readAccount(options)
      const settings = await config()
      refuseWithoutSandbox(settings)
      const added = await inWorkspace(config, options, async ({ db, dataDir, workspaceId }) => {
        const { keyring } = await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })
        return withSandbox(settings, dataDir, async (networkUrl) => {
          const made = await openSandboxAccount(networkUrl, account, { takeOver: false })
          const { channelId } = await connect(db, keyring, sandboxConnection(workspaceId, networkUrl, made))
          return { channelId, provider: `sandbox-${account.profile}`, handle: account.handle, url: made.url }
        })
      })
      output(command).answer(
        added,
        `Connected @${added.handle} as channel ${added.channelId} (${added.provider}).\nIts public page: ${added.url}`,
      )
    })
}

/** Gives an account of the sandbox network a new authorization, and connects it again. Returns how many posts go on. */
export async function reconnectSandbox(
  settings: Config,
  { db, dataDir }: Database,
  workspaceId: string,
  remoteAccountId: string,
): Promise<number> {
  refuseWithoutSandbox(settings)
  const { keyring } = await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })
  return withSandbox(settings, dataDir, async (networkUrl) => {
    const renewed = await renewSandboxAccount(networkUrl, remoteAccountId)
    return (await connect(db, keyring, sandboxConnection(workspaceId, networkUrl, renewed))).resumed
  })
}

function refuseWithoutSandbox({ sandbox }: Config): void {
  if (!sandbox.on) throw new CommandFault('The sandbox network is off. Set SANDBOX=on.')
}

/** Connects an account. When its channel was there already, what waited for it to be reconnected goes on. */
async function connect(
  db: Db,
  keyring: Keyring,
  connection: Connection,
): Promise<{ channelId: string; resumed: number }> {
  const { channelId, reconnected } = await addChannel(db, keyring, connection, (tx, added) =>
    recordOperator(tx, connection.workspaceId, added.reconnected ? 'reconnectChannel' : 'connectChannel', {
      subject: { channelId: added.channelId },
      after: { handle: connection.handle },
    }),
  )
  const resumed = reconnected ? await resumeChannel(db, connection.workspaceId, channelId) : 0
  return { channelId, resumed }
}

function readAccount({ handle, profile, name, authorizedHours }: AddOptions): NewSandboxAccount {
  if (!isProfile(profile)) {
    throw new UsageError(`--profile must be ${sandboxProfiles.join(' or ')}, and "${profile}" is neither.`)
  }
  if (!/^[A-Za-z0-9_-]{1,30}$/.test(handle)) {
    throw new UsageError('--handle must be 1 to 30 letters, digits, underscores or hyphens.')
  }
  const account = { handle, displayName: name ?? handle, profile }
  if (authorizedHours === undefined) return account
  const hours = parseHours('--authorized-hours', authorizedHours)
  return { ...account, authorizedSeconds: Math.ceil(hours * 3_600) }
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
