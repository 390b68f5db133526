import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { comeDue } from '../../test/rigs/come-due.ts'
import { aChannel } from '../../test/rigs/fixtures.ts'
import { aPhoto, aVideo } from '../../test/rigs/media-files.ts'
import { filesIn } from '../../test/rigs/media-server.ts'
import { openRunningApp } from '../../test/rigs/running-app.ts'
import { startS3 } from '../../test/rigs/s3-process.ts'

test('a picture and a video go through a bucket to the network, and come back when the store does not', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bucket-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const s3 = cleanUp.use(await startS3(folder))
  const network = await startSandboxNetwork({ memory: true })
  cleanUp.defer(() => network.close())
  const { bucket, endpoint, region, prefix, accessKeyId, secretAccessKey } = s3.options
  const env = {
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint ?? '',
    S3_REGION: region,
    S3_PREFIX: prefix,
    S3_ACCESS_KEY_ID: accessKeyId?.reveal() ?? '',
    S3_SECRET_ACCESS_KEY: secretAccessKey?.reveal() ?? '',
  }
  await using app = await openRunningApp({ roles: 'api,publisher', sandboxUrl: network.url, env })
  const made = await fetch(`${network.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle: 'ada', profile: 'short' }),
  })
  const account = (await made.json()) as { id: string; token: string }
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  const channelId = await aChannel(app.db, app.workspace.workspaceId, {
    authorization,
    keyring: app.keyring,
  })

  let keys = 0
  const upload = (bytes: Buffer) => {
    const form = new FormData()
    form.set('confirmed', 'true')
    form.set('altText', 'from a bucket')
    form.set('file', new Blob([new Uint8Array(bytes)]))
    const headers = { 'idempotency-key': `k${++keys}` }
    return app.ask('POST', '/agent/v1/media', { body: form, headers })
  }
  const content = (mediaId: string, headers = {}, query = '') =>
    fetch(`${app.baseUrl}/agent/v1/media/${mediaId}/content${query}`, {
      headers: { authorization: `Bearer ${app.key}`, ...headers },
    })
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

  const photo = await aPhoto()
  const [{ body: one }, { body: equal }, { body: clip }] = [
    await upload(photo),
    await upload(photo),
    await upload(await aVideo()),
  ]
  expect(filesIn(join(app.dataDir, 'media'))).toEqual([])
  // And the label of the storage.
  expect(filesIn(join(folder, 'buckets')).filter((name) => name.endsWith('object'))).toHaveLength(3)

  const whole = await bytesOf(await content(one.mediaId))
  expect(await sharp(whole).metadata()).toMatchObject({ width: 40, height: 60 })
  expect(await bytesOf(await content(equal.mediaId, { range: 'bytes=10-19' }))).toEqual(
    whole.subarray(10, 20),
  )
  expect(await sharp(await bytesOf(await content(one.mediaId, {}, '?width=20'))).metadata()).toMatchObject({
    width: 20,
  })

  for (const mediaId of [one.mediaId, clip.mediaId]) {
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    const plan = { state: 'scheduled', publishAt, channelIds: [channelId], text: '', mediaIds: [mediaId] }
    const body = { confirmed: true, idempotencyKey: mediaId, ...plan }
    const { body: post } = await app.ask('POST', '/agent/v1/posts', { body })
    await comeDue(app.db, post.postId)
    const standing = async () => (await app.ask('GET', `/agent/v1/posts/${post.postId}`)).body.destinations[0]
    await expect.poll(async () => (await standing()).status, { timeout: 20_000 }).toBe('published')
    expect(await (await fetch((await standing()).releaseUrl)).text()).toContain('from a bucket')
  }

  await s3.kill()
  const { status, body } = await upload(await aPhoto(77, 33))
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'not_ready' })
  expect(filesIn(join(app.dataDir, 'media/incoming'))).toEqual([])
  for (const query of ['', '?width=21']) {
    const away = await content(one.mediaId, {}, query)
    expect([away.status, away.headers.get('cache-control')]).toEqual([503, 'no-store'])
    expect(await away.json()).toMatchObject({ detail: expect.stringContaining('media storage') })
  }
  // What is known already needs no store.
  expect((await app.ask('GET', `/agent/v1/media/${one.mediaId}`)).status).toBe(200)
})
