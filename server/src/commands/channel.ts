import type { Command } from 'commander'
import { findAccount, workspaceOfChannel } from '../channels/channel-store.ts'
import { parseId } from './arguments.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { inWorkspace, type InWorkspace, knownWorkspaceOption, type Place } from './session.ts'

type ReconnectOptions = InWorkspace & { oauth?: boolean }

/** `postrider channel …` */
export function addChannelCommands(program: Command, commandLine: CommandLine): void {
  const channel = program
    .command('channel')
    .description('connect accounts; `channel list`, `disable` and `enable` use the API')
  // The networks are added when one of them is called: their forms take longer to load than another command to run.
  channel.command('add').description('connect an account')
  addReconnect(channel, commandLine)
}

function addReconnect(channel: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  channel
    .command('reconnect')
    .description('renew access to the same account; waiting posts resume')
    .argument('<channelId>', 'as `channel list` shows it')
    .option('--oauth', 'print a link to sign in at the network in a browser')
    .addOption(knownWorkspaceOption())
    .action(async (text: string, options: ReconnectOptions, command: Command) => {
      const channelId = parseId('channelId', text)
      const resumed = await inWorkspace(
        config,
        options,
        (place) => reconnect(commandLine, place, channelId, options),
        (db) => workspaceOfChannel(db, channelId),
      )
      const rest =
        resumed === 0
          ? 'Nothing was waiting for that.'
          : `${resumed === 1 ? 'One post that was' : `${resumed} posts that were`} waiting for that ${resumed === 1 ? 'continues' : 'continue'}.`
      output(command).answer({ channelId, resumed }, `The channel is connected and enabled. ${rest}`)
    })
}

function noSuchChannel(channelId: string): CommandFault {
  return new CommandFault(`There is no channel ${channelId} here. \`postrider channel list\` shows them.`)
}

/** Connects a channel's own account again. Returns how many posts go on. */
async function reconnect(
  { askSecret }: CommandLine,
  { settings, workspaceId, ...database }: Place,
  channelId: string,
  { oauth }: ReconnectOptions,
): Promise<number> {
  const account = await findAccount(database.db, { workspaceId, channelId })
  if (account === null) throw noSuchChannel(channelId)
  if (account.provider.startsWith('sandbox-')) {
    const { reconnectSandbox } = await import('./connect-sandbox.ts')
    return reconnectSandbox(settings, database, workspaceId, account.remoteAccountId)
  }
  const { reconnectFromTerminal } = await import('./connect-channel.ts')
  const given = oauth === undefined ? {} : { oauth }
  return reconnectFromTerminal(settings, database, { workspaceId, channelId }, account, { askSecret, given })
}
