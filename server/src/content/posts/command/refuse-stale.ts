import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { WholePost } from '../post-store.ts'

const guards = { stale_edit_token: 'post', stale_control_token: 'destination' } as const

/**
 * The answer to a token that was replaced since it was read: who made the latest change and what it was, but never the
 * new token, since the caller has to read the new state.
 */
export function refuseStale<C extends keyof typeof guards>(
  code: C,
  { createdAt, createdBy }: Pick<WholePost, 'createdAt' | 'createdBy'>,
  { latestChange, status }: Pick<WholePost['destinations'][number], 'latestChange' | 'status'>,
): Refusal<C> {
  const { type, name } = createdBy
  const { at, by, fields } = latestChange ?? { at: createdAt, by: { type, name }, fields: [] }
  const detail = `The ${guards[code]} has changed since this token was read. Read the post again, then retry with its new token.`
  return refuse(code, detail, {
    currentStatus: status,
    changedAt: new Date(at).toISOString(),
    changedBy: by,
    changed: fields,
  })
}
