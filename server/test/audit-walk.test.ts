import { app, operations } from '@postrider/contract'
import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from './rigs/file-world.ts'
import { toolCallFor } from './rigs/mcp-edge.ts'
import { byAgents, byPeople, methodOf, onMedia, onPosts, openScene } from './rigs/people-requests.ts'
import { openSite } from './rigs/people-world.ts'

/*
 * Walks over everything that changes a workspace, by people and by agents, and demands one entry in the audit log for each.
 * The operations come from the contract: one that is added there has to be walked here.
 */

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

/** These need files, a network or a model: they pass through the same edge as the others. */
const elsewhere = [
  'UploadMedia',
  'GeneratePostDrafts',
  'GeneratePostImage',
  'connectChannel',
  'connectSandboxChannel',
]
const isElsewhere = ({ id }: { id: string }) =>
  elsewhere.some((name) => id.toLowerCase().endsWith(name.toLowerCase()))

const byEither = { ...onPosts, ...onMedia, ...byAgents }
/** The rows of a batch are acts of their own. */
const actOf = (id: string) => (id === 'createPosts' ? 'createPost' : id)

const sorted = (names: readonly string[]) => names.toSorted((a, b) => (a < b ? -1 : 1))
const namesOf = (of: typeof operations) =>
  sorted(of.filter((one) => one.idempotency !== undefined && !isElsewhere(one)).map(({ id }) => id))

test('every operation that changes something is walked', () => {
  expect(sorted(Object.keys(byPeople))).toEqual(
    namesOf(app.appOperations.filter(({ asks }) => asks === 'member')),
  )
  expect(sorted(Object.keys(byEither))).toEqual(namesOf(operations))
})

test.each(Object.entries(byPeople))('%s by a person leaves one entry', async (id, request) => {
  const scene = await openScene(db, site.app)
  const [path, body] = await request(scene)
  const before = (await scene.acts()).length
  const answer = await scene.ask(path, body, methodOf(id))
  expect(answer).toMatchObject({
    status: expect.toSatisfy((status: number) => status === 200 || status === 201),
  })
  expect([...(await scene.acts())].slice(before)).toEqual([{ action: id, by: 'person' }])
})

test.each(Object.entries(byEither))('%s by an agent leaves one entry', async (id, request) => {
  const scene = await openScene(db, site.app)
  const [path, body] = await request(scene)
  const before = (await scene.acts()).length
  const { status } = await api.call(scene.workspace, methodOf(id), path, body)
  expect([200, 201]).toContain(status)
  expect([...(await scene.acts())].slice(before)).toEqual([{ action: actOf(id), by: 'agent_key' }])
})

test.each(Object.entries(onPosts))('%s by a tool leaves one entry', async (id, request) => {
  const scene = await openScene(db, site.app)
  const [path, body] = await request(scene)
  const before = (await scene.acts()).length
  const { name, given } = toolCallFor(id, path, body as Record<string, unknown>)
  expect(await api.callTool(scene.workspace, name, given)).toMatchObject({ isError: false })
  expect([...(await scene.acts())].slice(before)).toEqual([{ action: id, by: 'agent_key' }])
})
