import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { GetObjectCommandOutput, S3ServiceException } from '@aws-sdk/client-s3'
import { Unready } from '../operations/refusal.ts'
import type { Secret } from '../platform/sealing.ts'
import {
  LABEL_NAME,
  type MediaStorage,
  MediaUnavailable,
  refuseOtherSize,
  STORAGE_KEY,
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

/**
 * Stores media in a bucket of an S3-compatible store. Each file is one PUT of known length: it is there whole or
 * not at all, and no unfinished upload is ever left to be paid for. The client is loaded on first use.
 * Unready is thrown where the store fails.
 */
export async function openS3Storage(options: S3Options): Promise<MediaStorage> {
  const {
    S3Client,
    PutObjectCommand,
    GetObjectCommand,
    HeadObjectCommand,
    DeleteObjectCommand,
    paginateListObjectsV2,
    S3ServiceException,
  } = await import('@aws-sdk/client-s3')
  const { bucket: Bucket, prefix, accessKeyId, secretAccessKey } = options
  const client = new S3Client({
    region: options.region,
    forcePathStyle: options.pathStyle,
    // Newer checksums are Amazon's own; most compatible stores refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // What it would say beside the log is in what it throws.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: options.silenceMs ?? 30_000 },
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint }),
    ...(accessKeyId === null || secretAccessKey === null
      ? {}
      : { credentials: { accessKeyId: accessKeyId.reveal(), secretAccessKey: secretAccessKey.reveal() } }),
  })
  const root = `${prefix}${FOLDER}`

  function nameOf(key: string): { Bucket: string; Key: string } {
    if (!STORAGE_KEY.test(key)) throw new Error('this is no key of the media storage')
    return { Bucket, Key: `${root}${key}` }
  }

  const isMissing = (cause: unknown) =>
    cause instanceof S3ServiceException && statusOf(cause) === 404 && cause.name !== 'NoSuchBucket'
  const location = `${options.endpoint ?? 's3:/'}/${Bucket}/${root}`

  return {
    location,
    pathOf: () => null,
    async put(key, path, { size, contentType }) {
      const name = nameOf(key)
      const Body = createReadStream(path, { highWaterMark: 256 * 1024 })
      // The client hears of errors once it has its credentials; until then nobody would.
      Body.on('error', () => undefined)
      try {
        await client.send(
          new PutObjectCommand({ ...name, Body, ContentLength: size, ContentType: contentType }),
        )
      } catch (cause) {
        throw storageAway(cause)
      } finally {
        Body.destroy()
      }
    },
    async read(key, size, range) {
      const name = nameOf(key)
      const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
      const get = new GetObjectCommand({ ...name, ...Range })
      const answer = await client.send(get).catch((cause: unknown) => {
        if (isMissing(cause)) throw new MediaUnavailable(`${location}${key} is missing`, { cause })
        const beyondItsEnd = cause instanceof S3ServiceException && statusOf(cause) === 416
        if (beyondItsEnd) throw new MediaUnavailable(`${location}${key} is shorter than it was`, { cause })
        throw storageAway(cause)
      })
      const { Body } = answer
      if (!(Body instanceof Readable)) throw storageAway(new Error('the storage answered without a body'))
      try {
        refuseOtherSize(`${location}${key}`, totalSize(answer), size)
        return Body
      } catch (fault) {
        Body.destroy()
        throw fault
      }
    },
    async check(key, size) {
      const head = new HeadObjectCommand(nameOf(key))
      const answer = await client.send(head).catch((cause: unknown) => {
        if (isMissing(cause)) return null
        throw storageAway(cause)
      })
      refuseOtherSize(`${location}${key}`, answer === null ? null : totalSize(answer), size)
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(nameOf(key)))
    },
    async *list(abortSignal) {
      const listing = { Bucket, Prefix: root }
      const more = abortSignal === undefined ? [] : [{ abortSignal }]
      for await (const page of paginateListObjectsV2({ client }, listing, ...more)) {
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          const key = Key.slice(root.length)
          if (STORAGE_KEY.test(key) && LastModified !== undefined)
            yield { key, size: Size, storedAt: LastModified }
        }
      }
    },
    async readLabel(abortSignal) {
      try {
        const get = new GetObjectCommand({ Bucket, Key: `${root}${LABEL_NAME}` })
        const more = abortSignal === undefined ? {} : { abortSignal }
        const { Body } = await client.send(get, more)
        return (await Body?.transformToString())?.trim() ?? null
      } catch (cause) {
        if (isMissing(cause)) return null
        throw abortSignal?.aborted === true ? cause : storageAway(cause)
      }
    },
    async writeLabel(label) {
      const Key = `${root}${LABEL_NAME}`
      try {
        await client.send(new PutObjectCommand({ Bucket, Key, Body: label, ContentType: 'text/plain' }))
      } catch (cause) {
        throw storageAway(cause)
      }
    },
    close: async () => client.destroy(),
  }
}

function statusOf(cause: S3ServiceException): number | undefined {
  return cause.$metadata.httpStatusCode
}

/** The size of the whole, also where the answer holds a range of it. */
function totalSize({ ContentRange, ContentLength = 0 }: Answered): number {
  return ContentRange === undefined ? ContentLength : Number(ContentRange.split('/').at(-1))
}

type Answered = Pick<GetObjectCommandOutput, 'ContentRange' | 'ContentLength'>

function storageAway(cause: unknown): Unready {
  return new Unready(
    'The media storage does not answer as it should at the moment. Nothing was changed; try again later.',
    {
      cause,
    },
  )
}

function ignore(): void {}
