import { noLimits, reservedNames, type Template } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aGroup, aPicture, aWorkspace, type AWorkspace } from '../../../test/rigs/fixtures.ts'

/* Templates over the API: what posts are made of them, and what is refused. */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

async function aPlace() {
  const workspace = await aWorkspace(db)
  const channelId = await aChannel(db, workspace.workspaceId)
  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    as: AWorkspace = workspace,
  ) => api.call(as, method, path, body === undefined ? undefined : { confirmed: true, ...body })
  const create = async (more: object = {}, as?: AWorkspace) =>
    call('POST', '/templates', { name: uuidv7(), text: '{{product}} is out.', ...more }, as)
  const aTemplate = async (more: object = {}): Promise<Template> => {
    const { status, body } = await create(more)
    expect(status).toBe(201)
    return body as Template
  }
  const post = async (template: object, more: object = {}, as?: AWorkspace) =>
    call('POST', '/posts', { idempotencyKey: uuidv7(), state: 'draft', template, ...more }, as)
  const check = async (template: object, more: object = {}) =>
    api.call(workspace, 'POST', '/post-checks', { state: 'draft', template, ...more })
  return { workspace, channelId, call, create, aTemplate, post, check }
}

/** The same workspace by a credential that is narrowed. */
function narrowed(workspace: AWorkspace, limits: object): AWorkspace {
  const { caller } = workspace
  const credential = { ...caller.credential, limits: { ...noLimits, ...limits } }
  return { ...workspace, caller: { ...caller, credential } }
}

describe('a post from a template', () => {
  test('has its texts with the values, its media, channels and labels', async () => {
    const { workspace, channelId, aTemplate, post, check } = await aPlace()
    const mediaId = await aPicture(db, workspace.workspaceId)
    const { templateId, fields } = await aTemplate({
      text: '{{product}} {{ version }} is out: {{product}}!',
      thread: [{ text: 'By {{who’s}}'.replace('’s', ' did it'), mediaIds: [mediaId] }],
      channelIds: [channelId],
      labels: ['Releases'],
    })
    expect(fields).toEqual(['product', 'version', 'who did it'])
    const template = {
      templateId,
      fields: { product: '{{version}} $& $1', version: '2.0', 'who did it': 'Ada' },
    }
    const { status, body } = await post(template)
    expect({ status, labels: body.labels, content: body.content }).toEqual({
      status: 201,
      labels: ['Releases'],
      content: {
        text: '{{version}} $& $1 2.0 is out: {{version}} $& $1!',
        thread: [{ text: 'By Ada', mediaIds: [mediaId] }],
      },
    })
    const checked = await check(template)
    expect(checked.body).toMatchObject({
      ready: true,
      destinations: [{ channelId, parts: [{ text: body.content.text }, { text: 'By Ada' }] }],
    })
  })

  test('has what stands beside the template instead', async () => {
    const { workspace, channelId, aTemplate, post } = await aPlace()
    const other = await aChannel(db, workspace.workspaceId)
    const { templateId } = await aTemplate({
      channelIds: [channelId],
      labels: ['Releases'],
      thread: [{ text: '{{more}}' }],
    })
    const fields = { product: 'It' }
    const { status, body } = await post(
      { templateId, fields },
      { channelIds: [other], labels: ['Now'], thread: [{ text: '{{kept}}' }] },
    )
    expect({ status, labels: body.labels, content: body.content }).toEqual({
      status: 201,
      labels: ['Now'],
      content: { text: 'It is out.', thread: [{ text: '{{kept}}' }] },
    })
    expect(body.destinations.map((one: { channelId: string }) => one.channelId)).toEqual([other])
  })

  test('is made once by its key, also when the template has changed since', async () => {
    const { channelId, call, aTemplate } = await aPlace()
    const template = await aTemplate({ channelIds: [channelId] })
    const { templateId, editToken } = template
    const idempotencyKey = uuidv7()
    const body = { idempotencyKey, state: 'draft', template: { templateId, fields: { product: 'It' } } }
    const first = await call('POST', '/posts', body)
    const changed = await call('POST', `/templates/${templateId}`, { editToken, name: 'Else', text: 'Else' })
    expect(changed).toMatchObject({ status: 200, body: { name: 'Else', text: 'Else', fields: [] } })
    expect(changed.body).not.toHaveProperty('channelIds')
    const again = await call('POST', '/posts', body)
    expect(again.body).toEqual(first.body)
  })

  test('comes in a batch, too, each row with its own values', async () => {
    const { channelId, call, aTemplate } = await aPlace()
    const { templateId } = await aTemplate({ channelIds: [channelId] })
    const row = (fields: object) => ({
      idempotencyKey: uuidv7(),
      state: 'draft',
      template: { templateId, fields },
    })
    const { body } = await call('POST', '/posts/batch', {
      posts: [row({ product: 'One' }), row({}), row({ product: 'Two' })],
    })
    expect(body.results).toMatchObject([
      { status: 201, post: { content: { text: 'One is out.' } } },
      {
        status: 400,
        problem: { errors: [{ pointer: '/posts/1/template/fields/product', code: 'required' }] },
      },
      { status: 201, post: { content: { text: 'Two is out.' } } },
    ])
  })

  test.each<[string, object, object, object]>([
    ['a missing value', {}, {}, { pointer: '/template/fields/product', code: 'required' }],
    [
      'a value of no field',
      { fields: { product: 'x', 'a/b': 'y' } },
      {},
      { pointer: '/template/fields/a~1b', code: 'unknown_field' },
    ],
    [
      'a value of no field that every object has',
      { fields: { product: 'x', constructor: 'y' } },
      {},
      { pointer: '/template/fields/constructor', code: 'unknown_field' },
    ],
    [
      'a value of a field whose text is replaced',
      { fields: { product: 'x' } },
      { text: 'My own' },
      { pointer: '/template/fields/product', detail: expect.stringContaining('that this request replaces') },
    ],
    ['a template that is not there', { templateId: uuidv7() }, {}, { pointer: '/template/templateId' }],
    ['targets', { fields: { product: 'x' } }, { targets: [] }, { pointer: '/targets' }],
    [
      'values that make a text too long',
      { fields: { product: 'x'.repeat(20_000) } },
      {},
      { pointer: '/template/fields', code: 'too_long' },
    ],
  ])('is refused with %s, and nothing is made', async (_, template, more, error) => {
    const { workspace, channelId, aTemplate, post, check } = await aPlace()
    const text = '{{product}}'.repeat(6)
    const { templateId } = await aTemplate({ channelIds: [channelId], text })
    const beside = 'targets' in more ? { targets: [{ channelId, text: 'x' }] } : more
    await changingNothing(workspace, async () => {
      for (const ask of [post, check]) {
        const { status, body } = await ask({ templateId, ...template }, beside)
        expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [error] })
      }
    })
  })

  test('says of what is wrong with its content that the template is', async () => {
    const { channelId, aTemplate, post, check } = await aPlace()
    const { templateId } = await aTemplate({ channelIds: [channelId], labels: ['x'] })
    const template = { templateId, fields: { product: 'x'.repeat(400) } }
    const issue = { code: 'text_too_long', pointer: '/template' }
    expect(await post(template)).toMatchObject({ status: 422, body: { issues: [issue] } })
    expect((await check(template)).body).toMatchObject({ ready: false, issues: [issue] })
    const own = { ...issue, pointer: '/text' }
    const long = { text: 'x'.repeat(400) }
    expect(await post({ templateId }, long)).toMatchObject({ status: 422, body: { issues: [own] } })
  })
})

describe('a template', () => {
  test('is listed by name, read, changed and deleted', async () => {
    const { workspace, call, aTemplate, post } = await aPlace()
    const [b, a] = [await aTemplate({ name: 'b' }), await aTemplate({ name: 'A' })]
    const { body: list } = await call('GET', '/templates')
    expect(list.templates).toMatchObject([
      {
        templateId: a.templateId,
        name: 'A',
        fields: ['product'],
        text: '{{product}} is out.',
        channelIds: [],
      },
      { templateId: b.templateId, name: 'b' },
    ])
    expect((await call('GET', `/templates/${a.templateId}`)).body).toEqual(a)
    const elsewhere = await aWorkspace(db)
    expect(await call('GET', `/templates/${a.templateId}`, undefined, elsewhere)).toMatchObject({
      status: 404,
    })
    expect(await api.call(workspace, 'DELETE', `/templates/${a.templateId}`)).toMatchObject({ status: 200 })
    expect(await call('GET', `/templates/${a.templateId}`)).toMatchObject({ status: 404 })
    expect(await api.call(workspace, 'DELETE', `/templates/${a.templateId}`)).toMatchObject({ status: 404 })
    expect(await post({ templateId: a.templateId })).toMatchObject({ status: 400 })
  })

  test.each<[string, object, object]>([
    ['an unclosed field', { text: 'Hello {{name' }, { pointer: '/text', code: 'malformed' }],
    ['a field without a name', { text: 'x', thread: [{ text: '{{ }}' }] }, { pointer: '/thread/0/text' }],
    ['a strange name', { text: '{{a{b}}' }, { pointer: '/text', code: 'malformed' }],
    ...reservedNames.map((name): [string, object, object] => [
      `a field ${name}, which no request can fill`,
      { text: `Hello {{ ${name} }}` },
      { pointer: '/text', code: 'malformed' },
    ]),
    ['a channel that is not there', { channelIds: [uuidv7()] }, { pointer: '/channelIds/0' }],
    ['media that are not there', { mediaIds: [uuidv7()] }, { pointer: '/mediaIds/0', code: 'media_unknown' }],
    [
      'more fields than can be filled',
      { text: Array.from({ length: 101 }, (_x, n) => `{{f${n}}}`).join('') },
      { pointer: '/text', code: 'out_of_range' },
    ],
  ])('is refused with %s', async (_, more, error) => {
    const { workspace, create } = await aPlace()
    await changingNothing(workspace, async () => {
      const { status, body } = await create(more)
      expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [error] })
    })
  })

  test('has a name of its own, also where two are created at once', async () => {
    const { call, create, aTemplate } = await aPlace()
    const both = await Promise.all([create({ name: 'Release' }), create({ name: ' release' })])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    const { templateId, editToken } = await aTemplate()
    expect(
      await call('POST', `/templates/${templateId}`, { editToken, name: 'RELEASE', text: 'x' }),
    ).toMatchObject({ status: 409, body: { code: 'already_exists' } })
    expect(
      await call('POST', `/templates/${templateId}`, { editToken, name: 'Mine', text: 'x' }),
    ).toMatchObject({ status: 200 })
  })

  test('is not changed by those who have not seen it as it is, also at once', async () => {
    const { call, aTemplate } = await aPlace()
    const { templateId, editToken } = await aTemplate()
    const change = (text: string) => call('POST', `/templates/${templateId}`, { editToken, name: 'x', text })
    const both = await Promise.all([change('One'), change('Two')])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const text = both.find(({ status }) => status === 200)?.body.text
    expect((await call('GET', `/templates/${templateId}`)).body.text).toBe(text)
  })

  test('is one of 200 at most', async () => {
    const { workspace, create } = await aPlace()
    await db`
      insert into template (workspace_id, id, name, name_key, content, channel_ids, labels, label_keys, media_ids, edit_token)
      select ${workspace.workspaceId}, gen_random_uuid(), 't' || n, 't' || n, '{"text":"x"}', '{}', '{}', '{}', '{}', 'x'
      from   generate_series(1, 199) n`
    const both = await Promise.all([create(), create()])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
  })

  test('keeps its media from being deleted', async () => {
    const { workspace, aTemplate } = await aPlace()
    const mediaId = await aPicture(db, workspace.workspaceId)
    const { templateId } = await aTemplate({ thread: [{ text: 'x', mediaIds: [mediaId] }] })
    const remove = () => api.call(workspace, 'DELETE', `/media/${mediaId}`)
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    await api.call(workspace, 'DELETE', `/templates/${templateId}`)
    expect(await remove()).toMatchObject({ status: 200 })
  })

  test('is seen and written by a narrowed credential where it is for its channels and label', async () => {
    const { workspace, channelId, call, create, aTemplate, post } = await aPlace()
    const { workspaceId } = workspace
    const other = await aChannel(db, workspaceId)
    const group = await aGroup(db, workspaceId, [channelId])
    const byChannel = narrowed(workspace, { channelIds: [channelId] })
    const [neutral, own, grouped, foreign] = [
      await aTemplate({ name: '1' }),
      await aTemplate({ name: '2', channelIds: [channelId] }),
      await aTemplate({ name: '3', channelIds: [group] }),
      await aTemplate({ name: '4', channelIds: [other] }),
    ]
    const seen = async (as: AWorkspace): Promise<string[]> =>
      (await call('GET', '/templates', undefined, as)).body.templates.map(({ name }: Template) => name)
    expect(await seen(byChannel)).toEqual(['1', '2', '3'])
    const change = async ({ templateId, editToken, name }: Template, as: AWorkspace, more: object = {}) =>
      (await call('POST', `/templates/${templateId}`, { editToken, name, text: 'x', ...more }, as)).status
    expect(await change(neutral, byChannel)).toBe(403)
    expect(await change(own, byChannel)).toBe(403)
    expect(await change(foreign, byChannel, { channelIds: [channelId] })).toBe(404)
    expect(await change(own, byChannel, { channelIds: [other] })).toBe(403)
    expect(await change(own, byChannel, { channelIds: [channelId] })).toBe(200)
    expect(await change(grouped, byChannel, { channelIds: [group] })).toBe(200)
    expect((await create({}, byChannel)).status).toBe(403)
    const fields = { product: 'x' }
    expect((await post({ templateId: foreign.templateId, fields }, {}, byChannel)).status).toBe(400)
    expect(
      (await post({ templateId: neutral.templateId, fields }, { channelIds: [channelId] }, byChannel)).status,
    ).toBe(201)
    const remove = async ({ templateId }: Template) =>
      (await api.call(byChannel, 'DELETE', `/templates/${templateId}`)).status
    expect([await remove(neutral), await remove(foreign), await remove(own)]).toEqual([403, 404, 200])

    const byLabel = narrowed(workspace, { label: 'Sale' })
    await aTemplate({ name: '5', labels: ['sale', 'x'] })
    await aTemplate({ name: '6', labels: ['x'] })
    expect(await seen(byLabel)).toEqual(['1', '3', '4', '5'])
    expect(await change(neutral, byLabel, { labels: ['Sale'] })).toBe(403)
    expect((await create({ labels: ['x'] }, byLabel)).status).toBe(403)
    expect((await create({ labels: ['SALE'] }, byLabel)).status).toBe(201)
  })
})
