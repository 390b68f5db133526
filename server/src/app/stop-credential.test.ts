import { expect, test } from 'vitest'
import { createKey } from '../people/keys/key-store.ts'
import { agentKeys } from '../people/keys/authenticate.ts'
import { openFileWorld } from '../../test/rigs/file-world.ts'
import { plantMany } from '../../test/rigs/plant-many.ts'
import { longReads } from '../../test/rigs/rows-read.ts'
import {
  aChannel,
  anAttempt,
  announced,
  aWorkspace,
  type AWorkspace,
  openTransaction,
  snapshotOf,
  untilBlocked,
} from '../../test/rigs/fixtures.ts'
import { openDb, type Sql } from '../platform/postgres/db.ts'
import { isRefusal } from '../edge/operations/refusal.ts'
import { createPost } from '../content/posts/create/create-post.ts'
import { providers } from '../networks/providers/registry.ts'
import { stopKey } from './stop-credential.ts'

const { world, api } = await openFileWorld()
const { db } = world
const somebody = { type: 'person', name: 'Ada' } as const
const publishAt = new Date(Date.now() + 3_600_000).toISOString()

/** A workspace with two keys, each with what opens the API as its holder. */
async function aScene() {
  const workspace = await aWorkspace(db)
  const { workspaceId, memberId } = workspace
  const aBot = async (name: string) => {
    const permissions = workspace.caller.credential.permissions
    const { keyId, key } = await createKey(db, workspaceId, { memberId, name, permissions, expiresAt: null })
    const caller = (await agentKeys.find(db, key))!
    return { keyId, key, as: { ...workspace, caller } satisfies AWorkspace }
  }
  return {
    workspaceId,
    person: workspace,
    channelId: await aChannel(db, workspaceId),
    bot: await aBot('bot'),
    other: await aBot('other'),
  }
}

const create = async (as: AWorkspace, channelId: string, state: string) => {
  const body = { confirmed: true, state, channelIds: [channelId], text: 'Hello' }
  const answer = await api.call(as, 'POST', '/posts', state === 'scheduled' ? { ...body, publishAt } : body)
  expect(answer.status).toBe(201)
  return answer.body
}

const stop = (scene: { workspaceId: string; bot: { keyId: string } }) =>
  db.begin((tx) => stopKey(tx, scene.workspaceId, scene.bot.keyId, somebody))

const statusOf = async (as: AWorkspace, { postId }: { postId: string }) => {
  const { destinations, reviewStatus } = await api.read(as, postId)
  return [destinations[0]!.status, reviewStatus]
}

test('stopping a key revokes it and cancels what it planned, and nothing else', async () => {
  const scene = await aScene()
  const { bot, other, person, channelId, workspaceId } = scene
  const posts = {
    scheduled: await create(bot.as, channelId, 'scheduled'),
    waiting: await create(bot.as, channelId, 'immediate'),
    draft: await create(bot.as, channelId, 'draft'),
    others: await create(other.as, channelId, 'scheduled'),
    delayed: await create(bot.as, channelId, 'scheduled'),
    blocked: await create(bot.as, channelId, 'scheduled'),
    published: await create(bot.as, channelId, 'scheduled'),
    under: await create(bot.as, channelId, 'scheduled'),
    doubtful: await create(bot.as, channelId, 'scheduled'),
  }
  const set = (post: { postId: string }, to: string) => db`
    update destination
    set    status = ${to}, fence = 1, check_again_at = now(), published_at = case when ${to} = 'published' then now() end,
           lease_until = case when ${to} = 'publishing' then now() + interval '1 minute' end
    where  post_id = ${post.postId}`
  await set(posts.delayed, 'delayed')
  await set(posts.blocked, 'reconnect_required')
  await set(posts.published, 'published')
  await set(posts.under, 'publishing')
  await set(posts.doubtful, 'delayed')
  const [doubtful] = await db<
    { id: string }[]
  >`select id from destination where post_id = ${posts.doubtful.postId}`
  await anAttempt(db, workspaceId, doubtful!.id, 'unknown')

  expect(await stop(scene)).toMatchObject({ name: 'bot', cancelled: 4, underWay: 1 })

  expect(await agentKeys.find(db, bot.key)).toBeNull()
  const seen = await Promise.all(
    Object.entries(posts).map(async ([name, post]) => [name, await statusOf(person, post)] as const),
  )
  expect(Object.fromEntries(seen)).toEqual({
    scheduled: ['cancelled', 'not_required'],
    // The request is closed with the post.
    waiting: ['cancelled', 'rejected'],
    draft: ['draft', 'not_required'],
    others: ['scheduled', 'not_required'],
    delayed: ['cancelled', 'not_required'],
    blocked: ['cancelled', 'not_required'],
    published: ['published', 'not_required'],
    under: ['publishing', 'not_required'],
    doubtful: ['delayed', 'not_required'],
  })
  const events = (await announced(db, workspaceId)).filter(({ type }) => type === 'post.cancelled')
  expect(events).toHaveLength(4)
  const { latestChange } = await latestChangeOf(posts.scheduled.postId)
  expect(latestChange).toMatchObject({ type: 'person', name: 'Ada' })
})

async function latestChangeOf(postId: string) {
  const [row] = await db`
    select jsonb_build_object('type', changed_by_type, 'name', changed_by_name) as "latestChange"
    from   destination where post_id = ${postId}`
  return row as { latestChange: unknown }
}

test('stopping it again changes nothing', async () => {
  const scene = await aScene()
  await create(scene.bot.as, scene.channelId, 'scheduled')
  const first = await stop(scene)
  const before = await snapshotOf(db, scene.workspaceId)
  expect(await stop(scene)).toEqual({ ...first, cancelled: 0, postIds: [] })
  expect(await snapshotOf(db, scene.workspaceId)).toEqual(before)
})

test('what somebody else has given another time is their plan, and what it has rescheduled is its own', async () => {
  const scene = await aScene()
  const { bot, other, person, channelId } = scene
  const later = new Date(Date.now() + 7_200_000).toISOString()
  const taken = await create(bot.as, channelId, 'scheduled')
  const moved = await create(other.as, channelId, 'scheduled')
  const move = async (as: AWorkspace, post: any) => {
    const { controlToken } = post.destinations[0]
    const time = { channelId, controlToken, publishAt: later }
    expect((await api.command(as, post.postId, 'reschedule', time)).status).toBe(200)
  }
  await move(other.as, taken)
  await move(bot.as, moved)
  await stop(scene)
  expect(await statusOf(person, taken)).toEqual(['scheduled', 'not_required'])
  expect(await statusOf(person, moved)).toEqual(['cancelled', 'not_required'])
})

test('a write that is under way is waited for and cancelled, and one that comes after is refused', async () => {
  const scene = await aScene()
  const { bot, person, channelId, workspaceId } = scene
  const body = {
    ...({ confirmed: true, state: 'scheduled' } as const),
    channelIds: [channelId],
    text: 'Hello',
    publishAt,
  }
  const early = await openTransaction(db)
  await bot.as.caller.hold!(early.tx)
  const options = { providers, baseUrl: 'https://postrider.test' }
  const post = await createPost(early.tx, bot.as.caller, body, options)
  if (isRefusal(post)) throw new Error(post.detail)

  const stopping = stop(scene)
  await untilBlocked(db)
  const late = api.call(bot.as, 'POST', '/posts', { ...body, text: 'Too late' })
  await untilBlocked(db, 2)
  await early.commit()

  expect(await stopping).toMatchObject({ cancelled: 1, postIds: [post.postId] })
  expect(await late).toMatchObject({ status: 401, body: { code: 'invalid_credential' } })
  expect(await statusOf(person, post)).toEqual(['cancelled', 'not_required'])
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from post where workspace_id = ${workspaceId}`
  expect(row!.count).toBe(1)
})

/** The publication ends with a wait: from then on it can be cancelled. */
const delay = (sql: Sql, { postId }: { postId: string }) => sql`
  update destination
  set    status = 'delayed', check_again_at = now(), lease_until = null
  where  post_id = ${postId} and status = 'publishing'`

/** A key with a post that waits for its time, and a later one that is being published. */
async function aPublishingScene() {
  const scene = await aScene()
  const { bot, channelId } = scene
  const scheduled = await create(bot.as, channelId, 'scheduled')
  const under = await create(bot.as, channelId, 'scheduled')
  await db`
    update destination
    set    status = 'publishing', fence = fence + 1, lease_until = now() + interval '1 minute'
    where  post_id = ${under.postId}`
  return { ...scene, scheduled, under }
}

test('what begins to wait again while a key is stopped is cancelled, too', async () => {
  const scene = await aPublishingScene()
  const { person, scheduled, under } = scene
  const other = await openTransaction(db)
  await other.tx`select from destination where post_id = ${scheduled.postId} for no key update`
  const stopping = stop(scene)
  await untilBlocked(db)
  await delay(db, under)
  await other.commit()
  expect(await stopping).toMatchObject({ cancelled: 2, underWay: 0 })
  expect(await statusOf(person, under)).toEqual(['cancelled', 'not_required'])
})

test('a publication that is just about to end is waited for before it is judged', async () => {
  const scene = await aPublishingScene()
  const { person, under } = scene
  const settling = await openTransaction(db)
  await delay(settling.tx, under)
  const stopping = stop(scene)
  await Promise.race([stopping, untilBlocked(db)])
  await settling.commit()
  expect(await stopping).toMatchObject({ cancelled: 2, underWay: 0 })
  expect(await statusOf(person, under)).toEqual(['cancelled', 'not_required'])
})

test('a publication that has a part out is counted, and not waited for', async () => {
  const scene = await aPublishingScene()
  const { under } = scene
  await db`
    update destination set status = 'partially_published', lease_until = null where post_id = ${under.postId}`
  const resuming = await openTransaction(db)
  await resuming.tx`select from destination where post_id = ${under.postId} for no key update`
  expect(await stop(scene)).toMatchObject({ cancelled: 1, underWay: 1 })
  await resuming.commit()
})

test('forty creates and a stop at once leave nothing that would be published', async () => {
  const scene = await aScene()
  const { bot, channelId, workspaceId } = scene
  const body = { confirmed: true, state: 'scheduled', channelIds: [channelId], text: 'Hello', publishAt }
  const creates = Array.from({ length: 40 }, () => api.call(bot.as, 'POST', '/posts', body))
  await creates[0]
  const [stopped, ...answers] = await Promise.all([stop(scene), ...creates])
  const made = answers.filter(({ status }) => status === 201).length
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(40 - made)
  expect(stopped?.cancelled).toBe(made)
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from destination where workspace_id = ${workspaceId} and status <> 'cancelled'`
  expect(row!.count).toBe(0)
})

test('a key of another workspace is no key', async () => {
  const [mine, theirs] = [await aScene(), await aScene()]
  expect(await stop({ workspaceId: mine.workspaceId, bot: theirs.bot })).toBeNull()
  expect(await agentKeys.find(db, theirs.bot.key)).not.toBeNull()
})

test('stopping a key reads what is planned a few times, in a workspace that statistics know nothing of', async () => {
  const [others, posts] = [2_000, 200]
  const { workspaceId: known } = await aWorkspace(db)
  await plantMany(db, known, { channels: 1, each: 0, later: others })
  await db`analyze`
  const { bot, channelId, workspaceId } = await aScene()
  await plantMany(db, workspaceId, { channels: 1, each: 0, later: posts })
  for (let n = 0; n < 3; n++) await create(bot.as, channelId, 'scheduled')

  const one = openDb({ ...world.connection, applicationName: 'one', max: 1, byIndex: true })
  const act = () => one.begin((tx) => stopKey(tx, workspaceId, bot.keyId, somebody))
  // Each of its dozen statements may pass over them once, by whichever index: a plan that does so for each of them reads 40,000.
  expect(await longReads(one, { most: 20 * posts, act })).toEqual([])
  await one.end()
})
