import type { Account } from './accounts.ts'
import { characterCount } from './counting.ts'
import { rehearsalIn } from './directives.ts'
import { planFor } from './faults.ts'
import type { Fault, Processing } from './faults.ts'
import { parsePostId, statusOf, viewPost } from './posts.ts'
import { refuse } from './refusals.ts'
import type { Answer } from './refusals.ts'
import type { World } from './world.ts'

export type NewPostBody = { text: string; inReplyTo?: string | null; mediaIds?: string[] }

export type Draft = {
  account: Account
  text: string
  inReplyTo: number | null
  mediaIds: readonly string[]
  idempotencyKey: string | null
}
export type Checked = { is: 'draft'; draft: Draft } | { is: 'refused'; answer: Answer }

const KEY_LIFETIME_MS = 3_600_000

/** Checks what an account asks to post. Stores nothing. */
export function checkPost(
  { store, nowMs }: World,
  account: Account,
  body: NewPostBody,
  idempotencyKey: string | null,
): Checked {
  const { text } = body
  if (!text.isWellFormed() || text.includes('\0')) {
    return refused(
      refuse('invalid_request', { message: 'body/text must be well-formed Unicode without U+0000.' }),
    )
  }
  const mediaIds = body.mediaIds ?? []
  if (text.trim() === '' && mediaIds.length === 0) return refused(refuse('text_empty'))
  const characters = characterCount(account.profile, text)
  if (characters > account.maxCharacters) {
    const message = `The text counts ${characters} characters; this account allows ${account.maxCharacters}.`
    return refused(refuse('text_too_long', { message }))
  }
  const inReplyTo = body.inReplyTo == null ? null : parsePostId(body.inReplyTo)
  if (body.inReplyTo != null) {
    const parent = inReplyTo === null ? null : store.postById(inReplyTo)
    if (parent === null || statusOf(parent, nowMs()) !== 'published')
      return refused(refuse('parent_not_found'))
  }
  if (mediaIds.some((id) => store.mediumFacts(id)?.accountId !== account.id)) {
    return refused(refuse('media_not_found'))
  }
  const rehearsal = rehearsalIn(text)
  if (rehearsal.is === 'unreadable') return refused(refuse('unknown_directive', { message: rehearsal.why }))
  return { is: 'draft', draft: { account, text, inReplyTo, mediaIds, idempotencyKey } }
}

function refused(answer: Answer): Checked {
  return { is: 'refused', answer }
}

/** Takes the fault that strikes this create: an ordered plan first, else the text's next directive. */
export function takeFault({ store }: World, { account, text, inReplyTo }: Draft): Fault | null {
  const plan = planFor(store.faultPlans(), { kind: 'create', accountId: account.id, text })
  if (plan !== null) {
    store.firePlan(plan.id)
    return plan.fault
  }
  const rehearsal = rehearsalIn(text)
  if (rehearsal.is === 'unreadable' || rehearsal.steps.length === 0) return null
  const step = rehearsal.steps[store.directivesPlayed(account.id, text, inReplyTo)]
  if (step?.fires === 'once') store.playDirective(account.id, text, inReplyTo)
  return step?.fault ?? null
}

/**
 * Stores a checked post, durably before it returns, and tells the answer.
 * A repeated key of an account that honours keys stores nothing and answers with the first post.
 */
export function storePost(world: World, draft: Draft, processing: Processing | null): Answer {
  const { store, nowMs, baseUrl } = world
  const { account, idempotencyKey, ...content } = draft
  const createdAtMs = nowMs()
  const key = account.idempotency === 'key' ? idempotencyKey : null
  const first = key === null ? null : store.postUnderKey(account.id, key, createdAtMs - KEY_LIFETIME_MS)
  if (first !== null) {
    return { ...viewPostNow(world, first.id), headers: { 'idempotent-replayed': 'true' } }
  }
  const post = {
    ...content,
    accountId: account.id,
    createdAtMs,
    visibleAtMs: createdAtMs + (processing?.ms ?? 0),
    fails: processing?.thenFail ?? false,
  }
  const id = store.addPost(post, key)
  if (processing !== null) return { httpStatus: 202, body: { id: String(id), status: 'processing' } }
  const { handle, displayName } = account
  return { httpStatus: 201, body: viewPost({ ...post, id, handle, displayName }, baseUrl()) }
}

/** The answer to a look at one post, whatever became of it. */
export function viewPostNow({ store, nowMs, baseUrl }: World, id: number): Answer {
  const post = store.postById(id)
  if (post === null) return refuse('post_not_found')
  const status = statusOf(post, nowMs())
  if (status === 'published') return { httpStatus: 200, body: viewPost(post, baseUrl()) }
  const error = { code: 'processing_failed', message: 'The post could not be processed.' }
  return { httpStatus: 200, body: { id: String(id), status, ...(status === 'failed' ? { error } : {}) } }
}
