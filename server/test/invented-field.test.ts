import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { inventField } from './rigs/invent-field.ts'

/*
 * A field that nobody has heard of goes through every door, in and out: a row in the table and a schema are all that it takes. What
 * is loaded here is loaded after it was invented.
 */

inventField()
const { fieldNames, germanHistory } = await import('@postrider/contract/german')
const { newPost, planSchema, readPlan } = await import('@postrider/contract/plan')
const { editedContent } = await import('../../cli/src/plan/bodies.ts')
const { diff } = await import('../../cli/src/plan/diff.ts')
const { commands } = await import('../../cli/src/commands.ts')
const { changeOf, planOf } = await import('../../cli/src/posting.ts')
const { csvPlan } = await import('../src/content/imports/csv-plan.ts')
const { showApproval } = await import('../src/attention/reviews/show-approval.ts')
const { viewShownApproval } = await import('../src/attention/reviews/views.ts')
const { tools } = await import('../src/doors/mcp/tools.ts')
const { sdkTypes } = await import('../../tools/sdk-types.ts')
const { nodeFields } = await import('../../tools/node-fields.ts')
const { openFileWorld } = await import('./rigs/file-world.ts')
const { aChannel, aWorkspace } = await import('./rigs/fixtures.ts')
const { executeContext } = await import('./rigs/n8n-context.ts')
const { world, api } = await openFileWorld()
const { db } = world

const calm = { name: 'calm', strong: false }
const wild = { name: 'wild' }
type Shown = { postId: string; content: unknown; approval: { reviewUrl: string } | null; editToken: string }

async function aPlace() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const [ada, bob] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  await db`update channel set handle = case id when ${ada} then 'ada' else 'bob' end where workspace_id = ${workspaceId}`
  const call = async (path: string, body?: object): Promise<any> => {
    const given = body === undefined ? undefined : { confirmed: true, ...body }
    const answer = await api.call(workspace, given === undefined ? 'GET' : 'POST', path, given)
    expect([path, answer.status, answer.body]).toMatchObject([path, expect.toBeOneOf([200, 201]), {}])
    return answer.body
  }
  const create = (body: object): Promise<Shown> => call('/posts', { state: 'draft', ...body })
  const edit = async (postId: string, content: object) => {
    const { editToken } = await api.read(workspace, postId)
    return (await call(`/posts/${postId}/edit`, { editToken, content })) as Awaited<
      ReturnType<typeof api.read>
    >
  }
  return { workspace, workspaceId, ada, bob, call, create, edit }
}

const contentsOf = ({
  content,
  destinations,
}: {
  content: unknown
  destinations: readonly { content: unknown }[]
}) => JSON.stringify([content, ...destinations.map((each) => each.content)])

test('an edit keeps it, replaces it, or takes it away, and says so', async () => {
  const { ada, bob, call, create, edit, workspaceId } = await aPlace()
  const { postId, content } = await create({ channelIds: [ada, bob], text: 'Hello', mood: calm })
  expect(content).toEqual({ text: 'Hello', mood: calm })
  expect(await edit(postId, { text: 'Other' })).toMatchObject({ content: { text: 'Other', mood: calm } })
  expect(await edit(postId, { parts: [{ index: 0, text: 'Part' }] })).toMatchObject({
    content: { mood: calm },
  })
  const own = await edit(postId, { targets: [{ channelId: bob, mood: wild }] })
  expect(own).toMatchObject({ content: { mood: calm }, latestChange: { fields: ['mood'] } })
  expect(own.destinations.map((each) => each.content)).toContainEqual({ text: 'Part', mood: wild })
  const { warnings = [], ...without } = await edit(postId, { mood: null })
  expect(warnings).toMatchObject([{ code: 'own_content_replaced', pointer: '/content/mood' }])
  expect(contentsOf(without)).toBe(JSON.stringify([{ text: 'Part' }, null, null]))
  const acts = await db`
    select before, after from audit_entry where workspace_id = ${workspaceId} and action = 'editPost' order by seq`
  expect(acts[2]).toMatchObject({ before: [{ mood: calm }], after: [{ mood: wild }] })
  expect(fieldNames['mood']).toBe('Stimmung')
  const { history } = await call(`/posts/${postId}?include=history`)
  expect(history).toContainEqual(expect.objectContaining({ text: 'test key changed the mood.' }))
  expect(germanHistory('test key changed the mood.')).toBe('test key hat geändert: Stimmung.')
})

test('beside `targets` it is refused, in each of them it is theirs', async () => {
  const { workspace, ada, bob, create } = await aPlace()
  const targets = [
    { channelId: ada, text: 'A', mood: calm },
    { channelId: bob, text: 'B' },
  ]
  const made = (await create({ targets })) as unknown as Parameters<typeof contentsOf>[0]
  expect(contentsOf(made)).toBe(JSON.stringify([null, { text: 'A', mood: calm }, { text: 'B' }]))
  const beside = { confirmed: true, state: 'draft', targets, mood: wild }
  expect(await api.call(workspace, 'POST', '/posts', beside)).toMatchObject({
    body: { errors: [{ pointer: '/mood' }] },
  })
})

test('a person approves it: another one has another digest, and none has that of before there was any', async () => {
  const { workspaceId, ada, create, edit } = await aPlace()
  const shownOf = async ({ approval }: Shown) => {
    const shown = await db.begin((tx) =>
      showApproval(tx, workspaceId, approval!.reviewUrl.split('/').at(-1)!),
    )
    return viewShownApproval(shown!)
  }
  const body = { state: 'immediate', channelIds: [ada], text: 'Hello' }
  const [plain, made] = [await create(body), await create({ ...body, mood: calm })]
  const [first, second] = [await shownOf(plain), await shownOf(made)]
  expect(first.destinations[0]).not.toHaveProperty('fields')
  expect(second).toMatchObject({ unchanged: true, destinations: [{ fields: { mood: calm } }] })
  expect(second.digest).not.toBe(first.digest)
  const third = await shownOf(await edit(made.postId, { mood: wild }))
  expect(third).toMatchObject({ unchanged: true, destinations: [{ fields: { mood: wild } }] })
  expect(third.digest).not.toBe(second.digest)
  const last = await shownOf(await edit(made.postId, { mood: null }))
  expect(last.digest).toBe(first.digest)
})

test('templates and series have it, and give it to their posts', async () => {
  const { ada, call, create } = await aPlace()
  const template = await call('/templates', { name: 'One', text: '{{name}}', channelIds: [ada], mood: calm })
  expect(await call(`/templates/${template.templateId}`)).toMatchObject({ mood: calm })
  const from = { template: { templateId: template.templateId, fields: { name: 'Ada' } } }
  expect((await create(from)).content).toEqual({ text: 'Ada', mood: calm })
  expect((await create({ ...from, mood: wild })).content).toEqual({ text: 'Ada', mood: wild })
  const startsAt = {
    local: new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16),
    timeZone: 'UTC',
  }
  const series = await call('/series', {
    rule: 'FREQ=DAILY;COUNT=2',
    startsAt,
    channelIds: [ada],
    text: 'Hello',
    mood: calm,
  })
  const change = async (body: object) => {
    const { editToken } = await call(`/series/${series.seriesId}`)
    return call(`/series/${series.seriesId}/edit`, { editToken, ...body })
  }
  expect(await change({ text: 'Other' })).toMatchObject({ text: 'Other', mood: calm })
  const day = startsAt.local.slice(0, 10)
  await change({ only: day, mood: wild })
  expect((await call(`/series/${series.seriesId}?only=${day}`)).occurrences).toMatchObject([
    { content: { mood: wild } },
  ])
  expect(await change({ mood: null })).not.toHaveProperty('mood')
  expect(await change({ contents: [{ text: 'A', mood: calm }] })).toMatchObject({
    contents: [{ mood: calm }],
  })
})

test.each(['csv', 'yaml', 'json'])(
  'a file of posts as %s has it, and makes the same posts elsewhere',
  async (format) => {
    const [here, there] = [await aPlace(), await aPlace()]
    const { ada, bob, create } = here
    await create({ channelIds: [ada, bob], text: 'Shared', mood: calm })
    await create({
      targets: [
        { channelId: ada, text: 'A', mood: wild },
        { channelId: bob, text: 'A' },
      ],
    })
    const { file } = await here.call(`/posts/export?format=${format}`)
    const elsewhere = (file as string)
      .replaceAll(/ *postId: .*\n/g, '')
      .replaceAll(/"postId": "[^"]*",?/g, '')
    const rows = elsewhere.replaceAll(/"(post-[0-9a-f-]{36})","[0-9a-f-]{36}"/g, '"$1",""')
    await there.call('/posts/import', {
      format: format === 'csv' ? 'csv' : 'plan',
      file: rows,
      ...(format === 'csv' ? { name: 'again' } : {}),
    })
    const all = async ({ workspaceId }: typeof here) =>
      (
        await db<{ said: string }[]>`
      select c.handle || coalesce(d.content, p.content)::text as said
      from   post p join destination d on d.workspace_id = p.workspace_id and d.post_id = p.id join channel c on c.id = d.channel_id
      where  p.workspace_id = ${workspaceId} order by said`
      ).map(({ said }) => said)
    expect(await all(there)).toEqual(await all(here))
    expect((await all(here)).filter((said) => said.includes('mood'))).toHaveLength(3)
  },
)

const channels = ['ada', 'bob'].map((handle, index) => ({
  channelId: `0199c1de-7c3a-7b52-9d0e-00000000000${index}`,
  provider: 'sandbox-short',
  handle,
  name: handle,
  displayName: handle,
  groups: [],
}))

test('a plan says it, and what it changes of a post is seen', () => {
  const lines = ['id,channels,text,mood', 'a,"ada, bob",Hello,"{""name"":""wild""}"']
  const known = { channels, timeZone: 'UTC', findFile: (_: string, path: string) => ({ path }) }
  const { posts, faults } = readPlan(csvPlan(lines.join('\n'), { name: 'autumn', channels: [] }), known)
  expect(faults).toEqual([])
  const [planned] = posts
  expect(newPost(planned!, () => null)).toMatchObject({ text: 'Hello', mood: wild })
  const edited = (target: object) =>
    editedContent([{ ...planned!.targets[0]!, ...target }], { isWhole: true }, () => null)
  expect([edited({}), edited({ beside: {} })]).toMatchObject([{ mood: wild }, { mood: null }])
  const post = (mood?: object) =>
    ({
      content: { text: 'Hello', ...(mood === undefined ? {} : { mood }) },
      destinations: channels.map(({ channelId }) => ({
        channelId,
        status: 'draft',
        publishAt: null,
        content: null,
        latestChange: null,
      })),
      latestChange: null,
      reviewStatus: 'not_required',
    }) as never
  const changes = (mood?: object) =>
    diff([planned!], new Map([['a', { generation: 1, post: post(mood) }]]), {
      force: false,
      now: 0,
      sameMedia: () => true,
    })
  expect([changes(wild), changes(calm), changes()].map(([change]) => change!.is)).toEqual([
    'same',
    'change',
    'change',
  ])
  expect(JSON.stringify(planSchema).split('What it feels like.')).toHaveLength(3)
})

test('the command line takes it, and takes it away', async () => {
  for (const name of ['post', 'check', 'edit']) expect(commands[name]!.options).toHaveProperty('mood')
  expect(commands['edit']!.options).toHaveProperty('no-mood')
  const context = (values: object, args: string[] = []) =>
    ({ values, args, key: 'a-key', signal: new AbortController().signal }) as never
  const given = { mood: '{"name":"wild"}' }
  const plan = await planOf(
    context({ ...given, to: [channels[0]!.channelId], draft: true }, ['Hello']),
    {} as never,
    { uploads: false },
  )
  expect(plan).toMatchObject({ mood: wild })
  expect(await changeOf(context(given), {} as never)).toEqual({ mood: wild })
  expect(await changeOf(context({ 'no-mood': true }), {} as never)).toEqual({ mood: null })
})

test('tools take it, for one post, for several and in an edit', async () => {
  const { workspace, ada, bob } = await aPlace()
  const named = tools.filter(({ input }) => 'mood' in (input['properties'] as object)).map(({ name }) => name)
  expect(named).toEqual(['check_post', 'create_post', 'edit_post'])
  const call = async (name: string, given: Record<string, unknown>) =>
    (await api.callTool(workspace, name, given)) as any
  const made = await call('create_post', {
    idempotencyKey: 'one',
    state: 'draft',
    channelIds: [ada],
    text: 'Hello',
    mood: calm,
  })
  const { postId, editToken, content } = made.answer ?? made
  expect(content).toEqual({ text: 'Hello', mood: calm })
  await call('edit_post', { idempotencyKey: 'two', postId, editToken, mood: wild })
  expect(await api.read(workspace, postId)).toMatchObject({ content: { mood: wild } })
  const targets = [{ channelId: bob, text: 'B' }]
  await call('create_post', {
    idempotencyKey: 'three',
    state: 'draft',
    channelIds: [ada],
    mood: calm,
    posts: [{ text: 'A' }, { targets }],
  })
  const [shared, own] = await db`
    select coalesce(p.content, d.content) as content from post p join destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
    where  p.workspace_id = ${workspace.workspaceId} and p.id <> ${postId} order by coalesce(p.content, d.content) ->> 'text'`
  expect([shared, own]).toMatchObject([{ content: { text: 'A', mood: calm } }, { content: { text: 'B' } }])
})

test('the SDK has its type, in what is asked for and in what is answered', () => {
  const types = sdkTypes()
  for (const name of ['Content', 'Target', 'Template', 'Series']) {
    const [, of = ''] = new RegExp(`export type ${name} = ([\\s\\S]*?)\\n(?=export )`).exec(types) ?? []
    expect([name, of]).toMatchObject([name, expect.stringMatching(/mood\??: /)])
  }
})

test('the node of n8n asks for it, and sends it', async () => {
  const { build } = await import('vite')
  const folder = await mkdtemp(join(tmpdir(), 'postrider-n8n-'))
  try {
    const sources = join(folder, 'package')
    await cp(resolve(import.meta.dirname, '../../integrations/n8n-nodes-postrider'), sources, {
      recursive: true,
    })
    await writeFile(join(sources, 'nodes/Postrider/content-fields.ts'), nodeFields())
    await build({
      root: sources,
      configFile: false,
      logLevel: 'warn',
      resolve: { alias: { 'n8n-workflow': join(import.meta.dirname, 'rigs/n8n/n8n-workflow.ts') } },
      ssr: { noExternal: true },
      build: {
        ssr: join(sources, 'nodes/Postrider/Postrider.node.ts'),
        outDir: join(folder, 'dist'),
        rolldownOptions: { output: { format: 'cjs', entryFileNames: 'node.js' } },
      },
    })
    const { Postrider } = createRequire(join(folder, 'dist/x.js'))('./node.js') as {
      Postrider: new () => any
    }
    const node = new Postrider()
    const asked: any[] = []
    const { createServer } = await import('node:http')
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (chunks.length > 0) asked.push(JSON.parse(Buffer.concat(chunks).toString()))
      response
        .setHeader('content-type', 'application/json')
        .end('{"postId":"p","editToken":"t","destinations":[]}')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const credentials = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'k' }
    const does = (parameters: object) =>
      node.execute.call(executeContext({ credentials, parameters: { resource: 'post', ...parameters } }))
    await does({
      operation: 'create',
      state: 'draft',
      channelIds: ['c'],
      text: 'Hello',
      more: { mood: '{"name":"wild"}' },
    })
    await does({ operation: 'edit', postId: 'p', changes: { mood: wild } })
    server.close()
    expect(asked).toMatchObject([{ text: 'Hello', mood: wild }, { content: { mood: wild } }])
    const collections = node.description.properties.filter(({ options = [] }: any) =>
      options.some(({ name }: any) => name === 'mood'),
    )
    expect(collections.map(({ name }: any) => name)).toEqual(['more', 'changes'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
