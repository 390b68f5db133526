import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { providers } from '../../networks/providers/registry.ts'
import { aChannel, aPicture, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { cellOf, cellOfNames, cellOfParts, namesOfCell, partsOfCell, textOfCell } from './csv-cells.ts'

/* What is exported is imported again as the same: at home it is there already, and elsewhere it is made. */

const { world, api } = await openFileWorld()
const { db } = world

async function aPlace() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  for (const [provider, handle] of [
    ['sandbox-short', 'ada'],
    ['sandbox-professional', 'bob'],
  ] as const) {
    const id = await aChannel(db, workspaceId, { provider })
    await db`update channel set handle = ${handle} where id = ${id}`
  }
  const channels = await db<{ id: string }[]>`
    select id from channel where workspace_id = ${workspaceId} order by handle`
  const [ada, bob] = channels.map(({ id }) => id)
  const create = (body: object) => api.call(workspace, 'POST', '/posts', { confirmed: true, ...body })
  const exported = async (query: string) => (await api.call(workspace, 'GET', `/posts/export?${query}`)).body
  const imported = (format: string, file: string) =>
    api.call(
      workspace,
      'POST',
      '/posts/import',
      { confirmed: true, format, file, ...(format === 'csv' ? { name: 'again' } : {}) },
      null,
    )
  const all = async () => {
    const rows = await db`
      select c.handle, d.publish_at, p.labels, array_agg(t.text order by t.index) as texts
      from   post p
      join   destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
      join   channel c on c.id = d.channel_id
      join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id
      where  p.workspace_id = ${workspaceId}
      group  by c.handle, d.publish_at, p.labels, d.id`
    return rows.map((row) => JSON.stringify(row)).toSorted()
  }
  return { workspace, workspaceId, ada: ada!, bob: bob!, create, exported, imported, all }
}

async function aFilledPlace() {
  const place = await aPlace()
  const { ada, bob, create } = place
  const scheduled = { state: 'scheduled', publishAt: '2027-12-01T09:00:00.000Z' }
  await create({
    ...scheduled,
    channelIds: [ada, bob],
    text: 'To "both", in\ntwo lines',
    labels: ['Spring sale', 'Big, and | bold; \\'],
  })
  await create({
    ...scheduled,
    channelIds: [ada],
    text: '=HYPERLINK("http://x")',
    thread: [{ text: '+1' }, { text: "'-2" }],
  })
  await create({
    ...scheduled,
    targets: [
      { channelId: ada, text: '@one' },
      { channelId: bob, text: 'Two; with, marks', publishAt: '2027-12-02T09:00:00.000Z' },
    ],
  })
  await create({ state: 'draft', channelIds: [bob], text: 'A draft' })
  return place
}

test.each(['csv', 'yaml', 'json'])(
  'as %s, all of it is imported in another workspace, and nothing at home',
  async (format) => {
    const [home, away] = [await aFilledPlace(), await aPlace()]
    const { posts, file } = await home.exported(`format=${format}`)
    expect(posts).toBe(4)
    const as = format === 'csv' ? 'csv' : 'plan'
    expect(await home.imported(as, file)).toMatchObject({ status: 200, body: { created: 0 } })
    expect(await away.imported(as, file)).toMatchObject({ status: 422 })
    // There, the ids of the posts mean nothing.
    const withoutIds =
      format === 'csv' ? file.replaceAll(/"[0-9a-f-]{36}"/g, '""') : file.replaceAll(/^.*postId.*\n/gm, '')
    expect(await away.imported(as, withoutIds)).toMatchObject({ status: 200, body: { created: 4 } })
    expect(await away.all()).toEqual(await home.all())
  },
)

/** A value that a setting may have, as its schema says. */
function sample(schema: Schema): unknown {
  const { type, enum: choices, anyOf, items, examples, default: usual } = schema
  if (anyOf !== undefined) return sample(anyOf.find((one) => one.type !== 'null') ?? {})
  if (choices !== undefined) return choices.at(-1)
  if (type === 'boolean') return usual !== true
  if (type === 'array') return Array.isArray(examples?.[0]) ? examples[0] : [sample(items ?? {})]
  if (type === 'integer' || type === 'number') return examples?.[0] ?? schema.minimum ?? 1
  if (type === 'object') return sampleOf(schema)
  // Of what has a pattern, each takes a word.
  if (schema.pattern !== undefined) return examples?.[0] ?? 'word'
  if (schema.format === 'line') return 'Words, "and" more; ---'
  return examples?.[0] ?? (schema.format === 'uri' ? 'https://example.com/a' : 'Words, "and" more;\n---')
}
function sampleOf({ properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one)]))
}
type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly format?: string
  readonly pattern?: string
}

/** What these networks demand of a post besides. */
const demanded: Readonly<Record<string, { media?: 'image' | 'video'; settings?: object }>> = {
  facebook: { settings: { reel: false } },
  instagram: { media: 'image', settings: { story: false } },
  youtube: { media: 'video' },
}

async function aVideo(workspaceId: string): Promise<string> {
  const mediaId = await aPicture(db, workspaceId)
  await db`
    update media_item set kind = 'video', content_type = 'video/mp4', duration_ms = 10000, width = 1080, height = 1920
    where  id = ${mediaId}`
  return mediaId
}

const settable = [...providers.values()].filter(
  ({ settings }) => Object.keys((settings as Schema).properties ?? {}).length > 0,
)

test.each(['csv', 'yaml', 'json'])(
  'as %s, every setting of every network, media of follow-ups and link tags are the same elsewhere',
  async (format) => {
    const [home, away] = [await aPlace(), await aPlace()]
    const [channels, there] = await Promise.all(
      [home, away].map(({ workspaceId }) =>
        Promise.all(settable.map(({ provider }) => aChannel(db, workspaceId, { provider }))),
      ),
    )
    const mediaOf = async ({ workspaceId }: { workspaceId: string }) => ({
      image: await aPicture(db, workspaceId),
      video: await aVideo(workspaceId),
    })
    const [media, copies] = [await mediaOf(home), await mediaOf(away)]
    const all = settable.map(({ provider, settings }, index) => {
      const { media: kind, settings: own } = demanded[provider] ?? {}
      return {
        channelId: channels![index],
        settings: { ...sampleOf(settings), ...own },
        content: {
          text: `On ${provider}`,
          tagLinks: false,
          ...(kind === undefined ? {} : { mediaIds: [media[kind]] }),
        },
      }
    })
    await db.begin(async (tx) => {
      for (const { channelId, content, settings } of all) {
        const { postId } = await aPost(db, home.workspaceId, { states: ['draft'], channelIds: [channelId!] })
        await tx`
          update destination set settings = ${tx.json(settings)}, content = ${tx.json(content)}
          where  post_id = ${postId}`
      }
    })
    const created = await home.create({
      state: 'draft',
      labels: ['Spring'],
      targets: [
        { channelId: home.bob, text: 'With all', mediaIds: [media.image], tagLinks: false },
        {
          channelId: home.ada,
          text: 'A thread',
          settings: {},
          thread: [{ text: 'one' }, { text: 'two', mediaIds: [media.image] }],
        },
      ],
    })
    expect(created).toMatchObject({ status: 201 })
    const { file } = await home.exported(`format=${format}`)
    // Posts, media and channels have other ids there.
    const moved = [
      ...(['image', 'video'] as const).map((kind) => [media[kind], copies[kind]]),
      ...channels!.map((id, index) => [id, there![index]!]),
    ] as [string, string][]
    const renamed = moved.reduce((text, [from, to]) => text.replaceAll(from, to), file)
    const withoutIds =
      format === 'csv'
        ? renamed.replaceAll(/^("post-[^"]*"),"[0-9a-f-]{36}"/gm, '$1,""')
        : renamed.replaceAll(/^.*postId.*\n/gm, '')
    const answer = await away.imported(format === 'csv' ? 'csv' : 'plan', withoutIds)
    expect(answer.body).toMatchObject({ created: settable.length + 1 })
    const rows = async ({ workspaceId }: { workspaceId: string }) => {
      const found = await db<{ row: string }[]>`
        select jsonb_build_object('provider', c.provider, 'labels', p.labels, 'settings', d.settings,
                 'content', coalesce(d.content, p.content), 'at', d.publish_at)::text as row
        from   post p
        join   destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
        join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
        where  p.workspace_id = ${workspaceId}`
      return found.map(({ row }) => row).toSorted()
    }
    const expected = (await rows(home)).map((row) =>
      moved.reduce((text, [from, to]) => text.replaceAll(from, to), row),
    )
    expect(await rows(away)).toEqual(expected.toSorted())
  },
)

test('no cell is a formula, and each is read as it was', async () => {
  const { exported } = await aFilledPlace()
  const { file } = await exported('format=csv')
  expect(file).toContain(`"'=HYPERLINK(""http://x"")"`)
  expect(file).not.toMatch(/"[=+\-@\t]/)
  for (const text of [
    '=1',
    '+1',
    '-1',
    '@a',
    '\t=1',
    "'=1",
    "''=1",
    "it's",
    "'quoted'",
    '＝1',
    'a "b"',
    '',
  ]) {
    const cell = cellOf(text)
    expect(cell.slice(1, -1)).not.toMatch(/^[=+\-@\t\r＝＋－＠]/)
    expect(textOfCell(cell.slice(1, -1).replaceAll('""', '"'))).toBe(text)
  }
})

test('a thread keeps its parts, and names are as they were, whatever they say', () => {
  const line = fc.constantFrom('---', String.raw`\---`, ' --- ', 'x', '--', '----', '')
  const part = fc.array(line, { maxLength: 5 }).map((lines) => `a\n${lines.join('\n')}\nb`)
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      expect(partsOfCell(cellOfParts(parts))).toEqual(parts)
    }),
  )
  const name = fc.stringMatching(/^[ab,;|\\]{0,5}a[ab,;|\\]{0,5}$/)
  fc.assert(
    fc.property(fc.array(name, { maxLength: 4 }), (names) => {
      expect(namesOfCell(cellOfNames(names))).toEqual(names)
    }),
  )
  expect(namesOfCell('a, b;c|d\n e ,')).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(partsOfCell('one\n ---\ntwo')).toEqual(['one', 'two'])
})

test('what became of it stands beside, with its pictures, and filters choose', async () => {
  const { workspaceId, ada, exported, create } = await aFilledPlace()
  const mediaId = await aPicture(db, workspaceId)
  await create({
    state: 'draft',
    channelIds: [ada],
    text: 'With a picture',
    mediaIds: [mediaId],
    labels: ['Pictured'],
  })
  await aPost(db, workspaceId, { states: ['published'], channelIds: [ada] })
  const pictured = await exported('format=csv&label=Pictured')
  expect(pictured.posts).toBe(1)
  expect(pictured.file).toContain(mediaId)
  const published = await exported('format=csv&status=published')
  expect(published.posts).toBe(1)
  expect(published.file.split('\r\n')[0]).toMatch(
    /^\ufeffid,postId,text,.*,status,publishedAt,releaseUrl,error,reviewStatus$/,
  )
  expect(published.file).toMatch(/"published","\d{4}-/)
  expect(JSON.parse((await exported('format=json&status=published')).file).posts[0].results).toMatchObject([
    { channel: 'sandbox-short:ada', status: 'published' },
  ])
  expect(JSON.parse((await exported('format=json&plan=mine')).file)).toMatchObject({ plan: 'mine' })
})

test('a key that sees some channels exports the posts that it sees', async () => {
  const { workspace, ada } = await aFilledPlace()
  const { caller } = workspace
  const limits = { ...caller.credential.limits, channelIds: [ada] }
  const limited = {
    ...workspace,
    caller: { ...caller, credential: { ...caller.credential, id: uuidv7(), limits } },
  }
  const { body } = await api.call(limited, 'GET', '/posts/export?format=csv')
  expect(body.posts).toBe(3)
  expect(body.file).not.toContain('A draft')
})

test('texts that are too long for one file are refused, and a shorter range is asked for', async () => {
  const { workspaceId, ada, exported } = await aPlace()
  await aPost(db, workspaceId, { states: ['draft'], channelIds: [ada] })
  await db`update post set content = jsonb_build_object('text', repeat('x', 6000000)) where workspace_id = ${workspaceId}`
  expect(await exported('format=yaml')).toMatchObject({ code: 'search_too_broad' })
})
