import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace, openTransaction } from '../../../test/rigs/fixtures.ts'
import {
  armed,
  duePost,
  endLeases,
  ending,
  leaseOf,
  published,
  storeOn,
} from '../../../test/rigs/publishing-store.ts'
import { overlookedChannels } from '../../../test/simulation/store-twins.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { type ChannelKey, removeChannel, switchChannel } from '../../networks/channels/channel-store.ts'
import { addDestinations, cancel, type NewDestination } from '../destinations/destination-store.ts'
import { type Db, openDb, type Tx } from '../../platform/postgres/db.ts'
import type { Statement } from '../../platform/postgres/query.ts'
import { postponeChannels } from './channel-queue-store.ts'
import { announceHolds } from './hold-store.ts'
import { outageStore, recoverNetworks } from './outage-store.ts'
import { settle } from './settle-store.ts'

/*
 * Each rule is raced twice in the same interleaving: as it is, when nothing goes wrong, and with its lock taken out of the
 * statement, when it does. Random runs notice none of these.
 */

type Race = {
  /** The lock, in the statement or the function of the schema with this text, and what stands there instead. */
  weakened: { in: string; from: RegExp; to: string }
  /** What goes wrong, in a few words; nothing where the rule holds. `racing` has the lock, or not. */
  run: (db: Db, racing: Db) => Promise<string[]>
}

const overdue = new Date(Date.now() - 60_000)
const later = new Date(Date.now() + 3_600_000)
const author = { type: 'agent_key', name: 'key' } as const

async function aQueue(db: Db) {
  const { workspaceId } = await aWorkspace(db)
  return { workspaceId, channelId: await aChannel(db, workspaceId) }
}

function isDue(
  db: Db,
  { workspaceId, channelId }: { workspaceId: string; channelId: string },
  publishAt = overdue,
) {
  return aPost(db, workspaceId, { channelIds: [channelId], states: ['scheduled'], publishAt })
}

/** Until it has ended, or stands in line for a lock. */
async function endedOrBlocked(db: Db, doing: Promise<unknown>): Promise<void> {
  let ended = false
  const note = () => void (ended = true)
  doing.then(note, note)
  const blocked = () => db`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => ended || (await blocked()).length > 0, { interval: 5 }).toBe(true)
}

/** Puts a channel off as a claim does, up to its commit: with what is sent together with that. */
async function putOff(tx: Tx, channel: ChannelKey): Promise<void> {
  const sent: PromiseLike<unknown>[] = []
  const defer = (send: () => PromiseLike<unknown>) => void sent.push(send())
  const get = (of: Tx, name: string) => (name === 'defer' ? defer : Reflect.get(of, name))
  await postponeChannels(new Proxy(tx, { get }), [channel], () => undefined)
  expect(sent).toHaveLength(1)
  await Promise.all(sent)
}

const races: Record<string, Race> = {
  'a channel is not put off beside a change that has made something due there, and locked it': {
    weakened: { in: 'follow_destinations', from: /for {4}key share of q/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      const { postId } = await isDue(db, queue, later)
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const changing = await openTransaction(racing)
      await changing.tx`update destination set due_at = now() where post_id = ${postId}`

      expect(await storeOn(racing).claim(8)).toEqual([])

      await changing.commit()
      return overlookedChannels(db)
    },
  },

  'whoever puts a channel off locks it against those who lock its key alone': {
    weakened: { in: 'as "channelId"', from: /for {4}update of c, q/, to: 'for no key update of c, q' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const creating = await openTransaction(db)
      await isDue(creating.asDb, queue)

      expect(await storeOn(racing).claim(8)).toEqual([])

      await creating.commit()
      return overlookedChannels(db)
    },
  },

  'a change waits for a claim that is putting the channel off': {
    weakened: { in: 'follow_destinations', from: /for {4}key share of q/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      const { postId } = await isDue(db, queue, later)
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const claiming = await openTransaction(racing)
      await putOff(claiming.tx, queue)

      const changing = Promise.resolve(
        racing`update destination set due_at = now() where post_id = ${postId}`,
      )
      await endedOrBlocked(db, changing)
      await claiming.commit()
      await changing

      return overlookedChannels(db)
    },
  },

  'a create waits for a claim that is putting the channel off': {
    weakened: { in: 'waiting_channel', from: /for {4}key share of q/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const claiming = await openTransaction(racing)
      await putOff(claiming.tx, queue)

      const creating = racing.begin((tx) => createOne(tx, queue))
      await endedOrBlocked(db, creating)
      await claiming.commit()
      await creating

      return overlookedChannels(db)
    },
  },

  'a channel is not put off beside a create that has locked it': {
    weakened: { in: 'waiting_channel', from: /for {4}key share of q/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const creating = await openTransaction(racing)
      await createUpToCommit(creating.tx, queue)

      expect(await storeOn(racing).claim(8)).toEqual([])

      await creating.commit()
      return overlookedChannels(db)
    },
  },

  'the end of an outage waits for a claim that has seen its channel held': {
    weakened: { in: 'queue_channels', from: /for {4}key share of q/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await db`update channel set provider_origin = 'https://away.example' where id = ${queue.channelId}`
      await isDue(db, queue)
      await db`insert into network_outage (origin, probe_at) values ('https://away.example', now() + interval '1 hour')`
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const claiming = await openTransaction(racing)
      await putOff(claiming.tx, queue)

      const outages = outageStore(racing, { onOutage: () => undefined, onRecovery: () => undefined })
      const recovering = outages.recordSuccess('https://away.example')
      await endedOrBlocked(db, recovering)
      await claiming.commit()
      await recovering
      await recoverNetworks(racing, new AbortController().signal)

      return overlookedChannels(db)
    },
  },

  'a settlement brings a channel forward, and never back behind what came meanwhile': {
    weakened: { in: 'queue_channels', from: /q\.look_at > (head|sooner)\.due_at/, to: 'true' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await isDue(db, queue)
      const store = storeOn(racing)
      const [work] = await store.claim(1)
      const attemptId = await armed(store, work!)
      await isDue(db, queue, later)
      await db`update channel_queue set look_at = 'infinity' where channel_id = ${queue.channelId}`
      const creating = await openTransaction(db)
      await isDue(creating.asDb, queue)

      const settling = store.settle(ending(work!, attemptId, { is: 'absent' }))
      await endedOrBlocked(db, settling)
      await creating.commit()
      expect(await settling).toBe(true)

      return overlookedChannels(db)
    },
  },

  'whoever claims from a channel puts it off under a lock against those who lock its key alone': {
    weakened: { in: 'postpone_claimed', from: /for {4}update of q/, to: 'for no key update of q' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await isDue(db, queue)
      await db`update channel_queue set look_at = '-infinity' where channel_id = ${queue.channelId}`
      const creating = await openTransaction(db)
      await isDue(creating.asDb, queue)

      const store = storeOn(racing)
      const [work] = await store.claim(1)
      await creating.commit()
      await store.settle(ending(work!, await armed(store, work!), published))

      return overlookedChannels(db)
    },
  },

  'a channel is not put off behind a publication whose end does not look at it again': {
    weakened: { in: 'now_is.leased', from: /when now_is\.leased then head\.due_at/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await isDue(db, queue)
      await isDue(db, queue)
      const store = storeOn(racing)
      const [work] = await store.claim(1)
      const attemptId = await armed(store, work!)

      // Another claim that found nothing there a moment before.
      await racing.begin((tx) => putOff(tx, queue))
      await store.settle(ending(work!, attemptId, published))

      return overlookedChannels(db)
    },
  },

  'a claim passes over what is being cancelled': {
    weakened: { in: 'earliest as', from: /for {4}no key update of d skip locked/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      const { destinationIds } = await isDue(db, queue)
      const cancelling = await openTransaction(db)
      await cancel(cancelling.tx, queue.workspaceId, destinationIds, author)

      const claiming = storeOn(racing).claim(8)
      await endedOrBlocked(db, claiming)
      await cancelling.commit()

      return (await claiming).map(() => 'published, though it was cancelled')
    },
  },

  'a removal of a channel waits for a claim under way there': {
    weakened: { in: 'await_claims', from: /insert into publication[^;]*;/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await isDue(db, queue)
      const claiming = await openTransaction(db)
      expect(await storeOn(claiming.asDb).claim(1)).toHaveLength(1)

      const removing = racing.begin((tx) => removeChannel(tx, queue))
      await endedOrBlocked(db, removing)
      await claiming.commit()

      return (await removing) === null ? [] : ['removed, with a post publishing on it']
    },
  },

  'a claim waits for a channel that is being removed': {
    weakened: { in: 'await_claims', from: /insert into publication[^;]*;/, to: '' },
    run: (db, racing) => claimedBeside(db, racing, (tx, queue) => removeChannel(tx, queue)),
  },

  'a claim that waited for the removal of a channel sees it, and gives the channel up': {
    weakened: { in: 'as taken (workspace_id, id)', from: / and c\.enabled/, to: '' },
    run: (db, racing) => claimedBeside(db, racing, (tx, queue) => removeChannel(tx, queue)),
  },

  'a claim that waited for a channel to be disabled gives it up': {
    weakened: { in: 'as taken (workspace_id, id)', from: / and c\.enabled/, to: '' },
    run: (db, racing) =>
      claimedBeside(db, racing, (tx, queue) => switchChannel(tx, queue, { enabled: false })),
  },

  'a channel is not called disabled before a claim under way there has ended': {
    weakened: { in: 'await_claims', from: /insert into publication[^;]*;/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      await isDue(db, queue)
      const claiming = await openTransaction(db)
      expect(await storeOn(claiming.asDb).claim(1)).toHaveLength(1)

      const ended: string[] = []
      const disabling = switchChannel(racing, queue, { enabled: false }).then(() => ended.push('disabled'))
      await endedOrBlocked(db, disabling)
      ended.push('claimed')
      await claiming.commit()
      await disabling

      return ended[0] === 'disabled' ? ['claimed, after it was called disabled'] : []
    },
  },

  'a hold passes over what is being cancelled': {
    weakened: { in: 'with held as materialized', from: /for {4}no key update of d skip locked/, to: '' },
    async run(db, racing) {
      const queue = await aQueue(db)
      const { destinationIds } = await isDue(db, queue)
      await db`update channel set paused_until = now() + interval '1 hour' where id = ${queue.channelId}`
      await storeOn(db).claim(0)
      const cancelling = await openTransaction(db)
      await cancel(cancelling.tx, queue.workspaceId, destinationIds, author)

      const holding = announceHolds(racing, 8)
      await endedOrBlocked(db, holding)
      await cancelling.commit()

      return (await holding) > 0 ? ['waits on, though it was cancelled'] : []
    },
  },

  'an arming waits for a takeover of its lease': {
    weakened: { in: 'with intent as', from: /for {4}no key update of d/, to: '' },
    async run(db, racing) {
      const { workspaceId, channelId } = await aQueue(db)
      await duePost(db, workspaceId, [channelId])
      const store = storeOn(racing)
      const [work] = await store.claim(1)
      await endLeases(db)
      const takeover = await openTransaction(db)
      const orphans = await storeOn(takeover.asDb).claimOrphans(1)
      expect(orphans).toMatchObject([{ destinationId: work!.destinationId, attempt: null }])

      const id = work!.destinationId
      const arming = store.arm({ ...leaseOf(work!), attemptId: id, partIndex: 0, key: id })
      await endedOrBlocked(db, arming)
      await takeover.commit()

      return (await arming) ? ['two workers make its call'] : []
    },
  },

  'a settlement waits for a takeover of its lease': {
    weakened: { in: 'select from unnest', from: /for {4}no key update of d/, to: '' },
    async run(db, racing) {
      const { workspaceId, channelId } = await aQueue(db)
      await duePost(db, workspaceId, [channelId])
      const store = storeOn(racing)
      const [work] = await store.claim(1)
      const attemptId = await armed(store, work!)
      await endLeases(db)
      const takeover = await openTransaction(db)
      expect(await storeOn(takeover.asDb).claimOrphans(1)).toHaveLength(1)

      const settling = store.settle(ending(work!, attemptId, { is: 'absent' }))
      await endedOrBlocked(db, settling)
      await takeover.commit()

      return (await settling) ? ['queued again, while another worker has it'] : []
    },
  },

  'of two that end the same doubt, the second waits for the first': {
    weakened: { in: 'select from unnest', from: /for {4}no key update of d/, to: '' },
    async run(db, racing) {
      const { workspaceId, channelId } = await aQueue(db)
      await duePost(db, workspaceId, [channelId])
      const store = storeOn(racing)
      const [work] = await store.claim(1)
      const attemptId = await armed(store, work!)
      await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))
      const found = await openTransaction(db)
      expect(await settle(found.tx, [ending(work!, attemptId, published, true)])).toEqual([true])

      const settling = store.settle(ending(work!, attemptId, { is: 'absent' }, true))
      await endedOrBlocked(db, settling)
      await found.commit()

      return (await settling) ? ['queued again, though it is out'] : []
    },
  },

  'creates on several channels bring them forward in the order of their ids': {
    weakened: {
      in: 'sooner_channel',
      from: /order {2}by w\.workspace_id, w\.channel_id/,
      to: 'order by w.channel_id desc',
    },
    async run(db, racing) {
      const { workspaceId, channelId } = await aQueue(db)
      const [first, last] = [channelId, await aChannel(db, workspaceId)].toSorted() as [string, string]
      const held = await openTransaction(db)
      await held.tx`select from channel_queue where channel_id = ${last} for no key update`
      const destinations = [last, first].map(dueOn)
      const creating = racing.begin((tx) =>
        addDestinations(tx, { workspaceId, postId: uuidv7(), createdById: null }, destinations),
      )
      await endedOrBlocked(db, creating)
      const free = await db`
        select from channel_queue where channel_id = ${first} for no key update skip locked`
      await held.commit()
      await creating
      return free.map(() => 'it waits for the last, and the first is free')
    },
  },
}

/** Creates a destination that is due, by the statement that creates with. */
function createOne(tx: Tx, { workspaceId, channelId }: ChannelKey): Promise<void> {
  return addDestinations(tx, { workspaceId, postId: uuidv7(), createdById: null }, [dueOn(channelId)])
}

function dueOn(channelId: string): NewDestination {
  return {
    destinationId: uuidv7(),
    channelId,
    provider: 'sandbox-short',
    status: 'scheduled',
    controlToken: 'token',
    content: null,
    settings: {},
    publishAt: overdue,
    queued: false,
    expiresAt: later,
    seriesId: null,
    parts: [{ text: 'One', folded: 'one', mediaIds: [], firstComment: false }],
  }
}

/** The same up to its commit: with what is sent together with that. */
async function createUpToCommit(tx: Tx, queue: ChannelKey): Promise<void> {
  const sent: PromiseLike<unknown>[] = []
  const deferRows: Tx['deferRows'] = (_, rows, part) => void sent.push(tx`with ${part([...rows])} select`)
  const get = (of: Tx, name: string) => (name === 'deferRows' ? deferRows : Reflect.get(of, name))
  await createOne(new Proxy(tx, { get }), queue)
  expect(sent).toHaveLength(1)
  await Promise.all(sent)
}

/** What is claimed on a channel while `end` has ended it, and commits. */
async function claimedBeside(
  db: Db,
  racing: Db,
  end: (tx: Tx, queue: ChannelKey) => Promise<unknown>,
): Promise<string[]> {
  const queue = await aQueue(db)
  await isDue(db, queue)
  const held = await openTransaction(racing)
  expect(await end(held.tx, queue)).not.toBeNull()

  const claiming = storeOn(racing).claim(8)
  await endedOrBlocked(db, claiming)
  await held.commit()

  return (await claiming).map(() => 'claimed on a channel that was ended')
}

/** The world's database, over a pool that sends these statements, and has this function, without their lock. */
async function weaken({ db, connection }: World, { in: where, from, to }: Race['weakened']) {
  const [stored] = await db<{ text: string }[]>`
    select pg_get_functiondef(oid) as text from pg_proc where proname = ${where}`
  let changed = stored !== undefined && from.test(stored.text)
  if (changed) await db.script(stored!.text.replaceAll(new RegExp(from, 'g'), to))
  const onStatement = (statement: { -readonly [Key in keyof Statement]: Statement[Key] }) => {
    if (!statement.text.includes(where)) return
    const text = statement.text.replace(from, to)
    changed ||= text !== statement.text
    statement.text = text
  }
  const racing = openDb({ ...connection, applicationName: 'without the lock', onStatement })
  return { racing, wasWeakened: () => changed }
}

test.each(Object.entries(races))('%s', async (_rule, { weakened, run }) => {
  await using world = await openWorld()
  const { db } = world
  expect(await run(db, db)).toEqual([])
  // What it left is in nobody's way.
  await db`delete from destination`

  const { racing, wasWeakened } = await weaken(world, weakened)
  const wrong = await run(db, racing).finally(() => racing.end())
  expect(wrong).toHaveLength(1)
  expect(wasWeakened()).toBe(true)
})

test('two destinations of a channel are never published at once, by the key of a table and not by the locks', async () => {
  await using world = await openWorld()
  const { db } = world
  const race = async () => {
    const queue = await aQueue(db)
    const first = await isDue(db, queue)
    const second = await isDue(db, queue)
    // The channel is locked by a change, so that the first claim does not have others wait for it.
    const creating = await openTransaction(db)
    await isDue(creating.asDb, queue)
    const claiming = await openTransaction(db)
    expect(await storeOn(claiming.asDb).claim(1)).toMatchObject([{ postId: first.postId }])
    await db`update destination set due_at = due_at - interval '1 hour' where post_id = ${second.postId}`

    const rival = storeOn(db).claim(1)
    await endedOrBlocked(db, rival)
    await claiming.commit()
    await creating.rollback()
    return rival
  }
  expect(await race()).toEqual([])
  await db`delete from destination`
  await db`alter table publication drop constraint publication_pkey`
  expect(await race()).toHaveLength(1)
})
