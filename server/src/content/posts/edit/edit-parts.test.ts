import { expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aChannel,
  aPicture,
  aWorkspace,
  openTransaction,
  untilBlocked,
} from '../../../../test/rigs/fixtures.ts'

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

/** A thread of three parts with a picture in each, on two channels, of which one may have content of its own. */
async function aThread(own: object | null = null) {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const [a, b] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const pictures = await Promise.all([1, 2, 3].map(() => aPicture(db, workspaceId)))
  const [first, ...thread] = pictures.map((mediaId, at) => ({ text: `Part ${at}`, mediaIds: [mediaId] }))
  const plan = { confirmed: true, state: 'scheduled', publishAt: hoursAhead(1), channelIds: [a, b] }
  const { body: post } = await api.call(workspace, 'POST', '/posts', { ...plan, ...first, thread })
  const edit = async (content: object, more: object = {}) => {
    const { editToken } = await api.read(workspace, post.postId)
    return (await api.command(workspace, post.postId, 'edit', { editToken, content, ...more })).body
  }
  if (own !== null) await edit({ targets: [{ channelId: b, ...own }] })
  return {
    workspace,
    postId: post.postId as string,
    a,
    b,
    pictures,
    edit,
    editToken: post.editToken as string,
  }
}

const partsOf = ({ destinations }: { destinations: { parts: { text: string; mediaIds: string[] }[] }[] }) =>
  destinations.map(({ parts }) => parts.map(({ text, mediaIds }) => [text, ...mediaIds]))

test('an edit of one part keeps its media and the other parts, and one of its media keeps its text', async () => {
  const { pictures, edit } = await aThread()
  const [x, y, z] = pictures
  const after = await edit({ parts: [{ index: 1, text: 'Better' }] })
  const parts = [
    ['Part 0', x],
    ['Better', y],
    ['Part 2', z],
  ]
  expect(partsOf(after)).toEqual([parts, parts])
  expect(after).not.toHaveProperty('warnings')
  const more = await edit({
    parts: [
      { index: 0, text: 'First' },
      { index: 2, mediaIds: [] },
    ],
  })
  expect(partsOf(more)[0]).toEqual([['First', x], ['Better', y], ['Part 2']])
  expect(more.content.thread).toEqual([{ text: 'Better', mediaIds: [y] }, { text: 'Part 2' }])
})

test('an edit of one part for one channel leaves the other channel as it was', async () => {
  const { b, edit } = await aThread()
  const after = await edit({ targets: [{ channelId: b, parts: [{ index: 2, text: 'There only' }] }] })
  const last = partsOf(after).map((parts) => parts[2]?.[0])
  expect(new Set(last)).toEqual(new Set(['Part 2', 'There only']))
})

test.each<[string, object[], string, string?]>([
  ['that is not there', [{ index: 3, text: 'x' }], '/content/parts/0/index'],
  [
    'that is named twice',
    [
      { index: 1, text: 'x' },
      { index: 1, text: 'y' },
    ],
    '/content/parts/1/index',
  ],
  ['below the first', [{ index: -1, text: 'x' }], '/content'],
  ['with nothing to change', [{ index: 1 }], '/content'],
  ['with a field that it has not', [{ index: 1, text: 'x', altText: 'y' }], '/content'],
  ['of no list', [], '/content'],
])('an edit of a part %s is refused', async (_, parts, pointer) => {
  const { workspace, edit } = await aThread()
  await changingNothing(workspace, async () => {
    const { code, errors } = await edit({ parts })
    expect({ code, at: errors[0].pointer.startsWith(pointer) }).toEqual({
      code: 'validation_failed',
      at: true,
    })
  })
})

test('an edit of a part is not beside one of the whole, and names a part that every channel has', async () => {
  const { workspace, a, edit } = await aThread({ thread: [] })
  await changingNothing(workspace, async () => {
    const both = await edit({ text: 'x', parts: [{ index: 0, text: 'y' }] })
    expect(both).toMatchObject({ errors: [{ pointer: '/content/text', code: 'not_allowed' }] })
    const missing = await edit({ parts: [{ index: 1, text: 'y' }] })
    expect(missing).toMatchObject({ errors: [{ pointer: '/content/parts/0/index', code: 'unknown_part' }] })
  })
  const named = await edit({ targets: [{ channelId: a, parts: [{ index: 1, text: 'y' }] }] })
  expect(
    partsOf(named)
      .flat()
      .map(([text]) => text),
  ).toContain('y')
})

test('a thread that drops media without naming it says so, or is refused on wish', async () => {
  const { workspace, a, b, pictures, edit } = await aThread()
  const [, y, z] = pictures
  const content = { thread: [{ text: 'One' }, { text: 'Two', mediaIds: [] }] }
  const went = [a, b].map((channelId) => ({
    code: 'media_dropped',
    severity: 'warning',
    channelId,
    partIndex: 1,
    mediaId: y,
    pointer: '/content/thread',
  }))
  await changingNothing(workspace, async () => {
    expect(await edit(content, { keepOwn: true })).toMatchObject({
      code: 'validation_failed',
      status: 400,
      errors: [{ pointer: '/content/thread', code: 'media_dropped' }, { code: 'media_dropped' }],
    })
  })
  const { warnings } = await edit(content)
  expect(warnings).toHaveLength(2)
  expect(warnings).toEqual(expect.arrayContaining(went.map((one) => expect.objectContaining(one))))
  // What moved to another part is not gone, and a thread that is removed as a whole is meant to be.
  await edit({ thread: [{ text: 'One' }, { text: 'Two', mediaIds: [z] }] })
  expect(await edit({ thread: [{ text: 'Two', mediaIds: [z] }] })).not.toHaveProperty('warnings')
  expect(await edit({ thread: [] }, { keepOwn: true })).not.toHaveProperty('warnings')
})

test('an edit of all that writes over what a channel has of its own says so, or is refused on wish', async () => {
  const { workspace, b, edit } = await aThread({ text: 'Own words' })
  const lost = { code: 'own_content_replaced', channelId: b, pointer: '/content/text' }
  await changingNothing(workspace, async () => {
    const refused = await edit({ text: 'For all' }, { keepOwn: true })
    expect(refused).toMatchObject({
      code: 'validation_failed',
      errors: [{ code: lost.code, pointer: lost.pointer }],
    })
  })
  expect((await edit({ text: 'For all' })).warnings).toEqual([expect.objectContaining(lost)])
  // Both say the same by now, and neither loses anything of its own.
  expect(await edit({ text: 'Once more' }, { keepOwn: true })).not.toHaveProperty('warnings')
})

test('of two edits of parts at once one is told that the post has changed, and so is one that a publisher comes before', async () => {
  const { workspace, postId, editToken } = await aThread()
  const holding = await openTransaction(db)
  await holding.tx`select from post where id = ${postId} for update`
  const ask = (text: string) =>
    api.command(workspace, postId, 'edit', { editToken, content: { parts: [{ index: 1, text }] } })
  const both = [ask('One'), ask('Two')]
  await untilBlocked(db, 2)
  await holding.commit()
  const answers = await Promise.all(both)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('stale_edit_token')

  const claiming = await openTransaction(db)
  await claiming.tx`
    update destination set status = 'publishing', fence = fence + 1, lease_until = now() + interval '1 minute' where post_id = ${postId}`
  const late = ask('Late')
  await untilBlocked(db)
  await claiming.commit()
  expect((await late).body).toMatchObject({ code: 'invalid_state', currentStatus: 'publishing' })
})
