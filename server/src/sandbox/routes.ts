import { randomBytes } from 'node:crypto'
import { app } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { allChannels, insertChannel } from '../channels/channel-store.ts'
import { sealGrant } from '../channels/grant.ts'
import { viewManagedChannel } from '../channels/views.ts'
import { refuse } from '../platform/refusal.ts'
import { route, type Route } from '../platform/route.ts'
import type { Keyring } from '../platform/sealing.ts'
import type { Providers } from '../providers/port.ts'
import { openSandboxAccount, SandboxRefused } from './sandbox-accounts.ts'
import { sandboxConnection } from './sandbox-channel.ts'

export type SandboxRouteParts = {
  readonly keyring: Pick<Keyring, 'seal'>
  readonly providers: Providers
  /** Null without a sandbox network. */
  readonly sandboxUrl: string | null
}

/** The route by which people get an account of the sandbox network as a channel. */
export function sandboxRoutes({ keyring, providers, sandboxUrl }: SandboxRouteParts): Route[] {
  return [
    route(app.connectSandboxChannel, async ({ body: { profile } }, { caller, sql, audit }) => {
      if (sandboxUrl === null)
        return refuse(
          'invalid_state',
          'This server runs no sandbox network: it was started with SANDBOX=off.',
        )
      const { workspaceId } = caller
      const handle = `${profile}-${randomBytes(4).toString('hex')}`
      const wanted = { handle, displayName: `Sandbox ${handle}`, profile }
      const account = await openSandboxAccount(sandboxUrl, wanted, { takeOver: false }).catch(wordsOf)
      if (typeof account === 'string') return refuse('invalid_state', account)
      const channelId = uuidv7()
      const { grant, ...connection } = sandboxConnection(workspaceId, sandboxUrl, account)
      await insertChannel(sql, {
        ...connection,
        channelId,
        grantSealed: sealGrant(keyring, channelId, grant),
      })
      audit({ subject: { channelId }, after: { provider: connection.provider, handle } })
      const made = (await allChannels(sql, workspaceId)).find((channel) => channel.channelId === channelId)
      if (made === undefined) throw new Error('The channel was not stored.')
      return viewManagedChannel(made, providers)
    }),
  ]
}

function wordsOf(error: unknown): string {
  if (error instanceof SandboxRefused) return `${error.message} Try again in a moment.`
  throw error
}
