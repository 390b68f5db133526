import { expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, aPicture, aPost, aWorkspace } from '../../../../test/rigs/fixtures.ts'

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

const firstComment = { text: 'The link: https://example.com' }

/** A post with one follow-up and a first comment, on two channels. */
async function aCommented(more: object = {}) {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const [a, b] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const plan = { state: 'scheduled', publishAt: hoursAhead(1), channelIds: [a, b] }
  const content = { text: 'Look', thread: [{ text: 'More' }], firstComment }
  const answer = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    ...plan,
    ...content,
    ...more,
  })
  expect(answer).toMatchObject({ status: 201 })
  const { postId } = answer.body as { postId: string }
  const edit = async (content: object) => {
    const { editToken } = await api.read(workspace, postId)
    return api.command(workspace, postId, 'edit', { editToken, content })
  }
  const shown = async () => {
    const { destinations } = await api.read(workspace, postId)
    return destinations.map(({ parts }) => parts.map(({ kind, text }) => `${kind}: ${text}`))
  }
  return { workspace, a, b, postId, edit, shown, created: answer.body }
}

const whole = ['post: Look', 'reply: More', `first_comment: ${firstComment.text}`]

test('a first comment is the last part of each channel, and stands in the content', async () => {
  const { created, shown } = await aCommented()
  expect(created).toMatchObject({ content: { text: 'Look', thread: [{ text: 'More' }], firstComment } })
  expect(await shown()).toEqual([whole, whole])
})

test('what an edit does not name stays, and `firstComment: null` takes it away', async () => {
  const { edit, shown } = await aCommented()
  await edit({ text: 'Look here' })
  expect(await shown()).toEqual([0, 1].map(() => ['post: Look here', ...whole.slice(1)]))
  await edit({ thread: [] })
  expect((await shown())[0]).toEqual(['post: Look here', whole[2]])
  await edit({ firstComment: { text: 'Another' } })
  expect((await shown())[0]).toEqual(['post: Look here', 'first_comment: Another'])
  // The part that was the comment is a reply now: what it was before is no part of it.
  await edit({ firstComment: null, thread: [{ text: 'Another' }] })
  expect((await shown())[0]).toEqual(['post: Look here', 'reply: Another'])
})

test('it can be changed by its index, and is of one channel where that alone is named', async () => {
  const { b, edit, shown } = await aCommented()
  await edit({ targets: [{ channelId: b, parts: [{ index: 2, text: 'There' }] }] })
  expect(await shown()).toEqual([whole, [...whole.slice(0, 2), 'first_comment: There']])
})

test.each([
  ['media for it', { parts: [{ index: 2, mediaIds: [] }] }, '/content/parts/0/mediaIds'],
  ['it beside parts', { parts: [{ index: 0, text: 'x' }], firstComment: null }, '/content/firstComment'],
])('%s is refused', async (_what, content, pointer) => {
  const { workspace, edit } = await aCommented()
  const { status, body } = await changingNothing(workspace, () => edit(content))
  expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})

test('an empty one and one that is too long are found where they stand', async () => {
  const workspace = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspace.workspaceId)]
  const check = async (text: string) => {
    const plan = { state: 'draft', channelIds, text: 'Look', firstComment: { text } }
    return (await api.call(workspace, 'POST', '/post-checks', plan)).body
  }
  const at = { partIndex: 1, pointer: '/firstComment/text' }
  expect(await check(' ')).toMatchObject({ ready: false, issues: [{ ...at, code: 'text_empty' }] })
  expect(await check('a'.repeat(281))).toMatchObject({
    ready: false,
    issues: [{ ...at, code: 'text_too_long' }],
  })
  expect(await check('Fits')).toMatchObject({
    ready: true,
    destinations: [{ parts: [{ characters: 4 }, { index: 1, characters: 4 }] }],
  })
})

test('a channel that takes none says so before, with what to do', async () => {
  const workspace = await aWorkspace(db)
  const [short, telegram] = [
    await aChannel(db, workspace.workspaceId),
    await aChannel(db, workspace.workspaceId, { provider: 'telegram' }),
  ]
  const plan = { state: 'draft', channelIds: [short, telegram], text: 'Look', firstComment }
  const { body } = await api.call(workspace, 'POST', '/post-checks', plan)
  expect(body).toMatchObject({ ready: false, destinations: [{ ready: true }, { ready: false }] })
  expect(body['issues']).toEqual([
    {
      code: 'first_comment_unsupported',
      severity: 'error',
      channelId: telegram,
      pointer: '/firstComment',
      message: 'Telegram gets no first comment from Postrider.',
      fix: 'Leave `firstComment` out for this channel, or give the channel its own content in `targets`.',
    },
  ])
  const created = await changingNothing(workspace, () =>
    api.call(workspace, 'POST', '/posts', { confirmed: true, ...plan }),
  )
  expect(created).toMatchObject({ status: 422, body: { code: 'post_not_publishable' } })

  const channels = (await api.call(workspace, 'GET', '/channels')).body as unknown as object[]
  expect(channels).toMatchObject([
    { channelId: short, capabilities: { threads: true, firstComment: true } },
    { channelId: telegram, capabilities: { threads: true, firstComment: false } },
  ])
})

test('a follow-up and a first comment of the same words are not the same to who approves', async () => {
  const digestOf = async (content: object) => {
    const { postId } = await aCommented({ state: 'immediate', publishAt: undefined, thread: [], ...content })
    const [row] = await db<
      { digest: Buffer }[]
    >`select content_digest as digest from approval where post_id = ${postId}`
    return row!.digest.toString('hex')
  }
  const comment = await digestOf({ firstComment: { text: 'Same' } })
  const reply = await digestOf({ thread: [{ text: 'Same' }], firstComment: undefined })
  expect(comment).not.toBe(reply)
})

test('what is refused halfway goes on with another first comment, and not with media for it', async () => {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  const { body: post } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    state: 'scheduled',
    publishAt: hoursAhead(1),
    channelIds: [channelId],
    text: 'Look',
    firstComment,
  })
  const { postId } = post as { postId: string }
  await db`
    update part set status = case when index = 0 then 'published' else 'failed' end,
           remote_id = case when index = 0 then 'r' end, published_at = case when index = 0 then now() end
    where  destination_id in (select id from destination where post_id = ${postId})`
  await db`
    update destination set status = 'partially_published', due_at = null, expires_at = null,
           error = '{"code":"content_refused","message":"No.","provider":"sandbox-short","retryable":false}'
    where  post_id = ${postId}`
  const retry = async (content: object) => {
    const [destination] = (await api.read(workspace, postId)).destinations
    const { controlToken } = destination!
    const publishAt = hoursAhead(1)
    return api.command(workspace, postId, 'retry', { channelId, controlToken, publishAt, content })
  }
  // What is out stays, and something has to be left.
  expect(await retry({ text: 'Other' })).toMatchObject({ status: 400 })
  expect(await retry({ firstComment: null })).toMatchObject({ status: 400 })
  const { status, body } = await retry({ firstComment: { text: 'Better' } })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'partially_published',
    parts: [
      { kind: 'post', status: 'published', text: 'Look' },
      { kind: 'first_comment', status: 'pending', text: 'Better' },
    ],
  })
})

test('the author of a picture post reads it back without media in the comment', async () => {
  const workspace = await aWorkspace(db)
  const channelId = await aChannel(db, workspace.workspaceId)
  const mediaId = await aPicture(db, workspace.workspaceId)
  await aPost(db, workspace.workspaceId, { channelIds: [channelId] })
  const { body } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    state: 'draft',
    channelIds: [channelId],
    text: '',
    mediaIds: [mediaId],
    firstComment,
  })
  expect(body).toMatchObject({
    destinations: [{ parts: [{ mediaIds: [mediaId] }, { kind: 'first_comment', mediaIds: [] }] }],
  })
})
