import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { recordAct } from '../audit/audit-store.ts'
import { connectByForm } from '../connect/connect-by-form.ts'
import { channelsIn, type ConnectResult, type ConnectTarget } from '../connect/connect-account.ts'
import { fieldsOf, type FieldForm } from '../connect/connect-fields.ts'
import { makeLink } from '../connect/connect-flow.ts'
import { type ConnectedChannel, readOutcome } from '../connect/connect-flow-store.ts'
import { openConnect, type Connect } from '../connect/open-connect.ts'
import type { Config } from '../config/config.ts'
import { targetRules } from '../config/target-rules.ts'
import { enabledProviders } from '../enabled-providers.ts'
import type { Database } from '../platform/database.ts'
import { createLog } from '../platform/log.ts'
import type { Provider } from '../providers/port.ts'
import { providers } from '../providers/registry.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { addSandboxCommand } from './connect-sandbox.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

type Given = Record<string, string | boolean | readonly string[] | undefined> &
  InWorkspace & { oauth?: boolean; account?: readonly string[] }

/** `postrider channel add <network>`, for the sandbox network and every one whose accounts people have elsewhere. */
export function addConnectCommands(add: Command, commandLine: CommandLine): void {
  addSandboxCommand(add, commandLine)
  const { config, output, askSecret } = commandLine
  for (const provider of providers.values()) {
    const { connecting, displayName } = provider
    if (connecting.form === null && connecting.oauth === null) continue
    const command = add.command(provider.provider).description(`connect an account of ${displayName}`)
    for (const { name, title, description } of openFields(provider)) {
      command.option(`--${optionOf(name)} <text>`, `${title}: ${description}`)
    }
    if (connecting.form !== null && connecting.oauth !== null) {
      command.option('--oauth', 'print a link to sign in at the network in a browser')
    }
    if (connecting.oauth?.several === true) {
      command.option(
        '--account <id or name>',
        'which of the accounts that the sign-in gives access to; repeat it for several (default: choose in the browser)',
        (one: string, before?: readonly string[]) => [...(before ?? []), one],
      )
    }
    command.addOption(workspaceOption()).action(async (given: Given, self: Command) => {
      const result = await inWorkspace(config, given, ({ workspaceId, settings, ...database }) => {
        const target = { workspaceId, channelId: null, actor: OPERATOR }
        return withConnect(settings, database, (connect) =>
          connectFromTerminal(connect, target, usable(settings, provider), given, askSecret),
        )
      })
      const [first, ...others] = channelsIn(connected(result)).map(({ resumed: _, ...channel }) => ({
        provider: provider.provider,
        ...channel,
      }))
      output(self).answer(
        { ...first, ...(others.length === 0 ? {} : { others }) },
        [first, ...others].map((one) => (one === undefined ? '' : connectedLine(one))).join('\n'),
      )
    })
  }
}

function connectedLine({
  provider,
  channelId,
  handle,
  reconnected,
}: Omit<ConnectedChannel, 'resumed'> & { readonly provider: string }): string {
  return `${reconnected ? 'Connected again' : 'Connected'} @${handle} as channel ${channelId} (${provider}).`
}

/** Connects a channel's own account again. Returns how many posts go on. */
export async function reconnectFromTerminal(
  settings: Config,
  database: Database,
  target: Omit<ConnectTarget, 'actor'>,
  account: { provider: string; handle: string },
  { askSecret, given }: Pick<CommandLine, 'askSecret'> & { given: Given },
): Promise<number> {
  const provider = enabledProviders(settings).get(account.provider)
  if (provider === undefined) {
    throw new CommandFault(`The network ${account.provider} is not enabled on this server.`)
  }
  const known = { handle: account.handle, ...given }
  const result = await withConnect(settings, database, (connect) =>
    connectFromTerminal(connect, { ...target, actor: OPERATOR }, provider, known, askSecret),
  )
  return connected(result).resumed
}

const OPERATOR = { type: 'operator', id: null, name: 'command line', personId: null } as const

async function withConnect<T>(
  settings: Config,
  { db, dataDir }: Database,
  run: (connect: Connect) => Promise<T>,
): Promise<T> {
  const connect = openConnect({
    db,
    keyring: (await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })).keyring,
    providers: enabledProviders(settings),
    // What went wrong is said by the command itself.
    log: createLog({ level: 'fatal' }),
    recordAct,
    rules: targetRules(settings),
    configuredClients: settings.networkClients,
    baseUrl: settings.http.baseUrl,
  })
  try {
    return await run(connect)
  } finally {
    await connect.close()
  }
}

async function connectFromTerminal(
  connect: Connect,
  target: ConnectTarget,
  provider: Provider,
  given: Given,
  askSecret: CommandLine['askSecret'],
): Promise<ConnectResult> {
  const { form } = provider.connecting
  const fields = Object.fromEntries(
    openFields(provider).flatMap(({ name }) => {
      const value = given[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  if (form === null || given.oauth === true)
    return connectByLink(connect, target, provider, fields, given.account)
  for (const { name, title, secret } of fieldsOf(form.fields)) {
    if (secret) fields[name] = await askSecret(`${title}: `)
  }
  return connectByForm(connect, target, provider, fields)
}

const LOOK_EVERY_MS = 1_000

async function connectByLink(
  connect: Connect,
  target: ConnectTarget,
  { provider }: Provider,
  fields: Record<string, string>,
  wanted: readonly string[] = [],
): Promise<ConnectResult> {
  const { id, url } = await makeLink(connect, target, provider, connect.baseUrl, fields, wanted)
  process.stderr.write(
    `Open this link in a browser within ten minutes, while the server runs:\n\n  ${url}\n\nWaiting for you to come back…\n`,
  )
  for (;;) {
    const outcome = await readOutcome(connect.db, id)
    if (outcome === 'over') {
      throw new CommandFault(
        'The sign-in at the network was not finished in time. Run the command again for a new link.',
      )
    }
    if (outcome !== null) return outcome
    await sleep(LOOK_EVERY_MS)
  }
}

/** What a person may say on the command line: all that is no secret, of either way. */
function openFields({ connecting: { form, oauth } }: Provider): FieldForm[] {
  const all = [form, oauth].flatMap((way) => (way === null ? [] : fieldsOf(way.fields)))
  return all.filter(
    ({ name, secret }, place) => !secret && all.findIndex((field) => field.name === name) === place,
  )
}

function usable(settings: Config, { provider, displayName }: Provider): Provider {
  const enabled = enabledProviders(settings).get(provider)
  if (enabled !== undefined) return enabled
  throw new CommandFault(
    `This server has no app at ${displayName}: register one and name it in the settings. See docs/networks/${provider}.md.`,
  )
}

function connected(result: ConnectResult): Extract<ConnectResult, { is: 'connected' }> {
  if (result.is === 'connected') return result
  if (result.is === 'refused' && result.field !== undefined) {
    throw new UsageError(`${result.detail} (--${optionOf(result.field)})`)
  }
  throw new CommandFault(result.detail)
}

function optionOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
