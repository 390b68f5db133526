import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { Unready } from '../platform/refusal.ts'
import type { Secret } from '../platform/sealing.ts'
import { type MediaStorage, STORAGE_KEY, FileMissing } from './media-storage.ts'

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

  return {
    async put(key, path, { size, contentType }) {
      const name = nameOf(key)
      const Body = createReadStream(path, { highWaterMark: 256 * 1024 })
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
    async read(key, range) {
      const name = nameOf(key)
      try {
        const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
        const { Body } = await client.send(new GetObjectCommand({ ...name, ...Range }))
        if (!(Body instanceof Readable)) throw new Error('the store answered without a body')
        return Body
      } catch (cause) {
        const absent = cause instanceof S3ServiceException && cause.$metadata.httpStatusCode === 404
        throw absent ? new FileMissing({ cause }) : storageAway(cause)
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(nameOf(key)))
    },
    async *list(abortSignal) {
      const listing = { Bucket, Prefix: root }
      const more = abortSignal === undefined ? [] : [{ abortSignal }]
      for await (const page of paginateListObjectsV2({ client }, listing, ...more)) {
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const key = Key.slice(root.length)
          if (STORAGE_KEY.test(key) && LastModified !== undefined) yield { key, storedAt: LastModified }
        }
      }
    },
    close: async () => client.destroy(),
  }
}

function storageAway(cause: unknown): Unready {
  return new Unready(
    'The media storage does not answer as it should at the moment. Nothing was changed; try again later.',
    {
      cause,
    },
  )
}

function ignore(): void {}
