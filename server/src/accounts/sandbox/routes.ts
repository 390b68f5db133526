import { randomBytes } from 'node:crypto'
import { app } from '@postrider/contract'
import { findAccount, insertChannel, managedChannels } from '../../networks/channels/channel-store.ts'
import { addChannel } from '../../networks/channels/connect-channel.ts'
import { sealAuthorization } from '../../networks/channels/authorization.ts'
import { viewManagedChannel } from '../../networks/channels/views.ts'
import { resumeChannel } from '../../engine/destinations/resume-channel.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import { actorIn } from '../../edge/operations/actor.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { ownTransactionRoute, route, type Route } from '../../edge/operations/route.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import {
  type NewSandboxAccount,
  openSandboxAccount,
  renewSandboxAccount,
  SandboxRefused,
  type SandboxProfile,
} from './sandbox-accounts.ts'
import { sandboxConnection } from './sandbox-channel.ts'

export type SandboxRouteParts = {
  readonly keyring: Pick<Keyring, 'seal'>
  readonly providers: Providers
  readonly recordAct: RecordAct
  /** Null without a sandbox network. */
  readonly sandboxUrl: string | null
}

/** The routes by which people get an account of the sandbox network as a channel, and connect it again. */
export function sandboxRoutes({ keyring, providers, recordAct, sandboxUrl }: SandboxRouteParts): Route[] {
  return [
    route(app.connectSandboxChannel, async ({ body }, { caller, sql, audit }) => {
      if (sandboxUrl === null) return noSandbox()
      const { workspaceId } = caller
      const wanted = accountFor(body)
      const { handle } = wanted
      const account = await openSandboxAccount(sandboxUrl, wanted, { takeOver: false }).catch(messageOf)
      if (typeof account === 'string') return refuse('invalid_state', account)
      const channelId = uuidv7()
      const { authorization, ...connection } = sandboxConnection(workspaceId, sandboxUrl, account)
      await insertChannel(sql, {
        ...connection,
        channelId,
        authorizationSealed: sealAuthorization(keyring, channelId, authorization),
      })
      audit({ subject: { channelId }, after: { provider: connection.provider, handle } })
      const [made] = await managedChannels(sql, workspaceId, channelId)
      if (made === undefined) throw new Error('The channel was not stored.')
      return viewManagedChannel(made, providers)
    }),
    ownTransactionRoute(app.reconnectSandboxChannel, async ({ params }, { caller, sql: db }) => {
      const { workspaceId } = caller
      const { channelId } = params
      const known = await findAccount(db, { workspaceId, channelId })
      if (known === null || !known.provider.startsWith('sandbox-'))
        return refuse('not_found', 'Sandbox channel not found in this workspace.')
      if (sandboxUrl === null) return noSandbox()
      const account = await renewSandboxAccount(sandboxUrl, known.remoteAccountId).catch(messageOf)
      if (typeof account === 'string') return refuse('invalid_state', account)
      const actor = actorIn(caller)
      await addChannel(db, keyring, sandboxConnection(workspaceId, sandboxUrl, account), async (tx) => {
        await caller.hold?.(tx)
        await recordAct(tx, {
          workspaceId,
          actor,
          action: 'reconnectSandboxChannel',
          subject: { channelId },
          address: null,
          requestId: null,
        })
      })
      return { channelId, resumed: await resumeChannel(db, workspaceId, channelId) }
    }),
  ]
}

type Options = { profile: SandboxProfile; handle?: string; displayName?: string; authorizedHours?: number }

function accountFor({ profile, handle, displayName, authorizedHours }: Options): NewSandboxAccount {
  const madeUp = `${profile}-${randomBytes(4).toString('hex')}`
  return {
    handle: handle ?? madeUp,
    displayName: displayName ?? handle ?? `Sandbox ${madeUp}`,
    profile,
    ...(authorizedHours === undefined ? {} : { authorizedSeconds: Math.ceil(authorizedHours * 3_600) }),
  }
}

function noSandbox(): Refusal<'invalid_state'> {
  return refuse('invalid_state', 'This server runs no sandbox network. It was started with SANDBOX=off.')
}

function messageOf(error: unknown): string {
  if (error instanceof SandboxRefused) return error.message
  throw error
}
