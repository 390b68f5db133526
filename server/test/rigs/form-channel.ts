import { afterAll } from 'vitest'
import type { ConnectResult } from '../../src/accounts/connect/connect-account.ts'
import { connectByForm } from '../../src/accounts/connect/connect-by-form.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import { openFaultProxy, type FaultProxy } from './fault-proxy.ts'
import { openFileWorld, type FileWorld } from './file-world.ts'
import { aWorkspace, type AWorkspace } from './fixtures.ts'
import { openPublishingRig, OPERATOR, type ConnectedChannel, type PublishingRig } from './publishing-rig.ts'

export type FormRig = PublishingRig &
  Pick<FileWorld, 'world' | 'eventsOf'> & {
    /** Stands before the network: what is connected at its address can be broken. */
    readonly proxy: FaultProxy
    /** Connects what is filled in; with `channelId`, reconnects that channel. */
    readonly connectForm: (
      workspace: AWorkspace,
      fields: Readonly<Record<string, string>>,
      channelId?: string,
    ) => Promise<ConnectResult>
    /** A channel in a workspace of its own. */
    readonly aChannel: (fields: Readonly<Record<string, string>>) => Promise<ConnectedChannel>
  }

/** The publisher of production on a network that a test plays at `url`, and channels that are connected by its form. */
export async function openFormRig(provider: Provider, url: string): Promise<FormRig> {
  const { world, api, eventsOf } = await openFileWorld()
  const proxy = await openFaultProxy(new URL(url))
  const trustedOrigins = [url, proxy.url.origin]
  const rig = await openPublishingRig({ world, api, provider, trustedOrigins, callTimeoutMs: 1_500 })
  afterAll(async () => {
    await rig.close()
    await proxy[Symbol.asyncDispose]()
  })

  const connectForm: FormRig['connectForm'] = ({ workspaceId }, fields, channelId) => {
    const target = { workspaceId, channelId: channelId ?? null, actor: OPERATOR }
    return connectByForm(rig.connect, target, provider, fields)
  }
  return {
    ...rig,
    world,
    eventsOf,
    proxy,
    connectForm,
    async aChannel(fields) {
      const workspace = await aWorkspace(world.db)
      const result = await connectForm(workspace, fields)
      if (result.is !== 'connected') throw new Error(result.detail)
      return { workspace, channelId: result.channelId }
    },
  }
}
