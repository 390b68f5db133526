import { app, type Operation, operations, permissionNames, readMe } from '@postrider/contract'
import * as fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSchema, type Schema, withoutIds } from '../../src/edge/api/request/schema-shape.ts'
import { createKey } from '../../src/people/keys/key-store.ts'
import { anApproval } from '../rigs/fixtures.ts'
import { aPhoto } from '../rigs/media-files.ts'
import { formOf, sendForm } from '../rigs/media-server.ts'
import { nearSchema } from '../rigs/near-schema.ts'
import { openApiJudge } from '../rigs/openapi-judge.ts'
import { byAgents, byPeople, onMedia, onPosts, openScene } from '../rigs/people-requests.ts'
import { openSite } from '../rigs/people-world.ts'
import { cpuSecondsOf, openServerProcess, type ServerProcess } from './server-process.ts'
import {
  BASES,
  basesOf,
  isOfThing,
  knownOf,
  passes,
  plain,
  type TextPlace,
  textPlaces,
  within,
  WORST,
} from './worst-texts.ts'

/*
 * Requests that nobody would write, to every operation, about things that there are: with their ids, and the tokens that they have just
 * then. No answer is our fault, each is as the OpenAPI document says, and none costs the server more than a moment. FUZZ_REQUESTS makes it
 * longer, and FUZZ_SEED repeats a run.
 */

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)

const [agentsJudge, peoplesJudge] = [openApiJudge(), openApiJudge(app.appOperations)]

let server: ServerProcess
let site: Awaited<ReturnType<typeof openSite>>
beforeAll(async () => {
  server = await openServerProcess()
  // Makes what requests are about, in this process: what it takes is not counted.
  site = await openSite(server.world.db)
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

type Scene = Awaited<ReturnType<typeof aScene>>
type Operations = readonly (Operation & { readonly byPeople?: true })[]

/** Those of people that are no agents' under another name. */
const ofPeople: Operations = app.appOperations
  .filter(({ id }) => !operations.some((one) => app.appIdOf(one) === id))
  .map((operation) => ({ ...operation, byPeople: true }))
// What drafts and images cost is asked of nobody here: no model is configured.
const asked: Operations = [...operations, ...ofPeople].filter(({ file }) => file === undefined)

/** How an operation is asked for, where a request for it is about something that has to be made. */
const requestOf = ({ id, byPeople: isPeoples }: Operations[number]) =>
  (isPeoples === true ? byPeople : { ...onPosts, ...onMedia, ...byAgents })[id]
/** What else has a body, at the address that its operation has. */
const BODIES: Readonly<Record<string, (scene: Scene) => unknown>> = {
  checkPost: ({ channelId }) => ({ state: 'draft', channelIds: [channelId], text: 'x' }),
  createWorkspace: () => ({ name: 'Another', timeZone: 'Europe/Berlin' }),
  previewPostingTimes: () => ({ postingTimes: [{ weekday: 'monday', time: '09:00' }] }),
}

type Things = Awaited<ReturnType<typeof openThings>>

/** A workspace with its owner in a browser and an agent with a key, and what makes things in it. */
async function openThings() {
  const { db } = server.world
  const scene = await openScene(db, site.app)
  const { workspaceId, workspace } = scene
  const permissions = permissionNames
  const made = { memberId: workspace.memberId, name: 'a key', permissions, expiresAt: null }
  const { key, keyId } = await createKey(db, workspaceId, made)
  // What belongs to the agent of the scene belongs to the key.
  Object.assign(workspace.caller.credential, { id: keyId })
  return Object.assign(scene, { agentsKey: key })
}

/** How a thing of each kind is made, by what addresses and bodies call its id. */
const MAKERS: Readonly<Record<string, (things: Things) => string | Promise<string>>> = {
  workspaceId: ({ workspaceId }) => workspaceId,
  channelId: ({ channelId }) => channelId,
  postId: async ({ post }) => (await post('draft')).postId,
  seriesId: async ({ series }) => (await series()).seriesId,
  templateId: async ({ template }) => (await template()).templateId,
  // With its file, which is read.
  mediaId: async ({ agentsKey: key }) =>
    (await sendForm({ url: server.baseUrl, key }, formOf(await aPhoto()), uuidv7())).body.mediaId,
  endpointId: ({ ownEndpoint }) => ownEndpoint(),
  eventId: ({ cancelled }) => cancelled(),
  approvalId: async ({ db, workspaceId, post }) => anApproval(db, workspaceId, (await post('draft')).postId),
  runId: ({ bulkRun }) => bulkRun(),
  linkId: async ({ ask: tell }) => (await tell('/channels/link', { provider: 'bluesky' })).body.linkId,
  memberId: ({ member }) => member(),
  keyId: ({ key }) => key(),
  grantId: ({ grant }) => grant(),
  groupId: ({ group }) => group(),
  invitationId: ({ invitation }) => invitation(),
  sessionId: () => uuidv7(),
}

/** The same with a thing of each kind that the operation names. */
async function aScene(operation: Operations[number]) {
  const things = await openThings()
  const ids: Record<string, string> = {}
  const said = operation.at + JSON.stringify(operation.body ?? null)
  for (const [name, make] of Object.entries(MAKERS))
    if (name === 'channelId' || new RegExp(`\\b${name}s?\\b`).test(said)) ids[name] = await make(things)
  return Object.assign(things, { ids })
}

/** A valid request, as far as it is known: its address, and its body. */
type Valid = { readonly path: string; readonly base: unknown }

async function validOf(operation: Operations[number], scene: Scene): Promise<Valid> {
  const request = requestOf(operation)
  const [, address = ''] = operation.at.split(' ')
  if (request === undefined) return { path: filled(address, scene.ids), base: BODIES[operation.id]?.(scene) }
  const [path, base] = await request(scene)
  const before = operation.byPeople === true ? `/app/api/workspaces/${scene.workspaceId}` : '/agent/v1'
  return { path: before + path, base }
}

const filled = (address: string, ids: Readonly<Record<string, string>>) =>
  address.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'missing'))

type Sent = { query?: unknown; body?: unknown; headers?: Record<string, string> }

/** Sends it, and holds the answer against the document. Returns what it was answered with. */
async function ask(
  operation: Operations[number],
  { agentsKey, owner }: Scene,
  path: string,
  { query, body, headers }: Sent,
): Promise<string> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(isSchema(query) ? query : {})) search.append(name, String(value))
  const answer = await fetch(`${server.baseUrl}${path}?${search.toString()}`, {
    method: operation.at.split(' ')[0]!,
    headers: {
      'idempotency-key': uuidv7(),
      ...(operation.byPeople === true
        ? {
            cookie: owner.cookie.replace('__Host-', ''),
            origin: `http://localhost:${server.port}`,
            'sec-fetch-site': 'same-origin',
            'x-postrider-app': '1',
          }
        : { authorization: `Bearer ${agentsKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  const judge = operation.byPeople === true ? peoplesJudge : agentsJudge
  if (type.includes('json')) judge.judge(operation.id, answer.status, JSON.parse(text))
  const code = answer.status < 400 ? 'done' : (JSON.parse(text) as { code: string }).code
  expect({ operation: operation.id, body, code }).not.toMatchObject({ code: 'internal_error' })
  return code
}

test('every kind of thing that an address names can be made', () => {
  const names = asked.flatMap(({ at }) => [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
  expect([...new Set(names)].filter((name) => !(name in MAKERS))).toEqual([])
})

const WRONG_IDS = [uuidv7(), 'x', '%00', '..%2f', '__proto__', '💥']

test.each(asked.filter((one) => (requestOf(one) ?? BODIES[one.id]) !== undefined))(
  'what $id is asked for with is valid, so that all else in it is looked at',
  async (operation) => {
    const scene = await aScene(operation)
    const { path, base } = await validOf(operation, scene)
    expect(await ask(operation, scene, path, { body: base })).toBe('done')
  },
)

describe('requests at random', () => {
  test.each(asked)('to $id are answered as documented', async (operation) => {
    const scene = await aScene(operation)
    const part = (schema: unknown) =>
      schema === undefined ? fc.constant(undefined) : nearSchema(withoutIds(schema))
    const request = fc.record({
      body: part(operation.body),
      query: part(operation.query),
      // Most are about what there is, and know its tokens.
      wrongId: fc.option(fc.constantFrom(...WRONG_IDS), { freq: 2 }),
      knows: fc.boolean(),
      key: fc.constantFrom('k', '"k"', '"', 'k k', 'é', 'k'.repeat(300), uuidv7()),
    })
    const numRuns = Math.ceil(REQUESTS / asked.length)
    await fc.assert(
      fc.asyncProperty(request, async ({ body, query, wrongId, knows, key }) => {
        const { path, base } = await validOf(operation, scene)
        const wrong =
          wrongId === null ? null : filled(operation.at.split(' ')[1]!, allOf(scene.workspaceId, wrongId))
        const known = knows && isSchema(base) && isSchema(body) ? { ...body, ...thingsIn(base) } : body
        const headers = /^[\x20-\x7e]*$/.test(key) ? { 'idempotency-key': key } : {}
        await ask(operation, scene, wrong ?? path, {
          query,
          headers,
          ...(body === undefined ? {} : { body: known }),
        })
      }),
      { numRuns, seed: SEED, endOnFailure: true },
    )
  })

  test('leave a server that runs and has no fault in its log', () => {
    server.expectRunning()
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})

/** All ids that one, but for the workspace. */
const allOf = (workspaceId: string, one: string) => ({
  ...Object.fromEntries(Object.keys(MAKERS).map((name) => [name, one])),
  workspaceId,
})

const thingsIn = (base: Schema) =>
  Object.fromEntries(Object.entries(base).filter(([name]) => isOfThing(name)))

/** Where a schema sets no length, and the most of it that goes into an address of 16 KiB. */
const CHARACTERS = { body: 100_000, query: 1_000 }
/** Of one request: what is quadratic takes seconds. */
const CPU_SECONDS = 0.15
const TOGETHER = 4

type Place = TextPlace & { readonly operation: Operations[number]; readonly part: 'body' | 'query' }

const places = asked.flatMap((operation) =>
  (['body', 'query'] as const).flatMap((part) =>
    textPlaces(withoutIds(operation[part] ?? {})).map((place): Place & { readonly name: string } => ({
      ...place,
      operation,
      part,
      name: `${operation.id} ${part} /${place.steps.join('/')}`,
    })),
  ),
)

/** The places that are the first of which their schema says this: what it refuses, it refuses alike in all others. */
const firsts = new Set(
  Map.groupBy(places, ({ part, text: { description: _, examples: __, ...rules } }) =>
    JSON.stringify([part, rules]),
  )
    .values()
    .map(([first]) => first),
)
/** What a place is sent: what the schema lets pass; and of what it refuses, all of it once. */
function textsFor(place: (typeof places)[number]): (readonly [string, string])[] {
  const { part, text: schema } = place
  const most = Math.min(Number(schema['maxLength'] ?? Infinity), CHARACTERS[part])
  return WORST.map(([name, textOf]) => {
    const text = textOf(most)
    return [name, part === 'query' ? text.toWellFormed() : text] as const
  }).filter(([, text]) => firsts.has(place) || passes(place, text))
}
const struck = places.map((place) => ({ ...place, texts: textsFor(place) }))

/** What is answered where a request is about nothing that there is, or is stale: then its texts were not looked at. */
const MISSED = ['not_found', 'stale_edit_token', 'stale_control_token']

/** Sends texts in a place of requests that are valid but for it: as one of the bases of a valid request has it. */
function sender({ operation, part, steps }: Place, scene: Scene) {
  let valid: Valid | null = null
  const schema = withoutIds(operation[part])
  return async (text: string, which: number): Promise<string> => {
    valid ??= await validOf(operation, scene)
    const { path, base } = valid
    const known = knownOf(base, scene.ids)
    const bases = basesOf(part === 'body' ? base : QUERIES[operation.id], schema, steps)
    const holds = within(bases[which] ?? bases[0] ?? plain(schema, known), schema, steps, text, known)
    const beside = part === 'query' && operation.body !== undefined ? base : undefined
    const code = await ask(
      operation,
      scene,
      path,
      part === 'body' ? { body: holds } : { query: holds, body: beside },
    )
    // Its tokens are spent.
    if (code === 'done') valid = null
    return code
  }
}

const HARMLESS = 'a'
const [from, to] = ['2027-01-01T00:00:00Z', '2027-01-08T00:00:00Z']
/** What queries have to say. */
const QUERIES: Readonly<Record<string, object>> = {
  readCalendar: { from, to },
  readCalendarOverview: { from, to },
}

describe('the worst texts known', () => {
  test.each(struck.filter(({ texts }) => texts.length > 0))('stall nothing in $name', async (place) => {
    const { steps, texts } = place
    const scene = await aScene(place.operation)
    const send = sender(place, scene)
    const codes: string[] = []
    while (codes.length < BASES && !codes.includes('done')) codes.push(await send(HARMLESS, codes.length))
    const isOfItself = steps.some(isOfThing)
    if (!isOfItself) for (const code of codes) expect(MISSED).not.toContain(code)
    // The one that comes furthest.
    const which = Math.max(0, codes.indexOf('done'))
    const sendAll = async (some: typeof texts) => {
      for (const [, text] of some) await send(text, which)
    }
    const dear: string[] = []
    // Most are cheap, also several together.
    for (let n = 0; n < texts.length; n += TOGETHER) {
      const some = texts.slice(n, n + TOGETHER)
      if ((await cpuSecondsOf(server, CPU_SECONDS, () => sendAll(some), 1)) < CPU_SECONDS) continue
      for (const [name, text] of some)
        if ((await cpuSecondsOf(server, CPU_SECONDS, () => send(text, which))) >= CPU_SECONDS) dear.push(name)
    }
    expect(dear).toEqual([])
    expect(await ask(readMe, scene, '/agent/v1/me', {})).toBe('done')
  })

  test('leave a server that runs and has no fault in its log', () => {
    server.expectRunning()
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})
