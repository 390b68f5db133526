import { randomBytes } from 'node:crypto'
import { app, operations, type Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openDb, type Db } from '../src/platform/postgres/db.ts'
import { aChannel, type AnApi, anApi, anApproval, aPost, type AWorkspace } from './rigs/fixtures.ts'
import { byAgents, byPeople, methodOf, openScene } from './rigs/people-requests.ts'
import { openSite } from './rigs/people-world.ts'
import { overlookedChannels } from './simulation/store-twins.ts'
import { openWorld } from './rigs/world.ts'

/*
 * Commands that have claims look at channels lock these in the queue. Every command that may touch several is raced with
 * every other, each in both orders of the channels, and PostgreSQL counts what ended in a deadlock: also what was tried again.
 */

const CHANNELS = 4
const confirmed = true

type Scene = {
  readonly db: Db
  readonly api: AnApi
  readonly workspace: AWorkspace
  readonly people: Awaited<ReturnType<typeof openScene>>
  /** A time ahead that is sooner than all that were given before, so that it brings channels forward. */
  readonly sooner: () => string
}
type Answered = { readonly status: number; readonly body: any }
type Command = (scene: Scene, channelIds: readonly string[]) => Promise<() => Promise<Answered>>

/** Every third takes a posting time. */
const timeOf = ({ sooner }: Scene, n: number) => (n % 3 === 0 ? { queue: 'next' } : sooner())

/** How often each two are raced. */
const ROUNDS = 2
const ROWS = 24
const rowsOn = (channelIds: readonly string[]) =>
  Array.from({ length: ROWS }, (_, n) => channelIds[n % channelIds.length]!)

const named = () => randomBytes(9).toString('hex')

const aPlan = () => ({ confirmed, state: 'scheduled', text: named() })

async function posted({ api, workspace, sooner }: Scene, channelIds: readonly string[], state = 'scheduled') {
  const times = state === 'scheduled' ? { publishAt: sooner() } : {}
  const answer = await api.call(workspace, 'POST', '/posts', { ...aPlan(), state, ...times, channelIds })
  expect(answer).toMatchObject({ status: 201 })
  const { postId, editToken, destinations } = answer.body as Post
  const on = destinations.map(({ channelId, controlToken }) => ({ channelId, controlToken }))
  return { postId, editToken, on }
}

const stored = ({ db, workspace }: Scene, channelIds: readonly string[], state: 'draft' | 'failed') =>
  aPost(db, workspace.workspaceId, { channelIds: [...channelIds], states: channelIds.map(() => state) })

/** A command on a post: what it is sent is made when it is. */
const command =
  (
    name: string,
    of: (scene: Scene, channelIds: readonly string[]) => Promise<{ postId: string; body: () => object }>,
  ): Command =>
  async (scene, channelIds) => {
    const { postId, body } = await of(scene, channelIds)
    return () => scene.api.command(scene.workspace, postId, name, { ...body() })
  }

/** By the id of the operation, that of agents where they have it: prepares a command, and gives what sends it. */
const commands: Record<string, Command> = {
  createPost:
    async ({ api, workspace, sooner }, channelIds) =>
    () =>
      api.call(workspace, 'POST', '/posts', { ...aPlan(), publishAt: sooner(), channelIds }),
  createPosts: async (scene, channelIds) => () => {
    const { api, workspace } = scene
    const row = (id: string, n: number) => ({
      ...aPlan(),
      publishAt: timeOf(scene, n),
      channelIds: [id],
      idempotencyKey: named(),
    })
    const body = { confirmed, allOrNothing: true, posts: rowsOn(channelIds).map(row) }
    return api.call(workspace, 'POST', '/posts/batch', body, null)
  },
  importPosts: async (scene, channelIds) => () => {
    const { api, workspace, sooner } = scene
    const row = (id: string, n: number) => ({
      id: named(),
      channels: [id],
      text: named(),
      publishAt: n % 3 === 0 ? 'next' : sooner(),
    })
    const file = JSON.stringify({ plan: named(), posts: rowsOn(channelIds).map(row) })
    return api.call(workspace, 'POST', '/posts/import', { confirmed, format: 'plan', file }, null)
  },
  changeChannels: command('channels', async (scene, [first, ...others]) => {
    const { postId, editToken } = await posted(scene, [first!])
    const add = () => others.map((channelId) => ({ channelId, publishAt: scene.sooner() }))
    return { postId, body: () => ({ editToken, add: add() }) }
  }),
  editPost: command('edit', async (scene, channelIds) => {
    const { postId, editToken } = await posted(scene, channelIds)
    return { postId, body: () => ({ editToken, content: { text: named() } }) }
  }),
  scheduleDestination: command('schedule', async (scene, channelIds) => {
    const { postId, editToken } = await posted(scene, channelIds, 'draft')
    return { postId, body: () => ({ editToken, publishAt: scene.sooner() }) }
  }),
  rescheduleDestination: command('reschedule', async (scene, channelIds) => {
    const { postId, editToken } = await posted(scene, channelIds)
    return { postId, body: () => ({ editToken, publishAt: scene.sooner() }) }
  }),
  cancelDestination: command('cancel', async (scene, channelIds) => {
    const { postId, editToken } = await posted(scene, channelIds)
    return { postId, body: () => ({ editToken }) }
  }),
  retryDestination: command('retry', async (scene, channelIds) => {
    const { postId } = await stored(scene, channelIds, 'failed')
    const { channelId, controlToken } = (await scene.api.read(scene.workspace, postId)).destinations[0]!
    return { postId, body: () => ({ channelId, controlToken, publishAt: scene.sooner() }) }
  }),
  async revisePost(scene, [first, second, ...others]) {
    const { postId, editToken, on } = await posted(scene, [first!, second!])
    const added = others.map((channelId) => ({ channelId }))
    return () => {
      const targets = [...on, ...added].map((one) => ({ ...one, text: named(), publishAt: scene.sooner() }))
      return scene.people.ask(`/posts/${postId}/revise`, { confirmed, editToken, targets })
    }
  },
  async movePost(scene, channelIds) {
    const { postId, editToken } = await posted(scene, channelIds)
    return () => {
      const times = channelIds.map((channelId) => ({ channelId, publishAt: scene.sooner() }))
      return scene.people.ask(`/posts/${postId}/move`, { confirmed, editToken, times })
    }
  },
  async decideApproval(scene, channelIds) {
    const { db, people, workspace } = scene
    const { postId } = await stored(scene, channelIds, 'draft')
    const approvalId = await anApproval(db, workspace.workspaceId, postId)
    const { digest } = await people.read(`/approvals/${approvalId}`)
    return () => people.ask(`/approvals/${approvalId}/decide`, { verdict: 'approve', digest })
  },
}

/** Operations that move destinations of one channel alone, or bring none forward. */
const NOT_RACED = [
  'stopKey', // cancels
  'stopApp', // cancels
  'undoDecision', // makes drafts
  'removeChannel', // of one channel
  'resolveDestination', // of one channel
]

const agentsId = (id: string) => operations.find((one) => app.appIdOf(one) === id)?.id ?? id

test('every operation that writes destinations is raced', async () => {
  await using world = await openWorld()
  const { db } = world
  await using api = await anApi(db)
  await using site = await openSite(db)
  await db.script(`
    create table written (at timestamptz);
    create function note_written() returns trigger language plpgsql as $$
      begin insert into written values (now()); return null; end $$;
    create trigger note_written after insert or update on destination for each statement execute function note_written();`)
  const writing = new Set<string>()
  for (const [id, request] of Object.entries({ ...byAgents, ...byPeople })) {
    const scene = await openScene(db, site.app)
    const [path, body] = await request(scene)
    await db`delete from written`
    if (id in byAgents) await api.call(scene.workspace, methodOf(id), path, body)
    else await scene.ask(path, body, methodOf(id))
    if ((await db`select from written`).length > 0) writing.add(agentsId(id))
  }
  expect([...writing].toSorted()).toEqual([...Object.keys(commands), ...NOT_RACED].toSorted())
})

test('commands on several channels at once are all carried out, without a deadlock, and no channel is overlooked', async () => {
  await using world = await openWorld()
  const db = openDb({ ...world.connection, applicationName: 'commands', max: 12 })
  await using api = await anApi(db)
  await using site = await openSite(db)
  const people = await openScene(db, site.app)
  const { workspace } = people
  let minutes = 700_000
  const sooner = () => new Date(Date.now() + minutes-- * 60_000).toISOString()
  const scene: Scene = { db, api, workspace, people, sooner }
  const channelIds: string[] = []
  for (let n = 0; n < CHANNELS; n++) channelIds.push(await aChannel(db, workspace.workspaceId))
  await db`update channel set posting_times = ${Array.from({ length: 7 * 24 }, (_, hour) => hour * 60)}`
  // Who writes there keeps the lock for a while before the next, so that two in opposite orders meet.
  await world.db.script(`
    create function keep_lock() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return null; end $$;
    create trigger keep_lock after update on channel_queue for each row execute function keep_lock();`)

  const names = Object.keys(commands)
  const pairs = names.flatMap((one, place) => names.slice(place).map((other) => [one, other] as const))
  const wrong: string[] = []
  for (const pair of Array.from({ length: ROUNDS }, () => pairs).flat()) {
    const runs: (() => Promise<Answered>)[] = []
    for (const order of [channelIds, channelIds.toReversed()])
      for (const name of pair) runs.push(await commands[name]!(scene, order))
    for (const { status, body } of await Promise.all(runs.map((run) => run())))
      if (status >= 300) wrong.push(`${pair.join(' and ')}: ${status} ${body.detail}`)
  }
  expect(wrong).toEqual([])
  expect(await overlookedChannels(world.db)).toEqual([])
  await db.end()
  // A connection has told what it counted once it is gone.
  const left = () => world.db`select from pg_stat_activity where application_name = 'commands'`
  await expect.poll(async () => (await left()).length).toBe(0)
  const counted = await world.db`
    select deadlocks::int from pg_stat_database where datname = current_database()`
  expect(counted).toEqual([{ deadlocks: 0 }])
})
