import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { call } from '../../api/client.ts'
import { type Draft, editOf, planOf } from './draft.ts'

type Target = {
  workspaceId: string
  /** Null for a post that the server does not have yet. */
  postId: string | null
  editToken: string | null
  /** Whether the writer approves what is to go out at once. */
  approve: boolean
}
type Submitted = { draft: Draft; publishAt: Date | null }

/** Creates or changes the post. Sending the same again after no answer came has no second effect. */
export function useSubmit({ workspaceId, postId, editToken, approve }: Target) {
  const client = useQueryClient()
  const keys = useRef(new Map<string, string>())

  /** One key for each content: a retry is the same request, a changed text another one. */
  function keyFor(body: object): string {
    const text = JSON.stringify(body)
    const key = keys.current.get(text) ?? crypto.randomUUID()
    keys.current.set(text, key)
    return key
  }

  async function create({ draft, publishAt }: Submitted): Promise<{ postId: string; words: string }> {
    const plan = planOf(draft, publishAt)
    const body = { ...plan, confirmed: true, idempotencyKey: keyFor(plan) } as const
    const made = await call('appCreatePost', { params: { workspaceId }, body })
    if (draft.time.state === 'draft') return { postId: made.postId, words: 'The draft is saved.' }
    if (draft.time.state === 'scheduled') return { postId: made.postId, words: 'It is scheduled.' }
    if (!approve) return { postId: made.postId, words: 'It waits for approval, and goes out with that.' }
    return { postId: made.postId, words: await approveOwn(workspaceId, made.postId) }
  }

  async function edit({ draft }: Submitted): Promise<{ postId: string; words: string }> {
    const content = editOf(draft)
    const changed = { confirmed: true, editToken: editToken ?? '', content } as const
    const input = { params: { workspaceId, postId: postId ?? '' }, body: changed }
    const { postId: id } = await call('appEditPost', input, { idempotencyKey: keyFor(changed) })
    return { postId: id, words: 'Saved.' }
  }

  return useMutation<{ postId: string; words: string }, Error, Submitted>({
    mutationFn: (submitted) => (postId === null ? create(submitted) : edit(submitted)),
    onSettled: () => client.invalidateQueries(),
  })
}

/** Approves what the writer has just seen and sent. What somebody changed meanwhile stays in the queue. */
async function approveOwn(workspaceId: string, postId: string): Promise<string> {
  const requests = await call('listApprovals', { params: { workspaceId }, query: {} })
  const request = requests.find((one) => one.postId === postId)
  if (request === undefined) return 'It waits for approval.'
  const params = { workspaceId, approvalId: request.approvalId }
  const { digest, unchanged } = await call('readApproval', { params })
  if (!unchanged) return 'It was changed meanwhile, and waits for approval.'
  await call('decideApproval', { params, body: { verdict: 'approve', digest } })
  return 'It is being published.'
}
