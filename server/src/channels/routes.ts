import * as contract from '@postrider/contract'
import { route, type Route } from '../platform/route.ts'
import type { Providers } from '../providers/port.ts'
import { enabledChannels } from './channel-store.ts'
import { viewChannel } from './views.ts'

/** The routes on connected accounts. */
export function channelRoutes({ providers }: { providers: Providers }): Route[] {
  return [
    route(contract.listChannels, async (_, { caller, sql }) => {
      const channels = await enabledChannels(sql, caller.workspaceId)
      return channels.map((channel) => viewChannel(channel, providers))
    }),
  ]
}
