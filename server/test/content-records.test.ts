import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newPost, readPlan } from '@postrider/contract/plan'
import { expect, test } from 'vitest'
import { editedContent, keyOf } from '../../cli/src/plan/bodies.ts'
import { changeOf, planOf } from '../../cli/src/posting.ts'
import { csvPlan } from '../src/content/imports/csv-plan.ts'
import { updateWorkspace } from '../src/people/members/workspace-store.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, aPicture, aWorkspace } from './rigs/fixtures.ts'

/*
 * What is stored of content, and what is made of it: digests that a person approved, fingerprints and keys of requests. Rows that
 * were written with them outlive any release, so none may ever become another one: `content-records.json` has them as they were made
 * when this was written. A new field is left out of all of them where a post has none.
 */

const { world, api } = await openFileWorld()
const { db } = world

const id = (end: string) => `0199c1de-7c3a-7b52-9d0e-${end.padStart(12, '0')}`
const [ada, bob, mia] = [id('a'), id('b'), id('c')]
const [gate, wall] = [id('1'), id('2')]
const link = 'https://example.com/a'
const whole = {
  text: `Look at ${link}`,
  mediaIds: [gate],
  thread: [{ text: 'More' }, { text: `Even more ${link}`, mediaIds: [wall] }],
  firstComment: { text: `The link: ${link}` },
  tagLinks: false,
}

/** Posts with every field, and without each. */
const posts: Readonly<Record<string, Record<string, unknown>>> = {
  text: { channelIds: [ada], text: 'Hello' },
  whole: { channelIds: [ada, bob], ...whole, labels: ['Launch', 'Spring sale'] },
  tagged: { channelIds: [ada], ...whole, tagLinks: true, labels: ['Launch'] },
  emptied: { channelIds: [ada], text: 'Hello', mediaIds: [], thread: [], labels: [] },
  pictures: { channelIds: [bob], text: '', mediaIds: [wall, gate] },
  targets: {
    targets: [
      { channelId: mia, text: 'Quiet', settings: { visibility: 'unlisted' }, tagLinks: false },
      { channelId: ada, ...whole },
      { channelId: bob, text: `Hello ${link}`, firstComment: { text: 'First' } },
    ],
    labels: ['Launch'],
  },
  reordered: {
    firstComment: { text: 'C' },
    thread: [{ mediaIds: [gate], text: 'B' }],
    text: 'A',
    channelIds: [ada],
  },
}

/** What becomes of `whole` and `targets`, one after the other. */
const edits: Readonly<Record<string, readonly object[]>> = {
  whole: [
    { text: 'Another' },
    { targets: [{ channelId: bob, firstComment: null, tagLinks: true }] },
    { thread: [{ text: 'Only' }], mediaIds: [] },
    {
      parts: [
        { index: 0, text: `Now ${link}` },
        { index: 1, mediaIds: [wall] },
      ],
      tagLinks: true,
    },
    { thread: [], firstComment: { text: 'Again' } },
  ],
  targets: [
    { targets: [{ channelId: mia, settings: {}, text: 'Loud' }] },
    { text: 'The same', mediaIds: [], thread: [], firstComment: null, tagLinks: false },
  ],
}

const file = [
  'id,channels,text,thread,firstComment,media,alt,tagLinks,labels,settings,publishAt',
  `,ada,Hello,,,,,,,,`,
  `one,"ada, bob",Hello,"More\n---\nEven more",A comment,"${gate}\n---\n\n---\n${wall}",A gate,no,"Launch, Sale",,2090-01-10T09:00`,
  `two,ada,Hello,,A comment,,,,,,`,
  `two,mia,Other,,,,,no,,"{""visibility"":""unlisted""}",`,
].join('\n')

const channels = [
  { channelId: ada, provider: 'sandbox-short', handle: 'ada' },
  { channelId: bob, provider: 'sandbox-professional', handle: 'bob' },
  { channelId: mia, provider: 'mastodon', handle: 'mia' },
].map((each) => ({ ...each, name: each.handle, displayName: each.handle, groups: [] }))

async function aPlace() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  for (const { channelId, provider, handle } of channels) {
    await aChannel(db, workspaceId, { channelId, provider, displayName: handle })
    await db`update channel set handle = ${handle} where id = ${channelId}`
  }
  for (const mediaId of [gate, wall]) await aPicture(db, workspaceId, mediaId)
  const parameters = [{ name: 'utm_campaign', value: '{label}-{channel}' }]
  await updateWorkspace(db, workspaceId, { linkTags: { parameters, hosts: [] } })
  return workspace
}

type Place = Awaited<ReturnType<typeof aPlace>>

/** The rows of a post, with the requests for its approval. */
async function rowsOf({ workspaceId }: Place, postId: string) {
  const [row] = await db`
    select p.content, p.labels, p.changed,
           (select jsonb_agg(jsonb_build_object('channel', d.channel_id, 'content', d.content, 'settings', d.settings, 'parts', (
              select jsonb_agg(jsonb_build_array(t.text, t.media_ids, t.first_comment) order by t.index) from part t
              where  t.workspace_id = d.workspace_id and t.destination_id = d.id)) order by d.channel_id)
            from destination d where d.workspace_id = p.workspace_id and d.post_id = p.id) as destinations,
           (select jsonb_agg(jsonb_build_object('digest', encode(a.content_digest, 'hex'), 'content', a.content) order by a.seq)
            from approval a where a.workspace_id = p.workspace_id and a.post_id = p.id) as approvals
    from   post p
    where  p.workspace_id = ${workspaceId} and p.id = ${postId}`
  return row
}

async function fingerprintOf({ workspaceId }: Place, key: string) {
  const [row] = await db<{ fingerprint: string }[]>`
    select encode(fingerprint, 'hex') as fingerprint from idempotency_record
    where  workspace_id = ${workspaceId} and key = ${key}`
  return row?.fingerprint
}

async function recordsOfPosts(place: Place) {
  const records: Record<string, object> = {}
  for (const [name, content] of Object.entries(posts)) {
    const body = { confirmed: true, state: 'immediate', ...content }
    const { status, body: made } = await api.call(place, 'POST', '/posts', body, name)
    expect([name, status, made]).toMatchObject([name, 201, {}])
    const { postId } = made as { postId: string }
    const steps = [await rowsOf(place, postId)]
    for (const change of edits[name] ?? []) {
      const { editToken } = await api.read(place, postId)
      const edited = await api.command(place, postId, 'edit', { editToken, content: change })
      expect([name, change, edited.status, edited.body]).toMatchObject([name, change, 200, {}])
      steps.push(await rowsOf(place, postId))
    }
    const acts = await db`
      select action, before, after from audit_entry
      where  workspace_id = ${place.workspaceId} and subject ->> 'postId' = ${postId} and action = 'editPost' order by seq`
    records[name] = { fingerprint: await fingerprintOf(place, name), steps, acts }
  }
  return records
}

async function recordsOfPlans(place: Place) {
  const { channelIds, ...content } = posts['whole'] ?? {}
  const template = {
    name: 'A template',
    channelIds,
    ...content,
    text: 'Hello {{name}}',
    firstComment: { text: '{{name}}' },
  }
  const made = await api.call(place, 'POST', '/templates', { confirmed: true, ...template }, 'template')
  expect(made.status).toBe(201)
  const { templateId } = made.body as { templateId: string }
  const startsAt = { local: '2090-01-02T09:00', timeZone: 'UTC' }
  const series = { rule: 'FREQ=DAILY;COUNT=3', startsAt }
  const stored: object[] = []
  for (const [name, body] of Object.entries({
    whole: { channelIds, ...content },
    targets: posts['targets'],
  })) {
    const answer = await api.call(
      place,
      'POST',
      '/series',
      { confirmed: true, ...series, ...body },
      `series-${name}`,
    )
    expect([name, answer.status, answer.body]).toMatchObject([name, 201, {}])
    let { seriesId, editToken } = answer.body as { seriesId: string; editToken: string }
    for (const change of [
      { text: 'Other', firstComment: null, channelIds: [ada] },
      { contents: [{ text: 'A' }, whole] },
    ]) {
      const edited = await api.call(place, 'POST', `/series/${seriesId}/edit`, {
        confirmed: true,
        editToken,
        ...change,
      })
      expect([name, edited.status, edited.body]).toMatchObject([name, 200, {}])
      editToken = (edited.body as { editToken: string }).editToken
      const [row] = await db`
        select (definitions -> -1 -> 'content')::text as content, changed from series where workspace_id = ${place.workspaceId} and id = ${seriesId}`
      stored.push({ ...row, fingerprint: await fingerprintOf(place, `series-${name}`) })
    }
  }
  const filled = await api.call(place, 'POST', '/posts', {
    confirmed: true,
    state: 'draft',
    template: { templateId, fields: { name: 'Ada' } },
    tagLinks: true,
  })
  expect(filled.status).toBe(201)
  const [row] =
    await db`select content, labels, media_ids from template where workspace_id = ${place.workspaceId}`
  const read = await api.call(place, 'GET', `/templates/${templateId}`)
  const own = ['templateId', 'editToken', 'createdAt', 'updatedAt']
  const shown = Object.fromEntries(
    Object.entries(read.body as object).filter(([name]) => !own.includes(name)),
  )
  return {
    series: stored,
    template: { row, shown, fingerprint: await fingerprintOf(place, 'template') },
    filled: await rowsOf(place, (filled.body as { postId: string }).postId),
  }
}

/** Files, with the ids of posts as they come up. */
async function recordsOfFiles(place: Place) {
  const known = [ada, bob, mia, gate, wall]
  const ids: string[] = []
  const named = (text: string) =>
    text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (one) => {
      if (known.includes(one)) return one
      if (!ids.includes(one)) ids.push(one)
      return `id-${ids.indexOf(one)}`
    })
  const exported: Record<string, string> = {}
  for (const format of ['csv', 'yaml', 'json']) {
    const { status, body } = await api.call(place, 'GET', `/posts/export?format=${format}`)
    expect(status).toBe(200)
    exported[format] = named((body as { file: string }).file)
  }
  return exported
}

/** The requests that files and commands stand for, and the keys that these make of them. */
async function recordsOfRequests() {
  const findFile = (_: string, path: string) => ({ path })
  const { posts: planned, faults } = readPlan(csvPlan(file, { name: 'autumn', channels: [] }), {
    channels,
    timeZone: 'UTC',
    findFile,
  })
  expect(faults).toEqual([])
  const ids = (media: { is: string; mediaId?: string }) => media.mediaId ?? null
  const rows = planned.map((post) => {
    const created = newPost(post, ids)
    const edited = editedContent(post.targets, { isWhole: true }, ids)
    return {
      id: post.id,
      created,
      edited,
      keys: [keyOf(post.id, 'create', created), keyOf(post.id, 'edit', edited)],
    }
  })
  const context = (values: object, args: string[] = []) =>
    ({ values, args, key: 'a-key', signal: AbortSignal.timeout(60_000) }) as unknown as Parameters<
      typeof planOf
    >[0]
  const nobody = {} as Parameters<typeof planOf>[1]
  const said = { media: [gate], thread: ['More', 'Even more'], label: ['Launch', 'Sale'] }
  const commands = [
    await planOf(context({ ...said, to: [ada, bob], draft: true }, ['Hello']), nobody, { uploads: false }),
    await changeOf(context({ ...said, text: 'Hello' }), nobody),
    await changeOf(context({ 'no-media': true, 'no-thread': true }), nobody),
    await changeOf(context({ text: 'Hello', part: '1' }), nobody),
  ]
  return { rows, commands }
}

test('what is stored of content, and the digests, fingerprints and keys that are made of it, are what they were', async () => {
  const place = await aPlace()
  const records = {
    ...(await recordsOfPosts(place)),
    ...(await recordsOfFiles(place)),
    ...(await recordsOfPlans(place)),
    ...(await recordsOfRequests()),
  }
  const found = Object.fromEntries(
    Object.entries(records).map(([name, record]) => [name, JSON.stringify(record)]),
  )
  expect(found).toEqual(JSON.parse(await readFile(join(import.meta.dirname, 'content-records.json'), 'utf8')))
})
