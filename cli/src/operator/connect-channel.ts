import { setTimeout as sleep } from 'node:timers/promises'
import { nearest, shownHandle } from '@postrider/contract/plan'
import { type Context, isSet, textOf, textsOf } from '../command.ts'
import { CliError, exits, usageError } from '../exits.ts'
import { optionName } from '../fields.ts'
import { askOperator, demandOperator } from './ask-operator.ts'
import type { OperatorOperation } from './operator-command.ts'
import { openFields } from './open-fields.ts'
import { type Network, networks } from './networks.ts'
import { reportOf } from '../report.ts'
import { operations } from './operations.ts'
import { requestOf } from './run-operator.ts'

type Connected = {
  readonly channelId: string
  readonly handle: string
  readonly reconnected: boolean
  readonly resumed: number
}
type Account = { readonly provider: string; readonly channelId: string | null; readonly handle?: string }

/** `postrider channel add <network>` */
export async function addChannel(context: Context): Promise<void> {
  demandOperator(context.env)
  const [provider = ''] = context.args
  if (provider === 'sandbox') return addSandboxChannel(context)
  const network = networkNamed(provider)
  refuseOptions(context, provider, [
    ...openFields(network).map(({ name }) => optionName(name)),
    ...(network.form !== null && network.signIn !== null ? ['oauth'] : []),
    ...(network.several === true ? ['account'] : []),
  ])
  const all = await connect(context, { provider, channelId: null })
  const [first, ...others] = all.map(({ resumed: _, ...channel }) => ({ provider, ...channel }))
  context.answer(
    { ...first, ...(others.length === 0 ? {} : { others }) },
    all.map((channel) => connectedLine(provider, channel)).join('\n'),
  )
}

async function addSandboxChannel(context: Context): Promise<void> {
  const { fields } = operations.connectSandboxChannel
  refuseOptions(context, 'sandbox', Object.keys(fields).map(optionName))
  const request = requestOf({ operation: 'connectSandboxChannel' }, context)
  const { channelId, provider, handle } = await ask<Connected & { provider: string }>(
    context,
    'connectSandboxChannel',
    request.body,
  )
  const channel = { channelId, handle, reconnected: false, resumed: 0 }
  context.answer({ channelId, provider, handle }, connectedLine(provider, channel))
}

/** `postrider channel reconnect <channelId>` */
export async function reconnectChannel(context: Context): Promise<void> {
  const { path } = requestOf({ operation: 'reconnectSandboxChannel' }, context)
  const channelId = String(path['channelId'])
  const channels = await ask<{ channelId: string; provider: string; handle: string }[]>(
    context,
    'listManagedChannels',
  )
  const known = channels.find((channel) => channel.channelId === channelId)
  if (known === undefined)
    throw new CliError(
      exits.notFound,
      `There is no channel ${channelId} here. \`postrider channel list\` shows them.`,
      { code: 'not_found' },
    )
  const [{ resumed } = { resumed: 0 }] = known.provider.startsWith('sandbox-')
    ? [await ask<Connected>(context, 'reconnectSandboxChannel', {}, { channelId })]
    : await connect(context, known)
  const rest =
    resumed === 0
      ? 'Nothing was waiting for that.'
      : `${resumed === 1 ? 'One post that was' : `${resumed} posts that were`} waiting for that ${resumed === 1 ? 'continues' : 'continue'}.`
  context.answer({ channelId, resumed }, `The channel is connected and enabled. ${rest}`)
}

/** Connects accounts by what was copied from the network, or by a sign-in there. */
async function connect(
  context: Context,
  { provider, channelId, handle }: Account,
): Promise<readonly Connected[]> {
  const network = networks[provider]
  const fields: Record<string, string> = handle === undefined ? {} : { handle }
  for (const { name } of network === undefined ? [] : openFields(network)) {
    const value = textOf(context.values, optionName(name))
    if (value !== undefined) fields[name] = value
  }
  const form = network?.form ?? null
  if (form === null || isSet(context.values, 'oauth'))
    return connectByLink(context, { provider, channelId, fields })
  for (const { name, title, secret } of form) {
    if (secret !== true) continue
    const given = await context.askSecret(`${title}: `)
    if (given === '')
      throw usageError(`${title} is missing: enter it when asked, or give it on standard input.`)
    fields[name] = given
  }
  return [await ask<Connected>(context, 'connectChannel', { provider, channelId, fields })]
}

const LOOK_EVERY_MS = 1_000
/** A server that restarts is waited for: longer than the link is good, so that its end is heard of. */
const AWAY_MS = 12 * 60_000
const OPENED =
  'Whoever opens the link before it expires still connects the account: `postrider channel list` shows it.'

async function connectByLink(
  context: Context,
  asked: Record<string, unknown>,
): Promise<readonly Connected[]> {
  const accounts = textsOf(context.values, 'account')
  const { url, linkId } = await ask<{ url: string; linkId: string }>(context, 'createConnectLink', {
    ...asked,
    ...(accounts.length === 0 ? {} : { accounts }),
  })
  context.note(
    `Open this link in a browser within ten minutes:\n\n  ${url}\n\nWaiting for you to come back…`,
    { url },
  )
  for (;;) {
    const { status, detail, channels } = await lookAt(context, linkId)
    if (status === 'connected') return channels
    if (status === 'refused') throw new CliError(exits.failed, detail ?? '', { code: 'refused' })
    if (status === 'expired')
      throw new CliError(
        exits.failed,
        'The sign-in at the network was not finished in time. Run the command again for a new link.',
        { code: 'link_expired' },
      )
    await pause(context)
  }
}

type LinkState = {
  readonly status: 'open' | 'connected' | 'refused' | 'expired'
  readonly detail: string | null
  readonly channels: readonly Connected[]
}

/** What became of a link. A server that does not answer meanwhile is asked again: the link is good all the same. */
async function lookAt(context: Context, linkId: string): Promise<LinkState> {
  const until = Date.now() + AWAY_MS
  for (;;) {
    try {
      return await ask<LinkState>(context, 'readConnectLink', {}, { linkId })
    } catch (error) {
      if (context.signal.aborted) throw interrupted()
      const { exit, message } = reportOf(error)
      if (exit !== exits.unavailable) throw error
      if (Date.now() > until)
        throw new CliError(exits.unknown, `${message} ${OPENED}`, {
          code: 'unknown_outcome',
          outcome: 'unknown',
        })
    }
    await pause(context)
  }
}

async function pause({ signal }: Context): Promise<void> {
  await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {
    throw interrupted()
  })
}

function interrupted(): CliError {
  return new CliError(exits.unknown, `Interrupted. ${OPENED}`, { code: 'interrupted', outcome: 'unknown' })
}

async function ask<T>(
  context: Context,
  operation: OperatorOperation,
  body: Record<string, unknown> = {},
  path: Record<string, unknown> = {},
): Promise<T> {
  return (await askOperator(context, operation, { path, query: {}, body })) as T
}

function networkNamed(name: string): Network {
  const network = Object.hasOwn(networks, name) ? networks[name] : undefined
  if (network !== undefined) return network
  const known = ['sandbox', ...Object.keys(networks)]
  const meant = nearest(name, known)
  throw usageError(
    `There is no network ${name}.${meant === null ? '' : ` Did you mean ${meant}?`} Give one of ${known.join(', ')}.`,
  )
}

function refuseOptions({ values }: Context, network: string, taken: readonly string[]): void {
  const known = [...taken, 'json', 'help', 'workspace']
  const foreign = Object.keys(values).find((option) => !known.includes(option))
  if (foreign !== undefined) throw usageError(`\`channel add ${network}\` takes no --${foreign}.`)
}

function connectedLine(provider: string, { channelId, handle, reconnected }: Connected): string {
  return `${reconnected ? 'Connected again' : 'Connected'} ${shownHandle(provider, handle)} as channel ${channelId} (${provider}).`
}
