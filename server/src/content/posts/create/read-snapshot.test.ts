import type { Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { aPost, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'

const { world, api } = await openFileWorld()

/** What an edit decides about, and the token that proves which version of it was read. */
const versionOf = ({ content, destinations, media, reviewStatus }: Post) =>
  JSON.stringify([content, destinations.map(({ parts }) => parts), media, reviewStatus])

test('a read never joins a token to the content of another version, however many edits are under way', async () => {
  const workspace = await aWorkspace(world.db)
  const { postId } = await aPost(world.db, workspace.workspaceId, { texts: ['version 0'] })
  const first = await api.read(workspace, postId)
  const written = new Map([[first.editToken, versionOf(first)]])
  const seen: [string, string][] = []
  let editing = true

  const reader = async () => {
    while (editing) {
      const post = await api.read(workspace, postId)
      seen.push([post.editToken, versionOf(post)])
    }
  }
  const writer = async () => {
    let { editToken } = first
    for (let version = 1; version <= 60; version++) {
      const content = { text: `version ${version}` }
      const { status, body } = await api.command(workspace, postId, 'edit', { editToken, content })
      expect(status).toBe(200)
      written.set(body.editToken, versionOf(body))
      editToken = body.editToken
    }
    editing = false
  }
  await Promise.all([writer(), reader(), reader(), reader(), reader()])

  expect(seen.length).toBeGreaterThan(0)
  expect(seen.filter(([token, version]) => written.get(token) !== version)).toEqual([])
})
