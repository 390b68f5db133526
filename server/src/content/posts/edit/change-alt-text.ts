import type { Answer, RefusalCode, updateMedia as operation } from '@postrider/contract'
import { limitsOf } from '../../../networks/channels/channel.ts'
import { findChannels, type FoundChannels } from '../../../networks/channels/channel-store.ts'
import { isActive } from '../../../engine/destinations/destination-commands.ts'
import { lockDestinations, withdraw } from '../../../engine/destinations/destination-store.ts'
import { lockMedia, type MediaRow, setAltText } from '../../../media/media-store.ts'
import { refuseMediaId } from '../../../media/refuse-media.ts'
import { trimmed } from '../../../media/upload-media.ts'
import { viewMedia } from '../../../media/views.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { refuseBeyond } from '../../../edge/operations/credential-limits.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { mediaIssues } from '../../../networks/providers/port/check-media.ts'
import type { Providers } from '../../../networks/providers/port/port.ts'
import { refuseChange } from '../create/limit-posts.ts'
import { lockMediaUses, type MediaKey, type MediaUse } from '../media-use-store.ts'
import { renewEditTokens } from '../post-store.ts'
import type { PostKey } from '../read-post.ts'
import type { ViewOptions } from '../views.ts'
import { waitsForApproval } from '../create/wait-for-approval.ts'
import { askAgain } from './write-content.ts'

type Refused = Refusal<RefusalCode<typeof operation>>

/**
 * Changes the alt text of a media item, and with it what every post says that carries it: refused once it is out with one of
 * them, or may be. As an edit would, it asks again for the approval of posts that need one.
 */
export async function changeAltText(
  tx: Tx,
  key: MediaKey,
  altText: string | null,
  actor: Actor,
  { providers, baseUrl, say }: ViewOptions,
): Promise<Answer<typeof operation> | Refused> {
  const { workspaceId, mediaId } = key
  const item = await lockMedia(tx, workspaceId, mediaId)
  if (item === null) return refuseMediaId()
  const changed: MediaRow = { ...item, altText: trimmed(altText) }
  if (changed.altText === item.altText) return viewMedia(item)

  const uses = await lockMediaUses(tx, key)
  const active = uses.filter(({ status }) => isActive(status))
  const channelIds = active.map(({ channelId }) => channelId)
  const { now, channels } = await findChannels(tx, workspaceId, channelIds)
  const refusal =
    refuseChange(actor, active) ??
    refuseUnlabelled(actor, active) ??
    refuseOut(uses) ??
    refuseLength(changed, channels, providers)
  if (refusal !== null) return refusal
  const reviewed = await postsToReview(tx, workspaceId, active, { actor, now })
  if (reviewed.length > MAX_REVIEWED) return refuseMany(active)

  await setAltText(tx, key, changed.altText)
  say?.({ before: { altText: item.altText }, after: { altText: changed.altText } })
  for (const postId of reviewed) await reviewAgain(tx, { workspaceId, postId }, actor, baseUrl)
  return viewMedia(changed)
}

/** A credential that is limited to a label changes no post without it. */
function refuseUnlabelled(
  { limits }: Actor,
  active: readonly MediaUse[],
): Refusal<'credential_limit'> | null {
  const refusals = active.map(({ labels }) => refuseBeyond(limits, { labels }))
  return refusals.find((refusal) => refusal !== null) ?? null
}

/** So many requests for approval one change may make. */
const MAX_REVIEWED = 50

function refuseMany([first]: readonly MediaUse[]): Refusal<'invalid_state'> {
  const detail = `More than ${MAX_REVIEWED} posts that need approval use this file. Upload it again for more posts.`
  return refuse('invalid_state', detail, first === undefined ? {} : { currentStatus: first.status })
}

function refuseOut(uses: readonly MediaUse[]): Refusal<'invalid_state'> | null {
  const out = uses.find(({ isOut }) => isOut)
  if (out === undefined) return null
  const detail =
    'A post with this alt text is published or being published. To use another text elsewhere, upload the file again.'
  return refuse('invalid_state', detail, { currentStatus: out.status })
}

/** Whether a channel that is to get the file takes no alt text as long as this. */
function refuseLength(
  item: MediaRow,
  channels: FoundChannels['channels'],
  providers: Providers,
): Refusal<'post_not_publishable'> | null {
  const issues = [...channels.values()].flatMap((channel) => {
    const displayName = providers.get(channel.provider)?.displayName ?? channel.provider
    return mediaIssues([item], {
      displayName,
      limits: limitsOf(channel, providers),
      bounds: [],
      settings: {},
    })
      .filter(({ code }) => code === 'alt_text_too_long')
      .map(({ place: _, ...issue }) => ({ ...issue, channelId: channel.channelId, pointer: '/altText' }))
  })
  const [first] = issues
  return first === undefined
    ? null
    : refuse('post_not_publishable', `${first.message} ${first.fix}`, { issues })
}

/** The posts of which a person decides, or decided, and those that a policy has them look at now. */
async function postsToReview(
  tx: Tx,
  workspaceId: string,
  active: readonly MediaUse[],
  { actor, now }: { actor: Actor; now: Date },
): Promise<string[]> {
  const posts = [...Map.groupBy(active, ({ postId }) => postId)]
  const found: string[] = []
  for (const [postId, uses] of posts) {
    const publication = { times: uses.map(({ publishAt }) => publishAt), isNew: true }
    const waits =
      uses.some(({ review }) => review !== 'not_required') ||
      (await waitsForApproval(tx, workspaceId, actor, publication, now))
    if (waits) found.push(postId)
  }
  return found
}

/** What was scheduled is a draft until a person has approved it. The locks are taken. */
async function reviewAgain(tx: Tx, key: PostKey, actor: Actor, baseUrl: string): Promise<void> {
  const all = await lockDestinations(tx, key.workspaceId, key.postId)
  await renewEditTokens(tx, key.workspaceId, [key.postId], actor, ['reviewStatus'])
  await withdraw(
    tx,
    key,
    all.map(({ destinationId }) => destinationId),
    actor,
  )
  await askAgain(tx, key, { by: actor, baseUrl })
}
