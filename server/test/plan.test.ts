import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openCliWorld } from './rigs/cli-world.ts'
import { comeDue } from './rigs/come-due.ts'
import { aPhoto } from './rigs/media-files.ts'

/*
 * Plans as files against the real server and the sandbox network: what they say, what they find changed, and how they survive a
 * death.
 */

/** After which requests a run dies: each of them with 1. */
const STEP = Number(process.env['PLAN_KILL_STEP'] ?? 4)
const nextYear = new Date().getFullYear() + 1

const world = await openCliWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { app, network, proxy, folder, client, cli, aFile } = world
for (const handle of ['ada', 'bob']) await world.aSandboxChannel(handle)
await aFile('rider.jpg', await aPhoto())

const statesOf = async (plan: string) => {
  const posts = await Array.fromAsync(client.posts.list({ reference: `${plan}/*`, limit: 100 }))
  const whole = await Promise.all(posts.map(({ postId }) => client.posts.read(postId)))
  return whole
    .map(({ reference, content, destinations }) => ({
      reference,
      texts: [content?.text, ...(content?.thread ?? []).map(({ text }) => text)],
      destinations: destinations.map(({ status, publishAt }) => `${status} ${publishAt}`).toSorted(),
    }))
    .toSorted((one, other) => String(one.reference).localeCompare(String(other.reference)))
}

const before = (plan: string) => `plan: ${plan}
timeZone: Europe/Berlin
channels: [ada, bob]
posts:
  - id: one
    publishAt: ${nextYear}-07-01T09:00
    text: ${plan} one
    thread: [and more]
  - id: two
    publishAt: ${nextYear}-07-02T09:00
    text: ${plan} two
    media: [{ file: rider.jpg, alt: A rider. }]
  - id: three
    channels: [ada]
    text: ${plan} three
  - id: four
    publishAt: ${nextYear}-07-04T09:00
    text: ${plan} four
`
const after = (plan: string) => `plan: ${plan}
timeZone: Europe/Berlin
channels: [ada, bob]
posts:
  - id: one
    publishAt: ${nextYear}-07-01T10:00
    text: ${plan} one, edited
  - id: two
    channels: [ada]
    publishAt: ${nextYear}-07-02T09:00
    text: ${plan} two
    media: [{ file: rider.jpg, alt: A rider. }]
  - id: three
    channels: [ada]
    publishAt: ${nextYear}-07-03T09:00
    text: ${plan} three
  - id: five
    publishAt: ${nextYear}-07-05T09:00
    text: ${plan} five
`
const end = (plan: string) => [
  {
    reference: `${plan}/five`,
    texts: [`${plan} five`],
    destinations: [`scheduled ${nextYear}-07-05T07:00:00.000Z`, `scheduled ${nextYear}-07-05T07:00:00.000Z`],
  },
  {
    reference: `${plan}/four`,
    texts: [`${plan} four`],
    destinations: [`cancelled ${nextYear}-07-04T07:00:00.000Z`, `cancelled ${nextYear}-07-04T07:00:00.000Z`],
  },
  {
    reference: `${plan}/one`,
    texts: [`${plan} one, edited`],
    destinations: [`scheduled ${nextYear}-07-01T08:00:00.000Z`, `scheduled ${nextYear}-07-01T08:00:00.000Z`],
  },
  {
    reference: `${plan}/three`,
    texts: [`${plan} three`],
    destinations: [`scheduled ${nextYear}-07-03T07:00:00.000Z`],
  },
  {
    reference: `${plan}/two`,
    texts: [`${plan} two`],
    destinations: [`cancelled ${nextYear}-07-02T07:00:00.000Z`, `scheduled ${nextYear}-07-02T07:00:00.000Z`],
  },
]

test('a plan is shown, applied once, and changed by changing its file', async () => {
  const file = await aFile('usual.yaml', before('usual'))
  const shown = await cli(['plan', file])
  expect(shown).toMatchObject({
    code: 0,
    out: expect.stringMatching(/4 to create, 0 to change, 0 to cancel/),
  })
  expect(await statesOf('usual')).toEqual([])
  expect(await cli(['apply', file])).toMatchObject({ code: 0, err: '' })
  const first = await statesOf('usual')
  expect(first).toHaveLength(4)
  expect((await cli(['plan', file, '--exit-code'])).out).toContain('4 unchanged')
  await app.db`delete from idempotency_record`
  expect((await cli(['apply', file])).code).toBe(0)
  expect(await statesOf('usual')).toEqual(first)

  await writeFile(file, after('usual'))
  expect(await cli(['plan', file, '--exit-code'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('1 to create, 3 to change, 1 to cancel'),
  })
  expect((await cli(['apply', file])).code).toBe(0)
  expect(await statesOf('usual')).toEqual(end('usual'))
  expect((await cli(['plan', file])).out).toContain('4 unchanged')
})

test('apply --wait ends with what became of the posts that it made', async () => {
  const file = await aFile(
    'awaited.yaml',
    `plan: awaited
channels: [ada]
posts:
  - { id: now, publishAt: '${nextYear}-07-01T09:00Z', text: awaited now }
  - { id: draft, text: awaited draft }
`,
  )
  const applied = cli(['apply', file, '--wait'])
  await expect.poll(() => statesOf('awaited')).toHaveLength(2)
  for await (const { postId } of client.posts.list({ reference: 'awaited/*' })) await comeDue(app.db, postId)
  expect(await applied).toMatchObject({
    code: 0,
    out: expect.stringMatching(/awaited: 2 posts: 2 to create[^]*published[^]*http/),
  })
  const [draft, now] = await statesOf('awaited')
  expect([draft?.destinations, now?.destinations]).toEqual([
    ['draft null'],
    [expect.stringMatching(/^published/)],
  ])
})

test('a post that was cancelled by its plan comes back as another one, and once', async () => {
  const text = (posts: string) => `plan: back\nchannels: [ada]\nposts: ${posts}\n`
  const one = `\n  - { id: one, text: back one, publishAt: '${nextYear}-07-01T09:00Z' }`
  const file = await aFile('back.yaml', text(one))
  for (const posts of [one, '[]', one, one]) {
    await writeFile(file, text(posts))
    expect((await cli(['apply', file])).code).toBe(0)
  }
  expect(
    (await statesOf('back')).map(({ reference, destinations }) => [
      reference,
      destinations[0]?.split(' ')[0],
    ]),
  ).toEqual([
    ['back/one', 'cancelled'],
    ['back/one~2', 'scheduled'],
  ])
})

test('places in the queue are taken once, in the order of the file', { timeout: 120_000 }, async () => {
  await app.db`update channel set posting_times = '{540, 1980, 3420}' where handle in ('ada', 'bob')`
  const plan = (more = '') => `plan: queued
channels: [ada]
posts:
  - { id: one, publishAt: next, text: queued one }
  - { id: two, publishAt: next, text: queued two, channels: [ada, bob] }
  - { id: three, publishAt: first, text: queued three }
${more}`
  const path = await aFile('queued.yaml', plan())
  const shown = await cli(['plan', path])
  expect(shown.out).toContain('next in the queue on ada')
  expect(await cli(['apply', path])).toMatchObject({ code: 0 })
  const made = await statesOf('queued')
  const [one, three, two] = made.map(({ destinations }) => destinations.map((each) => each.split(' ')[1]))
  expect(new Set([...one!, ...two!, ...three!]).size).toBe(3)
  expect(one![0]! < three![0]!).toBe(true)
  expect(two).toContain(one![0])
  expect(await cli(['apply', path])).toMatchObject({ code: 0, out: expect.stringContaining('3 unchanged') })
  expect(await statesOf('queued')).toEqual(made)
  await aFile('queued.yaml', plan('  - { id: four, publishAt: last, text: queued four }'))
  expect(await cli(['plan', path])).toMatchObject({
    code: 2,
    err: expect.stringContaining('last is not a time'),
  })
  await app.db`update channel set posting_times = '{}'`
})

test('a picture that is replaced under its name is noticed, and uploaded once', async () => {
  const text = `plan: pictures
channels: [ada]
posts:
  - { id: one, text: pictures one, publishAt: '${nextYear}-07-01T09:00Z', media: [{ file: pictured.png, alt: A gate. }] }
`
  const file = await aFile('pictures.yaml', text)
  await aFile('pictured.png', await aPhoto(50, 50))
  expect(await cli(['apply', file])).toMatchObject({ code: 0, err: '' })
  const shown = async () => {
    const { items } = await client.posts.list({ reference: 'pictures/one' })
    return (await client.posts.read(items[0]!.postId)).media
  }
  const [first] = await shown()
  expect((await cli(['plan', file])).out).toContain('1 unchanged')

  await aFile('pictured.png', await aPhoto(60, 60))
  expect((await cli(['plan', file])).out).toContain('~ one: edited on ada')
  expect(await cli(['apply', file])).toMatchObject({ code: 0, err: '' })
  const second = await shown()
  expect(second).toMatchObject([{ width: 60, altText: 'A gate.' }])
  expect(second[0]!.mediaId).not.toBe(first!.mediaId)
  // By their bytes alone: no key of the upload is left.
  await app.db`delete from idempotency_record`
  expect(await cli(['apply', file])).toMatchObject({ code: 0, out: expect.stringContaining('1 unchanged') })
  expect(await shown()).toEqual(second)
})

test('a plan takes no file from outside of its folder', async () => {
  await aFile('outside.jpg', await aPhoto())
  const file = await aFile(
    'inside/plan.yaml',
    `plan: outside
channels: [ada]
posts:
  - id: up
    media: [../outside.jpg]
  - id: absolute
    media:
      - file: ${join(folder, 'outside.jpg')}
  - id: linked
    media: [linked.jpg]
  - id: folder
    media: [linked/outside.jpg]
  - id: missing
    media: [../../no-such-file.jpg]
  - id: fine
    media: [..fine.jpg]
`,
  )
  await aFile('inside/..fine.jpg', await aPhoto())
  await symlink('../outside.jpg', join(folder, 'inside/linked.jpg'))
  await symlink('..', join(folder, 'inside/linked'))
  for (const path of [file, join(folder, 'inside')]) {
    const { code, err } = await cli(['plan', path])
    expect(code).toBe(2)
    const lines = err.split('\n').filter((line) => line.includes('plan.yaml:'))
    expect(lines.map((line) => /plan\.yaml:(\d+):\d+: \S+ is not in the folder/.exec(line)?.[1])).toEqual([
      '5',
      '8',
      '10',
      '12',
      '14',
    ])
  }
})

describe('what somebody changed by hand', () => {
  test('is drift, and stays unless it is forced', async () => {
    const file = await aFile('drift.yaml', before('drift'))
    expect((await cli(['apply', file])).code).toBe(0)
    const { items } = await client.posts.list({ reference: 'drift/one' })
    const post = await client.posts.read(items[0]!.postId)
    await client.posts.edit(post, { text: 'By hand' })
    await app.db`update post set changed_by_type = 'person', changed_by_name = 'Ada' where id = ${post.postId}`
    const shown = await cli(['plan', file])
    expect(shown.out).toMatch(/^! one: changed manually \(content\) by Ada, /m)
    expect((await cli(['apply', file])).code).toBe(1)
    expect((await client.posts.read(post.postId)).content?.text).toBe('By hand')
    expect((await cli(['apply', file, '--force'])).code).toBe(0)
    expect((await client.posts.read(post.postId)).content?.text).toBe('drift one')
  })

  test('and what has begun is left alone', async () => {
    const file = await aFile(
      'begun.yaml',
      `plan: begun\nchannels: [ada]\nposts:\n  - { id: one, text: begun one, publishAt: '${nextYear}-07-01T09:00Z' }\n`,
    )
    expect((await cli(['apply', file])).code).toBe(0)
    const { items } = await client.posts.list({ reference: 'begun/one' })
    const post = await client.posts.read(items[0]!.postId)
    await comeDue(app.db, post.postId)
    await client.posts.waitFor(post.postId)
    await writeFile(
      file,
      `plan: begun\nchannels: [ada]\nposts:\n  - { id: one, text: another text, publishAt: '${nextYear}-07-01T09:00Z' }\n`,
    )
    expect(await cli(['apply', file])).toMatchObject({
      code: 0,
      out: expect.stringContaining('left alone: it is published'),
    })
  })
})

test('all faults are told at once, with file, line and what would fit, and nothing is changed', async () => {
  const file = await aFile(
    'faulty.yaml',
    `plan: faulty
channels: [ada]
timeZone: Europe/Berlin
posts:
  - id: gap
    text: Hello
    publishAt: 2027-03-28T02:30
  - id: where
    chanels: [ada]
    text: Hello
`,
  )
  expect(await cli(['apply', file])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/faulty\.yaml:9:\d+: `chanels` is unknown here\. Did you mean `channels`\?/),
  })
  await writeFile(
    file,
    `plan: faulty
channels: [ada]
timeZone: Europe/Berlin
posts:
  - id: gap
    text: Hello
    publishAt: 2027-03-28T02:30
  - id: who
    channels: [adda]
    text: Hello
  - id: long
    text: ${'x'.repeat(2_000)}
`,
  )
  const two = await cli(['apply', file])
  expect(two.code).toBe(2)
  expect(two.err).toMatch(
    /faulty\.yaml:7:16: 2027-03-28T02:30 does not exist.*Write 2027-03-28T00:30:00\.000Z or 2027-03-28T01:30:00\.000Z/,
  )
  expect(two.err).toMatch(/faulty\.yaml:9:16: There is no channel adda\. Did you mean ada\?/)
  await writeFile(
    file,
    `plan: faulty
channels: [ada]
posts:
  - id: long
    text: ${'x'.repeat(2_000)}
  - id: late
    text: Late
    publishAt: 2099-01-01T00:00Z
`,
  )
  const three = await cli(['apply', file])
  expect(three).toMatchObject({ code: 2, err: expect.stringMatching(/faulty\.yaml:5:11: long: /) })
  expect(await statesOf('faulty')).toEqual([])
})

test('a folder with posts in Markdown is a plan, too', async () => {
  await aFile('notes/plan.yaml', 'plan: notes\nchannels: [ada]\n')
  await aFile(
    'notes/first.md',
    `---\npublishAt: ${nextYear}-07-01T09:00Z\n---\n\nThe first.\n\n---\n\nAnd its follow-up.\n`,
  )
  await aFile('notes/README.md', '# No post\n')
  expect((await cli(['apply', join(folder, 'notes')])).code).toBe(0)
  expect(await statesOf('notes')).toMatchObject([
    { reference: 'notes/first', texts: ['The first.', 'And its follow-up.'] },
  ])
})

test('an export applied changes nothing, and never creates what is there', async () => {
  await client.posts.create({
    state: 'scheduled',
    channelIds: [(await client.channels())[0]!.channelId],
    text: 'Of no plan',
    publishAt: `${nextYear}-09-01T09:00:00Z`,
  })
  const count = async () => (await Array.fromAsync(client.posts.list({ limit: 100 }))).length
  const made = await count()
  const { out } = await cli(['export', '--plan', 'usual'])
  const file = await aFile('exported.yaml', out)
  expect(out).toContain('Of no plan')
  const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(out) ?? []
  expect(new URL(schema)).toMatchObject({ origin: app.baseUrl, pathname: '/docs/plan.schema.json' })
  expect(await cli(['plan', file])).toMatchObject({
    code: 0,
    out: expect.stringContaining('0 to create, 0 to change, 0 to cancel'),
  })
  expect((await cli(['apply', file])).code).toBe(0)
  expect(await count()).toBe(made)
})

/** Runs a plan that dies right after its nth request has reached the server; false when it ended before. */
async function runUntil(nth: number, file: string): Promise<boolean> {
  const kill = new AbortController()
  let requests = 0
  proxy.choose = () => {
    requests += 1
    if (requests < nth) return null
    kill.abort()
    return 'reset after it was read'
  }
  await cli(['apply', file], { env: { POSTRIDER_URL: proxy.url.href }, signal: kill.signal })
  proxy.choose = null
  return requests >= nth
}

test('a plan that dies after any of its requests, run again, comes to the same end, and nothing is twice', async () => {
  const plans: string[] = []
  for (let nth = 1, died = true; died; nth += STEP) {
    const plan = `killed-${nth}`
    const file = await aFile(`${plan}.yaml`, before(plan))
    const first = await runUntil(nth, file)
    expect((await cli(['apply', file])).code).toBe(0)
    await writeFile(file, after(plan))
    const second = await runUntil(nth, file)
    expect(await cli(['apply', file])).toMatchObject({ code: 0 })
    expect(await statesOf(plan)).toEqual(end(plan))
    plans.push(plan)
    died = first || second
  }
  expect(plans.length * STEP).toBeGreaterThan(12)
  // What is out in the end is out once: the network counts.
  for (const plan of plans) {
    const { items } = await client.posts.list({ reference: `${plan}/three` })
    await comeDue(app.db, items[0]!.postId)
  }
  for (const plan of plans) {
    const { items } = await client.posts.list({ reference: `${plan}/three` })
    const post = await client.posts.waitFor(items[0]!.postId)
    expect(post.destinations).toMatchObject([{ status: 'published' }])
  }
  const duplicates: unknown = await (await fetch(`${network.url}/control/creates/duplicates`)).json()
  expect(duplicates).toMatchObject({ items: [] })
})

test('a CSV file is imported with its pictures, shown before, and makes nothing twice', async () => {
  const name = `table-${Date.now()}`
  const rows = [
    'text;channels;publishAt;media;alt',
    `"${name}, one";ada, bob;${nextYear}-07-01 9:00;rider.jpg;A rider.`,
    `${name} zwei: ä;;next;rider.jpg;A rider.`,
  ]
  const latin1 = (lines: readonly string[]) => Buffer.from(lines.join('\r\n'), 'latin1')
  const file = await aFile(`${name}.csv`, latin1(rows))
  const how = ['--to', 'ada', '--time-zone', 'Europe/Berlin']
  const wrong = await cli(['import', file, ...how])
  expect(wrong).toMatchObject({
    code: 2,
    err: expect.stringMatching(new RegExp(`^${file}:3:3: Column .publishAt.: .* has no posting times`)),
  })
  await aFile(`${name}.csv`, latin1([rows[0]!, rows[1]!, rows[2]!.replace('next', '')]))
  const dry = await cli(['import', file, ...how, '--dry-run'])
  expect(dry.err).toMatch(/1 file would be uploaded first/)
  expect((await cli(['import', file, ...how])).out).toMatch(/2 posts: 2 created, 0 unchanged/)
  expect((await cli(['import', file, ...how])).out).toMatch(/2 posts: 0 created, 2 unchanged/)
  const posts = await Array.fromAsync(client.posts.list({ reference: `${name}/*` }))
  const whole = await Promise.all(posts.map(({ postId }) => client.posts.read(postId)))
  expect(
    whole.map(({ content, destinations, media }) => [content?.text, destinations.length, media.length]),
  ).toEqual(
    expect.arrayContaining([
      [`${name}, one`, 2, 1],
      [`${name} zwei: ä`, 1, 1],
    ]),
  )
  expect(new Set(whole.flatMap(({ content }) => content?.mediaIds)).size).toBe(1)
})

test('its schema is published beside the package', async () => {
  const schema = JSON.parse(
    await readFile(join(import.meta.dirname, '../../cli/plan.schema.json'), 'utf8'),
  ) as object
  expect(schema).toMatchObject({ title: 'A plan of Postrider', required: ['plan'] })
})
