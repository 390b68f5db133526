import * as contract from '@postrider/contract'
import { seesChannels } from '../../edge/operations/credential-limits.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import type { Providers } from '../providers/port/port.ts'
import { deleteGroup, type GroupRow, listGroups, lockGroup } from './group-store.ts'
import { changeGroup, createGroup, refuseGroupId } from './manage-groups.ts'
import { enabledChannels, managedChannels, renameChannel, switchChannel } from './channel-store.ts'
import { noSuchChannel } from './refuse-channel.ts'
import { viewChannel, viewManagedChannel } from './views.ts'

/** The routes on connected accounts. */
export function channelRoutes({ providers }: { providers: Providers }): Route[] {
  return [
    route(
      contract.listChannels,
      async (_, { caller, sql }) => {
        const channels = await enabledChannels(sql, caller.workspaceId)
        const { limits } = caller.credential
        return channels
          .filter(({ channelId }) => seesChannels(limits, [channelId]))
          .map((channel) => viewChannel(channel, providers))
      },
      { pipelined: true },
    ),
  ]
}

/** The routes by which people see to the channels of their workspace. */
export function managedChannelRoutes({ providers }: { providers: Providers }): Route[] {
  const { app } = contract
  return [
    route(app.listManagedChannels, async (_, { caller, sql }) => {
      const channels = await managedChannels(sql, caller.workspaceId)
      return channels.map((channel) => viewManagedChannel(channel, providers))
    }),
    route(app.renameChannel, async ({ params, body }, { caller, sql, audit }) => {
      const key = { workspaceId: caller.workspaceId, channelId: params.channelId }
      const before = await renameChannel(sql, key, body.name?.trim() ?? null)
      const [channel] = await managedChannels(sql, key.workspaceId, key.channelId)
      if (before === null || channel === undefined) return noSuchChannel()
      audit({ before: { name: before }, after: { name: channel.displayName } })
      return viewManagedChannel(channel, providers)
    }),
    ...(
      [
        [app.disableChannel, false],
        [app.enableChannel, true],
      ] as const
    ).map(([operation, enabled]) =>
      route(operation, async ({ params }, { caller, sql, audit }) => {
        const key = { workspaceId: caller.workspaceId, channelId: params.channelId }
        await switchChannel(sql, key, { enabled })
        const [channel] = await managedChannels(sql, key.workspaceId, key.channelId)
        if (channel === undefined) return noSuchChannel()
        audit({ after: { enabled } })
        return viewManagedChannel(channel, providers)
      }),
    ),
  ]
}

/** The routes by which people see to the groups of channels of their workspace. */
export function channelGroupRoutes(): Route[] {
  const { app } = contract
  const view = ({ groupId, name, channelIds }: GroupRow) => ({ groupId, name, channelIds: [...channelIds] })
  const said = ({ name, channelIds }: GroupRow) => ({ name, channelIds: [...channelIds] })
  return [
    route(app.listChannelGroups, async (_, { caller, sql }) =>
      (await listGroups(sql, caller.workspaceId)).map(view),
    ),
    route(app.createChannelGroup, async ({ body }, { caller, sql, audit }) => {
      const made = await createGroup(sql, caller.workspaceId, body)
      if (isRefusal(made)) return made
      audit({ after: said(made) })
      return view(made)
    }),
    route(app.changeChannelGroup, async ({ params, body }, { caller, sql, audit }) => {
      const key = { workspaceId: caller.workspaceId, groupId: params.groupId }
      const changed = await changeGroup(sql, key, body)
      if (isRefusal(changed)) return changed
      audit({ before: said(changed.before), after: said(changed.after) })
      return view(changed.after)
    }),
    route(app.deleteChannelGroup, async ({ params }, { caller, sql, audit }) => {
      const key = { workspaceId: caller.workspaceId, groupId: params.groupId }
      const group = await lockGroup(sql, key)
      if (group === null) return refuseGroupId()
      await deleteGroup(sql, key)
      audit({ before: said(group) })
      return { done: true as const }
    }),
  ]
}
