import { afterAll } from 'vitest'
import type { ConnectResult } from '../src/connect/connect-account.ts'
import { connectByForm } from '../src/connect/connect-by-form.ts'
import type { Provider } from '../src/providers/port.ts'
import { openFileWorld } from './file-world.ts'
import { aWorkspace, type AWorkspace } from './fixtures.ts'
import { openPublishingRig, OPERATOR, type ConnectedChannel, type PublishingRig } from './publishing-rig.ts'
import type { World } from './world.ts'

export type FormRig = PublishingRig & {
  readonly world: World
  /** Connects what is filled in; with `channelId`, reconnects that channel. */
  readonly connectForm: (
    workspace: AWorkspace,
    fields: Readonly<Record<string, string>>,
    channelId?: string,
  ) => Promise<ConnectResult>
  /** A channel in a workspace of its own. */
  readonly aChannel: (fields: Readonly<Record<string, string>>) => Promise<ConnectedChannel>
}

/** The publisher of production on a network that a test plays, and channels of it that are connected by its form. */
export async function openFormRig(provider: Provider, url: string): Promise<FormRig> {
  const { world, api } = await openFileWorld()
  const rig = await openPublishingRig({
    ...{ world, api, provider, trustedOrigins: [url], callTimeoutMs: 1_500 },
  })
  afterAll(rig.close)

  const connectForm: FormRig['connectForm'] = ({ workspaceId }, fields, channelId) => {
    const target = { workspaceId, channelId: channelId ?? null, actor: OPERATOR }
    return connectByForm(rig.connect, target, provider, fields)
  }
  return {
    ...rig,
    world,
    connectForm,
    async aChannel(fields) {
      const workspace = await aWorkspace(world.db)
      const result = await connectForm(workspace, fields)
      if (result.is !== 'connected') throw new Error(result.detail)
      return { workspace, channelId: result.channelId }
    },
  }
}
