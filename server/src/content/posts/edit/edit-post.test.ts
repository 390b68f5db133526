import { Post } from '@postrider/contract'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import {
  aChannel,
  anApproval,
  aPicture,
  announced,
  aPost,
  aWorkspace,
  type Answered,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { reviewedOf } from '../../approvals/approval-store.ts'
import { contentDigest } from '../../approvals/approval.ts'

const { world, api, changingNothing } = await openFileWorld()

type Place = { workspace: AWorkspace; short: string; long: string }

async function aPlace(): Promise<Place> {
  const workspace = await aWorkspace(world.db)
  const short = await aChannel(world.db, workspace.workspaceId)
  const long = await aChannel(world.db, workspace.workspaceId, { provider: 'sandbox-professional' })
  return { workspace, short, long }
}

async function created({ workspace }: Place, plan: object): Promise<Post> {
  const body = { confirmed: true, idempotencyKey: crypto.randomUUID(), state: 'draft', ...plan }
  const { status, body: post } = await api.call(workspace, 'POST', '/posts', body)
  expect(status).toBe(201)
  return post as Post
}

/** A draft of both channels with shared content: a text and one follow-up. */
function aShared(place: Place, plan: object = {}): Promise<Post> {
  const content = {
    channelIds: [place.short, place.long],
    text: 'first words',
    thread: [{ text: 'more of them' }],
  }
  return created(place, { ...content, ...plan })
}

function edit({ workspace }: Place, { postId, editToken }: Post, content: object): Promise<Answered> {
  return api.command(workspace, postId, 'edit', { editToken, content })
}

/** Edits, and holds the answer against what is read afterwards. */
async function edited(place: Place, post: Post, content: object): Promise<Post> {
  const { status, body } = await edit(place, post, content)
  expect({ status, body }).toMatchObject({ status: 200 })
  expect(Check(Post, body)).toBe(true)
  // What it says of the edit itself is in no later reading.
  expect({ ...body, warnings: undefined }).toEqual({
    ...(await api.read(place.workspace, post.postId)),
    warnings: undefined,
  })
  expect(body.editToken).not.toBe(post.editToken)
  return body as Post
}

async function expectRefused(place: Place, post: Post, content: object, problem: object): Promise<Answered> {
  const answer = await changingNothing(place.workspace, () => edit(place, post, content))
  expect(answer.body).toMatchObject(problem)
  return answer
}

const textsOf = (post: Post) =>
  post.destinations.map(({ content, parts }) => [content?.text ?? null, parts.map(({ text }) => text)])

async function found({ workspace }: Place, q: string): Promise<{ postId: string; text: string }[]> {
  const { body } = await api.call(workspace, 'GET', `/posts?q=${encodeURIComponent(q)}`)
  return body.items as { postId: string; text: string }[]
}

describe('whose content it is', () => {
  test('shared content replaces shared content', async () => {
    const place = await aPlace()
    const post = await edited(place, await aShared(place), { text: 'other words', thread: [] })
    expect(post.content).toEqual({ text: 'other words' })
    expect(textsOf(post)).toEqual([
      [null, ['other words']],
      [null, ['other words']],
    ])
  })

  test('targets for all leave nothing shared, in the post and in lists', async () => {
    const place = await aPlace()
    const { short, long } = place
    const post = await edited(place, await aShared(place, { state: 'scheduled', publishAt: hoursAhead(1) }), {
      targets: [
        { channelId: long, text: 'for the long', thread: [{ text: 'and on' }] },
        { channelId: short, text: 'for the short', thread: [] },
      ],
    })
    expect(post.content).toBeNull()
    expect(textsOf(post)).toEqual([
      ['for the short', ['for the short']],
      ['for the long', ['for the long', 'and on']],
    ])
    const [listed] = (await api.call(place.workspace, 'GET', '/posts')).body.items
    expect(listed.text).toBe('for the short')
    const range = `from=${new Date().toISOString()}&to=${new Date(Date.now() + 86_400_000).toISOString()}`
    const entries = (await api.call(place.workspace, 'GET', `/calendar?${range}`)).body as { text: string }[]
    expect(entries.map(({ text }) => text)).toEqual(['for the short', 'for the long'])
  })

  test('a target for one leaves the other what was shared, until it is named, too', async () => {
    const place = await aPlace()
    const once = await edited(place, await aShared(place), {
      targets: [{ channelId: place.long, text: 'mine', thread: [] }],
    })
    expect(once.content).toMatchObject({ text: 'first words' })
    expect(textsOf(once)).toEqual([
      [null, ['first words', 'more of them']],
      ['mine', ['mine']],
    ])
    const twice = await edited(place, once, { targets: [{ channelId: place.short, text: 'and mine' }] })
    expect(twice.content).toBeNull()
    expect(textsOf(twice)).toEqual([
      ['and mine', ['and mine', 'more of them']],
      ['mine', ['mine']],
    ])
  })

  test('shared content takes the place of targets', async () => {
    const place = await aPlace()
    const targets = [
      { channelId: place.short, text: 'a' },
      { channelId: place.long, text: 'b' },
    ]
    const post = await edited(place, await created(place, { targets }), {
      text: 'for both',
      thread: [{ text: 'x' }],
    })
    expect(post.content).toEqual({ text: 'for both', thread: [{ text: 'x' }] })
    expect(textsOf(post)).toEqual([
      [null, ['for both', 'x']],
      [null, ['for both', 'x']],
    ])
  })

  test('what is cancelled keeps the words that it had', async () => {
    const place = await aPlace()
    const post = await aShared(place)
    const [short] = post.destinations
    const { channelId, controlToken } = short!
    await api.command(place.workspace, post.postId, 'cancel', { channelId, controlToken })
    const had = { text: 'first words', thread: [{ text: 'more of them' }] }

    const cancelled = await api.read(place.workspace, post.postId)
    const after = await edited(place, cancelled, { text: 'other words', thread: [] })
    expect(after.destinations).toMatchObject([
      { status: 'cancelled', content: had, parts: [{ text: 'first words' }, { text: 'more of them' }] },
      { status: 'draft', content: null, parts: [{ text: 'other words' }] },
    ])
    const last = await edited(place, after, { targets: [{ channelId: place.long, text: 'own words' }] })
    expect(last.content).toBeNull()
    expect(last.destinations[0]!.content).toEqual(had)
  })

  test('the search finds the new words, and no longer the old ones', async () => {
    const place = await aPlace()
    const post = await edited(place, await aShared(place), {
      text: 'ÜBRIGENS',
      thread: [{ text: 'noch etwas' }],
    })
    expect(await found(place, 'first words')).toEqual([])
    expect(await found(place, 'more of them')).toEqual([])
    for (const q of ['übrigens', 'ETWAS']) {
      expect(await found(place, q)).toMatchObject([{ postId: post.postId, text: 'ÜBRIGENS' }])
    }
  })

  test('settings that an edit does not name stay', async () => {
    const place = await aPlace()
    const post = await aShared(place)
    await world.db`update destination set settings = '{}' where post_id = ${post.postId}`
    await edited(place, post, { targets: [{ channelId: place.short, text: 'a', settings: {} }] })
    const rows = await world.db`select settings from destination where post_id = ${post.postId}`
    expect(rows.map(({ settings }) => settings)).toEqual([{}, {}])
  })
})

describe('an edit merges', () => {
  /** Shared by both channels: a text with a picture, and a follow-up with another. */
  async function anIllustrated() {
    const place = await aPlace()
    const { workspaceId } = place.workspace
    const [one, two] = [await aPicture(world.db, workspaceId), await aPicture(world.db, workspaceId)]
    const thread = [{ text: 'more of them', mediaIds: [two] }]
    return { place, one, two, thread, post: await aShared(place, { mediaIds: [one], thread }) }
  }

  const partsOf = ({ destinations }: Post) =>
    destinations.map(({ parts }) => parts.map(({ text, mediaIds }) => [text, mediaIds]))

  test('a new text keeps the thread and every picture', async () => {
    const { place, post, one, two, thread } = await anIllustrated()
    const after = await edited(place, post, { text: 'other words' })
    expect(after.content).toEqual({ text: 'other words', mediaIds: [one], thread })
    const parts = [
      ['other words', [one]],
      ['more of them', [two]],
    ]
    expect(partsOf(after)).toEqual([parts, parts])
    expect(after.media.map(({ mediaId }) => mediaId)).toEqual([one, two])
  })

  test('empty lists remove', async () => {
    const { place, post, one, two } = await anIllustrated()
    const without = await edited(place, post, { mediaIds: [] })
    expect(without.content).toEqual({
      text: 'first words',
      thread: [{ text: 'more of them', mediaIds: [two] }],
    })
    const { content, media } = await edited(place, without, { thread: [] })
    expect([content, media]).toEqual([{ text: 'first words' }, []])
    const illustrated = await edited(
      place,
      { ...without, ...(await api.read(place.workspace, post.postId)) },
      {
        mediaIds: [one],
      },
    )
    expect(illustrated.content).toEqual({ text: 'first words', mediaIds: [one] })
  })

  test('of targets, each channel keeps what is not named of it, and the others keep theirs', async () => {
    const { place, post, one, two, thread } = await anIllustrated()
    const once = await edited(place, post, { targets: [{ channelId: place.short, text: 'short words' }] })
    expect(once.content).toEqual({ text: 'first words', mediaIds: [one], thread })
    expect(partsOf(once)).toEqual([
      [
        ['short words', [one]],
        ['more of them', [two]],
      ],
      [
        ['first words', [one]],
        ['more of them', [two]],
      ],
    ])
    const twice = await edited(place, once, {
      targets: [{ channelId: place.short, mediaIds: [], thread: [] }],
    })
    expect(partsOf(twice)[0]).toEqual([['short words', []]])

    const all = await edited(place, twice, { text: 'for all' })
    expect(all.content).toEqual({ text: 'for all', mediaIds: [one], thread })
    expect(all.destinations.map(({ content }) => content)).toEqual([{ text: 'for all' }, null])
  })

  test('and the result as a whole has to be publishable', async () => {
    const place = await aPlace()
    const picture = await aPicture(world.db, place.workspace.workspaceId)
    const post = await created(place, { channelIds: [place.short], text: '', mediaIds: [picture] })
    const problem = { code: 'post_not_publishable', issues: [{ code: 'text_empty', partIndex: 0 }] }
    await expectRefused(place, post, { mediaIds: [] }, problem)
    await expectRefused(place, post, { targets: [{ channelId: place.short, mediaIds: [] }] }, problem)
    await edited(place, post, { mediaIds: [], text: 'Words after all' })
  })
})

test.each([
  [['one', 'two', 'three'], ['one']],
  [['one'], ['one', 'two', 'three', 'four']],
  [
    ['one', 'two'],
    ['two', 'one'],
  ],
])('a thread %j becomes %j', async (from, to) => {
  const place = await aPlace()
  const content = (texts: string[]) => ({ text: texts[0]!, thread: texts.slice(1).map((text) => ({ text })) })
  const post = await created(place, { channelIds: [place.short], ...content(from) })
  const after = await edited(place, post, content(to))
  expect(after.destinations[0]!.parts).toEqual(
    to.map((text, index) => ({
      index,
      kind: index === 0 ? 'post' : 'reply',
      status: 'pending',
      text,
      mediaIds: [],
      publishedAt: null,
      releaseUrl: null,
    })),
  )
})

describe('what is refused', () => {
  test('a text that is too long for one of the channels, with where it is', async () => {
    const place = await aPlace()
    const post = await aShared(place)
    const long = 'x'.repeat(281)
    const issue = { code: 'text_too_long', severity: 'error', channelId: place.short }
    await expectRefused(
      place,
      post,
      { text: long },
      {
        code: 'post_not_publishable',
        issues: [{ ...issue, pointer: '/content/text', partIndex: 0 }],
      },
    )
    await expectRefused(
      place,
      post,
      { text: 'a', thread: [{ text: 'b' }, { text: long }] },
      {
        code: 'post_not_publishable',
        issues: [{ ...issue, pointer: '/content/thread/1/text', partIndex: 2 }],
      },
    )
    const targets = [
      { channelId: place.long, text: long },
      { channelId: place.short, text: long },
    ]
    await expectRefused(
      place,
      post,
      { targets },
      {
        code: 'post_not_publishable',
        issues: [{ ...issue, pointer: '/content/targets/1/text' }],
      },
    )
    await edited(place, post, { targets: targets.slice(0, 1) })
  })

  test('a channel that is not the post’s, or no longer', async () => {
    const [place, elsewhere] = [await aPlace(), await aPlace()]
    const post = await created(place, { channelIds: [place.short], text: 'a' })
    const gone = await aShared(place)
    const { channelId, controlToken } = gone.destinations[0]!
    await api.command(place.workspace, gone.postId, 'cancel', { channelId, controlToken })

    const unknown = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
    for (const stranger of [unknown, elsewhere.short, place.long]) {
      const targets = [
        { channelId: place.short, text: 'fine' },
        { channelId: stranger, text: 'not fine' },
      ]
      const answer = await expectRefused(
        place,
        post,
        { targets },
        { status: 422, code: 'channel_unavailable' },
      )
      expect(answer.body.errors).toMatchObject([
        { pointer: '/content/targets/1/channelId', code: 'channel_not_in_post' },
      ])
    }
    const after = await api.read(place.workspace, gone.postId)
    await expectRefused(
      place,
      after,
      { targets: [{ channelId, text: 'x' }] },
      { code: 'channel_unavailable' },
    )
  })

  test('a channel that is named twice, and one that is switched off', async () => {
    const place = await aPlace()
    const post = await aShared(place)
    const twice = [
      { channelId: place.short, text: 'a' },
      { channelId: place.short, text: 'b' },
    ]
    await expectRefused(
      place,
      post,
      { targets: twice },
      {
        code: 'post_not_publishable',
        issues: [{ code: 'channel_duplicate', pointer: '/content/targets/1/channelId' }],
      },
    )
    await world.db`update channel set enabled = false where id = ${place.short}`
    await expectRefused(place, post, { text: 'a' }, { code: 'channel_unavailable' })
    await edited(place, post, { targets: [{ channelId: place.long, text: 'b' }] })
  })

  test.each([
    [{}],
    [{ text: 7 }],
    [{ text: 'a', targets: [] }],
    [{ targets: [{ channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11' }] }],
    [{ text: null }],
    [{ thread: null }],
    [{ settings: {} }],
    [{ targets: [{ channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', publishAt: null }] }],
    [{ targets: [] }],
    [{ targets: [{ text: 'no channel' }] }],
    [{ text: 'a', thread: 'b' }],
    [{ text: 'a', publishAt: '2027-01-01T00:00:00Z' }],
    ['words'],
    [null],
  ])('content of another shape: %j', async (content) => {
    const place = await aPlace()
    const post = await aShared(place)
    await expectRefused(place, post, content as object, { status: 400, code: 'validation_failed' })
  })

  test.each(['', '   ', '\u200b'])('text that nobody can see: %j', async (text) => {
    const place = await aPlace()
    const issues = [{ code: 'text_empty', pointer: '/content/text', partIndex: 0 }]
    await expectRefused(place, await aShared(place), { text }, { code: 'post_not_publishable', issues })
  })

  test('an edit of a post of which anything has begun, or has failed, with what stands in the way', async () => {
    const { db } = world
    const workspace = await aWorkspace(db)
    for (const status of ['publishing', 'published', 'failed', 'delayed', 'checking'] as const) {
      const { postId } = await aPost(db, workspace.workspaceId, { states: ['draft', 'cancelled', status] })
      const post = await api.read(workspace, postId)
      const place = { workspace, short: '', long: '' }
      const allowedStatuses = ['draft', 'scheduled']
      const refusal = { status: 409, code: 'invalid_state', currentStatus: status, allowedStatuses }
      await expectRefused(place, post, { text: 'a' }, refusal)
      const { channelId } = post.destinations[0]!
      await expectRefused(place, post, { targets: [{ channelId, text: 'a' }] }, refusal)
      expect(post.destinations.map(({ allowedActions }) => allowedActions.edit.allowed)).toEqual([
        false,
        false,
        false,
      ])
    }
  })
})

test('what has a part out, and is over, keeps showing what was published', async () => {
  const { db } = world
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const place = { workspace, short: '', long: '' }
  const { postId, destinationIds } = await aPost(db, workspaceId, {
    states: ['expired', 'cancelled'],
    texts: ['what was published', 'what was not'],
  })
  await db`
    update part set status = 'published', remote_id = 'r', published_at = now()
    where  workspace_id = ${workspaceId} and destination_id = ${destinationIds[0]!} and index = 0`
  const post = await api.read(workspace, postId)
  for (const { allowedActions } of post.destinations) {
    expect(allowedActions.edit).toEqual({
      allowed: false,
      reason: expect.stringContaining('nothing more will be sent'),
    })
  }
  const refusal = { status: 409, code: 'invalid_state', currentStatus: 'expired' }
  await expectRefused(place, post, { text: 'what was never published' }, refusal)
})

test('of two edits at once with one token, one is done and the other is stale', async () => {
  const place = await aPlace()
  const post = await aShared(place)
  const texts = ['one', 'two', 'three', 'four']
  const answers = await Promise.all(texts.map((text) => edit(place, post, { text })))
  const won = answers.findIndex(({ status }) => status === 200)
  expect(answers.map(({ body }) => body.code)).toEqual(
    texts.map((_text, place) => (place === won ? undefined : 'stale_edit_token')),
  )
  const after = await api.read(place.workspace, post.postId)
  expect(after).toEqual(answers[won]!.body)
  expect(textsOf(after)).toEqual([
    [null, [texts[won], 'more of them']],
    [null, [texts[won], 'more of them']],
  ])
})

test('an edit of what is scheduled keeps its time and its control token, and writes no event', async () => {
  const place = await aPlace()
  const post = await aShared(place, { state: 'scheduled', publishAt: hoursAhead(1) })
  const events = await announced(world.db, place.workspace.workspaceId)
  const after = await edited(place, post, { text: 'a' })
  const kept = ({ destinations }: Post) =>
    destinations.map(({ status, publishAt, expiresAt, controlToken }) => [
      status,
      publishAt,
      expiresAt,
      controlToken,
    ])
  expect(kept(after)).toEqual(kept(post))
  expect(await announced(world.db, place.workspace.workspaceId)).toEqual(events)
})

describe('an edit of a post that needs approval asks again', () => {
  test.each(['pending', 'rejected', 'expired'] as const)('when it is %s', async (status) => {
    const place = await aPlace()
    const { workspaceId } = place.workspace
    const post = await aShared(place)
    const first = await anApproval(world.db, workspaceId, post.postId, status)

    const after = await edited(place, post, { text: 'other words' })
    expect(after).toMatchObject({ reviewStatus: 'pending', approval: { status: 'pending', decidedAt: null } })
    expect(after.approval!.reviewUrl).not.toContain(first)
    const rows = await requests(workspaceId)
    expect(rows.map((row) => row.status)).toEqual([
      status === 'rejected' ? 'rejected' : 'superseded',
      'pending',
    ])
    const [old, renewed] = rows
    expect(renewed!.digest).toEqual(contentDigest(await reviewedOf(world.db, workspaceId, post.postId)))
    expect(renewed!.digest).not.toEqual(old!.digest)
    expect(renewed!.stands).toBe('7 days')
  })

  test('when it was approved and is scheduled: it goes back to draft, without an event', async () => {
    const { db } = world
    const workspace = await aWorkspace(db)
    const { workspaceId } = workspace
    const { postId } = await aPost(db, workspaceId, { states: ['scheduled', 'scheduled', 'cancelled'] })
    await anApproval(db, workspaceId, postId, 'approved')
    const post = await api.read(workspace, postId)
    const after = await edited({ workspace, short: '', long: '' }, post, { text: 'other words' })

    expect(after).toMatchObject({ reviewStatus: 'pending', approval: { status: 'pending' } })
    expect(after.destinations).toMatchObject([
      { status: 'draft', publishAt: post.destinations[0]!.publishAt, expiresAt: null },
      { status: 'draft', publishAt: post.destinations[1]!.publishAt, expiresAt: null },
      { status: 'cancelled' },
    ])
    for (const [place, { controlToken }] of post.destinations.slice(0, 2).entries()) {
      expect(after.destinations[place]!.controlToken).not.toBe(controlToken)
      expect(after.destinations[place]!.allowedActions.schedule.allowed).toBe(false)
    }
    expect(await announced(db, workspaceId)).toEqual([])
    expect((await requests(workspaceId)).map(({ status }) => status)).toEqual(['approved', 'pending'])
  })

  test('but not when nothing of it is left to publish', async () => {
    const { db } = world
    const workspace = await aWorkspace(db)
    const { postId } = await aPost(db, workspace.workspaceId, { states: ['cancelled', 'expired'] })
    await anApproval(db, workspace.workspaceId, postId, 'approved')
    const post = await api.read(workspace, postId)
    await edited({ workspace, short: '', long: '' }, post, { text: 'other words' })
    expect(await requests(workspace.workspaceId)).toHaveLength(1)
  })
})

function requests(workspaceId: string) {
  return world.db<{ status: string; digest: Buffer; stands: string }[]>`
    select status, content_digest as digest, (expires_at - requested_at)::text as stands
    from   approval where workspace_id = ${workspaceId} order by id`
}
