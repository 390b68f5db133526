import { app } from '@postrider/contract'
import { managedChannels, removeChannel } from '../networks/channels/channel-store.ts'
import { noSuchChannel } from '../networks/channels/refuse-channel.ts'
import { actorOf } from '../edge/operations/actor.ts'
import { refuse } from '../edge/operations/refusal.ts'
import { route, type Route } from '../edge/operations/route.ts'
import { cancelOnChannel } from '../content/posts/plan/planned-store.ts'

/** A channel is removed together with what is planned for it, or without that: both or neither. */
export function removeChannelRoute(): Route {
  return route(app.removeChannel, async ({ params, body }, { caller, sql, audit }) => {
    const key = { workspaceId: caller.workspaceId, channelId: params.channelId }
    const [known] = await managedChannels(sql, key.workspaceId, key.channelId)
    if (known === undefined) return noSuchChannel()
    const cancelled =
      body.posts === 'cancel' ? (await cancelOnChannel(sql, key, actorOf(caller))).cancelled : 0
    const name = await removeChannel(sql, key)
    if (name === null)
      return refuse(
        'invalid_state',
        'A post is being published there, or its result is not known yet. Wait or resolve it, then remove the channel.',
      )
    audit({ before: { name }, after: { posts: body.posts, cancelled } })
    return { channelId: key.channelId, cancelled }
  })
}
