import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, expect, test } from 'vitest'
import { aChannel } from '../../../test/rigs/fixtures.ts'
import { type Revision, revisions } from '../../../test/rigs/mcp-client.ts'
import { toolAnswer } from '../../../test/rigs/mcp-message.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'

const app = await openRunningApp()
const { workspaceId } = app.workspace
const channelId = await aChannel(app.db, workspaceId)
afterAll(() => app[Symbol.asyncDispose]())

let keys = 0

/** The official client, which has a person look at pages, or has none. */
async function openClient(
  capabilities: object,
  { revision = '2026-07-28', action = 'accept' }: { revision?: Revision; action?: string } = {},
) {
  const shown: { url: string; message: string }[] = []
  const client = new Client(
    { name: 'a client', version: '1' },
    { capabilities, versionNegotiation: { mode: revisions[revision] } },
  )
  if ('elicitation' in capabilities)
    client.setRequestHandler('elicitation/create', ({ params }: any) => {
      shown.push(params)
      return { action } as { action: 'accept' | 'decline' }
    })
  const requestInit = { headers: { authorization: `Bearer ${app.key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.baseUrl}/mcp`), { requestInit }))
  const create = async (state: string) => {
    const given = { idempotencyKey: `now-${++keys}`, state, channelIds: [channelId], text: 'Now' }
    return toolAnswer(await client.callTool({ name: 'create_post', arguments: given }))
  }
  return { create, shown, [Symbol.asyncDispose]: () => client.close() }
}

const count = async () => {
  const [posts] = await app.db<{ count: number }[]>`
    select count(*)::int as count from post where workspace_id = ${workspaceId}`
  return posts!.count
}

test.each(['accept', 'decline'])('a client that opens pages shows the review once: %s', async (action) => {
  await using own = await openClient({ elicitation: { url: {} } }, { action })
  const before = await count()
  const { isError, answer } = await own.create('immediate')
  expect(isError).toBe(false)
  expect(answer.approval.status).toBe('pending')
  const { reviewUrl: url } = answer.approval
  expect(own.shown).toEqual([expect.objectContaining({ mode: 'url', url })])
  expect(own.shown[0]!.message).not.toContain('Now')
  expect(await count()).toBe(before + 1)
})

test('and none for what is not published now', async () => {
  await using own = await openClient({ elicitation: { url: {} } })
  expect((await own.create('draft')).isError).toBe(false)
  expect(own.shown).toEqual([])
})

test.each([
  [{}, '2026-07-28'],
  [{ elicitation: {} }, '2026-07-28'],
  [{ elicitation: { form: {} } }, '2026-07-28'],
  [{}, '2025-11-25'],
  [{ elicitation: { url: {} } }, '2025-11-25'],
] as const)('a client of %j and %s is told the address alone', async (capabilities, revision) => {
  await using own = await openClient(capabilities, { revision })
  const { answer } = await own.create('immediate')
  expect(answer.approval).toMatchObject({ status: 'pending', reviewUrl: expect.stringContaining('/review/') })
  expect(own.shown).toEqual([])
})
