import { destinationStatusNames, type DestinationStatus } from '@postrider/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { anApproval, anAttempt, aPost, aWorkspace, type AWorkspace } from '../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { storeOn } from '../../../test/rigs/publishing-store.ts'
import { reconnectChannel } from '../../networks/channels/channel-store.ts'
import { resumeChannel } from '../destinations/resume-channel.ts'
import { moves } from '../destinations/destination-states.ts'
import { holdRestoredDatabase } from '../../operate/backup/restore-backup.ts'
import { providers } from '../../networks/providers/registry.ts'
import { resolveByPerson, type Finding } from './resolve-by-person.ts'

/* What a restore holds, and what a person's word makes of it. Each test has the whole database as it was restored. */

const { world, api, eventsOf } = await openFileWorld()
const { db } = world
const BACKUP_AT = '2026-11-22T03:00:00.000Z'
const times = { armWindowMs: 1_000, callTimeoutMs: 2_000, settlingMs: 3_000, lateCallMs: 0, processingMs: 0 }

let workspace: AWorkspace
beforeEach(async () => {
  await db`truncate destination, post, approval, attempt, part cascade`
  workspace = await aWorkspace(db)
})

const restore = () => db.begin((tx) => holdRestoredDatabase(tx, BACKUP_AT, { accessUnchanged: false }))

/** Lets the time pass in which a call of the server before may still come out. */
const windowOver = () => db`update destination set status_since = status_since - interval '7 seconds'`

async function hold() {
  await restore()
  await windowOver()
}

async function read(postId: string) {
  const [destination] = (await api.read(workspace, postId)).destinations
  return destination!
}

async function resolve(postId: string, finding: Finding, controlToken?: string) {
  const { workspaceId } = workspace
  const { channelId, ...current } = await read(postId)
  const token = controlToken ?? current.controlToken
  const said = { memberName: 'Ada', note: null, finding }
  return resolveByPerson(db, times, providers, {
    workspaceId,
    postId,
    channelId,
    controlToken: token,
    ...said,
  })
}

const errorOf = (code: string) =>
  db.json({ code, message: 'No.', provider: 'sandbox-short', retryable: false })

const out = (remoteId: string) => ({ is: 'published', remoteId, url: null }) as const

/** One in each status, as the backup has it. */
async function oneOf(status: DestinationStatus, texts: readonly string[] = ['one'], publishAt?: Date) {
  const options = publishAt === undefined ? {} : { publishAt }
  return aPost(db, workspace.workspaceId, { states: [status], texts, ...options })
}

const ago = new Date(Date.now() - 72 * 3_600_000)
const ahead = new Date(Date.now() + 72 * 3_600_000)

describe('what is held', () => {
  test('everything that the engine, or an approval, can lead to a call: as the moves say', () => {
    const expected: DestinationStatus[] = [
      ...(['draft', 'scheduled', 'publishing', 'partially_published', 'delayed'] as const),
      ...(['reconnect_required', 'checking'] as const),
    ]
    expect(moves.restore.from.toSorted()).toEqual(expected.toSorted())
  })

  test.each(destinationStatusNames)('%s', async (status) => {
    const { postId } = await oneOf(status, ['one', 'two'])
    await hold()
    const after = await read(postId)
    const isHeld = status !== 'draft' && moves.restore.from.includes(status)
    expect(after.status).toBe(isHeld ? 'checking' : status)
    expect(after.error?.code ?? null).toBe(isHeld ? 'result_unproven' : null)
    const entered = isHeld && status !== 'checking'
    expect(await eventsOf({ workspace })).toEqual(entered ? ['post.recovery_required'] : [])
  })

  test('a draft that waits for approval, whose request is closed', async () => {
    const { postId } = await oneOf('draft')
    const approvalId = await anApproval(db, workspace.workspaceId, postId)
    await hold()
    expect(await read(postId)).toMatchObject({ status: 'checking' })
    expect(await db`select status from approval where id = ${approvalId}`).toEqual([{ status: 'superseded' }])
  })

  test('not a thread that was refused for good: nothing more of it is sent', async () => {
    const { postId } = await oneOf('partially_published', ['one', 'two'])
    await db`update destination set due_at = null, expires_at = null, error = ${errorOf('content_refused')}`
    await hold()
    expect((await read(postId)).status).toBe('partially_published')
  })

  test('but one that waits until its channel is connected again', async () => {
    const { postId } = await oneOf('partially_published', ['one', 'two'])
    await db`update destination set due_at = null, error = ${errorOf('reconnect_required')}`
    await hold()
    expect(await read(postId)).toMatchObject({
      status: 'checking',
      parts: [{ status: 'published' }, { status: 'checking' }],
    })
  })
})

describe('nothing but a person ends the hold', () => {
  test('no worker claims it, takes it over, polls it or ends it, however late it is', async () => {
    const statuses = moves.restore.from.filter((status) => status !== 'draft')
    for (const status of statuses) await oneOf(status, ['one', 'two'], ago)
    await hold()
    const store = storeOn(db)
    expect(await store.claim(100)).toEqual([])
    expect(await store.claimOrphans(100)).toEqual([])
    expect(await store.claimProcessing(100)).toEqual([])
    expect(await store.claimDoubts(100)).toEqual([])
    expect(await store.expire(100)).toBe(0)
  })

  test('no channel that is connected again, with what it takes up', async () => {
    const { postId, channelIds } = await oneOf('reconnect_required')
    await hold()
    const [channelId = ''] = channelIds
    const { workspaceId } = workspace
    const account = {
      provider: 'sandbox-short',
      remoteAccountId: 'a',
      displayName: 'A',
      handle: 'a',
      avatarUrl: null,
    }
    await reconnectChannel(db, {
      ...account,
      workspaceId,
      channelId,
      authorizationSealed: Buffer.from('new'),
    })
    expect(await resumeChannel(db, workspaceId, channelId)).toBe(0)
    expect(await storeOn(db).claimDoubts(10)).toEqual([])
    expect((await read(postId)).status).toBe('checking')
  })

  test('no command of an agent', async () => {
    const { postId } = await oneOf('scheduled')
    await hold()
    const { allowedActions } = await read(postId)
    expect(Object.values(allowedActions).map(({ allowed }) => allowed)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })

  test('a call from before the backup is looked up, as one of which nothing else is known', async () => {
    for (const [status, verdict] of [
      ['publishing', null],
      ['checking', 'unknown'],
    ] as const) {
      const { destinationIds } = await oneOf(status, ['one'], ago)
      await anAttempt(db, workspace.workspaceId, destinationIds[0]!, verdict)
    }
    await hold()
    const doubts = await storeOn(db).claimDoubts(10)
    expect(doubts.map(({ attempt }) => attempt.restored)).toEqual([true, true])
    expect(await db`select verdict from attempt`).toEqual([{ verdict: 'unknown' }, { verdict: 'unknown' }])
  })
})

describe('a backup of a restored database, restored again', () => {
  test('holds the same, once, and looks only for what was called', async () => {
    await oneOf('scheduled', ['one'], ago)
    const called = await oneOf('publishing', ['one'], ago)
    await anAttempt(db, workspace.workspaceId, called.destinationIds[0]!, null)
    await hold()
    await hold()
    const doubts = await storeOn(db).claimDoubts(10)
    expect(doubts.map(({ destinationId }) => destinationId)).toEqual(called.destinationIds)
    expect(await db`select status from destination`).toEqual([{ status: 'checking' }, { status: 'checking' }])
    expect(await db`select verdict from attempt`).toEqual([{ verdict: 'unknown' }, { verdict: 'unknown' }])
  })

  test('still publishes nothing that nobody has approved', async () => {
    const { postId } = await oneOf('draft', ['one'], ago)
    await anApproval(db, workspace.workspaceId, postId)
    await hold()
    await hold()
    expect(await resolve(postId, { is: 'absent' })).toMatchObject({ restored: true })
    expect((await read(postId)).status).toBe('failed')
  })
})

describe('a person says', () => {
  test('that it is out: published', async () => {
    const { postId } = await oneOf('scheduled')
    await hold()
    expect(await resolve(postId, out('7'))).toMatchObject({ restored: true })
    expect((await read(postId)).status).toBe('published')
  })

  test('that a part of a thread is out: the next one is asked about, and the token of the first is spent', async () => {
    const { postId } = await oneOf('scheduled', ['one', 'two', 'three'])
    await hold()
    const { controlToken } = await read(postId)
    expect(await resolve(postId, out('7'))).toMatchObject({ restored: true })
    expect(await read(postId)).toMatchObject({
      status: 'checking',
      error: { code: 'result_unproven' },
      checkAgainAt: null,
      parts: [{ status: 'published' }, { status: 'checking' }, { status: 'pending' }],
    })
    expect(await resolve(postId, { is: 'absent' }, controlToken)).toMatchObject({
      refused: 'stale_control_token',
    })
    expect(await storeOn(db).claim(10)).toEqual([])

    expect(await resolve(postId, { is: 'absent' })).toMatchObject({ restored: true })
    expect(await read(postId)).toMatchObject({
      status: 'partially_published',
      parts: [{ status: 'published' }, { status: 'pending' }, { status: 'pending' }],
    })
    expect(await eventsOf({ workspace })).toEqual(['post.recovery_required', 'post.partial'])
  })

  test('that it is not out: published at its time where that is to come', async () => {
    const { postId } = await oneOf('scheduled', ['one'], ahead)
    await hold()
    expect(await resolve(postId, { is: 'absent' })).toMatchObject({ restored: true })
    expect(await read(postId)).toMatchObject({ status: 'scheduled', publishAt: ahead.toISOString() })
    expect(await storeOn(db).claim(10)).toEqual([])
  })

  test.each(moves.restore.from.filter((status) => status !== 'draft'))(
    'that it is not out, days later: what was %s is published now, within an allowed time of its own',
    async (status) => {
      const { postId, destinationIds } = await oneOf(status, ['one', 'two'], ago)
      await hold()
      expect(await resolve(postId, { is: 'absent' })).toMatchObject({ restored: true })
      const store = storeOn(db)
      expect(await store.expire(10)).toBe(0)
      expect((await store.claim(10)).map(({ destinationId }) => destinationId)).toEqual(destinationIds)
    },
  )

  const isWithinSix = (seconds: number) => seconds > 0 && seconds <= 6
  test.each(['absent', 'failed'] as const)(
    'that it is not out (%s), right after the restore: not yet, since a call of the server before may still come out',
    async (is) => {
      const { postId, destinationIds } = await oneOf('publishing', ['one'], ago)
      await anAttempt(db, workspace.workspaceId, destinationIds[0]!, null)
      await db`update attempt set armed_at = now() - interval '1 hour'`
      const never = await oneOf('scheduled', ['two'], ago)
      await restore()
      const early = { refused: 'invalid_state', facts: { retryAfterSeconds: expect.toSatisfy(isWithinSix) } }
      for (const held of [postId, never.postId]) expect(await resolve(held, { is })).toMatchObject(early)
      await windowOver()
      for (const held of [postId, never.postId])
        expect(await resolve(held, { is })).toMatchObject({ restored: true })
    },
  )

  test('that it is not out, and stays so: failed, and nothing more is sent', async () => {
    const { postId } = await oneOf('scheduled', ['one'], ago)
    await hold()
    expect(await resolve(postId, { is: 'failed' })).toMatchObject({ restored: true })
    expect((await read(postId)).status).toBe('failed')
    expect(await storeOn(db).claim(10)).toEqual([])
  })

  test.each(['absent', 'failed'] as const)(
    'of what waited for approval that it is not out (%s): it is not published without one',
    async (is) => {
      const { postId } = await oneOf('draft', ['one'], ago)
      await anApproval(db, workspace.workspaceId, postId)
      await hold()
      expect(await resolve(postId, { is })).toMatchObject({ restored: true })
      expect(await read(postId)).toMatchObject({
        status: 'failed',
        allowedActions: { retry: { allowed: true } },
      })
      expect(await storeOn(db).claim(10)).toEqual([])
    },
  )
})
