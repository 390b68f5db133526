import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comeDue } from '../../test/rigs/come-due.ts'
import { aChannel } from '../../test/rigs/fixtures.ts'
import { anAnimation, aPhoto, aVideo, everyType, recordingAt, SECRETS } from '../../test/rigs/media-files.ts'
import { aKey, openRunningApp, type RunningApp } from '../../test/rigs/running-app.ts'
import { openFolderStorage } from './folder-storage.ts'
import { createLog } from '../platform/process/log.ts'
import { recordFile } from './file-store.ts'
import { sweepStorage } from './sweep-storage.ts'

let network: SandboxNetwork
let app: RunningApp
let channelId: string
let account: { id: string; handle: string; token: string }

beforeAll(async () => {
  network = await startSandboxNetwork({ memory: true })
  const env = {
    X_CLIENT_ID: 'app',
    X_CLIENT_SECRET: 'secret',
    FACEBOOK_CLIENT_ID: '1',
    FACEBOOK_CLIENT_SECRET: 'secret',
  }
  app = await openRunningApp({ roles: 'api,publisher', sandboxUrl: network.url, env })
  account = await control('POST', '/control/accounts', { handle: 'ada', profile: 'short' })
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  channelId = await aChannel(app.db, app.workspace.workspaceId, { authorization, keyring: app.keyring })
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await network?.close()
})

async function control(method: string, path: string, body: unknown) {
  const response = await fetch(network.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.json() as Promise<any>
}

let keys = 0
async function upload(bytes: Uint8Array, altText?: string): Promise<string> {
  const form = new FormData()
  form.set('confirmed', 'true')
  if (altText !== undefined) form.set('altText', altText)
  form.set('file', new Blob([bytes]), 'x')
  const response = await fetch(`${app.baseUrl}/agent/v1/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'idempotency-key': `u${++keys}` },
    body: form,
  })
  const body = (await response.json()) as { mediaId: string }
  expect({ status: response.status, body }).toMatchObject({ status: 201 })
  return body.mediaId
}

async function publish(content: object) {
  const body = {
    confirmed: true,
    idempotencyKey: `p${++keys}`,
    state: 'scheduled',
    publishAt: new Date(Date.now() + 3_600_000).toISOString(),
    channelIds: [channelId],
    ...content,
  }
  const made = await app.ask('POST', '/agent/v1/posts', { body })
  expect(made.body).toMatchObject({ destinations: { 0: { status: 'scheduled' } } })
  await comeDue(app.db, made.body.postId)
  return made.body.postId as string
}

async function standing(postId: string) {
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  return body.destinations[0]
}

async function published(postId: string) {
  await expect
    .poll(async () => (await standing(postId)).status, { timeout: 20_000, interval: 100 })
    .toBe('published')
  return standing(postId)
}

const check = (plan: object, key = app.key) =>
  app.ask('POST', '/agent/v1/post-checks', {
    key,
    body: { state: 'draft', channelIds: [channelId], ...plan },
  })

describe('a picture', () => {
  test('goes from the upload to the public page with its alt text, and without what its camera knew', async () => {
    const mediaId = await upload(await aPhoto(), 'A "rider" & <a> gate')
    const postId = await publish({ text: 'Look', mediaIds: [mediaId] })
    const { releaseUrl, parts } = await published(postId)
    expect(parts[0].mediaIds).toEqual([mediaId])

    const page = await (await fetch(releaseUrl)).text()
    expect(page).toContain('alt="A &quot;rider&quot; &amp; &lt;a&gt; gate"')
    const [, path] = /<img src="(\/media\/[^"]+)"/.exec(page)!
    const bytes = Buffer.from(await (await fetch(network.url + path)).arrayBuffer())
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 40, height: 60 })
    for (const secret of [...SECRETS, 'Exif']) expect(bytes.includes(secret)).toBe(false)

    const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
    expect(body).toMatchObject({
      content: { text: 'Look', mediaIds: [mediaId] },
      media: [{ mediaId, kind: 'image' }],
    })
  })

  test('that the network would not take is scaled and converted, whole, and the check said so', async () => {
    const wide = await sharp({ create: { width: 6_000, height: 1_500, channels: 3, background: '#2a4' } })
      .avif({ effort: 0 })
      .toBuffer()
    const mediaId = await upload(wide, 'wide')
    const { body } = await check({ text: 'Wide', mediaIds: [mediaId] })
    expect(body).toMatchObject({
      ready: true,
      media: [{ mediaId }],
      issues: [{ code: 'media_converted', severity: 'warning', mediaId, pointer: '/mediaIds/0' }],
    })

    const { releaseUrl } = await published(await publish({ text: 'Wide', mediaIds: [mediaId] }))
    const [, path] = /<img src="(\/media\/[^"]+)"/.exec(await (await fetch(releaseUrl)).text())!
    const bytes = Buffer.from(await (await fetch(network.url + path)).arrayBuffer())
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 4_096, height: 1_024 })
  })
})

test('a video, an animation and a thread with media in each part arrive', async () => {
  const clip = await upload(await aVideo(), 'A clip')
  const loop = await upload(await anAnimation('gif'), 'A loop')
  const photo = await upload(await aPhoto(), 'A photo')
  const postId = await publish({
    text: 'One',
    mediaIds: [clip],
    thread: [{ text: 'Two', mediaIds: [loop, photo] }],
  })
  const { parts } = await published(postId)
  expect(parts.map((part: { mediaIds: string[] }) => part.mediaIds)).toEqual([[clip], [loop, photo]])
  expect(await (await fetch(parts[0].releaseUrl)).text()).toContain('aria-label="A clip"')
  const second = await (await fetch(parts[1].releaseUrl)).text()
  expect(second.indexOf('alt="A loop"')).toBeLessThan(second.indexOf('alt="A photo"'))
  expect(
    (await app.ask('GET', `/agent/v1/posts/${postId}`)).body.media.map((one: any) => one.mediaId),
  ).toEqual([clip, loop, photo])
})

describe('a post without words', () => {
  test('is checked, kept, edited and published where it has media, and each channel may have its own', async () => {
    const [one, two] = [await upload(await aPhoto(), 'one'), await upload(await aPhoto(), 'two')]
    const plan = { text: '', mediaIds: [one], thread: [{ text: ' ', mediaIds: [two] }] }
    expect((await check(plan)).body).toMatchObject({ ready: true, issues: [] })
    expect((await check({ text: '' })).body).toMatchObject({ ready: false, issues: [{ code: 'text_empty' }] })

    const targets = [{ channelId, ...plan }]
    expect((await check({ channelIds: undefined, targets })).body).toMatchObject({ ready: true })
    const draft = { confirmed: true, idempotencyKey: 'mute', state: 'draft', targets }
    const { body: post } = await app.ask('POST', '/agent/v1/posts', { body: draft })
    expect(post).toMatchObject({
      content: null,
      media: [{ mediaId: one }, { mediaId: two }],
      destinations: [{ content: plan, parts: [{ text: '', mediaIds: [one] }, { mediaIds: [two] }] }],
    })
    const edit = (content: object, key: string) =>
      app.ask('POST', `/agent/v1/posts/${post.postId}/edit`, {
        headers: { 'idempotency-key': key },
        body: { confirmed: true, editToken: post.editToken, content },
      })
    expect((await edit({ mediaIds: [] }, 'mute-1')).body.code).toBe('post_not_publishable')
    expect((await edit({ mediaIds: [two], thread: [] }, 'mute-2')).body.content).toEqual({
      text: '',
      mediaIds: [two],
    })

    const { parts } = await published(await publish(plan))
    const pages = await Promise.all(
      parts.map(async ({ releaseUrl }: { releaseUrl: string }) => (await fetch(releaseUrl)).text()),
    )
    expect(pages.map((page) => /class="post focal[^]*?alt="(\w+)"/.exec(page)?.[1])).toEqual(['one', 'two'])
    // The same text, which is none, is no repetition.
    expect((await check(plan)).body.issues).toEqual([])
  })

  test('in doubt is never taken for another one', async () => {
    const order = (kind: string) =>
      control('POST', '/control/faults', { fault: { kind }, match: { accountId: account.id }, times: 1 })
    const picture = async (altText: string) => ({
      text: '',
      mediaIds: [await upload(await aPhoto(50 + altText.length), altText)],
    })
    async function until(postId: string, status: string): Promise<void> {
      const hastened = async () => {
        await app.db`update destination set due_at = now() where post_id = ${postId} and due_at is not null`
        await app.db`select pg_notify('postrider_due', '')`
        return (await standing(postId)).status
      }
      await expect.poll(hastened, { timeout: 20_000, interval: 100 }).toBe(status)
    }
    const showsAlt = async (postId: string) => {
      const page = await (await fetch((await standing(postId)).releaseUrl)).text()
      return /class="post focal[^]*?alt="([^"]+)"/.exec(page)?.[1]
    }

    // Of the first the network keeps nothing, and of the second everything; both calls end without an answer.
    await order('drop_before')
    const lost = await publish(await picture('the lost one'))
    await expect.poll(async () => (await standing(lost)).status, { timeout: 20_000 }).toBe('checking')
    await order('accept_then_drop')
    const kept = await publish(await picture('a kept one'))
    await until(kept, 'published')
    expect(await showsAlt(kept)).toBe('a kept one')

    await app.db`update attempt set armed_at = armed_at - interval '1 hour'
      where destination_id in (select id from destination where post_id = ${lost})`
    await until(lost, 'published')
    expect(await showsAlt(lost)).toBe('the lost one')
    const { body: calls } = await app.ask('GET', `/agent/v1/posts/${lost}`)
    expect(calls.destinations[0].releaseUrl).not.toBe((await standing(kept)).releaseUrl)
  })

  test('twice at once with the same picture, is found twice: each by the upload of its own call', async () => {
    const photo = await aPhoto(67)
    const posts: string[] = []
    for (const altText of ['one', 'two']) {
      await control('POST', '/control/faults', {
        fault: { kind: 'accept_then_drop' },
        match: { accountId: account.id },
        times: 1,
      })
      const postId = await publish({ text: '', mediaIds: [await upload(photo, altText)] })
      await expect.poll(async () => (await standing(postId)).status, { timeout: 20_000 }).toBe('checking')
      posts.push(postId)
      // Not looked for before both are in doubt.
      await app.db`update destination set due_at = now() + interval '1 hour' where post_id = ${postId}`
    }
    await app.db`update destination set due_at = now() where post_id = any(${posts}::uuid[])`
    await app.db`select pg_notify('postrider_due', '')`
    const [one, two] = [await published(posts[0]!), await published(posts[1]!)]
    expect(one.releaseUrl).not.toBe(two.releaseUrl)
    expect(await (await fetch(one.releaseUrl)).text()).toContain('alt="one"')
    expect(await (await fetch(two.releaseUrl)).text()).toContain('alt="two"')
  })
})

describe('an upload to the network that fails', () => {
  async function order(fault: object, times: number | 'always' = 1) {
    await control('POST', '/control/faults', {
      fault,
      match: { accountId: account.id, calls: 'read' },
      times,
    })
  }

  test.each([
    ['breaks off', { kind: 'drop_before' }],
    ['breaks off after it was taken', { kind: 'accept_then_drop' }],
    ['breaks the network', { kind: 'error_500_before' }],
    ['is answered with nonsense', { kind: 'garbage' }],
  ])('because it %s delays the post, leaves nothing in doubt, and is made again', async (name, fault) => {
    await order(fault)
    const mediaId = await upload(await aPhoto(), name)
    const postId = await publish({ text: `Fails: ${name}`, mediaIds: [mediaId] })
    await expect
      .poll(async () => (await standing(postId)).status, { timeout: 20_000, interval: 50 })
      .toBe('delayed')
    const [attempts] = await app.db`
      select count(*)::int as count from attempt a join destination d on d.id = a.destination_id where d.post_id = ${postId}`
    expect(attempts).toEqual({ count: 0 })
    await app.db`update destination set due_at = now(), check_again_at = now() where post_id = ${postId}`
    await app.db`select pg_notify('postrider_due', '')`
    await published(postId)
    const { byText } = (await (await fetch(`${network.url}/control/creates`)).json()) as any
    expect(byText.filter((one: any) => one.text === `Fails: ${name}`)).toMatchObject([{ count: 1 }])
  })

  test('because the network refuses the file fails the post, and its part', async () => {
    await order({ kind: 'refuse', status: 422, code: 'bad_file' })
    const postId = await publish({ text: 'Refused', mediaIds: [await upload(await aPhoto(), 'x')] })
    await expect
      .poll(async () => (await standing(postId)).status, { timeout: 20_000, interval: 50 })
      .toBe('failed')
    expect(await standing(postId)).toMatchObject({
      error: { code: 'media_refused' },
      parts: [{ status: 'failed' }],
    })
  })
})

test('a post whose file is lost says so, the log says where, and it goes out once the file is uploaded again', async () => {
  const photo = await aPhoto(88)
  const mediaId = await upload(photo, 'lost and found')
  const [row] = await app.db<
    { key: string }[]
  >`select storage_key as key from media_item where id = ${mediaId}`
  const storage = await openFolderStorage(join(app.dataDir, 'media/kept'))
  const path = storage.pathOf(row!.key)!
  await rm(path)
  const postId = await publish({ text: 'Lost', mediaIds: [mediaId] })
  await expect.poll(async () => (await standing(postId)).status, { timeout: 20_000 }).toBe('delayed')
  const { error } = await standing(postId)
  expect(error).toMatchObject({
    code: 'media_unavailable',
    message: expect.stringContaining('upload the same file'),
  })
  expect(app.logged.filter((line) => line.includes('media cannot be read')).at(-1)).toContain(
    `${path} is missing`,
  )

  await upload(photo, 'the same bytes')
  await app.db`update destination set due_at = now(), check_again_at = now() where post_id = ${postId}`
  await app.db`select pg_notify('postrider_due', '')`
  const { releaseUrl } = await published(postId)
  expect(await (await fetch(releaseUrl)).text()).toContain('alt="lost and found"')
})

test('a post that is due while the folder for media is missing waits without a call, and goes out once it is back', async () => {
  const mediaId = await upload(await aPhoto(86), 'on another disk')
  const [kept, away] = [join(app.dataDir, 'media/kept'), join(app.dataDir, 'away')]
  await rename(kept, away)
  const postId = await publish({ text: 'Unmounted', mediaIds: [mediaId] })
  await expect.poll(async () => (await standing(postId)).status, { timeout: 20_000 }).toBe('delayed')
  expect(await standing(postId)).toMatchObject({ error: { code: 'media_unavailable' } })
  expect(
    await app.db`select from attempt a join destination d on d.id = a.destination_id where d.post_id = ${postId}`,
  ).toEqual([])
  expect(app.logged.filter((line) => line.includes('media cannot be read')).at(-1)).toContain(
    'storage-id is missing',
  )
  await rename(away, kept)
  await app.db`update destination set due_at = now(), check_again_at = now() where post_id = ${postId}`
  await app.db`select pg_notify('postrider_due', '')`
  const { releaseUrl } = await published(postId)
  expect(await (await fetch(releaseUrl)).text()).toContain('alt="on another disk"')
})

test('each channel gets the media of its own target', async () => {
  const other = await control('POST', '/control/accounts', { handle: 'grace', profile: 'professional' })
  const authorization = { baseUrl: network.url, accessToken: other.token, accountId: other.id }
  const otherId = await aChannel(app.db, app.workspace.workspaceId, {
    provider: 'sandbox-professional',
    authorization,
    keyring: app.keyring,
  })
  const [mine, theirs] = [await upload(await aPhoto(), 'mine'), await upload(await aPhoto(71), 'theirs')]
  const targets = [
    { channelId, text: 'Both', mediaIds: [mine] },
    { channelId: otherId, text: 'Both', mediaIds: [theirs], thread: [{ text: '', mediaIds: [mine] }] },
  ]
  const unknown = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  const wrong = [targets[0], { ...targets[1], thread: [{ text: '', mediaIds: [mine, unknown] }] }]
  expect((await check({ channelIds: undefined, targets: wrong })).body.issues).toMatchObject([
    { code: 'media_unknown', channelId: otherId, pointer: '/targets/1/thread/0/mediaIds/1' },
  ])

  const postId = await publish({ channelIds: undefined, targets })
  const read = async () => (await app.ask('GET', `/agent/v1/posts/${postId}`)).body.destinations as any[]
  const statuses = async () => (await read()).map(({ status }) => status)
  await expect.poll(statuses, { timeout: 20_000 }).toEqual(['published', 'published'])
  const shown = await Promise.all(
    (await read()).flatMap(({ parts }) =>
      parts.map(async ({ releaseUrl }: any) => {
        const page = await (await fetch(releaseUrl)).text()
        return /class="post focal[^]*?alt="(\w+)"/.exec(page)?.[1]
      }),
    ),
  )
  expect(shown).toEqual(['mine', 'theirs', 'mine'])
})

test('what a post needs that is not out yet outlasts every sweep', async () => {
  const mediaId = await upload(await aPhoto(83), 'kept')
  const postId = await publish({
    text: 'Later',
    mediaIds: [mediaId],
    publishAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const folder = join(app.dataDir, 'media')
  const storage = await openFolderStorage(join(folder, 'kept'))
  const orphan = `${app.workspace.workspaceId}/${crypto.randomUUID()}`
  await writeFile(join(folder, 'left'), 'by a crash')
  await recordFile(app.db, orphan)
  await storage.put(orphan, join(folder, 'left'), { size: 10, contentType: 'image/png' })
  await app.db`update media_file set written_at = now() - interval '25 hours'`
  const parts = { db: app.db, storage, address: app.baseUrl, log: createLog({ level: 'silent' }) }
  expect(await sweepStorage(parts)).toBe(1)

  await app.db`update destination set publish_at = now(), due_at = now() where post_id = ${postId}`
  await app.db`select pg_notify('postrider_due', '')`
  const { releaseUrl } = await published(postId)
  expect(await (await fetch(releaseUrl)).text()).toContain('alt="kept"')
})

describe('the check of a plan with media', () => {
  const codesOf = ({ body }: { body: any }) =>
    body.issues.map(({ code, pointer }: any) => `${code} ${pointer}`)
  let ids: Record<string, string>
  beforeAll(async () => {
    const files = await everyType()
    ids = {}
    for (const [type, bytes] of Object.entries(files)) ids[type] = await upload(bytes, type)
  })

  test('says what the network does not take, and how to go on', async () => {
    const unknown = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
    expect(codesOf(await check({ text: 'x', mediaIds: [unknown] }))).toEqual(['media_unknown /mediaIds/0'])
    expect(codesOf(await check({ text: 'x', mediaIds: [ids['application/pdf']] }))).toEqual([
      'media_kind_unsupported /mediaIds/0',
    ])
    expect(
      codesOf(await check({ text: 'x', thread: [{ text: 'y', mediaIds: [ids['video/webm']] }] })),
    ).toEqual(['media_type_unsupported /thread/0/mediaIds/0'])
    expect(codesOf(await check({ text: 'x', mediaIds: [ids['image/png'], ids['video/mp4']] }))).toEqual([
      'media_kinds_mixed /mediaIds',
    ])
    const five = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
      .map((type) => ids[type])
      .concat(await upload(await aPhoto(), 'fifth'))
    expect(codesOf(await check({ text: 'x', mediaIds: five }))).toEqual(['media_too_many /mediaIds'])
    expect(codesOf(await check({ text: 'x', mediaIds: [await upload(await aPhoto())] }))).toEqual([
      'alt_text_missing /mediaIds/0',
    ])
    const wordy = await check({ text: 'x', mediaIds: [await upload(await aPhoto(), 'w'.repeat(1_001))] })
    expect(codesOf(wordy)).toEqual(['alt_text_too_long /mediaIds/0'])
    expect(wordy.body).toMatchObject({
      ready: false,
      issues: [{ fix: 'Shorten the alt text by 1.' }],
    })
    const long = await upload(await aVideo(undefined, 141), 'long')
    expect(codesOf(await check({ text: 'x', mediaIds: [long] }))).toEqual(['media_too_long /mediaIds/0'])
  })

  test('says of a recording how it is coded, and what the channel takes instead', async () => {
    const { workspaceId } = app.workspace
    const x = await aChannel(app.db, workspaceId, { provider: 'x' })
    const instagram = await aChannel(app.db, workspaceId, { provider: 'instagram' })
    const mediaId = await upload(await readFile(recordingAt('vp9-opus.mp4')))
    const codecs = {
      videoCodec: 'vp9',
      audioCodec: 'opus',
      frameRate: 10,
      audioChannels: 1,
      audioSampleRate: 48_000,
    }
    expect((await app.ask('GET', `/agent/v1/media/${mediaId}`)).body).toMatchObject(codecs)

    const plan = { channelIds: [x, instagram], text: 'x', thread: [{ text: 'y', mediaIds: [mediaId] }] }
    const found = async () =>
      (await check(plan)).body.issues.filter(({ code }: any) => code === 'media_codec_unsupported')
    const where = { partIndex: 1, mediaId, pointer: '/thread/0/mediaIds/0', severity: 'error' }
    const audio = 'Export it with another audio codec, and upload the result.'
    expect(await found()).toMatchObject([
      { channelId: x, ...where, message: 'The audio codec is Opus; X allows AAC.', fix: audio },
      { channelId: instagram, ...where, message: 'The video codec is VP9; Instagram allows H.264, HEVC.' },
      {
        channelId: instagram,
        ...where,
        message: 'The audio codec is Opus; Instagram allows AAC.',
        fix: audio,
      },
      {
        channelId: instagram,
        ...where,
        message: 'The video has 10 frames per second; Instagram allows 23 to 60.',
      },
    ])
    expect((await check({ ...plan, channelIds: [channelId] })).body.ready).toBe(true)

    // An item that was uploaded before codecs and rates were read.
    await app.db`
      update media_item set video_codec = null, audio_codec = null, frame_rate = null, audio_channels = null, audio_sample_rate = null
      where  id = ${mediaId}`
    expect(await found()).toEqual([])

    const rates = await upload(await readFile(recordingAt('rate-120-surround.mov')))
    const told = await check({ channelIds: [x, instagram], text: 'x', mediaIds: [rates] })
    const messages = told.body.issues.map(({ message }: any) => message)
    expect(messages).toEqual(
      expect.arrayContaining([
        'The video has 120 frames per second; X allows up to 60.',
        'The sound has 6 channels; X allows 2.',
        'The video has 120 frames per second; Instagram allows 23 to 60.',
        'The sound has 6 channels; Instagram allows 2.',
        'The sound has a sample rate of 96000 Hz; Instagram allows 48000 Hz.',
      ]),
    )
    expect(messages.filter((message: string) => message.includes('X allows'))).not.toContainEqual(
      expect.stringContaining('Hz'),
    )
  })

  test('is what create says', async () => {
    const plan = { state: 'draft', channelIds: [channelId], text: 'x', mediaIds: [ids['audio/ogg']] }
    const body = { confirmed: true, idempotencyKey: 'create-bad', ...plan }
    const { status, body: problem } = await app.ask('POST', '/agent/v1/posts', { body })
    expect(status).toBe(422)
    expect(problem.issues).toEqual((await check(plan)).body.issues)
  })

  test('needs the permission to read media, where there is some', async () => {
    const key = await aKey(app.db, app.workspace, { permissions: ['channels:read'] })
    expect((await check({ text: 'x' }, key)).status).toBe(200)
    expect((await check({ text: 'x', mediaIds: [ids['image/png']] }, key)).body).toMatchObject({
      code: 'missing_permission',
      requiredPermission: 'media:read',
    })
  })
})

test('an edit replaces media, and asks for approval again', async () => {
  const [one, two] = [await upload(await aPhoto(), 'one'), await upload(await aPhoto(61, 41), 'two')]
  const body = {
    confirmed: true,
    idempotencyKey: 'immediate',
    state: 'immediate',
    channelIds: [channelId],
    text: 'Now',
    mediaIds: [one],
  }
  const { body: post } = await app.ask('POST', '/agent/v1/posts', { body })
  const digests = () =>
    app.db`select status, encode(content_digest, 'hex') as digest from approval where post_id = ${post.postId} order by id`
  const edit = (mediaIds: string[], editToken: string) =>
    app.ask('POST', `/agent/v1/posts/${post.postId}/edit`, {
      headers: { 'idempotency-key': `e${++keys}` },
      body: { confirmed: true, editToken, content: { text: 'Now', mediaIds } },
    })
  const edited = await edit([two], post.editToken)
  expect(edited.body).toMatchObject({
    content: { mediaIds: [two] },
    media: [{ mediaId: two }],
    reviewStatus: 'pending',
  })
  const [first, second] = await digests()
  expect(first!.status).toBe('superseded')
  expect(second!.digest).not.toBe(first!.digest)
  const emptied = await edit([], edited.body.editToken)
  expect(emptied.body).toMatchObject({ content: { text: 'Now' }, media: [] })
  expect(emptied.body.content).not.toHaveProperty('mediaIds')
})
