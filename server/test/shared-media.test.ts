import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandLineWith } from './rigs/command-line.ts'
import { aPhoto } from './rigs/media-files.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'
import { startS3 } from './rigs/s3-process.ts'
import { openEmptyWorld, openWorld, type World } from './rigs/world.ts'

/* A media storage that two databases use: by mistake, for a drill, after a restore. What one has stored, the other never removes. */

/** Settings that name one media storage, and where its files lie on this disk. */
type Shared = { env: Record<string, string>; files: string }

async function aFolder(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-shared-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return { env: { DATA_DIR: folder }, files: join(folder, 'media/kept') }
}

async function aBucket(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-shared-s3-'))
  const { options, kill } = await startS3(folder)
  onTestFinished(async () => {
    await kill()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const { bucket, endpoint, region, prefix, accessKeyId, secretAccessKey } = options
  const env = {
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint ?? '',
    S3_REGION: region,
    S3_PREFIX: prefix,
    S3_ACCESS_KEY_ID: accessKeyId?.reveal() ?? '',
    S3_SECRET_ACCESS_KEY: secretAccessKey?.reveal() ?? '',
  }
  return { env, files: join(folder, 'buckets', bucket, prefix, 'media') }
}

/** Everything that lies there, by its path. */
async function filesOf({ files }: Shared): Promise<string[]> {
  const found = await readdir(files, { recursive: true, withFileTypes: true })
  return found
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
}

/** Lets the storage think that all of it is old. */
async function age(shared: Shared): Promise<void> {
  const old = new Date(Date.now() - 8 * 86_400_000)
  for (const path of await filesOf(shared)) await utimes(path, old, old)
}

let uploads = 0
async function upload(app: RunningApp): Promise<string> {
  const form = new FormData()
  form.set('confirmed', 'true')
  form.set('file', new Blob([new Uint8Array(await aPhoto(40, 40 + ++uploads))]))
  const headers = { 'idempotency-key': `k${uploads}` }
  const { status, body } = await app.ask('POST', '/agent/v1/media', { body: form, headers })
  expect(status).toBe(201)
  return body.mediaId as string
}

/** Waits until the housekeeping of a server has come to the storage. */
async function swept(shared: Shared, { db }: Pick<World, 'db'>): Promise<void> {
  const [place] = await db<{ id: string }[]>`select installation_id as id from media_place`
  const noted = async () =>
    (await filesOf(shared)).filter((path) => path.includes(`used-by/${place!.id}`)).length
  await expect.poll(noted, { timeout: 20_000 }).toBeGreaterThan(0)
}

const bytesOf = async (app: RunningApp, mediaId: string) =>
  (await app.ask('GET', `/agent/v1/media/${mediaId}/content`)).status

describe.each([
  ['a folder', aFolder],
  ['a bucket', aBucket],
])('%s', (_, openShared) => {
  test('in which another database has files is refused by a new one, in one sentence, and nothing there is touched', async () => {
    const shared = await openShared()
    await using ours = await openRunningApp({ env: shared.env })
    const mediaId = await upload(ours)
    await age(shared)
    const media = async () => (await filesOf(shared)).filter((path) => !path.includes('used-by/'))
    const before = await media()

    await using world = await openWorld()
    const kept = { ...world, [Symbol.asyncDispose]: () => Promise.resolve() }
    const secretKeys = randomBytes(32).toString('base64')
    await expect(openRunningApp({ world: kept, secretKeys, env: shared.env })).rejects.toThrow(
      /^The media storage at .* S3_PREFIX or DATA_DIR, or run `postrider media adopt`, which shows what is there before it takes it over\.$/,
    )

    const untouched = async () => expect(await media()).toEqual(before)
    await untouched()
    expect(await bytesOf(ours, mediaId)).toBe(200)

    const postrider = commandLineWith({ DATABASE_URL: world.databaseUrl, ...shared.env })
    const { exitCode, said } = await postrider('media', 'adopt')
    expect(exitCode).toBe(0)
    expect(said).toMatch(/carries the id [0-9a-f-]{36}, and this database has none yet/)
    expect(said).toMatch(/^1 file, 1 MB, the newest stored at \d{4}-\d\d-\d\d [^]*refer to 0 of them/m)
    expect(said).toContain(ours.baseUrl)
    await untouched()
    const [, label = ''] = /--label ([0-9a-f-]{36})/.exec(said) ?? []
    expect(await postrider('media', 'adopt', '--label', label, '--files', 'all')).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('Another installation'),
    })
    expect(await postrider('media', 'adopt', '--label', label)).toMatchObject({ exitCode: 0 })
    await using theirs = await openRunningApp({ world: kept, secretKeys, env: shared.env })
    await swept(shared, world)
    await theirs[Symbol.asyncDispose]()
    await untouched()
    const findings = JSON.parse((await postrider('doctor', '--json')).said) as {
      name: string
      detail: string
    }[]
    expect(findings.find(({ name }) => name === 'media storage')?.detail).toContain(ours.baseUrl)
  })

  test('beside which a drill restores the backup keeps all that the living installation stores', async () => {
    const shared = await openShared()
    await using ours = await openRunningApp({ env: shared.env })
    await upload(ours)
    const folder = await mkdtemp(join(tmpdir(), 'postrider-drill-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const backup = join(folder, 'a.backup')
    const postrider = commandLineWith({ ...ours.env })
    expect(await postrider('backup', backup)).toMatchObject({ exitCode: 0 })
    const later = await upload(ours)
    await age(shared)
    const before = await filesOf(shared)

    await using world = await openEmptyWorld()
    const env = { DATA_DIR: join(folder, 'data'), ...shared.env }
    const secretKeys = ours.env['SECRET_KEYS'] ?? ''
    const drill = commandLineWith({ DATABASE_URL: world.databaseUrl, SECRET_KEYS: secretKeys, ...env })
    expect(await drill('restore', backup)).toMatchObject({ exitCode: 0 })
    const kept = { ...world, [Symbol.asyncDispose]: () => Promise.resolve() }
    await using restored = await openRunningApp({ world: kept, secretKeys, env })
    await swept(shared, world)
    await restored[Symbol.asyncDispose]()

    const after = await filesOf(shared)
    expect(before.filter((path) => !after.includes(path))).toEqual([])
    expect(await bytesOf(ours, later)).toBe(200)
  })
})
