import { join } from 'node:path'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, test } from 'vitest'
import { openFaultProxy } from '../../../test/rigs/fault-proxy.ts'
import { aChannel } from '../../../test/rigs/fixtures.ts'
import { revisions, type Revision } from '../../../test/rigs/mcp-client.ts'
import { toolAnswer } from '../../../test/rigs/mcp-message.ts'
import { aPhoto } from '../../../test/rigs/media-files.ts'
import { MAIN } from '../../../test/rigs/built.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'

const app = await openRunningApp()
const channelId = await aChannel(app.db, app.workspace.workspaceId)
const proxy = await openFaultProxy(new URL(app.baseUrl.replace('localhost', '127.0.0.1')))
const folder = await mkdtemp(join(tmpdir(), 'postrider-stdio-'))
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** The official client, which starts `postrider mcp` as a program with no database of its own. */
async function open({
  url = app.baseUrl,
  key = app.key,
  revision = '2026-07-28',
}: { url?: string; key?: string; revision?: Revision } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', '--url', url],
    env: { POSTRIDER_KEY: key, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' },
    cwd: folder,
  })
  const client = new Client(
    { name: 'a test', version: '1' },
    { versionNegotiation: { mode: revisions[revision] } },
  )
  await client.connect(transport)
  return {
    client,
    call: async (name: string, given: Record<string, unknown> = {}) =>
      toolAnswer(await client.callTool({ name, arguments: given })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

describe.each(Object.keys(revisions) as Revision[])('a client of %s', (revision) => {
  test('has the tools, resources and prompts of the server', async () => {
    await using agent = await open({ revision })
    const { tools } = await agent.client.listTools()
    expect(tools).toHaveLength(15)
    expect((await agent.call('list_channels')).answer.channels[0].channelId).toBe(channelId)
    expect((await agent.call('get_post', { postId: channelId })).answer.code).toBe('not_found')
    const guide = await agent.client.readResource({ uri: 'postrider://guide' })
    expect(guide.contents[0]).toMatchObject({ text: expect.stringContaining('never twice') })
    expect((await agent.client.listPrompts()).prompts).toHaveLength(2)
    await expect(agent.call('drop_table')).rejects.toThrow(/no tool drop_table/)
  })
})

test('a file of this machine is uploaded by its path, once', async () => {
  await using agent = await open()
  const path = join(folder, 'rider.jpg')
  await writeFile(path, await aPhoto())
  const given = { idempotencyKey: 'by-path', path, altText: 'A rider.' }
  const first = await agent.call('upload_media', given)
  expect(first.answer).toMatchObject({ kind: 'image', altText: 'A rider.' })
  expect((await agent.call('upload_media', given)).answer).toEqual(first.answer)
  const missing = await agent.call('upload_media', { ...given, path: join(folder, 'none.jpg') })
  expect(missing).toMatchObject({ isError: true, answer: { code: 'validation_failed' } })
  await writeFile(path, 'no picture')
  const refused = await agent.call('upload_media', { idempotencyKey: 'text', path })
  expect(refused).toMatchObject({ isError: true, answer: { code: 'unsupported_media' } })
})

test.each(['reset before it is read', 'reset after it was read', 'half an answer', '502 with HTML'] as const)(
  'a create that meets %s is sent again, and made once',
  async (fault) => {
    await using agent = await open({ url: proxy.url.origin })
    const met: string[] = []
    proxy.choose = (line) => {
      met.push(line)
      return met.length === 1 ? fault : null
    }
    const idempotencyKey = fault.replaceAll(' ', '-')
    const plan = { idempotencyKey, state: 'draft', channelIds: [channelId], text: fault }
    const { answer, isError } = await agent.call('create_post', plan)
    expect({ isError, sent: met.length }).toEqual({ isError: false, sent: 2 })
    const posts = await app.db<{ id: string }[]>`select id from post where content ->> 'text' = ${fault}`
    expect(posts).toEqual([{ id: answer.postId }])
  },
)

test('a key that is refused, and a server that is not there, are said so', async () => {
  await using stranger = await open({ key: `${app.key.slice(0, -1)}x` })
  await expect(stranger.call('get_me')).rejects.toThrow(/credential/)
  await using lost = await open({ url: 'http://127.0.0.1:9' })
  await expect(lost.call('get_me')).rejects.toThrow(/No answer from http:\/\/127\.0\.0\.1:9/)
})
