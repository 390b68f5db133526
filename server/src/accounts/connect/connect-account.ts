import { shownHandle } from '@postrider/contract/names'
import { findAccount } from '../../networks/channels/channel-store.ts'
import { addChannelIn } from '../../networks/channels/connect-channel.ts'
import type { AuthorizationParts } from '../../networks/channels/refresh-authorization.ts'
import type { NetworkClients } from '../../networks/channels/network-clients.ts'
import { resumeChannel } from '../../engine/destinations/resume-channel.ts'
import type { Act, RecordAct } from '../../edge/operations/act.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import type { Adapter, ConnectVerdict, Grant } from '../../networks/providers/port/port.ts'
import type { ConnectedChannel, FlowOutcome } from './connect-flow-store.ts'

export type ConnectParts = Omit<AuthorizationParts, 'clients'> & {
  readonly clients: NetworkClients
  readonly recordAct: RecordAct
}

/** For whom an account is connected, and who does it. */
export type ConnectTarget = {
  readonly workspaceId: string
  /** The channel to reconnect; null for any account. */
  readonly channelId: string | null
  readonly actor: Act['actor']
}

/** What came of connecting. Nothing is stored unless it is `connected`. */
export type ConnectResult = Extract<FlowOutcome, { is: 'connected' }> | NotConnected

export type NotConnected =
  | { readonly is: 'refused'; readonly code: string; readonly detail: string; readonly field?: string }
  | { readonly is: 'unavailable'; readonly detail: string }

/** Stores the account that a network has granted access to. */
export async function connectAccount(
  parts: ConnectParts,
  target: ConnectTarget,
  adapter: Adapter,
  verdict: ConnectVerdict,
): Promise<ConnectResult> {
  return verdict.is === 'connected' ? connectAccounts(parts, target, adapter, [verdict]) : verdict
}

/**
 * Stores the accounts that a network has granted access to: all of them or none. An account that the workspace has
 * already keeps its channel. A channel that is to be reconnected takes its own account and no other. `permit` runs in the
 * transaction, after the channels were written: what it throws leaves nothing stored.
 */
export async function connectAccounts(
  { db, keyring, recordAct }: ConnectParts,
  { workspaceId, channelId, actor }: ConnectTarget,
  adapter: Adapter,
  granted: readonly [Grant, ...Grant[]],
  permit: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<ConnectResult> {
  const { provider, displayName: network } = adapter
  let grants: readonly Grant[] = granted
  if (channelId !== null) {
    const known = await findAccount(db, { workspaceId, channelId })
    if (known === null) return refused('channel_gone', 'The channel to reconnect no longer exists.')
    grants = granted.filter(({ account }) => account.remoteAccountId === known.remoteAccountId)
    if (known.provider !== provider || grants.length === 0) {
      const [{ account }] = granted
      const owner = shownHandle(adapter, known.handle)
      const other = shownHandle(adapter, account.handle)
      const detail =
        granted.length === 1
          ? `This channel belongs to ${owner}, and access was given to ${other}. Sign in to ${network} as ${owner} and try again, or connect ${other} as a channel of its own.`
          : `This channel belongs to ${owner}, and access was given to other accounts. Sign in to ${network} again and allow access to ${owner}.`
      return refused('another_account', detail)
    }
  }
  // In one order, so that two who connect the same accounts do not end in a deadlock.
  const inOrder = grants.toSorted((a, b) => (a.account.remoteAccountId < b.account.remoteAccountId ? -1 : 1))
  const made = await db.begin(async (tx) => {
    const added = []
    for (const { authorization, account } of inOrder) {
      const times = adapter.authorizationTimes(authorization)
      const connection = { workspaceId, provider, authorization, ...account, ...times }
      added.push({ ...(await addChannelIn(tx, keyring, connection)), handle: account.handle })
    }
    await permit(tx)
    for (const { handle, ...channel } of added) {
      await recordAct(tx, {
        workspaceId,
        actor,
        action: channel.reconnected ? 'reconnectChannel' : 'connectChannel',
        subject: { channelId: channel.channelId },
        after: { provider, handle },
        address: null,
        requestId: null,
      })
    }
    return added
  })
  const connected: ConnectedChannel[] = []
  for (const channel of made) {
    const resumed = channel.reconnected ? await resumeChannel(db, workspaceId, channel.channelId) : 0
    connected.push({ ...channel, resumed })
  }
  const [first, ...others] = connected
  if (first === undefined) throw new Error('no account was connected')
  return { is: 'connected', ...first, ...(others.length === 0 ? {} : { others }) }
}

/** All channels of a result. */
export function channelsIn({
  is: _,
  others = [],
  ...first
}: Extract<ConnectResult, { is: 'connected' }>): readonly ConnectedChannel[] {
  return [first, ...others]
}

function refused(code: string, detail: string): NotConnected {
  return { is: 'refused', code, detail }
}
