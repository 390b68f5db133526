import { noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, aPost, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import { decideApproval } from '../../../attention/reviews/decide-approval.ts'

/* A draft is sent for approval, and published once a person approves what it says. */

const { world, api, changingNothing } = await openFileWorld()

async function aDraft(states: Parameters<typeof aPost>[2] = {}) {
  const workspace = await aWorkspace(world.db)
  const { workspaceId } = workspace
  const channelIds = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
  const { postId } = await aPost(world.db, workspaceId, {
    states: ['draft', 'draft'],
    channelIds,
    ...states,
  })
  const read = async () => (await api.call(workspace, 'GET', `/posts/${postId}`)).body
  const ask = (editToken: string, as = workspace) =>
    api.command(as, postId, 'approval', { editToken }, crypto.randomUUID())
  return { workspace, workspaceId, postId, read, ask }
}

test('a draft waits for a person, and is scheduled once that person approves', async () => {
  const { workspaceId, workspace, read, ask } = await aDraft()
  const before = await read()
  const asked = await ask(before.editToken)
  expect(asked).toMatchObject({
    status: 200,
    body: { reviewStatus: 'pending', destinations: [{ status: 'draft' }, { status: 'draft' }] },
  })
  expect(asked.body.editToken).not.toBe(before.editToken)
  expect(await ask(asked.body.editToken)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', reviewUrl: asked.body.approval.reviewUrl },
  })
  const approvalId = asked.body.approval.reviewUrl.split('/').at(-1)
  const decision = { workspaceId, approvalId, verdict: 'approve', memberName: 'Ada', note: null } as const
  await world.db.begin((tx) => decideApproval(tx, { ...decision, memberId: workspace.memberId }))
  expect(await read()).toMatchObject({
    reviewStatus: 'approved',
    destinations: [{ status: 'scheduled' }, { status: 'scheduled' }],
  })
})

test('with a stale token, or where something has a time, nothing is asked', async () => {
  const draft = await aDraft()
  expect(await changingNothing(draft.workspace, () => draft.ask('X1nVf0m0n1X1nVf0m0n1'))).toMatchObject({
    status: 409,
    body: { code: 'stale_edit_token' },
  })
  const planned = await aDraft({ states: ['draft', 'scheduled'] })
  const { editToken } = await planned.read()
  expect(await changingNothing(planned.workspace, () => planned.ask(editToken))).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', currentStatus: 'scheduled', allowedStatuses: ['draft'] },
  })
})

test('a key that is limited to drafts asks for nothing', async () => {
  const { workspace, read, ask } = await aDraft()
  const { caller } = workspace
  const credential = { ...caller.credential, limits: { ...noLimits, draftsOnly: true } }
  const limited = { ...workspace, caller: { ...caller, credential } }
  const { editToken } = await read()
  expect(await changingNothing(workspace, () => ask(editToken, limited))).toMatchObject({
    status: 403,
    body: { code: 'credential_limit', limit: 'draftsOnly' },
  })
})
