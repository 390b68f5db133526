import type { Command } from 'commander'
import {
  allChannels,
  type ChannelRow,
  switchChannel,
  findAccount,
  workspaceOfChannel,
} from '../channels/channel-store.ts'
import { parseId } from './arguments.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { countHeld } from '../listing/destination-list-store.ts'
import { type Columns, escapeControlCharacters, instantCell, table } from './output.ts'
import { recordOperator } from './operator.ts'
import {
  inWorkspace,
  type InWorkspace,
  knownWorkspaceOption,
  type Place,
  workspaceOption,
} from './session.ts'

type ReconnectOptions = InWorkspace & { oauth?: boolean }

/** `postrider channel …` */
export function addChannelCommands(program: Command, commandLine: CommandLine): void {
  const channel = program.command('channel').description('connected accounts')
  // The networks are added when one of them is called: their forms take longer to load than another command to run.
  channel.command('add').description('connect an account')
  addList(channel, commandLine)
  addReconnect(channel, commandLine)
  addSwitches(channel, commandLine)
}

function addList(channel: Command, { config, output }: CommandLine): void {
  channel
    .command('list')
    .description('list the enabled channels of a workspace')
    .option('--all', 'disabled ones, too', false)
    .addOption(workspaceOption())
    .action(async (options: InWorkspace & { all: boolean }, command: Command) => {
      const { all, holds } = await inWorkspace(config, options, async ({ db, workspaceId }) => ({
        all: await allChannels(db, workspaceId),
        holds: await countHeld(db, workspaceId),
      }))
      const held = new Map(holds.map((each) => [each.channelId, each.held]))
      const channels = all
        .filter(({ enabled }) => options.all || enabled)
        .map((channel) => ({ ...channel, heldPosts: held.get(channel.channelId) ?? 0 }))
      const unlisted = all.filter(({ channelId }) => !channels.some((one) => one.channelId === channelId))
      output(command).answer(
        channels.map(({ authorizationEndsAt, ...channel }) => ({
          ...channel,
          authorizedUntil: authorizationEndsAt,
        })),
        [
          channels.length === 0
            ? `The workspace has no ${options.all ? '' : 'enabled '}channel.`
            : table(columns, channels),
          ...offWords(unlisted),
          ...heldWords(all, held),
        ].join('\n\n'),
      )
    })
}

function addReconnect(channel: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  channel
    .command('reconnect')
    .description('have the network grant access to the same account again; what waited for that goes on')
    .argument('<channelId>', 'as `channel list` shows it')
    .option('--oauth', 'sign in at the network in a browser, by a link that this prints')
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

function addSwitches(channel: Command, { config, output }: CommandLine): void {
  for (const { name, enabled, description, result } of switches) {
    channel
      .command(name)
      .description(description)
      .argument('<channelId>', 'as `channel list` showed it')
      .addOption(knownWorkspaceOption())
      .action(async (text: string, options: InWorkspace, command: Command) => {
        const channelId = parseId('channelId', text)
        const switchIn = ({ db, workspaceId }: Place) =>
          db.begin(async (tx) => {
            const channel = await switchChannel(tx, { workspaceId, channelId }, { enabled })
            const subject = { channelId }
            if (channel !== null)
              await recordOperator(tx, workspaceId, `${name}Channel`, { subject, after: { enabled } })
            return channel
          })
        const switched = await inWorkspace(config, options, switchIn, (db) =>
          workspaceOfChannel(db, channelId),
        )
        if (switched === null) throw noSuchChannel(channelId)
        output(command).answer(switched, `@${switched.handle} (${switched.provider}) is ${result}`)
      })
  }
}

const columns: Columns<ChannelRow> = {
  CHANNEL: ({ channelId }) => channelId,
  PROVIDER: ({ provider }) => provider,
  HANDLE: ({ handle }) => `@${handle}`,
  NAME: ({ displayName }) => displayName,
  CONNECTION: ({ enabled, connectionStatus }) =>
    enabled ? connectionStatus : `${connectionStatus}, disabled`,
  'AUTHORIZED UNTIL': ({ authorizationEndsAt }) => instantCell(authorizationEndsAt, 'no end named'),
}

/** Which channels the list leaves out, since nothing is published on them. */
function offWords(channels: readonly ChannelRow[]): string[] {
  if (channels.length === 0) return []
  const names = channels.map(
    ({ channelId, displayName }) => `"${escapeControlCharacters(displayName)}" (${channelId})`,
  )
  return [
    `Switched off: ${names.join(', ')}. \`postrider channel enable <channelId>\` publishes there again.`,
  ]
}

/** On which channels something waits to be settled after a restore. */
function heldWords(channels: readonly ChannelRow[], held: ReadonlyMap<string, number>): string[] {
  const names = channels.flatMap(({ channelId, displayName }) => {
    const count = held.get(channelId)
    return count === undefined ? [] : [`${count} of "${escapeControlCharacters(displayName)}"`]
  })
  if (names.length === 0) return []
  return [
    `Posts that are held since a restore: ${names.join(', ')}. \`postrider post list --restored\` lists them, \`postrider post resolve\` settles them.`,
  ]
}

const switches = [
  {
    name: 'disable',
    enabled: false,
    description: 'publish nothing on a channel until it is enabled again',
    result:
      'disabled: what is being published now finishes, nothing else starts, and what is due waits until its deadline.',
  },
  {
    name: 'enable',
    enabled: true,
    description: 'publish on a channel again',
    result: 'enabled: what is due is published within seconds.',
  },
] as const

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
