import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aChannel, anAttempt, aWorkspace, openTransaction } from '../../../test/rigs/fixtures.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import {
  armed,
  duePost,
  endLeases,
  ending,
  published,
  statusCounts,
  storeOn,
  untilLocked,
} from '../../../test/rigs/publishing-store.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { insertMedia } from '../../media/media-store.ts'
import type { Settlement } from './work.ts'
import { settle } from './settle-store.ts'

test('settlements of one batch are answered one by one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const [one, two] = [storeOn(db), storeOn(db)]
  const [work] = await one.claim(1)
  const attemptId = await armed(one, work!)
  await endLeases(db)
  const [orphan] = await two.claimOrphans(1)

  const unknown = { is: 'unknown', detail: 'lost' } as const
  const batch = [ending(work!, attemptId, published), ending(orphan!, attemptId, unknown)]

  expect(await Promise.all(batch.map((settlement) => two.settle(settlement)))).toEqual([false, true])
})

test('a settlement reads what it settles by keys, and is planned once for each connection', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 10, each: 30, settled: 30 })
  await db`vacuum analyze`
  const store = storeOn(db)
  const works = await store.claim(2)
  const endings = await Promise.all(
    works.map(async (work) => ending(work, await armed(store, work), published)),
  )

  await db.begin(async (tx) => {
    // What the connection did before and has not reported yet is among the counts.
    const readThrough = () =>
      tx`select relname, seq_tup_read from pg_stat_xact_user_tables where seq_tup_read > 0`
    const before = await readThrough()
    for (const settlement of endings) expect(await settle(tx, [settlement])).toEqual([true])
    expect(await readThrough()).toEqual(before)
    const planned = await tx`
      select custom_plans::int as custom, generic_plans::int as generic
      from   pg_prepared_statements where statement ~ '^\\s*with ended'`
    expect(planned).toEqual([{ custom: 0, generic: 2 }])
  })
})

test('two that end the same doubt in one batch: one of them counts, in all of its consequences', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const attemptId = await armed(store, work!)
  await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))

  const batch = [ending(work!, attemptId, { is: 'absent' }, true), ending(work!, attemptId, published, true)]
  expect(await Promise.all(batch.map((settlement) => store.settle(settlement)))).toEqual([true, false])

  const [row] = await db`
    select d.status, p.status as part, p.remote_id as "remoteId", a.verdict
    from   destination d join part p on p.destination_id = d.id join attempt a on a.destination_id = d.id`
  expect(row).toEqual({ status: 'scheduled', part: 'pending', remoteId: null, verdict: 'absent' })
  expect((await db`select type from outbox_event order by seq`).map(({ type }) => type)).toEqual([
    'post.recovery_required',
    'post.scheduled',
  ])
})

test('a settlement that the database refuses takes no other one along', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
  ]
  const ids = await duePost(db, workspaceId, channelIds)
  const store = storeOn(db)
  const works = await store.claim(3)
  const endings = await Promise.all(
    works.map(async (work, place) => {
      const good = ending(work, await armed(store, work), {
        is: 'published',
        remoteId: `r${place}`,
        url: null,
      })
      // Published without evidence: a check of the table says no.
      return place === 1 ? { ...good, outcome: { ...good.outcome, remoteId: null } } : good
    }),
  )

  const results = await Promise.allSettled(endings.map((settlement) => store.settle(settlement)))

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await statusCounts(db, ids)).toEqual({ published: 2, publishing: 1 })
})

test.each([
  ['equal parts', [1, 1], { checking: 2 }, 'which one a look saw cannot be told'],
  ['parts with equal texts and other media', [1, 2], { published: 2 }, 'what they show tells them apart'],
])('two %s in doubt (%j) become %j: %s', async (_name, pictures, expected, _why) => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const ids = [
    await duePost(db, workspaceId, [channelId]),
    await duePost(db, workspaceId, [channelId]),
  ].flat()
  for (const [turn, bytes] of pictures.entries()) {
    // An upload for each, so that equal pictures are equal by their bytes alone.
    const mediaId = uuidv7()
    await insertMedia(db, workspaceId, {
      mediaId,
      kind: 'image',
      contentType: 'image/png',
      sizeBytes: 1,
      width: 1,
      height: 1,
      durationMs: null,
      videoCodec: null,
      audioCodec: null,
      frameRate: null,
      audioChannels: null,
      audioSampleRate: null,
      animated: false,
      altText: null,
      sha256: Buffer.alloc(32, bytes),
      storageKey: mediaId,
      sentSha256: Buffer.alloc(32, bytes),
    })
    await db`update part set text = '', media_ids = ${[mediaId]} where destination_id = ${ids[turn]!}`
  }
  const store = storeOn(db)
  const seen: Settlement[] = []
  for (let turn = 0; turn < ids.length; turn += 1) {
    const [work] = await store.claim(1)
    const attemptId = await armed(store, work!)
    await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))
    const told = ending(work!, attemptId, published, true)
    seen.push({ ...told, attempt: { ...told.attempt!, inferred: true } })
  }

  for (const [turn, settlement] of seen.entries()) {
    await store.settle({ ...settlement, outcome: { ...settlement.outcome, remoteId: `remote-${turn}` } })
  }
  expect(await statusCounts(db, ids)).toEqual(expected)
})

test('what a look saw of a doubt does not end a later one that began while the settlement waited', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const ids = (await duePost(db, workspaceId, channelIds)).sort()
  const store = storeOn(db)
  const lose = async () => {
    const doubts = await Promise.all(
      (await store.claim(2)).map(async (work) => ({ work, attemptId: await armed(store, work) })),
    )
    for (const { work, attemptId } of doubts)
      await store.settle(ending(work, attemptId, { is: 'unknown', detail: 'silence' }))
    return doubts.sort((one, other) => (one.work.destinationId < other.work.destinationId ? -1 : 1))
  }
  const looks = (await lose()).map(({ work, attemptId }) => ending(work, attemptId, { is: 'absent' }, true))
  const holder = await openTransaction(db)
  await holder.tx`select from destination where id = ${ids[0]!} for update`

  const settling = settle(db, looks)
  await untilLocked(db, 'for    no key update of d')
  expect(await settle(db, [looks[1]!])).toEqual([true])
  expect(await lose()).toHaveLength(1)
  await holder.commit()

  expect(await settling).toEqual([true, false])
  expect(await statusCounts(db, ids)).toEqual({ scheduled: 1, checking: 1 })
})

test('an attempt whose arming is committed only while it is settled ends, too', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [id = ''] = await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const arming = await openTransaction(db)
  await arming.tx`select from destination for no key update`
  const attemptId = await anAttempt(arming.asDb, workspaceId, id, null)

  const settling = store.settle(ending(work!, attemptId, { is: 'absent' }))
  await untilLocked(db, 'for    no key update of d')
  await arming.commit()

  expect(await settling).toBe(true)
  expect(await db`select verdict from attempt`).toEqual([{ verdict: 'absent' }])
})

test('two equal parts in doubt that are both proven absent are both queued again', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const ids = [
    await duePost(db, workspaceId, [channelId]),
    await duePost(db, workspaceId, [channelId]),
  ].flat()
  const store = storeOn(db)
  const looks: Settlement[] = []
  while (looks.length < ids.length) {
    const [work] = await store.claim(1)
    const attemptId = await armed(store, work!)
    await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))
    const told = ending(work!, attemptId, { is: 'absent' }, true)
    looks.push({ ...told, attempt: { ...told.attempt!, inferred: true } })
  }
  expect(await Promise.all(looks.map((look) => store.settle(look)))).toEqual([true, true])
  expect(await statusCounts(db, ids)).toEqual({ scheduled: 2 })
})

test.each([
  ['not again', false, 'reconnect_required'],
  // The claim had its authorization already: its transaction began later, and the new connection was not to be seen yet.
  ['again while the call was under way', true, 'connected'],
])(
  'an authorization that is refused disconnects its channel if that was %s connected',
  async (_, again, expected) => {
    await using world = await openWorld()
    const { db } = world
    const { workspaceId } = await aWorkspace(db)
    const channelId = await aChannel(db, workspaceId)
    await duePost(db, workspaceId, [channelId])
    const store = storeOn(db)
    const reconnecting = await openTransaction(db)
    await reconnecting.tx`update channel set authorization_revision = authorization_revision + 1, authorization_sealed = 'new'`
    const [work] = await store.claim(1)
    await (again ? reconnecting.commit() : reconnecting.rollback())
    const attemptId = await armed(store, work!)

    expect(await store.settle(ending(work!, attemptId, { is: 'reauthorize' }))).toBe(true)
    const [channel] = await db`select connection_status as status from channel`
    expect(channel).toEqual({ status: expected })
  },
)

test('a channel is disconnected by the authorization that it has, and by no former one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  await duePost(db, workspaceId, [channelId])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const standing = async () => (await db`select connection_status as status from channel`)[0]

  await store.disconnect({ ...work!, connection: 'a former one' })
  expect(await standing()).toEqual({ status: 'connected' })
  await store.disconnect(work!)
  expect(await standing()).toEqual({ status: 'reconnect_required' })
})

test('the end of a call writes its attempt into the page where it stands, and into no index', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = await Promise.all(Array.from({ length: 30 }, () => aChannel(db, workspaceId)))
  await duePost(db, workspaceId, channelIds)
  const store = storeOn(db)
  const works = await store.claim(30)
  const settlements = await Promise.all(
    works.map(async (work) => ending(work, await armed(store, work), published)),
  )

  const updates = await db.begin(async (tx) => {
    await settle(tx, settlements)
    const [row] = await tx<object[]>`
      select pg_stat_get_xact_tuples_updated('attempt'::regclass)::int as all,
             pg_stat_get_xact_tuples_hot_updated('attempt'::regclass)::int as "inPlace"`
    return row
  })

  expect(updates).toEqual({ all: 30, inPlace: 30 })
})
