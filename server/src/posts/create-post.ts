import type { Answer, Content, createPost as operation, Input, RefusalCode } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import type { NewApproval } from '../approvals/approval-store.ts'
import { findChannels, type ChannelRow } from '../channels/channel-store.ts'
import type { NewDestination } from '../destinations/destination-store.ts'
import { newToken } from '../destinations/tokens.ts'
import { findMedia } from '../media/media-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import { type Actor, actorOf } from '../platform/actor.ts'
import type { Tx } from '../platform/db.ts'
import type { Refusal } from '../platform/refusal.ts'
import type { Caller } from '../platform/route.ts'
import { checkPlan, isError } from './plan-issues.ts'
import { fold } from './fold.ts'
import { refuseCreate } from './limit-posts.ts'
import { channelIdsOf, mediaIdsOf, partsOf, readPlan, type Plan } from './plan.ts'
import { refuseIssues, refuseShape } from './refuse-plan.ts'
import { insertPost, type NewPost } from './post-store.ts'
import { readChanged } from './read-post.ts'
import { waitsForApproval } from './wait-for-approval.ts'
import type { ViewOptions } from './views.ts'

export type PostsOptions = ViewOptions & {
  /** How long a person may take to decide about a request for approval. */
  readonly approvalHours: number
}

/**
 * Creates a post with one destination per channel. `scheduled` ones are announced and will be published at their
 * time; those of an `immediate` post, and of one that a policy has wait, stay drafts until a person has approved what is
 * asked for here. A refusal has
 * written nothing.
 */
export async function createPost(
  tx: Tx,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  body: Input<typeof operation>['body'],
  options: PostsOptions,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const read = readPlan(body)
  if ('errors' in read) return refuseShape(read.errors)
  const { plan } = read
  const { workspaceId } = caller
  const beyond = await refuseCreate(tx, caller, plan)
  if (beyond !== null) return beyond
  const { now, channels } = await findChannels(tx, workspaceId, channelIdsOf(plan))
  const media = await findMedia(tx, workspaceId, mediaIdsOf(plan))
  const { issues } = checkPlan(plan, channels, options.providers, now, media)
  if (issues.some(isError)) return refuseIssues(issues)

  const author = actorOf(caller)
  const publication = { times: [plan.publishAt], isNew: true }
  const waits =
    plan.state === 'immediate' || (await waitsForApproval(tx, workspaceId, author, publication, now))
  const approval = waits ? newApproval(plan, options) : null
  const post = newPost(plan, channels, workspaceId, author, approval)
  const inserted = await insertPost(tx, post)
  const key = { workspaceId, postId: post.postId }
  const [, answer] = await Promise.all([announce(tx, inserted), readChanged(tx, key, author, options)])
  return answer
}

function newPost(
  plan: Plan,
  channels: ReadonlyMap<string, ChannelRow>,
  workspaceId: string,
  { type, name, credentialId }: Actor,
  approval: NewApproval | null,
): NewPost {
  const destinations = plan.destinations.map((planned): NewDestination => ({
    destinationId: uuidv7(),
    channelId: planned.channelId,
    provider: channels.get(planned.channelId)?.provider ?? '',
    status: plan.state === 'scheduled' && approval === null ? 'scheduled' : 'draft',
    controlToken: newToken(),
    content: plan.shared === null ? planned.content : null,
    settings: planned.settings,
    publishAt: plan.publishAt,
    parts: newParts(planned.content),
  }))
  return {
    workspaceId,
    postId: uuidv7(),
    content: plan.shared,
    editToken: newToken(),
    createdBy: { type, name },
    createdById: credentialId,
    destinations,
    approval,
  }
}

function newApproval(plan: Plan, { approvalHours }: PostsOptions): NewApproval {
  const reviewed = plan.destinations.map(({ channelId, settings, content }) => ({
    channelId,
    settings,
    parts: partsOf(content).map(({ text }) => text),
    media: partsOf(content).map(({ mediaIds }) => mediaIds),
  }))
  return { approvalId: uuidv7(), reviewed, ttlHours: approvalHours }
}

/** The parts of a content as they are stored. */
export function newParts(content: Content): NewDestination['parts'] {
  return partsOf(content).map((part) => ({ ...part, folded: fold(part.text) }))
}
