import { app, type LinkTags } from '@postrider/contract'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import { readChange } from '../../../people/members/workspace-change.ts'
import { updateWorkspace } from '../../../people/members/workspace-store.ts'

const { world, api } = await openFileWorld()
const { db } = world

const rule: LinkTags = {
  parameters: [
    { name: 'utm_source', value: '{network}' },
    { name: 'utm_medium', value: '{channel}' },
    { name: 'utm_campaign', value: '{label}' },
  ],
  hosts: ['acme.com'],
}
const LINK = 'https://acme.com/x'
const TAGS = 'utm_source=sandbox-short&utm_medium=a-channel'

/** A workspace with the rule, and a channel. */
async function aPlace(linkTags: LinkTags | null = rule) {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  await updateWorkspace(db, workspaceId, { linkTags })
  const channelId = await aChannel(db, workspaceId)
  const plan = { state: 'scheduled', publishAt: hoursAhead(1), channelIds: [channelId] }
  const check = async (content: object) =>
    (await api.call(workspace, 'POST', '/post-checks', { ...plan, ...content })).body
  const create = async (content: object) => {
    const { status, body } = await api.call(workspace, 'POST', '/posts', {
      confirmed: true,
      ...plan,
      ...content,
    })
    expect({ status, body }).toMatchObject({ status: 201 })
    return (body as { postId: string }).postId
  }
  const read = (postId: string) => api.read(workspace, postId)
  const textsOf = async (postId: string) =>
    (await read(postId)).destinations[0]!.parts.map(({ text }) => text)
  const edit = async (postId: string, content: object) => {
    const { editToken } = await read(postId)
    return api.command(workspace, postId, 'edit', { editToken, content })
  }
  return { workspace, channelId, plan, check, create, read, textsOf, edit }
}

test('what is published has the tags, in every part, and what was written stays as it was', async () => {
  const { create, read, textsOf } = await aPlace()
  const written = {
    text: `See ${LINK}`,
    thread: [{ text: `${LINK} and https://b.example/y` }],
    firstComment: { text: LINK },
  }
  const postId = await create({ ...written, labels: ['Spring sale', 'Other'] })
  const tagged = `${LINK}?${TAGS}&utm_campaign=Spring%20sale`
  expect(await textsOf(postId)).toEqual([`See ${tagged}`, `${tagged} and https://b.example/y`, tagged])
  expect((await read(postId)).content).toEqual(written)
})

test('the check counts, and shows, what would be published', async () => {
  const { check } = await aPlace()
  expect(await check({ text: `${LINK} ${'a'.repeat(250)}` })).toMatchObject({
    ready: true,
    // A link counts as 23 there, however long it is.
    destinations: [{ parts: [{ characters: 274, text: expect.stringContaining(TAGS) }] }],
  })
  const { destinations } = await check({ text: 'No link' })
  expect(destinations[0].parts).toEqual([{ index: 0, characters: 7 }])
})

test('a text that only the tags make too long is refused before', async () => {
  const workspace = await aWorkspace(db)
  await updateWorkspace(db, workspace.workspaceId, { linkTags: rule })
  const channelId = await aChannel(db, workspace.workspaceId, { provider: 'sandbox-professional' })
  const plan = { state: 'draft', channelIds: [channelId], text: `${LINK} ${'a'.repeat(2_980)}` }
  const ready = async (more: object) =>
    (await api.call(workspace, 'POST', '/post-checks', { ...plan, ...more })).body['ready']
  expect(await ready({})).toBe(false)
  expect(await ready({ tagLinks: false })).toBe(true)
  expect(await api.call(workspace, 'POST', '/posts', { confirmed: true, ...plan })).toMatchObject({
    status: 422,
  })
})

test('a post keeps its links where it says so, and gets the tags where it no longer does', async () => {
  const { create, textsOf, edit, read } = await aPlace()
  const postId = await create({ text: LINK, tagLinks: false })
  expect(await textsOf(postId)).toEqual([LINK])
  expect((await read(postId)).content).toEqual({ text: LINK, tagLinks: false })
  await edit(postId, { tagLinks: true })
  expect(await textsOf(postId)).toEqual([`${LINK}?${TAGS}`])
  expect(await read(postId)).toMatchObject({
    content: { text: LINK },
    latestChange: { fields: ['tagLinks'] },
  })
  await edit(postId, { parts: [{ index: 0, text: `${LINK}!` }], tagLinks: false })
  expect(await textsOf(postId)).toEqual([`${LINK}!`])
})

test('an edit tags what was written, and not again what was published', async () => {
  const { create, textsOf, edit } = await aPlace()
  const postId = await create({ text: LINK, thread: [{ text: LINK }] })
  await edit(postId, { text: `New ${LINK}` })
  expect(await textsOf(postId)).toEqual([`New ${LINK}?${TAGS}`, `${LINK}?${TAGS}`])
  // Who sends back what is shown gets the same.
  await edit(postId, { text: `New ${LINK}?${TAGS}` })
  expect(await textsOf(postId)).toEqual([`New ${LINK}?${TAGS}`, `${LINK}?${TAGS}`])
})

test('a rule that is changed after the approval changes nothing that was approved', async () => {
  const { workspace, create, textsOf, edit } = await aPlace()
  const postId = await create({ text: LINK, state: 'immediate', publishAt: undefined })
  const digest = async () => {
    const rows = await db<{ digest: Buffer; content: object }[]>`
      select content_digest as digest, content from approval where post_id = ${postId} order by id desc limit 1`
    return { digest: rows[0]!.digest.toString('hex'), shown: JSON.stringify(rows[0]!.content) }
  }
  const { digest: approved, shown } = await digest()
  expect(shown).toContain(TAGS)
  await updateWorkspace(db, workspace.workspaceId, { linkTags: { ...rule, hosts: ['other.example'] } })
  expect(await textsOf(postId)).toEqual([`${LINK}?${TAGS}`])
  // An edit that leaves the content as it is leaves the links as they were approved, too.
  await edit(postId, { text: LINK })
  expect(await textsOf(postId)).toEqual([`${LINK}?${TAGS}`])
  expect((await digest()).digest).toBe(approved)
  await edit(postId, { text: `${LINK} again` })
  expect(await textsOf(postId)).toEqual([`${LINK} again`])
})

test('another label changes no link that is written', async () => {
  const { workspace, create, textsOf } = await aPlace()
  const postId = await create({ text: LINK, labels: ['One'] })
  const { status } = await api.call(workspace, 'POST', '/posts/labels', {
    confirmed: true,
    postIds: [postId],
    add: ['Two'],
    remove: ['One'],
  })
  expect(status).toBe(200)
  expect(await textsOf(postId)).toEqual([`${LINK}?${TAGS}&utm_campaign=One`])
})

test('a channel is warned of what it says again, with its tags', async () => {
  const { create, check } = await aPlace()
  await create({ text: LINK })
  expect(await check({ text: LINK })).toMatchObject({ issues: [{ code: 'text_repeated' }] })
})

test('without a rule, nothing is added', async () => {
  const { create, textsOf } = await aPlace(null)
  expect(await textsOf(await create({ text: LINK }))).toEqual([LINK])
})

test.each([
  ['an unknown field', { parameters: [{ name: 'utm_source', value: '{nobody}' }], hosts: [] }],
  ['a bracket alone', { parameters: [{ name: 'utm_source', value: '{' }], hosts: [] }],
  ['a name that no address has', { parameters: [{ name: 'utm source', value: 'x' }], hosts: [] }],
  ['no parameter', { parameters: [], hosts: [] }],
  ['an address for a host', { ...rule, hosts: ['https://acme.com'] }],
])('a rule with %s is none', (_what, linkTags) => {
  const { body } = app.updateWorkspace
  expect(Check(body, { linkTags: rule })).toBe(true)
  expect(Check(body, { linkTags: null })).toBe(true)
  expect(Check(body, { linkTags })).toBe(false)
})

test('a rule names a parameter once', () => {
  const parameters = ['utm_source', 'UTM_Source'].map((name) => ({ name, value: 'x' }))
  expect(readChange({ linkTags: { parameters, hosts: [] } })).toMatchObject({
    refused: 'validation_failed',
    facts: { errors: [{ pointer: '/linkTags/parameters/1/name' }] },
  })
})
