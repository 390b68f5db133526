import type { Post } from '@postrider/contract'
import { germanHistory } from '@postrider/contract/german'
import { afterAll, describe, expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, anApproval, anAttempt, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'
import { cardWords, evidenceWords, lackWords } from './timeline.ts'

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

describe('the timeline of a post', () => {
  test('has the post, the request for approval and each attempt with its evidence, oldest first', async () => {
    const { workspaceId } = await aWorkspace(db)
    const channelId = await aChannel(db, workspaceId)
    const { postId, destinationIds } = await aPost(db, workspaceId, {
      channelIds: [channelId],
      states: ['checking'],
    })
    await anApproval(db, workspaceId, postId)
    const viewer = await aUser(db, site.app)
    await join(db, workspaceId, viewer, 'viewer')

    await db`delete from attempt where destination_id = ${destinationIds[0]!}`
    await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
    await db`
      update attempt
      set    verdict = 'unknown', settled_at = now(),
             evidence = '[{"by": "publish", "verdict": "unknown", "silence": "TIMEOUT", "maybeSent": true, "durationMs": 30000}]'
      where  destination_id = ${destinationIds[0]!}`
    const { status, body } = await viewer.ask(`GET /workspaces/${workspaceId}/posts/${postId}/timeline`)
    expect(status).toBe(200)
    expect(body.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['post', 'approval', 'attempt']),
    )
    const times = body.map(({ at }: { at: string }) => at)
    expect(times).toEqual(times.toSorted())
    expect(body.find(({ kind }: { kind: string }) => kind === 'attempt')).toMatchObject({
      channelId,
      tone: 'doubt',
      steps: [
        'Attempt recorded before sending.',
        'Sent to the network. No answer after 30000 ms (TIMEOUT). The request may have arrived. Not confirmed.',
      ],
    })
  })

  test('is told to programs that ask, without ids of networks and the endpoints of others, with where to settle it', async () => {
    const workspace = await aWorkspace(db)
    const { workspaceId } = workspace
    const { postId, destinationIds } = await aPost(db, workspaceId, { states: ['checking', 'published'] })
    await db`delete from attempt where destination_id = ${destinationIds[0]!}`
    await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
    await db`
      update attempt
      set    verdict = 'published', settled_at = now(),
             evidence = '[{"by": "lookup", "verdict": "published", "httpStatus": 200, "remoteId": "secret-17"}]'
      where  destination_id = ${destinationIds[0]!}`
    const { body: plain } = await api.call(workspace, 'GET', `/posts/${postId}`)
    expect(plain).not.toHaveProperty('history')
    expect((plain as Post).destinations.map(({ settleUrl }) => settleUrl)).toEqual([
      expect.stringMatching(new RegExp(`^https?://[^/]+/w/${workspaceId}/posts/${postId}$`)),
      null,
    ])
    const { body } = await api.call(workspace, 'GET', `/posts/${postId}?include=history`)
    const { history = [] } = body as Post
    expect(history.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['post', 'attempt']))
    expect(history.flatMap(({ steps }) => steps)).toContain(
      'Looked for the post on the network. Answer: HTTP 200. Published.',
    )
    expect(JSON.stringify(body)).not.toContain('secret-17')
    expect((await api.call(workspace, 'GET', `/posts/${postId}?include=all`)).status).toBe(400)
  })

  test('of a post of another workspace is not there', async () => {
    const [mine, theirs] = [await aWorkspace(db), await aWorkspace(db)]
    const { postId } = await aPost(db, theirs.workspaceId)
    const viewer = await aUser(db, site.app)
    await join(db, mine.workspaceId, viewer, 'owner')
    const { body } = await viewer.ask(`GET /workspaces/${mine.workspaceId}/posts/${postId}/timeline`)
    expect(body).toMatchObject({ status: 404, code: 'not_found' })
  })
})

test.each(Object.keys(lackWords) as (keyof typeof lackWords)[])(
  'that a card lacks something because of %s is said in both languages',
  (why) => {
    for (const missing of ['card', 'picture'] as const) {
      const said = cardWords({ by: 'card', of: missing, why, host: 'xn--caf-dma.example:8443', status: 503 })
      expect(said).toMatch(/^(?:No link card was made|The link card has no picture)\. [A-Z][^{}]+\.$/)
      const german = germanHistory(said)
      expect(german).toMatch(/^(?:Der Link hat keine Vorschau|Die Link-Vorschau hat kein Bild)\. [A-Z]/)
      expect(german).not.toMatch(/\b(?:the|The|page|picture|HTTP undefined)\b/)
    }
  },
)

test('what an attempt went without stands behind it, also where a backup held it', async () => {
  const workspace = await aWorkspace(db)
  const { postId, destinationIds } = await aPost(db, workspace.workspaceId, { states: ['published'] })
  await db`delete from attempt where destination_id = ${destinationIds[0]!}`
  await anAttempt(db, workspace.workspaceId, destinationIds[0]!, 'unknown')
  const lack = { by: 'card', of: 'card', why: 'slow', host: 'example.com' }
  for (const evidence of [[lack, { by: 'restore', was: 'publishing' }], [lack]]) {
    await db`update attempt set evidence = ${db.json(evidence)} where destination_id = ${destinationIds[0]!}`
    const { body } = await api.call(workspace, 'GET', `/posts/${postId}?include=history`)
    const entries = (body as Post).history!.filter(({ kind }) => kind === 'attempt' || kind === 'warning')
    expect(entries.map(({ text }) => text)).toEqual([
      evidence.length === 1 ? 'Publishing attempt. Not confirmed.' : 'Restored from a backup. Not confirmed.',
      'No link card was made. The page at example.com could not be read in time.',
    ])
    expect(entries[1]?.steps).toEqual([])
  }
})

/** Such as `Thu, 15 Jan 2026, 09:00 GMT+9`. */
function inTokyo(at: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const clock = { hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Tokyo' } as const
  return `${new Intl.DateTimeFormat('en-GB', { ...parts, ...clock }).format(new Date(at))} GMT+9`
}

test('who changed what is told, and from when to when a post was moved', async () => {
  const workspace = await aWorkspace(db)
  const channelId = await aChannel(db, workspace.workspaceId)
  const [first, second] = [hoursAhead(24), hoursAhead(30)]
  await db`update workspace set time_zone = 'Asia/Tokyo' where id = ${workspace.workspaceId}`
  const { body: post } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    state: 'scheduled',
    publishAt: first,
    channelIds: [channelId],
    text: 'With a tpyo',
  })
  const { postId, editToken } = post
  const { body: edited } = await api.call(workspace, 'POST', `/posts/${postId}/edit`, {
    confirmed: true,
    editToken,
    content: { text: 'With a typo', thread: [{ text: 'More' }] },
  })
  const [{ controlToken }] = edited.destinations
  await api.call(workspace, 'POST', `/posts/${postId}/reschedule`, {
    confirmed: true,
    channelId,
    controlToken,
    publishAt: second,
  })
  const { body } = await api.call(workspace, 'GET', `/posts/${postId}?include=history`)
  const texts = (body as Post).history!.map(({ text }) => text)
  expect(texts.slice(1)).toEqual([
    `Scheduled for ${inTokyo(first)}.`,
    expect.stringMatching(/^.+ changed the text and follow-ups\.$/),
    `Moved from ${inTokyo(first)} to ${inTokyo(second)}.`,
  ])
})

test.each([
  [
    { by: 'publish', verdict: 'published', httpStatus: 201, durationMs: 11.6, remoteId: '179' },
    'Sent to the network. Answer: HTTP 201 after 12 ms. Published. ID on the network: 179.',
  ],
  [
    { by: 'lookup', verdict: 'absent', httpStatus: 404, durationMs: 3 },
    'Looked for the post on the network. Answer: HTTP 404 after 3 ms. Not on the network.',
  ],
  [
    { by: 'person', name: 'Ada', verdict: 'published', remoteId: '7', note: 'I see it' },
    'Ada checked the network. Published. ID on the network: 7. “I see it”',
  ],
  [
    {
      by: 'publish',
      verdict: 'deferred',
      silence: 'ECONNRESET',
      durationMs: 5,
      maybeSent: true,
      unfinished: true,
    },
    'Sent to the network. No answer after 5 ms (ECONNRESET). The request was interrupted on its way. Not possible right now, not published.',
  ],
  [
    {
      by: 'lookup',
      verdict: 'unavailable',
      httpStatus: 200,
      durationMs: 3,
      detail: 'Too many posts have been made since the call.',
      at: '2026-11-21T09:00:00+00:00',
    },
    'Looked for the post on the network. Answer: HTTP 200 after 3 ms. Not conclusive: Too many posts have been made since the call. (2026-11-21T09:00:00.000Z)',
  ],
  [
    {
      by: 'lookup',
      verdict: 'not_yet',
      httpStatus: 200,
      durationMs: 3,
      times: 4,
      at: '2026-11-21T09:00:00+00:00',
      until: '2026-11-21T09:06:00+00:00',
    },
    'Looked for the post on the network. Answer: HTTP 200 after 3 ms. Not there yet, may still appear. (4 times the same, 2026-11-21T09:00:00.000Z to 2026-11-21T09:06:00.000Z)',
  ],
  [
    { by: 'publish', verdict: 'unknown', silence: 'UND_ERR_SOCKET', durationMs: 5, maybeSent: true },
    'Sent to the network. No answer after 5 ms (connection closed). The request may have arrived. Not confirmed.',
  ],
  [{ by: 'recovery', verdict: 'unknown' }, 'The server stopped before recording an answer.'],
  [
    { by: 'late', verdict: 'published', remoteId: '7' },
    'Confirmed late by the network. Published. ID on the network: 7.',
  ],
  [
    { by: 'late_post', verdict: 'published', remoteId: '7' },
    'Confirmed by an earlier attempt. Published. ID on the network: 7.',
  ],
])('evidence is a sentence: %j', (evidence, words) => {
  expect(evidenceWords(evidence)).toBe(words)
})
