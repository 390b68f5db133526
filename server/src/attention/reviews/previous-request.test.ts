import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

test('a request says what the one before it was about, and how that was decided', async () => {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  const approver = await aUser(db, site.app, 'Grace')
  await join(db, workspaceId, approver, 'approver')
  const requests = async () => (await approver.ask(`GET /workspaces/${workspaceId}/approvals`)).body
  const read = async () => {
    const [{ approvalId }] = await requests()
    return (await approver.ask(`GET /workspaces/${workspaceId}/approvals/${approvalId}`)).body
  }
  const { body: post } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: 'k',
    state: 'immediate',
    channelIds: [channelId],
    text: 'We launch on Monday',
    thread: [{ text: 'Join us' }],
  })
  const first = await read()
  expect(first.previous).toBeNull()

  const at = `POST /workspaces/${workspaceId}/approvals/${first.approvalId}/decide`
  await approver.ask(at, { verdict: 'reject', digest: first.digest, note: 'It is Tuesday' })
  const { editToken } = await api.read(workspace, post.postId)
  await api.command(workspace, post.postId, 'edit', { editToken, content: { text: 'We launch on Tuesday' } })
  expect((await read()).previous).toEqual({
    status: 'rejected',
    decidedBy: 'Grace',
    note: 'It is Tuesday',
    destinations: [
      {
        channelId,
        parts: [
          { kind: 'post', text: 'We launch on Monday', mediaIds: [] },
          { kind: 'reply', text: 'Join us', mediaIds: [] },
        ],
      },
    ],
  })
})
