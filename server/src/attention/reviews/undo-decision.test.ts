import type { Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace, type AWorkspace } from '../../../test/rigs/fixtures.ts'
import { listApprovals } from '../../content/approvals/approval-store.ts'
import { type Decision, decideApproval } from './decide-approval.ts'
import { showApproval } from './show-approval.ts'
import { undoDecision } from './undo-decision.ts'

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

type Scene = { workspace: AWorkspace; postId: string; approvalId: string }

/** A post on two channels that a person has decided about. */
async function decided(verdict: Decision['verdict'], publishAt: Date | null = null): Promise<Scene> {
  const workspace = await aWorkspace(db)
  const { workspaceId, memberId } = workspace
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const { postId } = await aPost(db, workspaceId, { channelIds, states: ['draft', 'draft'] })
  // As a draft that was given a time has it, until a person has looked.
  await db`update destination set publish_at = ${publishAt} where post_id = ${postId}`
  const approvalId = await anApproval(db, workspaceId, postId)
  const decision = { workspaceId, approvalId, verdict, memberId, memberName: 'Ada', note: 'Why' } as const
  await db.begin((tx) => decideApproval(tx, decision))
  return { workspace, postId, approvalId }
}

const undo = ({ workspace: { workspaceId }, approvalId }: Scene) =>
  db.begin((tx) =>
    undoDecision(tx, { workspaceId, approvalId, memberName: 'Grace', baseUrl: 'https://postrider.test' }),
  )
const read = ({ workspace, postId }: Scene): Promise<Post> => api.read(workspace, postId)
const shown = async ({ workspace: { workspaceId }, approvalId }: Scene) =>
  (await db.begin((tx) => showApproval(tx, workspaceId, approvalId)))!

test('an approval is taken back: nothing is scheduled, times stay, and it can be decided again', async () => {
  const publishAt = new Date(Date.now() + 3_600_000)
  const scene = await decided('approve', publishAt)
  const before = await read(scene)
  expect(before.destinations.map(({ status }) => status)).toEqual(['scheduled', 'scheduled'])
  expect((await shown(scene)).obstacleToUndo).toBeNull()
  expect(await undo(scene)).toMatchObject({ status: 'approved' })

  const after = await read(scene)
  expect(after).toMatchObject({
    reviewStatus: 'pending',
    approval: { status: 'pending', note: null, decidedAt: null },
  })
  expect(after.editToken).not.toBe(before.editToken)
  for (const [place, destination] of after.destinations.entries()) {
    expect(destination).toMatchObject({ status: 'draft', publishAt: publishAt.toISOString() })
    expect(destination.controlToken).not.toBe(before.destinations[place]!.controlToken)
  }
  expect(await db`select from destination where post_id = ${scene.postId} and due_at is not null`).toEqual([])
  const { workspaceId, memberId } = scene.workspace
  const { approvalId } = scene
  const again = {
    workspaceId,
    approvalId,
    verdict: 'approve',
    memberId,
    memberName: 'Ada',
    note: null,
  } as const
  await db.begin((tx) => decideApproval(tx, again))
  expect((await read(scene)).destinations).toMatchObject([
    { status: 'scheduled', publishAt: publishAt.toISOString() },
    { status: 'scheduled' },
  ])
})

test('a rejection is taken back: the request waits again', async () => {
  const scene = await decided('reject')
  expect(await undo(scene)).toMatchObject({ status: 'rejected' })
  expect(await listApprovals(db, scene.workspace.workspaceId, { all: false })).toMatchObject([
    { approvalId: scene.approvalId, status: 'pending', decidedBy: null, note: null },
  ])
})

test('of two who undo at once, one does', async () => {
  const scene = await decided('approve')
  const answers = await Promise.all([undo(scene), undo(scene)])
  expect(answers.filter((answer) => 'refused' in answer)).toMatchObject([{ refused: 'invalid_state' }])
})

test.each([
  [
    'publishing has started',
    ({ postId }: Scene) => db`
      update destination set status = 'published', published_at = now(), due_at = null, expires_at = null
      where  id = (select id from destination where post_id = ${postId} limit 1)`,
    'Publishing has started.',
  ],
  [
    'it was all cancelled',
    ({ postId }: Scene) => db`
      update destination set status = 'cancelled', due_at = null, expires_at = null where post_id = ${postId}`,
    'The post is no longer scheduled on any channel.',
  ],
  [
    'the content is another',
    ({ postId }: Scene) => db`
      update part set text = 'Another' where destination_id in (select id from destination where post_id = ${postId})`,
    'The post was changed after the decision.',
  ],
  [
    'there is a newer request',
    ({ workspace, postId }: Scene) => anApproval(db, workspace.workspaceId, postId),
    'There is a newer request for this post.',
  ],
  [
    'its time is over',
    ({ approvalId }: Scene) => db`
      update approval set requested_at = now() - interval '8 days', expires_at = now() where id = ${approvalId}`,
    'The time to decide about this request is over.',
  ],
])('once %s, an approval stays', async (_, happens, why) => {
  const scene = await decided('approve')
  await happens(scene)
  expect((await shown(scene)).obstacleToUndo).toBe(why)
  expect(await changingNothing(scene.workspace, () => undo(scene))).toMatchObject({
    refused: 'invalid_state',
    detail: why,
  })
})

test('what is open, or of another workspace, has no decision to undo', async () => {
  const scene = await decided('reject')
  await undo(scene)
  expect(await undo(scene)).toMatchObject({ refused: 'invalid_state' })
  expect(await undo({ ...scene, workspace: await aWorkspace(db) })).toMatchObject({ refused: 'not_found' })
})
