import { findAccount } from '../channels/channel-store.ts'
import { addChannel } from '../channels/connect-channel.ts'
import type { AuthorizationParts } from '../channels/refresh-authorization.ts'
import type { NetworkClients } from '../channels/network-clients.ts'
import { resumeChannel } from '../destinations/resume-channel.ts'
import type { Act, RecordAct } from '../operations/act.ts'
import type { Adapter, ConnectVerdict } from '../providers/port.ts'
import type { FlowOutcome } from './connect-flow-store.ts'

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

/**
 * Stores the account that a network has granted access to. An account that the workspace has already keeps its
 * channel. A channel that is to be reconnected takes its own account and no other.
 */
export async function connectAccount(
  { db, keyring, recordAct }: ConnectParts,
  { workspaceId, channelId, actor }: ConnectTarget,
  adapter: Adapter,
  verdict: ConnectVerdict,
): Promise<ConnectResult> {
  if (verdict.is !== 'connected') return verdict
  const { provider, displayName: network } = adapter
  const { authorization, account } = verdict
  if (channelId !== null) {
    const known = await findAccount(db, { workspaceId, channelId })
    if (known === null) return refused('channel_gone', 'The channel to reconnect no longer exists.')
    if (known.provider !== provider || known.remoteAccountId !== account.remoteAccountId) {
      const detail = `This channel belongs to @${known.handle}, and access was given to @${account.handle}. Sign in to ${network} as @${known.handle} and try again, or connect @${account.handle} as a channel of its own.`
      return refused('another_account', detail)
    }
  }
  const connection = {
    workspaceId,
    provider,
    authorization,
    ...account,
    ...adapter.authorizationTimes(authorization),
  }
  const made = await addChannel(db, keyring, connection, (tx, added) =>
    recordAct(tx, {
      workspaceId,
      actor,
      action: added.reconnected ? 'reconnectChannel' : 'connectChannel',
      subject: { channelId: added.channelId },
      after: { provider, handle: account.handle },
      address: null,
      requestId: null,
    }),
  )
  const resumed = made.reconnected ? await resumeChannel(db, workspaceId, made.channelId) : 0
  return { is: 'connected', ...made, handle: account.handle, resumed }
}

function refused(code: string, detail: string): NotConnected {
  return { is: 'refused', code, detail }
}
