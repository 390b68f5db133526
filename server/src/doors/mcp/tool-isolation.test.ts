import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import {
  aChannel,
  aPicture,
  aPost,
  aWorkspace,
  type AWorkspace,
  snapshotOf,
} from '../../../test/rigs/fixtures.ts'
import { tools } from './tools.ts'

/*
 * Every tool that takes an id or a token is called with those of another workspace: the answer must be the very one that
 * unknown ids get, and nothing may change. That the operations behind them keep workspaces apart is walked elsewhere.
 */

const { world, api } = await openFileWorld()
const { db } = world

type Slots = Readonly<
  Record<
    | 'postId'
    | 'channelId'
    | 'mediaId'
    | 'controlToken'
    | 'editToken'
    | 'word'
    | 'createKey'
    | 'seriesId'
    | 'seriesToken'
    | 'templateId',
    string
  >
>

let own: AWorkspace
let foreign: AWorkspace
let ours: Slots
let theirs: Slots
beforeAll(async () => {
  own = await aWorkspace(db)
  foreign = await aWorkspace(db)
  ours = await somethingOf(own)
  theirs = await somethingOf(foreign)
})

async function somethingOf(party: AWorkspace): Promise<Slots> {
  const { workspaceId } = party
  const channelId = await aChannel(db, workspaceId)
  const word = `w${randomBytes(8).toString('hex')}`
  const { postId } = await aPost(db, workspaceId, { channelIds: [channelId], texts: [word] })
  const { editToken, destinations } = await api.read(party, postId)
  const createKey = uuidv7()
  await api.callTool(party, 'create_post', {
    idempotencyKey: createKey,
    state: 'draft',
    channelIds: [channelId],
    text: word,
  })
  const mediaId = await aPicture(db, workspaceId)
  const { controlToken } = destinations[0]!
  const made = await api.callTool(party, 'write_series', {
    idempotencyKey: uuidv7(),
    series: { ...series, channelIds: [channelId], text: word },
  })
  const { seriesId, editToken: seriesToken } = made.answer as { seriesId: string; editToken: string }
  const { body: template } = await api.call(party, 'POST', '/templates', {
    confirmed: true,
    name: word,
    text: word,
    channelIds: [channelId],
  })
  const { templateId } = template
  return {
    postId,
    channelId,
    mediaId,
    controlToken,
    editToken,
    word,
    createKey,
    seriesId,
    seriesToken,
    templateId,
  }
}

const unknown = (): Slots => {
  const token = randomBytes(18).toString('base64url')
  return {
    postId: uuidv7(),
    channelId: uuidv7(),
    mediaId: uuidv7(),
    createKey: uuidv7(),
    templateId: uuidv7(),
    seriesId: uuidv7(),
    seriesToken: randomBytes(18).toString('base64url'),
    controlToken: token,
    editToken: token,
    word: `w${randomBytes(8).toString('hex')}`,
  }
}

const publishAt = new Date(Date.now() + 48 * 3_600_000).toISOString()
const plan = ({ channelId }: Slots) => ({ state: 'draft', channelIds: [channelId], text: 'x' })
const planWithMedia = ({ channelId, mediaId }: Slots) => ({
  state: 'draft',
  targets: [{ channelId, text: 'x', mediaIds: [mediaId] }],
})
const command = ({ postId, channelId, controlToken }: Slots) => ({ postId, channelId, controlToken })

const series = { rule: 'FREQ=DAILY;COUNT=3', startsAt: { local: publishAt.slice(0, 16), timeZone: 'UTC' } }

/** How each tool is called with what belongs to a workspace; none for those that take nothing of the kind. */
const calls: Record<string, ((slots: Slots) => Record<string, unknown>)[]> = {
  get_me: [],
  list_channels: [],
  check_post: [plan, planWithMedia, (slots) => ({ ...plan(slots), posts: [{}] })],
  create_post: [
    plan,
    planWithMedia,
    (slots) => ({ ...plan(slots), posts: [{}] }),
    ({ templateId }) => ({ state: 'draft', template: { templateId } }),
  ],
  list_posts: [
    ({ channelId }) => ({ channelId }),
    ({ word }) => ({ q: word }),
    ({ createKey }) => ({ idempotencyKey: createKey }),
    ({ seriesId }) => ({ series: seriesId }),
  ],
  get_post: [({ postId }) => ({ postId })],
  edit_post: [
    ({ postId, editToken }) => ({ postId, editToken, text: 'y' }),
    ({ postId, editToken, channelId }) => ({ postId, editToken, targets: [{ channelId, text: 'y' }] }),
    ({ postId, editToken, mediaId }) => ({ postId, editToken, mediaIds: [mediaId] }),
  ],
  schedule_post: [
    (slots) => ({ ...command(slots), publishAt }),
    ({ postId, editToken }) => ({ postId, editToken, publishAt }),
  ],
  cancel_post: [command, ({ postId, editToken }) => ({ postId, editToken })],
  retry_post: [(slots) => ({ ...command(slots), publishAt })],
  label_posts: [({ postId }) => ({ postIds: [postId], add: ['Spring sale'] })],
  write_series: [
    ({ channelId }) => ({ series: { ...series, channelIds: [channelId], text: 'x' } }),
    ({ channelId, mediaId }) => ({
      series: { ...series, targets: [{ channelId, text: 'x', mediaIds: [mediaId] }] },
    }),
    ...[{ text: 'y' }, { date: '2027-01-04' }, { status: 'paused' }].map(
      (change) =>
        ({ seriesId, seriesToken }: Slots) => ({ seriesId, editToken: seriesToken, series: change }),
    ),
  ],
  upload_media: [],
  list_media: [({ mediaId }) => ({ mediaId })],
  write_drafts: [
    ({ channelId }) => ({
      brief: 'x',
      destinations: [{ id: channelId }],
      language: 'en',
      tone: 'plain',
      result: 'draft',
    }),
  ],
  list_events: [],
  generate_image: [],
}

test('every tool is called here', () => {
  expect(Object.keys(calls)).toEqual(tools.map(({ name }) => name))
})

const writes = new Set(tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name))
const walked = Object.entries(calls).flatMap(([name, ways]) =>
  ways.map((way, index) => [name, index, way] as const),
)

async function answerTo(name: string, given: Record<string, unknown>, slots: Slots): Promise<string> {
  const keyed = writes.has(name) ? { idempotencyKey: uuidv7(), ...given } : given
  const { answer } = await api.callTool(own, name, keyed)
  let text = JSON.stringify({ ...answer, requestId: '' })
  for (const [slot, value] of Object.entries(slots)) text = text.replaceAll(value, `{${slot}}`)
  return text.replaceAll('{editToken}', '{controlToken}').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
}

test.each(walked)('%s (%i) tells nothing of another workspace', async (name, _index, way) => {
  const before = await snapshotOf(db, foreign.workspaceId)
  const nobodys = unknown()
  expect(await answerTo(name, way(theirs), theirs)).toBe(await answerTo(name, way(nobodys), nobodys))
  // Our post, with what is theirs beside it.
  const mixed = { ...theirs, postId: ours.postId }
  const alike = { ...nobodys, postId: ours.postId }
  expect(await answerTo(name, way(mixed), mixed)).toBe(await answerTo(name, way(alike), alike))
  expect(await snapshotOf(db, foreign.workspaceId)).toEqual(before)
})
