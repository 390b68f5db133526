import { afterAll, describe, expect, test } from 'vitest'
import { openFaultProxy, type ProxyFault } from './rigs/fault-proxy.ts'
import { aChannel } from './rigs/fixtures.ts'
import { MCP_HEADERS, message, toolAnswer, type ToolAnswer } from './rigs/mcp-message.ts'
import { aPhoto } from './rigs/media-files.ts'
import { openRunningApp } from './rigs/running-app.ts'

/*
 * An agent that does its work by tools alone, over connections that break: each write is sent through a fault first, and
 * issued again as clients do, with a new id of the message and the same arguments.
 */

const app = await openRunningApp()
const proxy = await openFaultProxy(new URL(app.baseUrl.replace('localhost', '127.0.0.1')))
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
const { workspaceId } = app.workspace
const channelId = await aChannel(app.db, workspaceId)

/** Before, in and after the answer. */
const FAULTS: readonly ProxyFault[] = [
  'reset before it is read',
  'cut in the request',
  'reset after it was read',
  'half an answer',
  'half a body',
  '502 with HTML',
  'sent twice',
]
const JOURNEYS = 5

let issued = 0

/** One message; null where no whole answer came. */
async function issue(name: string, given: object): Promise<ToolAnswer | null> {
  const call = message('tools/call', { name, arguments: given }, `call-${++issued}`)
  try {
    const answer = await fetch(`${proxy.url.origin}/mcp`, {
      method: 'POST',
      headers: { ...MCP_HEADERS, authorization: `Bearer ${app.key}` },
      body: JSON.stringify(call),
    })
    const { result } = (await answer.json()) as { result?: unknown }
    return result === undefined ? null : toolAnswer(result)
  } catch {
    return null
  }
}

/** Calls until there is an answer: the first time through the fault. */
async function insist(fault: ProxyFault | null, name: string, given: object): Promise<any> {
  proxy.fault = fault
  const first = await issue(name, given)
  proxy.fault = null
  let answer = first
  // Of a message that arrived twice, the other may still be at work.
  while (answer === null || answer.answer.code === 'idempotency_in_progress')
    answer = await issue(name, given)
  expect(answer).toMatchObject({ isError: false })
  return answer.answer
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

async function journey(fault: ProxyFault, name: string): Promise<string> {
  const write = (tool: string, step: string, given: object) =>
    insist(fault, tool, { idempotencyKey: `${name} ${step}`.replaceAll(' ', '-'), ...given })
  const read = async (postId: string) => {
    const { editToken, destinations } = await insist(null, 'get_post', { postId })
    return { editToken, on: { postId, channelId, controlToken: destinations[0].controlToken } }
  }
  const { postId } = await write('create_post', 'create', {
    state: 'draft',
    channelIds: [channelId],
    text: name,
  })
  await write('schedule_post', 'schedule', { ...(await read(postId)).on, publishAt: inHours(48) })
  const { editToken } = await read(postId)
  await write('edit_post', 'edit', { postId, editToken, text: `${name}, edited` })
  await write('schedule_post', 'move', { ...(await read(postId)).on, publishAt: inHours(72) })
  await write('cancel_post', 'cancel', (await read(postId)).on)
  return postId
}

describe.each(FAULTS)('%s', (fault) => {
  test.each(Array.from({ length: JOURNEYS }, (_, n) => n))('journey %i has each effect once', async (n) => {
    const name = `${fault} ${n}`
    const postId = await journey(fault, name)
    const posts = await app.db<{ id: string }[]>`
      select id from post where workspace_id = ${workspaceId} and content ->> 'text' = ${`${name}, edited`}`
    expect(posts).toEqual([{ id: postId }])
    const acts = await app.db<{ action: string }[]>`
      select action from audit_entry where subject ->> 'postId' = ${postId} order by seq`
    expect(acts.map(({ action }) => action)).toEqual([
      'createPost',
      'scheduleDestination',
      'editPost',
      'rescheduleDestination',
      'cancelDestination',
    ])
  })

  test('an upload has one effect', async () => {
    const base64 = (await aPhoto()).toString('base64')
    const given = { idempotencyKey: `upload-${fault.replaceAll(' ', '-')}`, base64 }
    const { mediaId } = await insist(fault, 'upload_media', given)
    const acts =
      await app.db`select from audit_entry where action = 'uploadMedia' and subject ->> 'mediaId' = ${mediaId}`
    expect(acts).toHaveLength(1)
  })
})

test('all of it made as many posts and files as were meant', async () => {
  const [count] = await app.db<{ posts: number; media: number }[]>`
    select (select count(*)::int from post where workspace_id = ${workspaceId}) as posts,
           (select count(*)::int from media_item where workspace_id = ${workspaceId}) as media`
  expect(count).toEqual({ posts: FAULTS.length * JOURNEYS, media: FAULTS.length })
})
