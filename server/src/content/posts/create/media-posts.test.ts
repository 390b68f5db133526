import { type DestinationStatus, noApprovalPolicy, noLimits } from '@postrider/contract'
import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aChannel,
  anActor,
  aPicture,
  aPost,
  type AWorkspace,
  aWorkspace,
  openTransaction,
  untilBlocked,
} from '../../../../test/rigs/fixtures.ts'
import { cursors } from '../../../edge/operations/cursor.ts'
import { storeOn } from '../../../../test/rigs/publishing-store.ts'
import { findMediaToCarry, insertMedia } from '../../../media/media-store.ts'
import { providers } from '../../../networks/providers/registry.ts'
import { browseMedia } from '../browse-media.ts'
import { changeAltText } from '../edit/change-alt-text.ts'
import { deleteMedia } from '../command/delete-media.ts'

const { world, api, changingNothing } = await openFileWorld()
const { db } = world
const keys = cursors(Buffer.alloc(32))
const options = { providers, baseUrl: 'https://postrider.test' }

async function aScene() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  const mediaId = await aPicture(db, workspaceId)
  const create = async (more: object = {}, as: AWorkspace = workspace) => {
    const plan = { confirmed: true, state: 'scheduled', publishAt: hoursAhead(1), channelIds: [channelId] }
    return (await api.call(as, 'POST', '/posts', { ...plan, text: 'A gate', mediaIds: [mediaId], ...more }))
      .body
  }
  /** A post in that state that carries the file. */
  const carrier = async (status: DestinationStatus, publishAt = new Date()) => {
    const post = await aPost(db, workspaceId, { states: [status], channelIds: [channelId], publishAt })
    await db`update part set media_ids = ${[mediaId]} where workspace_id = ${workspaceId}`
    return post
  }
  const describe = (altText: unknown, as: AWorkspace = workspace) =>
    api.call(as, 'POST', `/media/${mediaId}`, { confirmed: true, altText })
  const remove = (id = mediaId, as = workspace) => api.call(as, 'DELETE', `/media/${id}`)
  const altText = async () => (await api.call(workspace, 'GET', `/media/${mediaId}`)).body.altText
  return { workspace, workspaceId, channelId, mediaId, create, carrier, describe, remove, altText }
}

function limited(workspace: AWorkspace, more: object): AWorkspace {
  const { caller } = workspace
  const credential = { ...caller.credential, id: uuidv7(), ...more }
  return { ...workspace, caller: { ...caller, credential } }
}

test('an alt text is changed for every post that carries the file, and taken away; what is none is refused', async () => {
  const { workspace, mediaId, create, describe, altText } = await aScene()
  const { postId, editToken } = await create()
  expect((await describe('  An open gate ')).body).toMatchObject({ mediaId, altText: 'An open gate' })
  const post = await api.read(workspace, postId)
  // No content of the post changed: who is editing it goes on.
  expect(post).toMatchObject({ editToken, destinations: [{ status: 'scheduled' }] })
  expect(post.media).toMatchObject([{ altText: 'An open gate' }])
  expect((await describe(null)).body).toMatchObject({ altText: null })

  await changingNothing(workspace, async () => {
    for (const wrong of [7, undefined, 'x'.repeat(2_001), { text: 'a' }])
      expect((await describe(wrong)).body).toMatchObject({ code: 'validation_failed' })
    const elsewhere = await aScene()
    const { body } = await api.call(elsewhere.workspace, 'POST', `/media/${mediaId}`, {
      confirmed: true,
      altText: 'x',
    })
    expect(body).toMatchObject({ code: 'not_found' })
    // The sandbox takes 1,500 characters, and a post goes there.
    expect((await describe('x'.repeat(1_900))).body).toMatchObject({
      code: 'post_not_publishable',
      status: 422,
      issues: [{ code: 'alt_text_too_long', pointer: '/altText' }],
    })
  })
  expect(await altText()).toBe(null)
})

test.each(['publishing', 'checking', 'partially_published', 'published'] as const)(
  'no alt text changes once it is out with a post, or may be: %s',
  async (status) => {
    const { workspace, carrier, describe } = await aScene()
    await carrier('draft')
    await carrier(status)
    await changingNothing(workspace, async () => {
      expect((await describe('Late')).body).toMatchObject({ code: 'invalid_state', currentStatus: status })
    })
  },
)

test.each(['draft', 'delayed', 'failed', 'cancelled', 'expired'] as const)(
  'an alt text changes while nothing that carries it is out: %s',
  async (status) => {
    const { carrier, describe, altText } = await aScene()
    await carrier(status)
    expect((await describe('In time')).status).toBe(200)
    expect(await altText()).toBe('In time')
  },
)

test('posts that need approval ask for it again, with the alt text that is new', async () => {
  const { workspace, create, describe } = await aScene()
  const policy = { ...noApprovalPolicy, all: true }
  const agent = limited(workspace, { approval: policy })
  const waiting = await create({}, agent)
  expect(waiting.reviewStatus).toBe('pending')
  await describe('Changed by a person')
  const again = await api.read(workspace, waiting.postId)
  expect(again.reviewStatus).toBe('pending')
  expect(again.approval!.reviewUrl).not.toBe(waiting.approval.reviewUrl)
  expect(again.editToken).not.toBe(waiting.editToken)

  // An agent whose posts wait for a person cannot change unseen what was scheduled without one.
  const free = await create()
  expect((await describe('Changed by the agent', agent)).status).toBe(200)
  expect(await api.read(workspace, free.postId)).toMatchObject({
    reviewStatus: 'pending',
    destinations: [{ status: 'draft', publishAt: free.destinations[0].publishAt }],
  })
})

test('a narrowed credential changes no alt text of posts that it may not change', async () => {
  const { workspace, create, describe } = await aScene()
  await create()
  const drafts = limited(workspace, { limits: { ...noLimits, draftsOnly: true } })
  const elsewhere = limited(workspace, { limits: { ...noLimits, channelIds: [uuidv7()] } })
  const unlabelled = limited(workspace, { limits: { ...noLimits, label: 'Spring' } })
  await changingNothing(workspace, async () => {
    for (const as of [drafts, elsewhere, unlabelled])
      expect((await describe('Not mine', as)).body).toMatchObject({ code: 'credential_limit' })
  })
})

test('a file that no post carries is deleted, with nothing left to read; any other is refused', async () => {
  const { workspace, mediaId, create, remove } = await aScene()
  const unused = await aPicture(db, workspace.workspaceId)
  expect((await remove(unused)).body).toEqual({ mediaId: unused, deletedAt: expect.any(String) })
  expect((await remove(unused)).body).toMatchObject({ code: 'not_found' })
  expect((await api.call(workspace, 'GET', `/media/${unused}`)).body).toMatchObject({ code: 'not_found' })

  const { postId, editToken } = await create()
  await changingNothing(workspace, async () => {
    const elsewhere = await aScene()
    expect((await remove(mediaId, elsewhere.workspace)).body).toMatchObject({ code: 'not_found' })
    expect((await remove()).body).toMatchObject({ code: 'invalid_state' })
  })
  await api.command(workspace, postId, 'edit', { editToken, content: { mediaIds: [] } })
  expect((await remove()).status).toBe(200)
})

test('a publisher that took a post first keeps its alt text, and one that comes later publishes the new one', async () => {
  const { workspaceId, mediaId, carrier, altText } = await aScene()
  await carrier('scheduled', new Date(Date.now() - 1_000))
  const key = { workspaceId, mediaId }
  const changing = await openTransaction(db)
  await changeAltText(changing.tx, key, 'New', anActor, options)
  const claimed = async () => (await storeOn(db).claim(50)).filter((work) => work.workspaceId === workspaceId)
  // It skips what is locked.
  expect(await claimed()).toEqual([])
  await changing.commit()
  const [work] = await claimed()
  expect(work!.parts[0]!.media[0]!.altText).toBe('New')
  const late = await db.begin((tx) => changeAltText(tx, key, 'Late', anActor, options))
  expect(late).toMatchObject({ refused: 'invalid_state' })
  expect(await altText()).toBe('New')
})

test('a file cannot vanish under a post that is being written with it, nor be written into one while it vanishes', async () => {
  const { workspaceId, mediaId, create, remove } = await aScene()
  const other = await aPicture(db, workspaceId)
  const writing = await openTransaction(db)
  await findMediaToCarry(writing.tx, workspaceId, [mediaId])
  const removing = remove()
  await untilBlocked(db)
  await writing.tx`insert into part (workspace_id, destination_id, index, text, folded, media_ids)
                   values (${workspaceId}, ${uuidv7()}, 0, '', '', ${[mediaId]})`
  await writing.commit()
  expect((await removing).body).toMatchObject({ code: 'invalid_state' })

  const deleting = await openTransaction(db)
  await deleteMedia(deleting.tx, { workspaceId, mediaId: other })
  const creating = create({ mediaIds: [other] })
  await untilBlocked(db)
  await deleting.commit()
  expect(await creating).toMatchObject({ code: 'post_not_publishable', issues: [{ code: 'media_unknown' }] })
})

test('an upload of equal bytes is not left without them by the deletion of the item that had them', async () => {
  const { workspaceId } = await aScene()
  const facts = { kind: 'image', contentType: 'image/png', sizeBytes: 1, width: 1, height: 1 } as const
  const more = {
    durationMs: null,
    videoCodec: null,
    audioCodec: null,
    frameRate: null,
    audioChannels: null,
    audioSampleRate: null,
    animated: false,
    altText: null,
    sha256: randomBytes(32),
    sentSha256: randomBytes(32),
    storageKey: uuidv7(),
  }
  const first = await insertMedia(db, workspaceId, { mediaId: uuidv7(), ...facts, ...more })
  const equal = () => insertMedia(db, workspaceId, { mediaId: uuidv7(), ...facts, ...more, shared: true })
  expect(await equal()).toMatchObject({ storageKey: more.storageKey })
  await db`delete from media_item where workspace_id = ${workspaceId} and id <> ${first!.mediaId}`

  const deleting = await openTransaction(db)
  await deleteMedia(deleting.tx, { workspaceId, mediaId: first!.mediaId })
  const late = equal()
  await untilBlocked(db)
  await deleting.commit()
  expect(await late).toBe(null)
})

test('media are found by their alt text, their kind and whether a post carries them, page by page', async () => {
  const { workspaceId, mediaId, create } = await aScene()
  const free = await aPicture(db, workspaceId)
  await db`update media_item set alt_text = '100% Crème' where id = ${free}`
  await create()
  const page = async (query: object) => {
    const found = await browseMedia(db, workspaceId, query, keys)
    if (!('items' in found)) throw new Error('refused')
    return found
  }
  const ids = async (query: object) =>
    (await page(query)).items.map((item) => [item.mediaId, item.used] as const)
  expect(await ids({})).toEqual([
    [free, false],
    [mediaId, true],
  ])
  expect(await ids({ used: 'yes' })).toEqual([[mediaId, true]])
  expect(await ids({ used: 'no' })).toEqual([[free, false]])
  expect(await ids({ q: ' 100% crÈme ' })).toEqual([[free, false]])
  expect(await ids({ q: '%' })).toEqual([[free, false]])
  expect(await ids({ kind: 'video' })).toEqual([])
  const first = await page({ limit: 1, q: '' })
  expect(first.items).toHaveLength(1)
  expect(await ids({ limit: 1, cursor: first.nextCursor })).toEqual([[mediaId, true]])
  const other = await browseMedia(db, workspaceId, { used: 'yes', cursor: first.nextCursor! }, keys)
  expect(other).toMatchObject({ refused: 'invalid_cursor' })
  const elsewhere = await aWorkspace(db)
  const foreign = await browseMedia(db, elsewhere.workspaceId, {}, keys)
  expect(foreign).toMatchObject({ items: [] })
})
