import { randomBytes } from 'node:crypto'
import { permissionNames } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashAgentKey, newAgentKey } from '../src/people/keys/agent-key.ts'
import { insertTemplate } from '../src/content/templates/template-store.ts'
import { insertEndpoint } from '../src/engine/webhooks/endpoint-store.ts'
import { insertTestDelivery } from '../src/engine/webhooks/delivery-log-store.ts'
import { sampleEvent } from '../src/engine/webhooks/sample-event.ts'
import { revokeKey } from '../src/people/keys/key-store.ts'
import { type AiDouble, obey, openAiDouble } from './doubles/ai-double.ts'
import { aPhoto } from './rigs/media-files.ts'
import { aChannel, aPicture, aPost, aWorkspace, type AWorkspace } from './rigs/fixtures.ts'
import { inPlace } from './rigs/openapi-judge.ts'
import { aKey, type Answer, dumpTables, openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * Walks every operation of the OpenAPI document as it is served. Each is first carried out with our own ids, so
 * that it is known to be driven rightly; then with the ids, tokens and cursors of another workspace, where every answer
 * must be the very one that an unknown id gets.
 */

type Json = { [name: string]: any }
type Drivable = { id: string; method: string; path: string; described: Json }

/** What stands under each name in a request. */
type Slots = Record<string, string>

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const publishAt = inDays(40)
/** The first occurrence of each series. */
const seriesDay = publishAt.toISOString().slice(0, 10)

const states = ['draft', 'scheduled', 'failed', 'published', 'checking'] as const

/** Names whose values belong to a workspace. A name that looks like one of them must be listed here. */
const slotNames = [
  'postId',
  'postIds',
  'channelId',
  'channelIds',
  'mediaId',
  'mediaIds',
  'id',
  'controlToken',
  'editToken',
  'endpointId',
  'eventId',
  'seriesId',
  'templateId',
  'cursor',
  'q',
] as const
/** Slots of whose values a post's state can make a difference to an operation; one without any is asked in one state. */
const isOfPosts = (slot: string) => /^(postIds?|controlToken|editToken|q|cursor of .*)$/.test(slot)
const looksLikeSlot = /(^|[a-z])(ids?|tokens?|cursor)$/i

/** What is sent under names that belong to nobody; what is in none of the two lists fails the test. */
const plainValues: Record<string, string> = {
  limit: '1',
  before: '',
  since: '',
  type: '',
  width: '30',
  kind: 'image',
  status: 'all',
  from: inDays(30).toISOString(),
  to: inDays(60).toISOString(),
  includeDrafts: 'true',
  include: 'history',
  format: 'csv',
  plan: 'exported',
  // Left out: what they narrow to has tests of its own.
  sentSha256: '',
  only: '',
  'listPosts from': '',
  'listPosts to': '',
  'readLabelResults from': '',
  'readLabelResults to': '',
  'listSeries status': '',
  'readSeries from': inDays(30).toISOString().slice(0, 10),
  'listOwnDeliveries status': 'pending',
  reviewStatus: '',
  author: '',
  // Of a key or an app: the filters have tests of their own.
  createdById: '',
  // Its own test asks for those of another workspace.
  label: '',
  'readLabelResults label': 'Spring sale',
  updatedSince: '',
  idempotencyKey: '',
  // Its own test asks for that of another workspace.
  reference: '',
}

/** Ways to ask that the one example of the document does not show. */
const moreBodies: Record<string, Json[]> = {
  createPost: [
    { confirmed: true, idempotencyKey: 'k', state: 'draft', targets: [{ channelId: '', text: 'Hello' }] },
    {
      confirmed: true,
      idempotencyKey: 'k',
      state: 'draft',
      channelIds: [''],
      text: 'Hello',
      thread: [{ text: '', mediaIds: [''] }],
    },
    { confirmed: true, idempotencyKey: 'k', state: 'draft', template: { templateId: '' } },
  ],
  generatePostDrafts: [
    {
      confirmed: true,
      brief: 'Anything.',
      destinations: [{ id: '' }],
      language: 'en',
      tone: 'plain',
      result: 'draft',
      mediaIds: [''],
    },
  ],
  checkPost: [
    { state: 'draft', targets: [{ channelId: '', text: 'Hello' }] },
    { state: 'draft', targets: [{ channelId: '', text: '', mediaIds: [''] }] },
    { state: 'draft', template: { templateId: '' } },
  ],
  checkPosts: [
    { posts: [{ state: 'draft', targets: [{ channelId: '', text: 'Hello' }] }] },
    { posts: [{ state: 'draft', targets: [{ channelId: '', text: '', mediaIds: [''] }] }] },
    { posts: [{ state: 'draft', template: { templateId: '' } }] },
  ],
  uploadMedia: [{ confirmed: true, altText: 'A gate.' }],
  updateMedia: [{ confirmed: true, altText: null }],
  editPost: [
    { confirmed: true, editToken: '', content: { targets: [{ channelId: '', text: 'Hello' }] } },
    { confirmed: true, editToken: '', content: { text: '', mediaIds: [''] } },
  ],
}

/** `mediaId`: the picture of that side that was uploaded last. */
type Party = { workspace: AWorkspace; key: string; word: string; mediaId: string }

let double: AiDouble
let app: RunningApp
let own: Party
let foreign: Party
let operations: Drivable[]
let picture: Buffer

beforeAll(async () => {
  double = await openAiDouble(obey)
  app = await openRunningApp({ env: { OPENAI_BASE_URL: double.baseUrl } })
  picture = await aPhoto()
  own = { workspace: app.workspace, key: app.key, word: `ours${randomBytes(8).toString('hex')}`, mediaId: '' }
  const workspace = await aWorkspace(app.db)
  foreign = {
    workspace,
    key: await aKey(app.db, workspace),
    word: `theirs${randomBytes(8).toString('hex')}`,
    mediaId: '',
  }
  operations = await readOperations()
  const upload = operations.find(({ id }) => id === 'uploadMedia')!
  for (const side of [own, foreign, own, foreign]) {
    const { body } = await drive(upload, { confirmed: true, altText: `Alt ${side.word}` }, {}, side.key)
    side.mediaId = body.mediaId
  }
  for (const side of [own, foreign, own, foreign]) await seedDatabase(side, 'scheduled')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await double[Symbol.asyncDispose]()
})

/** A post of that side in that state, as the values that a request about it needs. */
async function seedDatabase(
  { workspace: { workspaceId }, key, word, mediaId }: Party,
  status: (typeof states)[number],
  { cursors = true, endpoints = false, picture: isAlone = false, apart = false } = {},
): Promise<Slots> {
  const channelId = await aChannel(app.db, workspaceId, { displayName: `Channel ${word}` })
  const options = { states: [status], channelIds: [channelId], texts: [`Text ${word}`], publishAt }
  // Two on the channel, so that its list has a second page.
  await aPost(app.db, workspaceId, options)
  const { postId } = await aPost(app.db, workspaceId, options)
  const [tokens] = await app.db<{ editToken: string; controlToken: string }[]>`
    select p.edit_token as "editToken", d.control_token as "controlToken"
    from   post p join destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
    where  p.workspace_id = ${workspaceId} and p.id = ${postId}`
  const named = apart ? await aChannel(app.db, workspaceId) : channelId
  const channel = { channelId: named, channelIds: named, id: named }
  const media = isAlone ? { mediaId: await aPicture(app.db, workspaceId) } : { mediaId, mediaIds: mediaId }
  return {
    postId,
    postIds: postId,
    ...channel,
    ...media,
    ...tokens!,
    q: word,
    ...(await seedSeries(key, channelId)),
    ...(await seedTemplate(workspaceId, channelId, word)),
    ...(endpoints ? await seedEndpoint(workspaceId, key) : {}),
    ...(cursors ? await cursorsOf(key, { q: word, channelId, postId }) : {}),
  }
}

/** A series on a channel of that side; two, so that their list has a second page. */
async function seedSeries(key: string, channelId: string): Promise<Slots> {
  const options = {
    confirmed: true,
    rule: 'FREQ=WEEKLY;COUNT=5',
    channelIds: [channelId],
    text: 'x',
    startsAt: { local: `${seriesDay}T09:00`, timeZone: 'UTC' },
  }
  const create = async () => {
    const body = { ...options, idempotencyKey: uuidv7() }
    return (await app.ask('POST', '/agent/v1/series', { key, body })).body as Json
  }
  await create()
  const { seriesId, editToken } = await create()
  return { seriesId, seriesToken: editToken }
}

/** A template of that side without fields. */
async function seedTemplate(workspaceId: string, channelId: string, word: string): Promise<Slots> {
  // A workspace has 200 at most.
  if (workspaceId === own.workspace.workspaceId)
    await app.db`delete from template where workspace_id = ${workspaceId}`
  const [templateId, templateToken] = [uuidv7(), randomBytes(18).toString('base64url')]
  const said = { content: { text: `Template ${word}` }, channelIds: [channelId], labels: [] }
  await app.db.begin((tx) =>
    insertTemplate(tx, { workspaceId, templateId }, { ...said, name: templateId, editToken: templateToken }),
  )
  return { templateId, templateToken }
}

/** An endpoint that the key of that side has created, and an event that it is owed. */
async function seedEndpoint(workspaceId: string, key: string): Promise<Slots> {
  const [endpointId, eventId] = [uuidv7(), uuidv7()]
  const [found] = await app.db<{ id: string }[]>`
    select id from agent_key where secret_hash = ${hashAgentKey(key)}`
  const wanted = { url: 'https://example.com/hook', description: '', autoReplay: false }
  const endpoint = { workspaceId, endpointId }
  await insertEndpoint(app.db, endpoint, { ...wanted, eventTypes: ['post.failed'] }, found!.id)
  await insertTestDelivery(app.db, { ...endpoint, eventId }, sampleEvent('post.failed', workspaceId))
  return { endpointId, eventId }
}

/** A cursor belongs to one list: its slot is named after the operation. */
const cursorSlot = ({ id }: Drivable) => `cursor of ${id}`

async function cursorsOf(key: string, filters: Slots): Promise<Slots> {
  const lists = operations.filter((operation) =>
    parametersOf(operation).some(({ name }) => name === 'cursor'),
  )
  const pages = lists.map(async (list) => {
    const { body } = await drive(list, undefined, filters, key)
    return [cursorSlot(list), body.nextCursor ?? ''] as const
  })
  return Object.fromEntries(await Promise.all(pages))
}

function parametersOf({ described }: Drivable): Json[] {
  return described['parameters'] ?? []
}

function unknownSlots(): Slots {
  const token = randomBytes(24).toString('base64url')
  const [id, mediaId, postId] = [uuidv7(), uuidv7(), uuidv7()]
  return {
    postId,
    postIds: postId,
    channelId: id,
    channelIds: id,
    id,
    controlToken: token,
    editToken: token,
    mediaId,
    mediaIds: mediaId,
    endpointId: uuidv7(),
    eventId: uuidv7(),
    seriesId: uuidv7(),
    seriesToken: token,
    templateId: uuidv7(),
    templateToken: token,
    q: `nobody${randomBytes(8).toString('hex')}`,
    ...Object.fromEntries(
      operations.map((operation) => [cursorSlot(operation), randomBytes(60).toString('base64url')]),
    ),
  }
}

async function readOperations(): Promise<Drivable[]> {
  const { body: document } = await app.ask('GET', '/openapi/json', { key: null })
  const { paths: described, components } = document as { paths: Json; components: Json }
  const paths = Object.entries(inPlace({ components }, described) as Json)
  const found = paths.flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, described]) => ({
      id: (described as Json)['operationId'] as string,
      method: method.toUpperCase(),
      path,
      described: described as Json,
    })),
  )
  if (found.length < 12) throw new Error('the document has lost operations')
  return found
}

/** Every body the operation is asked with, ids left to be filled in; one undefined for an operation without. */
function bodiesOf({ id, described }: Drivable): (Json | undefined)[] {
  const { requestBody } = described
  if (requestBody === undefined) return [undefined]
  const content = requestBody.content['application/json'] ?? requestBody.content[FORM]
  if (content === undefined)
    throw new Error(`${id}: this test cannot drive ${Object.keys(requestBody.content).join()}.`)
  const examples = Object.values((content.examples ?? { one: { value: content.example } }) as Json).flatMap(
    ({ value }) => (value === undefined ? [] : [value as Json]),
  )
  const bodies = [...examples, ...(moreBodies[id] ?? [])]
  if (bodies.length === 0) throw new Error(`${id}: its body has no example to start from.`)
  return bodies
}

const FORM = 'multipart/form-data'

function formOf(fields: Json): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('file', new Blob([new Uint8Array(picture)]))
  return form
}

function slotsOf(operation: Drivable, body: Json | undefined): string[] {
  const named = parametersOf(operation)
    .filter((one) => one['in'] !== 'header')
    .map((one) => one['name'] as string)
  const slots = named.filter((name) => isSlot(operation, name))
  const used = [...slots.map((name) => slotOf(operation, name)), ...slotsIn(operation, body)]
  for (const name of named) {
    if (!isSlot(operation, name) && plainValues[name] === undefined) {
      throw new Error(`${operation.id}: this test does not know what to send as ${name}.`)
    }
  }
  return [...new Set(used)]
}

function slotOf(operation: Drivable, name: string): string {
  if (name === 'cursor') return cursorSlot(operation)
  return name === 'editToken' ? editTokenOf(operation) : name
}

const editTokenOf = ({ path }: Drivable) =>
  path.includes('{seriesId}') ? 'seriesToken' : path.includes('{templateId}') ? 'templateToken' : 'editToken'

function slotsIn(operation: Drivable, node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap((item) => slotsIn(operation, item))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    isSlot(operation, name) ? [slotOf(operation, name)] : slotsIn(operation, value),
  )
}

function isSlot({ id }: Drivable, name: string): boolean {
  if (slotNames.some((known) => known === name)) return true
  if (looksLikeSlot.test(name) && plainValues[name] === undefined)
    throw new Error(`${id}: this test does not know whose ${name} is.`)
  return false
}

function fill(node: unknown, values: Slots): unknown {
  if (Array.isArray(node)) return node.map((item) => fill(item, values))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name === 'idempotencyKey') return [name, uuidv7()]
      if (name === 'publishAt') return [name, publishAt.toISOString()]
      if (name === 'local') return [name, `${seriesDay}T09:00`]
      if (name === 'date') return [name, seriesDay]
      if (values[name] === undefined) return [name, fill(value, values)]
      return [name, Array.isArray(value) ? [values[name]] : values[name]]
    }),
  )
}

function drive(operation: Drivable, body: Json | undefined, given: Slots, key = own.key): Promise<Answer> {
  const { method } = operation
  const values: Slots = { ...given, editToken: given[editTokenOf(operation)] ?? '' }
  const query = new URLSearchParams()
  let path = operation.path
  for (const { name, in: place } of parametersOf(operation)) {
    const plain = plainValues[`${operation.id} ${name}`] ?? plainValues[name] ?? ''
    const value = values[slotOf(operation, name)] ?? plain
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    // A list has no cursor before its first page.
    if (place === 'query' && value !== '') query.set(name, value)
  }
  const text = query.toString()
  const filled = body === undefined ? undefined : fill(body, values)
  const isForm = operation.described['requestBody']?.content[FORM] !== undefined
  return app.ask(method, text === '' ? path : `${path}?${text}`, {
    key,
    // A create carries its key in its body.
    headers: hasKey(filled) ? {} : { 'idempotency-key': uuidv7() },
    ...(filled === undefined ? {} : { body: isForm ? formOf(filled as Json) : filled }),
  })
}

const hasKey = (body: unknown) => typeof body === 'object' && body !== null && 'idempotencyKey' in body

/** Which sides the named slots can be taken from: every choice in which at least one is not ours. */
function choices(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length - 1 }, (_, n) =>
    names.filter((_name, bit) => ((n + 1) >> bit) & 1),
  )
}

function mix(names: readonly string[], ours: Slots, others: Slots): Slots {
  return { ...ours, ...Object.fromEntries(names.map((name) => [name, others[name] ?? ''])) }
}

/** An answer with what differs by nature taken out: the request's own name, and the values that were sent. */
function comparable({ status, headers, text }: Answer, sent: Slots): object {
  let plain = text
  for (const [name, value] of Object.entries(sent))
    if (value !== '') plain = plain.replaceAll(value, `{${name}}`)
  plain = plain.replaceAll(headers.get('x-request-id') ?? '', '{requestId}')
  // Ids may share what they are shown as; a shared id is one slot as well as another.
  plain = plain.replaceAll('{channelIds}', '{channelId}').replaceAll('{editToken}', '{controlToken}')
  plain = plain.replaceAll('{mediaIds}', '{mediaId}').replaceAll('{postIds}', '{postId}')
  plain = plain.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
  const kept = ['content-type', 'www-authenticate', 'location', 'idempotent-replayed', 'ratelimit-policy']
  return { status, body: plain, headers: kept.map((name) => headers.get(name)) }
}

/** Words of the other workspace that no answer to us may hold, other than by repeating what we sent. */
async function secretsOf({ workspace, word }: Party): Promise<string[]> {
  const { workspaceId, memberId } = workspace
  const rows = await app.db<{ word: string }[]>`
    select id::text as word from channel where workspace_id = ${workspaceId}
    union all select id::text from post where workspace_id = ${workspaceId}
    union all select id::text from destination where workspace_id = ${workspaceId}
    union all select control_token from destination where workspace_id = ${workspaceId}
    union all select edit_token from post where workspace_id = ${workspaceId}
    union all select id::text from media_item where workspace_id = ${workspaceId}
    union all select storage_key from media_item where workspace_id = ${workspaceId}
    union all select encode(sha256, 'hex') from media_item where workspace_id = ${workspaceId}
    union all select id::text from endpoint where workspace_id = ${workspaceId}
    union all select id::text from agent_key where workspace_id = ${workspaceId}`
  return [workspaceId, memberId, word, ...rows.map((row) => row.word)]
}

function expectSilence(answer: Answer, sent: Slots, secrets: readonly string[]): void {
  const told = answer.text + [...answer.headers.values()].join('\n')
  const leaked = secrets.filter((secret) => told.includes(secret))
  expect(leaked.filter((secret) => !Object.values(sent).includes(secret))).toEqual([])
}

/** The rows of the other workspace, in every table. */
const foreignRows = () => dumpTables(app.db, foreign.workspace.workspaceId)

describe('with the other workspace’s ids', () => {
  test(
    'every operation of the document answers as for an unknown id, and leaves the other workspace alone',
    { timeout: 240_000 },
    async () => {
      const theirsIn = new Map<(typeof states)[number], Slots>()
      for (const state of states) theirsIn.set(state, await seedDatabase(foreign, state, { endpoints: true }))
      const secrets = await secretsOf(foreign)
      const before = await foreignRows()
      for (const operation of operations) {
        for (const body of bodiesOf(operation)) {
          const names = slotsOf(operation, body)
          const needed = {
            // Only what no post carries is deleted.
            picture: operation.id === 'deleteMedia',
            // Only what a post has not is added to it.
            apart: operation.id === 'changeChannels',
            cursors: names.includes(cursorSlot(operation)),
            endpoints: names.includes('endpointId'),
          }
          let succeeded = false
          for (const [state, theirs] of theirsIn) {
            if (state !== 'scheduled' && !names.some(isOfPosts)) continue
            // What is refused changes nothing of ours: the same is asked about until it is carried out at last.
            const ours = await seedDatabase(own, state, needed)
            for (const chosen of choices(names)) {
              const nobodys = unknownSlots()
              const sent = mix(chosen, ours, theirs)
              const asked = mix(chosen, ours, nobodys)
              const answer = await drive(operation, body, sent)
              const what = `${operation.id} in ${state} with the other's ${chosen.join(', ')}`
              expect({ what, ...comparable(answer, sent) }).toEqual({
                what,
                ...comparable(await drive(operation, body, asked), asked),
              })
              expect({ what, ours: answer.status >= 500 }).toEqual({ what, ours: false })
              expectSilence(answer, sent, secrets)
            }
            const answer = await drive(operation, body, ours)
            expectSilence(answer, ours, secrets)
            succeeded ||= answer.status < 300
          }
          expectSame(await foreignRows(), before)
          expect({ driven: operation.id, succeeded }).toEqual({ driven: operation.id, succeeded: true })
        }
      }
    },
  )

  test('lists page through our own posts only', async () => {
    const { workspaceId } = own.workspace
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page = await app.ask('GET', `/agent/v1/posts?limit=100${more}`)
      seen.push(...page.body.items.map((item: Json) => item['postId'] as string))
      cursor = page.body.nextCursor as string | null
    }
    const rows = await app.db<{ id: string }[]>`select id from post where workspace_id = ${workspaceId}`
    expect(seen.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  })

  test('an idempotency key that the other workspace has used is free for us', async () => {
    for (const side of [foreign, own]) {
      const { channelId } = await seedDatabase(side, 'draft')
      const body = {
        confirmed: true,
        idempotencyKey: 'shared',
        state: 'draft',
        channelIds: [channelId],
        text: side.word,
      }
      const answer = await app.ask('POST', '/agent/v1/posts', { key: side.key, body })
      expect({ status: answer.status, replayed: answer.headers.get('idempotent-replayed') }).toEqual({
        status: 201,
        replayed: null,
      })
    }
  })
})

describe('permissions', () => {
  test.each(permissionNames)('%s alone opens its own operations and no other', async (permission) => {
    // An endpoint tells of posts: who makes one may read them.
    const permissions = permission === 'webhooks:write' ? (['posts:read', permission] as const) : [permission]
    const key = await aKey(app.db, own.workspace, { permissions: [...permissions] })
    const neededBy = ({ described }: Drivable) =>
      (described['security'] as { oauth?: string[] }[] | undefined)?.find((one) => one.oauth !== undefined)
        ?.oauth?.[0] ?? null
    const isOpen = (operation: Drivable) => {
      const needed = neededBy(operation)
      return needed === null || permissions.some((one) => one === needed)
    }
    for (const operation of operations.filter(isOpen)) {
      const [body] = bodiesOf(operation)
      const ours = await seedDatabase(own, 'scheduled', { apart: operation.id === 'changeChannels' })
      const endpoint = await seedEndpoint(own.workspace.workspaceId, key)
      const answer = await drive(operation, body, { ...ours, ...endpoint }, key)
      expect([200, 201, 409]).toContain(answer.status)
    }
    const ours = await seedDatabase(own, 'scheduled', { endpoints: true })
    // After an answer, texts are indexed for search, and series that were changed are looked at.
    const isLeft = () => app.db`
      select from unindexed_post union all select from series where look_at <= now() + interval '1 minute'`
    await expect.poll(isLeft).toHaveLength(0)
    const before = await dumpTables(app.db)
    for (const operation of operations.filter((one) => !isOpen(one))) {
      const [body] = bodiesOf(operation)
      const needed = neededBy(operation)
      const answer = await drive(operation, body, ours, key)
      const { code, requiredPermission, grantedPermissions } = answer.body
      expect({ status: answer.status, code, requiredPermission, grantedPermissions }).toEqual({
        status: 403,
        code: 'missing_permission',
        requiredPermission: needed,
        grantedPermissions: permissions,
      })
      expect(answer.headers.get('www-authenticate')).toContain(`scope="${needed}"`)
    }
    expectSame(await dumpTables(app.db), before)
  })
})

describe('keys that are over', () => {
  test('revoked, expired and unknown ones open nothing, and nobody is told which it was', async () => {
    const revoked = await aKey(app.db, own.workspace)
    await app.db`update agent_key set revoked_at = now() where secret_hash = ${hashAgentKey(revoked)}`
    const expired = await aKey(app.db, own.workspace, { expiresAt: new Date(Date.now() - 1_000) })
    const ours = await seedDatabase(own, 'scheduled', { endpoints: true })
    for (const operation of operations) {
      const [body] = bodiesOf(operation)
      const answers = []
      for (const key of [revoked, expired, newAgentKey()])
        answers.push(await drive(operation, body, ours, key))
      expect(answers.map(({ status, body: { code } }) => ({ status, code }))).toEqual(
        answers.map(() => ({ status: 401, code: 'invalid_credential' })),
      )
      const told = answers.map((answer) => comparable(answer, ours))
      expect(told.slice(1)).toEqual([told[0], told[0]])
    }
  })

  test('a key that is revoked while it is in use stops at once', async () => {
    const key = await aKey(app.db, own.workspace)
    const reading = () => app.ask('GET', '/agent/v1/posts?limit=1', { key })
    expect((await Promise.all(Array.from({ length: 20 }, reading))).map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, () => 200),
    )
    const [row] = await app.db<
      { id: string }[]
    >`select id from agent_key where secret_hash = ${hashAgentKey(key)}`
    const during = Array.from({ length: 20 }, reading)
    await revokeKey(app.db, own.workspace.workspaceId, row!.id)
    const after = await Promise.all(Array.from({ length: 20 }, reading))
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
    for (const { status } of await Promise.all(during)) expect([200, 401]).toContain(status)
  })

  test('a key stops at the moment it expires', async () => {
    const key = await aKey(app.db, own.workspace, { expiresAt: new Date(Date.now() + 60_000) })
    expect((await app.ask('GET', '/agent/v1/me', { key })).status).toBe(200)
    await app.db`update agent_key set expires_at = now() where secret_hash = ${hashAgentKey(key)}`
    expect((await app.ask('GET', '/agent/v1/me', { key })).status).toBe(401)
  })
})

/** Equal tables, except for when a key was last used. */
function expectSame(now: Record<string, string[]>, before: Record<string, string[]>): void {
  const differing = Object.keys(now).filter(
    (name) => name !== 'agent_key' && JSON.stringify(now[name]) !== JSON.stringify(before[name]),
  )
  expect(differing.map((name) => [name, now[name], before[name]])).toEqual([])
}
