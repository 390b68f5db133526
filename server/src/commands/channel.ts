import { join } from 'node:path'
import type { Command } from 'commander'
import {
  allChannels,
  enableChannel,
  enabledChannels,
  findAccount,
  workspaceOfChannel,
} from '../channels/channel-store.ts'
import { addChannel, type Connection } from '../channels/connect-channel.ts'
import type { Config } from '../config/config.ts'
import { resumeChannel } from '../destinations/resume-channel.ts'
import type { Database } from '../platform/database.ts'
import type { Db } from '../platform/db.ts'
import type { Keyring } from '../platform/sealing.ts'
import {
  isSandboxReachable,
  type NewSandboxAccount,
  renewSandboxAccount,
  type SandboxProfile,
  sandboxProfiles,
  openSandboxAccount,
} from '../sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../sandbox/sandbox-channel.ts'
import { sandboxUrlOf, startSandboxProcess } from '../sandbox/sandbox-process.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { parseHours, parseId } from './arguments.ts'
import { addConnectCommands, reconnectFromTerminal } from './connect-channel.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { instantCell, table } from './output.ts'
import { recordOperator } from './operator.ts'
import { chooseWorkspace, knownWorkspaceOption, withDatabase, workspaceOption } from './session.ts'

type InWorkspace = { workspace?: string }
type ReconnectOptions = InWorkspace & { oauth?: boolean }
type AddOptions = InWorkspace & {
  handle: string
  profile: string
  name?: string
  authorizedHours?: string
}

/** `postrider channel …` */
export function addChannelCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const channel = program.command('channel').description('connected accounts')
  const add = channel.command('add').description('connect an account')

  add
    .command('sandbox')
    .description('make an account on the sandbox network and connect it')
    .requiredOption('--handle <handle>', 'letters, digits, _ and -, up to 30')
    .requiredOption('--profile <profile>', 'short (280 characters) or professional (3000)')
    .option('--name <name>', 'the name that is displayed; the handle when left out')
    .option(
      '--authorized-hours <hours>',
      'after how many hours the network ends each authorisation; never when left out',
    )
    .addOption(workspaceOption())
    .action(async (options: AddOptions, command: Command) => {
      const account = readAccount(options)
      const settings = await config()
      refuseWithoutSandbox(settings)
      const added = await withDatabase(settings, async ({ db, dataDir }) => {
        const { workspaceId } = await chooseWorkspace(db, options.workspace)
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

  addConnectCommands(add, commandLine)

  channel
    .command('list')
    .description('list the enabled channels of a workspace')
    .option('--all', 'those that are switched off, too', false)
    .addOption(workspaceOption())
    .action(async (options: InWorkspace & { all: boolean }, command: Command) => {
      const list = options.all ? allChannels : enabledChannels
      const channels = await withDatabase(await config(), async ({ db }) =>
        list(db, (await chooseWorkspace(db, options.workspace)).workspaceId),
      )
      const rows = channels.map(
        ({ channelId, provider, handle, displayName, enabled, connectionStatus, grantEndsAt }) => [
          channelId,
          provider,
          `@${handle}`,
          displayName,
          enabled ? connectionStatus : `${connectionStatus}, switched off`,
          instantCell(grantEndsAt, 'no end named'),
        ],
      )
      output(command).answer(
        channels.map(({ grantEndsAt, ...channel }) => ({ ...channel, authorizedUntil: grantEndsAt })),
        rows.length === 0
          ? `The workspace has no ${options.all ? '' : 'enabled '}channel.`
          : table(['CHANNEL', 'PROVIDER', 'HANDLE', 'NAME', 'CONNECTION', 'AUTHORIZED UNTIL'], rows),
      )
    })

  channel
    .command('reconnect')
    .description('have the network grant access to the same account again; what waited for that goes on')
    .argument('<channelId>', 'as `channel list` shows it')
    .option('--oauth', 'sign in at the network in a browser, by a link that this prints')
    .addOption(knownWorkspaceOption())
    .action(async (text: string, options: ReconnectOptions, command: Command) => {
      const channelId = parseId('channelId', text)
      const settings = await config()
      const { resumed } = await withDatabase(settings, (database) =>
        reconnect(commandLine, database, settings, channelId, options),
      )
      const rest =
        resumed === 0
          ? 'Nothing was waiting for that.'
          : `${resumed === 1 ? 'One post that was' : `${resumed} posts that were`} waiting for that ${resumed === 1 ? 'goes' : 'go'} on.`
      output(command).answer({ channelId, resumed }, `The channel is connected and switched on. ${rest}`)
    })

  for (const { name, enabled, description, result } of switches) {
    channel
      .command(name)
      .description(description)
      .argument('<channelId>', 'as `channel list` showed it')
      .addOption(knownWorkspaceOption())
      .action(async (text: string, options: InWorkspace, command: Command) => {
        const channelId = parseId('channelId', text)
        const switched = await withDatabase(await config(), async ({ db }) => {
          const { workspaceId } = await chooseWorkspace(db, options.workspace, () =>
            workspaceOfChannel(db, channelId),
          )
          return db.begin(async (tx) => {
            const channel = await enableChannel(tx, { workspaceId, channelId }, enabled)
            const subject = { channelId }
            if (channel !== null)
              await recordOperator(tx, workspaceId, `${name}Channel`, { subject, after: { enabled } })
            return channel
          })
        })
        if (switched === null) throw noSuchChannel(channelId)
        output(command).answer(switched, `@${switched.handle} (${switched.provider}) is ${result}`)
      })
  }
}

const switches = [
  {
    name: 'disable',
    enabled: false,
    description: 'publish nothing on a channel until it is enabled again',
    result:
      'switched off: what is being sent now is finished, nothing else is begun, and what is due waits until its allowed time is over.',
  },
  {
    name: 'enable',
    enabled: true,
    description: 'publish on a channel again',
    result: 'switched on: what is due goes out within seconds.',
  },
] as const

function noSuchChannel(channelId: string): CommandFault {
  return new CommandFault(`There is no channel ${channelId} here. \`postrider channel list\` shows them.`)
}

function refuseWithoutSandbox({ sandbox }: Config): void {
  if (!sandbox.on) throw new CommandFault('The sandbox network is switched off. Set SANDBOX=on.')
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

async function reconnect(
  { askSecret }: CommandLine,
  database: Database,
  settings: Config,
  channelId: string,
  { workspace, oauth }: ReconnectOptions,
): Promise<{ resumed: number }> {
  const { db, dataDir } = database
  const { workspaceId } = await chooseWorkspace(db, workspace, () => workspaceOfChannel(db, channelId))
  const account = await findAccount(db, { workspaceId, channelId })
  if (account === null) throw noSuchChannel(channelId)
  if (!account.provider.startsWith('sandbox-')) {
    const given = oauth === undefined ? {} : { oauth }
    const target = { workspaceId, channelId }
    return {
      resumed: await reconnectFromTerminal(settings, database, target, account, { askSecret, given }),
    }
  }
  refuseWithoutSandbox(settings)
  const { keyring } = await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })
  return withSandbox(settings, dataDir, async (networkUrl) => {
    const renewed = await renewSandboxAccount(networkUrl, account.remoteAccountId)
    return connect(db, keyring, sandboxConnection(workspaceId, networkUrl, renewed))
  })
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
