import type { Post } from '@postrider/contract'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { readAnew } from '../../api/queries.ts'
import { untilOf } from '../../api/write-limit.ts'
import { listNames } from '../../lib/list-names.ts'
import { approvedWords } from '../approvals/when.ts'
import { type Draft, noTimes, planOf, type Times } from './draft.ts'
import { draftOf } from './kept-drafts.ts'
import { scheduledWords } from './time-words.ts'
import { seriesPlanOf } from './series-plan.ts'
import { changesNothing, type Revision, revisionBody, revisionWords } from './revision.ts'
import { words } from './words.ts'

type Target = {
  workspaceId: string
  /** The workspace's. */
  zone: string
  nameOf: (channelId: string) => string
  draftId: string
  /** Null for a post that the server does not have yet. */
  post: Post | null
  /** The version of the post that was written on. */
  editToken: string | null
  /** Whether the writer approves what they send. */
  approve: boolean
}
type Submitted = {
  draft: Draft
  /** What it changes of a post that is saved. */
  revision: Revision | null
  times: Times | null
}
type Answered = { postId: string; words: string } | { seriesId: string; words: string }

/** Creates or changes the post. Sending the same again after no answer came has no second effect, after a reload either. */
export function useSubmit({ workspaceId, zone, nameOf, draftId, post, editToken, approve }: Target) {
  async function create({ draft, times: chosen }: Submitted, until: number): Promise<Answered> {
    const series = seriesPlanOf(draft, zone)
    if (series !== null) return createSeries(series, until)
    const plan = planOf(draft, chosen ?? noTimes)
    const idempotencyKey = await keyOf(draftId, plan)
    const body = { ...plan, confirmed: true, idempotencyKey } as const
    const made = await call('appCreatePost', { params: { workspaceId }, body }, { until })
    const where = listNames(draft.channelIds.map(nameOf))
    if (draft.time.state === 'draft') return { postId: made.postId, words: words.sent.draft(where) }
    if (draft.time.state === 'scheduled' || draft.time.state === 'queued') {
      const times = made.destinations.flatMap(({ channelId, publishAt: at }) =>
        at === null ? [] : [{ channelId, at }],
      )
      return { postId: made.postId, words: scheduledWords(times, { zone, nameOf }) }
    }
    if (!approve) return { postId: made.postId, words: words.sent.forApproval }
    return { postId: made.postId, words: await approveOwn({ workspaceId, shown: made, zone, until }) }
  }

  async function createSeries(
    plan: NonNullable<ReturnType<typeof seriesPlanOf>>,
    until: number,
  ): Promise<Answered> {
    const body = { ...plan, confirmed: true, idempotencyKey: await keyOf(draftId, plan) } as const
    const { seriesId } = await call('appCreateSeries', { params: { workspaceId }, body }, { until })
    return { seriesId, words: words.sent.series }
  }

  async function revise(
    of: Post,
    { draft, revision }: { draft: Draft; revision: Revision },
    until: number,
  ): Promise<Answered> {
    const changes = revisionBody(of, draft, revision)
    const body = { confirmed: true, editToken: editToken ?? of.editToken, ...changes } as const
    const idempotencyKey = await keyOf(draftId, body)
    const input = { params: { workspaceId, postId: of.postId }, body }
    const revised = await call('revisePost', input, { idempotencyKey, until })
    const { postId, reviewStatus } = revised
    const said = revisionWords(revision, { zone, nameOf, done: true })
    if (reviewStatus !== 'pending') return { postId, words: said }
    const then = approve ? await approveOwn({ workspaceId, shown: revised, zone, until }) : words.sent.waiting
    return { postId, words: `${said} ${then}` }
  }

  /** Where the writer changes nothing, or has saved it before without hearing of it. */
  async function approveAsIs(shown: Post, until: number): Promise<Answered> {
    return { postId: shown.postId, words: await approveOwn({ workspaceId, shown, zone, until }) }
  }

  return useMutation<Answered, Error, Submitted>({
    mutationFn(submitted) {
      const { draft, revision } = submitted
      const until = untilOf()
      if (post === null || revision === null) return create(submitted, until)
      return changesNothing(revision) ? approveAsIs(post, until) : revise(post, { draft, revision }, until)
    },
    onSettled: (_answer, error) => readAnew({ failed: error !== null }),
  })
}

/** One key for each content of a draft, in all its copies: a retry is the same request, a changed text another one. */
async function keyOf(draftId: string, body: object): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)))
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
  return `${draftOf(draftId)}.${hex.join('')}`
}

type Own = { workspaceId: string; shown: Post; zone: string; until: number }

/**
 * Approves what the writer has just seen and sent, and nothing else: the post is compared after the request was read, and a change after
 * that is refused by the digest. What somebody changed meanwhile stays in the queue.
 */
async function approveOwn({ workspaceId, shown, zone, until }: Own): Promise<string> {
  const { postId } = shown
  const requests = await call('listApprovals', { params: { workspaceId }, query: {} })
  const request = requests.find((one) => one.postId === postId)
  if (request === undefined) {
    const { reviewStatus } = await call('appReadPost', { params: { workspaceId, postId } })
    return reviewStatus === 'approved' ? words.sent.approved : words.sent.waiting
  }
  const params = { workspaceId, approvalId: request.approvalId }
  const approval = await call('readApproval', { params })
  const { digest, unchanged } = approval
  const now = await call('appReadPost', { params: { workspaceId, postId } })
  if (!unchanged || versionOf(now) !== versionOf(shown)) return words.sent.changedMeanwhile
  await call('decideApproval', { params, body: { verdict: 'approve', digest } }, { until })
  return approvedWords(approval, zone)
}

/** Another with each change of a post's texts, channels and times. */
function versionOf({ editToken, destinations }: Post): string {
  const tokens = destinations.map(({ channelId, controlToken }) => `${channelId} ${controlToken}`)
  return [editToken, ...tokens.toSorted()].join(' ')
}
