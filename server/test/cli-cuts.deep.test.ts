import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { operations } from '../../sdk/src/api.ts'
import type { CliResult } from './rigs/cli.ts'
import { openCliWorld } from './rigs/cli-world.ts'
import { comeDue } from './rigs/come-due.ts'
import type { ProxyFault } from './rigs/fault-proxy.ts'
import { aPhoto } from './rigs/media-files.ts'

/*
 * The command line over connections that break: every command, and every operation by `call`, is run until it is told what became
 * of it. `CLI_CUTS` says how many connections break at least, `CLI_CUTS_SEED` which.
 */

const CUTS = Number(process.env['CLI_CUTS'] ?? 40)
/** Once through everything breaks some 100 of them. */
const LANES = Math.min(3, Math.ceil(CUTS / 60))
const TIMEOUT_MS = 120_000 + CUTS * 3_000

const world = await openCliWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { app, proxy, cli, client, aFile } = world
const channelId = await world.aSandboxChannel('ada')
const nextYear = new Date().getFullYear() + 1
const photo = await aFile('rider.jpg', await aPhoto())

const breaking: ProxyFault[] = [
  ...(['reset before it is read', 'reset after it was read', 'half an answer', 'half a body'] as const),
  ...(['cut in the request', '502 with HTML', '503'] as const),
]
let seed = Number(process.env['CLI_CUTS_SEED'] ?? 7)
const nextRandom = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
let cuts = 0
const cutting = () => {
  if (nextRandom() < 0.45) return null
  cuts += 1
  return breaking[Math.floor(nextRandom() * breaking.length)]!
}

/** Runs a command over the broken connections until it is done; after what is unknown, again with the same key. */
async function insist(...args: string[]): Promise<CliResult> {
  for (let times = 1; ; times += 1) {
    const result = await cli([...args, '--json'], { env: { POSTRIDER_URL: proxy.url.href } })
    if (result.code === 0) return result
    if (![5, 6].includes(result.code ?? 0) || times > 30)
      throw new Error(`${args.join(' ')}: ${result.code}, ${result.err}`)
  }
}

const called = new Set<string>()
/** An operation by its id. */
async function call(operation: string, given: Record<string, unknown> = {}, ...options: string[]) {
  called.add(operation)
  const fields = Object.entries(given).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return (await insist('call', operation, ...fields, ...options)).json
}

type Named = { readonly reference: string | null }
const byReference = (one: Named, other: Named) => (one.reference ?? '').localeCompare(other.reference ?? '')

const at = (day: number) => `${nextYear}-07-${String(day).padStart(2, '0')}T09:00:00.000Z`

/** Everything that people and scripts do with posts, by the commands that are made for it. */
async function byCommands(name: string, round: number): Promise<void> {
  const key = (step: string) => ['--idempotency-key', `${name}-${step}`]
  for (const read of [
    ['channels'],
    ['whoami'],
    ['list', '--limit', '5'],
    ['calendar'],
    ['events'],
    ['media', 'list', '--limit', '5'],
    ['check', 'Checked', '--to', 'ada', '--draft'],
    // It reads every post that is planned: the more there are, the less often it comes to its end.
    ...(round === 0 ? [['export', '--plan', `${name}-export`]] : []),
  ])
    expect((await insist(...read)).code).toBe(0)
  const media = await insist('media', 'upload', photo, '--alt', name, ...key('upload'))
  const { mediaId } = media.json[0]
  const post = ['post', name, '--to', 'ada', '--media', mediaId, '--draft', '--reference', `${name}/one`]
  const { postId } = (await insist(...post, ...key('post'))).json
  await insist('show', postId)
  await insist('edit', postId, '--text', `${name} edited`, ...key('edit'))
  await insist('schedule', postId, '--at', at(1), ...key('schedule'))
  await insist('schedule', postId, '--at', at(2), ...key('move'))
  expect((await insist('show', postId)).json).toMatchObject({
    content: { text: `${name} edited`, mediaIds: [mediaId] },
    destinations: [{ status: 'scheduled', publishAt: at(2) }],
  })
  await insist('cancel', postId, ...key('cancel'))
  const file = await aFile(
    `${name}.yaml`,
    `plan: ${name}-plan\nchannels: [ada]\nposts:\n  - { id: one, text: ${name} planned, publishAt: '${at(3)}' }\n`,
  )
  await insist('plan', file)
  await insist('apply', file)
  const table = await aFile(`${name}-table.csv`, `id,text,publishAt\none,${name} imported,${at(6)}\n`)
  await insist('import', table, '--to', 'ada')
  const failed = ['post', `${name} #sandbox:refuse`, '--to', 'ada', '--reference', `${name}/failed`]
  const { postId: refused } = (await insist(...failed, '--at', at(4), ...key('refused'))).json
  await fails(refused)
  await insist('retry', refused, '--at', at(5), ...key('retry'))

  const posts = await Array.fromAsync(client.posts.list({ reference: `${name}/*` }))
  const whole = await Promise.all(posts.map((each) => client.posts.read(each.postId)))
  expect(
    whole
      .toSorted(byReference)
      .map(({ reference, destinations: [one] }) => [reference, one?.status, one?.publishAt]),
  ).toEqual([
    [`${name}/failed`, 'scheduled', at(5)],
    [`${name}/one`, 'cancelled', at(2)],
  ])
  expect(await Array.fromAsync(client.posts.list({ reference: `${name}-plan/*` }))).toHaveLength(1)
  expect(await Array.fromAsync(client.posts.list({ q: `${name} imported` }))).toHaveLength(1)
  // Each upload and each change is there once.
  expect(await app.db`select from media_item where alt_text = ${name}`).toHaveLength(1)
  expect(await eventsOf(postId)).toEqual(
    ['post.created', 'post.edited', 'post.scheduled', 'post.scheduled', 'post.cancelled'].toSorted(),
  )
}

/** Lets it be due, and waits until the network has refused it. */
async function fails(postId: string) {
  await comeDue(app.db, postId)
  const post = await client.posts.waitFor(postId, { signal: AbortSignal.timeout(60_000) })
  expect(post.destinations).toMatchObject([{ status: 'failed' }])
  return post
}

const eventsOf = async (postId: string) => {
  const events = await Array.fromAsync(client.events.list({ postId, limit: 100 }))
  return events.map(({ type }) => type).toSorted()
}

/** Every operation by its id, and what it has done once. */
async function byIds(name: string): Promise<void> {
  const key = (step: string) => ['--idempotency-key', `${name}-${step}`]
  await call('readMe')
  await call('listChannels')
  await call('readCalendar', { from: at(1), to: at(20) })
  await call('listAiModels')
  const toCheck = { state: 'draft', channelIds: [channelId], text: name }
  await call('checkPost', toCheck)
  await call('checkPosts', { posts: [toCheck, toCheck] })
  const media = await call('uploadMedia', { altText: name }, '--file', photo, ...key('upload'))
  const { mediaId } = media
  expect(await call('readMedia', { mediaId })).toEqual(media)
  await insist(
    'call',
    'readMediaContent',
    `mediaId=${mediaId}`,
    '--output',
    join(world.folder, `${name}.jpg`),
  )
  called.add('readMediaContent')
  await call('updateMedia', { mediaId, altText: JSON.stringify(`${name} again`) }, ...key('alt'))
  await call('listMedia', { limit: 5 })
  await call('createUploadAddress', { altText: name, idempotencyKey: `${name}-address` })

  const content = { text: name, mediaIds: [mediaId] }
  const plan = { state: 'draft', channelIds: [channelId], ...content, reference: `${name}/one` }
  const { postId } = await call('createPost', plan, ...key('create'))
  const many = [2, 3].map((n) => ({
    idempotencyKey: `${name}-${n}`,
    state: 'draft',
    channelIds: [channelId],
    text: `${name} ${n}`,
    reference: `${name}/${n}`,
  }))
  await call('createPosts', { posts: many })
  const file = {
    format: 'csv',
    name: `${name}-file`,
    channelIds: [channelId],
    file: `id,text\na,${name} a\n`,
  }
  await call('importPosts', file)
  expect(await call('exportPosts', { format: 'csv', label: name })).toMatchObject({
    posts: expect.any(Number),
  })
  expect(await call('importPosts', file)).toMatchObject({ created: 0, posts: [{ created: false }] })
  const read = () => call('readPost', { postId })
  const tokens = async () => {
    const { editToken, destinations } = await read()
    return { editToken, controlToken: destinations[0].controlToken }
  }
  const { editToken } = await tokens()
  await call(
    'editPost',
    { postId, editToken, content: { ...content, text: `${name} edited` } },
    ...key('edit'),
  )
  await call(
    'changeChannels',
    { postId, editToken: (await tokens()).editToken, add: [{ channelId: other }] },
    ...key('channels'),
  )
  const one = async () => ({ postId, channelId, controlToken: (await tokens()).controlToken })
  await call('scheduleDestination', { ...(await one()), publishAt: at(1) }, ...key('schedule'))
  await call('rescheduleDestination', { ...(await one()), publishAt: at(2) }, ...key('move'))
  await call('cancelDestination', await one(), ...key('cancel'))
  const [draft] = (await client.posts.list({ reference: `${name}/2` })).items
  const asking = await client.posts.read(draft!.postId)
  const asked = { postId: asking.postId, editToken: asking.editToken }
  expect(await call('requestApproval', asked, ...key('approval'))).toMatchObject({ reviewStatus: 'pending' })
  await call('labelPosts', { postIds: [postId], add: [name] }, ...key('label'))
  await call('listLabels')
  await call('readLabelResults', { label: name })
  await call('listPosts', { reference: `${name}/*` })
  await call('listEvents', { postId })

  // So far ahead that none of its posts is made here.
  const day = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10)
  const repeated = { rule: 'FREQ=WEEKLY;COUNT=3', startsAt: { local: `${day}T09:00`, timeZone: 'UTC' } }
  const words = { channelIds: [channelId], text: `${name} repeated` }
  const { seriesId } = await call('createSeries', { ...words, ...repeated }, ...key('series'))
  const ofSeries = async () => ({ seriesId, editToken: (await client.series.read(seriesId)).editToken })
  await call('readSeries', { seriesId })
  await call('editSeries', { ...(await ofSeries()), text: `${name} repeated again` }, ...key('series-edit'))
  await call('skipOccurrence', { ...(await ofSeries()), date: day }, ...key('series-skip'))
  await call('setSeriesStatus', { ...(await ofSeries()), status: 'ended' }, ...key('series-end'))
  await call('listSeries')
  const series = await Array.fromAsync(client.series.list())
  expect(series.filter(({ text }) => text.startsWith(`${name} `))).toMatchObject([{ status: 'ended' }])

  const template = { name: `${name} template`, text: '{{product}} is out.' }
  const { templateId } = await call('createTemplate', template, ...key('template'))
  const stored = await call('readTemplate', { templateId })
  const change = { templateId, editToken: stored.editToken, ...template, text: 'Out.' }
  await call('changeTemplate', change, ...key('template-change'))
  await call('listTemplates')
  const { templates } = await client.templates.list()
  expect(templates.filter((each) => each.name === template.name)).toMatchObject([
    { templateId, text: 'Out.' },
  ])
  await gone('deleteTemplate', { templateId })

  const refused = {
    ...plan,
    state: 'scheduled',
    text: `${name} #sandbox:refuse`,
    mediaIds: [],
    publishAt: at(4),
  }
  const failed = await call('createPost', { ...refused, reference: `${name}/failed` }, ...key('refused'))
  const { controlToken } = (await fails(failed.postId)).destinations[0]!
  await call(
    'retryDestination',
    { postId: failed.postId, channelId, controlToken, publishAt: at(5) },
    ...key('retry'),
  )

  const posts = await Array.fromAsync(client.posts.list({ reference: `${name}/*` }))
  const whole = await Promise.all(posts.map((each) => client.posts.read(each.postId)))
  expect(
    whole
      .toSorted(byReference)
      .map(({ reference, destinations }) => [reference, ...destinations.map((each) => each.status)]),
  ).toEqual([
    [`${name}/2`, 'draft'],
    [`${name}/3`, 'draft'],
    [`${name}/failed`, 'scheduled'],
    [`${name}/one`, 'cancelled', 'draft'],
  ])
  expect(await app.db`select from media_item where alt_text = ${`${name} again`}`).toHaveLength(1)

  const spare = await call('uploadMedia', { altText: `${name} spare` }, '--file', photo, ...key('spare'))
  await gone('deleteMedia', { mediaId: spare.mediaId })
  expect(await app.db`select from media_item where id = ${spare.mediaId}`).toHaveLength(0)

  const url = `https://hooks.example.com/${name}`
  const endpointId = await made(url)
  await call('listOwnEndpoints')
  await call('readOwnEndpoint', { endpointId })
  await once('rotateOwnEndpointSecret', { endpointId, atOnce: true })
  const { eventId } = await call('testOwnEndpoint', { endpointId })
  await call('listOwnDeliveries', { endpointId })
  await call('listOwnDeliveryAttempts', { endpointId, eventId })
  await call('resendOwnDelivery', { endpointId, eventId })
  await call('replayOwnDeliveries', { endpointId, since: new Date().toISOString(), onlyFailed: true })
  await gone('deleteOwnEndpoint', { endpointId })
  expect((await client.webhooks.list()).filter((each) => each.url === url)).toEqual([])
}

/** Creates an endpoint, which takes no key: when it is unknown, as the message says, it is looked for before it is done again. */
async function made(url: string): Promise<string> {
  called.add('createOwnEndpoint')
  const args = ['call', 'createOwnEndpoint', `url=${url}`, 'eventTypes=["post.failed"]', '--json']
  for (;;) {
    const { code, json, err } = await cli(args, { env: { POSTRIDER_URL: proxy.url.href } })
    if (code === 0) return json.endpointId
    expect({ code, err }).toMatchObject({ code: expect.toSatisfy((one) => [5, 6].includes(one as number)) })
    // What was read by the server may be done yet.
    await expect.poll(() => proxy.unanswered, { interval: 5, timeout: 60_000 }).toBe(0)
    const { json: list } = await cli(['call', 'listOwnEndpoints', '--json'])
    const [found, another] = list.filter((each: { url: string }) => each.url === url)
    expect(another).toBeUndefined()
    if (found !== undefined) return found.endpointId
  }
}

/** A write without a key: where it is unknown whether it has happened, doing it again is a second effect, and a person decides. */
async function once(operation: string, given: Record<string, unknown>): Promise<void> {
  called.add(operation)
  const fields = Object.entries(given).map(([name, value]) => `${name}=${String(value)}`)
  for (let code: number | null = 5; code !== 0;)
    ({ code } = await cli(['call', operation, ...fields, '--json'], {
      env: { POSTRIDER_URL: proxy.url.href },
    }))
}

/** Deletes something: that it is gone is its effect, whoever's answer was lost. */
async function gone(operation: string, given: Record<string, string>): Promise<void> {
  called.add(operation)
  const [[name, id] = []] = Object.entries(given)
  for (;;) {
    const { code } = await cli(['call', operation, `${name}=${id}`, '--json'], {
      env: { POSTRIDER_URL: proxy.url.href },
    })
    if (code === 0 || code === 4) return
    expect([5, 6]).toContain(code)
  }
}

const other = await world.aSandboxChannel('bob')

test(
  `over ${CUTS} connections that break, every command and every operation has one effect each`,
  { timeout: TIMEOUT_MS },
  async () => {
    proxy.choose = cutting
    let journeys = 0
    const lane = async (number: number) => {
      for (let round = 0; cuts < CUTS || round === 0; round += 1) {
        journeys += 1
        await byCommands(`commands-${number}-${round}`, round)
        await byIds(`ids-${number}-${round}`)
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
    proxy.choose = null
    // Models are asked at their makers, and none is configured here.
    const asked = ['generatePostDrafts', 'generatePostImage']
    expect([...called, ...asked].toSorted()).toEqual(Object.keys(operations).toSorted())
    expect(cuts).toBeGreaterThanOrEqual(CUTS)
    if (process.env['CLI_CUTS'] !== undefined)
      console.info(`${cuts} connections broke in ${journeys} journeys`)
  },
)
