import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type * as Sdk from '@aws-sdk/client-s3'
import { Unready } from '../edge/operations/refusal.ts'
import { OutsideFault } from '../platform/process/outside-fault.ts'
import type { Secret } from '../platform/sealing/sealing.ts'
import {
  type ByteRange,
  LABEL_NAME,
  MARK_NAME,
  MARKS,
  type MediaStorage,
  MediaUnavailable,
  refuseOtherSize,
  STORAGE_KEY,
  type StoredFile,
  TRASH,
} from './media-storage.ts'

export type S3Options = {
  readonly bucket: string
  /** Null for Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  readonly prefix: string
  /** Null for what the environment offers. */
  readonly accessKeyId: Secret | null
  readonly secretAccessKey: Secret | null
  readonly pathStyle: boolean
  /** After how long without a byte the request is given up; 30 s when left out. */
  readonly silenceMs?: number
}

const CONNECT_MS = 5_000
const FOLDER = 'media/'

/** A bucket, and the client that reaches it. */
type Bucket = {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
  readonly name: string
  /** What the keys of all files begin with. */
  readonly root: string
  readonly location: string
}

/**
 * Stores media in a bucket of an S3-compatible store. Each file is one PUT of known length: it is there whole or
 * not at all, and no unfinished upload is ever left to be paid for. The client is loaded on first use.
 * Unready is thrown where the store fails.
 */
export async function openS3Storage(options: S3Options): Promise<MediaStorage> {
  const bucket = await openBucket(options)
  const { client, location } = bucket
  return {
    location,
    pathOf: () => null,
    put: (key, path, facts) => put(bucket, key, path, facts),
    read: (key, size, range) => read(bucket, key, size, range),
    check: (key, size) => check(bucket, key, size),
    holds: async (key, size) => (await sizeUnder(bucket, key)) === size,
    remove: (key) => remove(bucket, objectOf(bucket, key)),
    discard: async (key) => void (await move(bucket, objectOf(bucket, key), discardedOf(bucket, key))),
    recover: (key) => move(bucket, discardedOf(bucket, key), objectOf(bucket, key)),
    removeDiscarded: (key) => remove(bucket, discardedOf(bucket, key)),
    list: (signal) => list(bucket, signal),
    isEmpty: () => isEmpty(bucket),
    readLabel: (signal) => readText(bucket, labelOf(bucket), signal),
    writeLabel: (label) => writeText(bucket, labelOf(bucket), label),
    readMarks: (signal) => readMarks(bucket, signal),
    writeMark: (installationId, text) => writeText(bucket, markOf(bucket, installationId), text),
    removeMark: (installationId) => remove(bucket, markOf(bucket, installationId)),
    close: async () => client.destroy(),
  }
}

async function openBucket(options: S3Options): Promise<Bucket> {
  const { bucket: name, prefix, endpoint } = options
  const root = `${prefix}${FOLDER}`
  return { ...(await openS3Client(options)), name, root, location: `${endpoint ?? 's3:/'}/${name}/${root}` }
}

/** How a store is reached, whatever the bucket. */
export type S3Access = Omit<S3Options, 'bucket' | 'prefix'>

/** The client for a store, loaded on first use. */
export async function openS3Client(options: S3Access): Promise<Pick<Bucket, 'sdk' | 'client'>> {
  const { endpoint, accessKeyId, secretAccessKey } = options
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    region: options.region,
    forcePathStyle: options.pathStyle,
    // Newer checksums are Amazon's own; most compatible stores refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // What it would say beside the log is in what it throws.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: options.silenceMs ?? 30_000 },
    ...(endpoint === null ? {} : { endpoint }),
    ...(accessKeyId === null || secretAccessKey === null
      ? {}
      : { credentials: { accessKeyId: accessKeyId.reveal(), secretAccessKey: secretAccessKey.reveal() } }),
  })
  return { sdk, client }
}

async function put(
  bucket: Bucket,
  key: string,
  path: string,
  { size, contentType }: { size: number; contentType: string },
): Promise<void> {
  const of = objectOf(bucket, key)
  const Body = createReadStream(path, { highWaterMark: 256 * 1024 })
  // The client hears of errors once it has its credentials; until then none would be heard.
  Body.on('error', () => undefined)
  const { PutObjectCommand } = bucket.sdk
  try {
    await bucket.client.send(
      new PutObjectCommand({ ...of, Body, ContentLength: size, ContentType: contentType }),
    )
  } catch (cause) {
    throw storageAway(cause)
  } finally {
    Body.destroy()
  }
}

async function read(bucket: Bucket, key: string, size: number, range?: ByteRange): Promise<Readable> {
  const place = `${bucket.location}${key}`
  const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
  const get = new bucket.sdk.GetObjectCommand({ ...objectOf(bucket, key), ...Range })
  const answer = await bucket.client.send(get).catch((cause: unknown) => {
    if (isMissing(bucket, cause)) throw new MediaUnavailable(`${place} is missing`, { cause })
    if (statusOf(bucket, cause) === 416)
      throw new MediaUnavailable(`${place} is shorter than it was`, { cause })
    throw storageAway(cause)
  })
  const { Body } = answer
  if (!(Body instanceof Readable)) throw storageAway(new Error('the storage answered without a body'))
  try {
    refuseOtherSize(place, totalSize(answer), size)
    return Body
  } catch (fault) {
    Body.destroy()
    throw fault
  }
}

async function check(bucket: Bucket, key: string, size: number): Promise<void> {
  refuseOtherSize(`${bucket.location}${key}`, await sizeUnder(bucket, key), size)
}

/** Null for what is not there. */
async function sizeUnder(bucket: Bucket, key: string): Promise<number | null> {
  const head = new bucket.sdk.HeadObjectCommand(objectOf(bucket, key))
  const answer = await bucket.client.send(head).catch((cause: unknown) => {
    if (isMissing(bucket, cause)) return null
    throw storageAway(cause)
  })
  return answer === null ? null : totalSize(answer)
}

async function remove({ sdk, client }: Bucket, place: Place): Promise<void> {
  await client.send(new sdk.DeleteObjectCommand(place)).catch((cause: unknown) => {
    throw storageAway(cause)
  })
}

/** Copies, and then removes; false where there is nothing. A crash in between leaves both, and repeating it ends it. */
async function move(bucket: Bucket, from: Place, to: Place): Promise<boolean> {
  const { sdk, client } = bucket
  const CopySource = `${from.Bucket}/${from.Key.split('/').map(encodeURIComponent).join('/')}`
  try {
    await client.send(new sdk.CopyObjectCommand({ ...to, CopySource }))
  } catch (cause) {
    if (isMissing(bucket, cause)) return false
    throw storageAway(cause)
  }
  await remove(bucket, from)
  return true
}

async function* list(bucket: Bucket, signal?: AbortSignal): AsyncIterable<StoredFile> {
  const { root } = bucket
  for await (const { Key = '', Size = 0, LastModified } of objectsBelow(bucket, root, signal)) {
    const key = Key.slice(root.length)
    if (STORAGE_KEY.test(key) && LastModified !== undefined) yield { key, size: Size, storedAt: LastModified }
  }
}

async function* objectsBelow(
  { sdk, client, name }: Bucket,
  prefix: string,
  abortSignal?: AbortSignal,
): AsyncIterable<Sdk._Object> {
  const listing = { Bucket: name, Prefix: prefix }
  const more = abortSignal === undefined ? [] : [{ abortSignal }]
  try {
    for await (const { Contents } of sdk.paginateListObjectsV2({ client }, listing, ...more))
      yield* Contents ?? []
  } catch (cause) {
    throw abortSignal?.aborted === true ? cause : storageAway(cause)
  }
}

async function isEmpty(bucket: Bucket): Promise<boolean> {
  for await (const { Key } of objectsBelow(bucket, bucket.root)) if (Key !== labelOf(bucket).Key) return false
  return true
}

async function readMarks(bucket: Bucket, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const below = `${bucket.root}${MARKS}`
  const marks = new Map<string, string>()
  for await (const { Key = '' } of objectsBelow(bucket, below, signal)) {
    const id = Key.slice(below.length)
    const text = MARK_NAME.test(id) ? await readText(bucket, markOf(bucket, id), signal) : null
    if (text !== null) marks.set(id, text)
  }
  return marks
}

/** Null for what is not there. */
async function readText(bucket: Bucket, place: Place, abortSignal?: AbortSignal): Promise<string | null> {
  try {
    const get = new bucket.sdk.GetObjectCommand(place)
    const more = abortSignal === undefined ? {} : { abortSignal }
    const { Body } = await bucket.client.send(get, more)
    return (await Body?.transformToString())?.trim() ?? null
  } catch (cause) {
    if (isMissing(bucket, cause)) return null
    throw abortSignal?.aborted === true ? cause : storageAway(cause)
  }
}

async function writeText({ sdk, client }: Bucket, place: Place, text: string): Promise<void> {
  const put = new sdk.PutObjectCommand({ ...place, Body: text, ContentType: 'text/plain' })
  await client.send(put).catch((cause: unknown) => {
    throw storageAway(cause)
  })
}

/** An object of a bucket. */
type Place = { readonly Bucket: string; readonly Key: string }

function discardedOf({ name, root }: Bucket, key: string): Place {
  if (!STORAGE_KEY.test(key)) throw new Error('this is no key of the media storage')
  return { Bucket: name, Key: `${root}${TRASH}${key}` }
}

function markOf({ name, root }: Bucket, installationId: string): Place {
  if (!MARK_NAME.test(installationId)) throw new Error('this is no id of an installation')
  return { Bucket: name, Key: `${root}${MARKS}${installationId}` }
}

function objectOf({ name, root }: Bucket, key: string): Place {
  if (!STORAGE_KEY.test(key)) throw new Error('this is no key of the media storage')
  return { Bucket: name, Key: `${root}${key}` }
}

function labelOf({ name, root }: Bucket): Place {
  return { Bucket: name, Key: `${root}${LABEL_NAME}` }
}

function isMissing(bucket: Bucket, cause: unknown): boolean {
  return statusOf(bucket, cause) === 404 && (cause as Error).name !== 'NoSuchBucket'
}

/** The HTTP status that the store answered with; null where it did not answer. */
function statusOf({ sdk }: Bucket, cause: unknown): number | null {
  return cause instanceof sdk.S3ServiceException ? (cause.$metadata.httpStatusCode ?? null) : null
}

/** The size of the whole, also where the answer holds a range of it. */
function totalSize({ ContentRange, ContentLength = 0 }: Answered): number {
  return ContentRange === undefined ? ContentLength : Number(ContentRange.split('/').at(-1))
}

type Answered = Pick<Sdk.GetObjectCommandOutput, 'ContentRange' | 'ContentLength'>

/** To wait helps where the store does not answer or is overloaded, and not where it refuses what it is asked for. */
function storageAway(cause: unknown): Unready {
  const { httpStatusCode: status = 500 } = (cause as Partial<Sdk.S3ServiceException>).$metadata ?? {}
  const refuses = status >= 400 && status < 500 && status !== 408 && status !== 429
  return new Unready(
    refuses
      ? 'The media storage refuses requests of this server. Nothing was changed. Ask the server operator to correct that, then try again.'
      : 'The media storage is not answering properly right now. Nothing was changed. Try again later.',
    { cause: new OutsideFault('store', cause) },
  )
}

function ignore(): void {}
