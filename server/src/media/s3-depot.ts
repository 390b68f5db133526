import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { Unready } from '../platform/refusal.ts'
import type { Secret } from '../platform/sealing.ts'
import { type Depot, KEY, NotKept } from './depot.ts'

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
  /** After how long without a byte the store is given up; 30 s when left out. */
  readonly silenceMs?: number
}

const CONNECT_MS = 5_000
const FOLDER = 'media/'

/**
 * Keeps media in a bucket of an S3-compatible store. Each file is one PUT of known length: it is there whole or
 * not at all, and no unfinished upload is ever left to be paid for. The client is loaded only when it is wanted.
 * Where the store does not do as it is asked, Unready is thrown.
 */
export async function openS3Depot(options: S3Options): Promise<Depot> {
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
    logger: { trace: mute, debug: mute, info: mute, warn: mute, error: mute },
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: options.silenceMs ?? 30_000 },
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint }),
    ...(accessKeyId === null || secretAccessKey === null
      ? {}
      : { credentials: { accessKeyId: accessKeyId.reveal(), secretAccessKey: secretAccessKey.reveal() } }),
  })
  const root = `${prefix}${FOLDER}`

  function nameOf(key: string): { Bucket: string; Key: string } {
    if (!KEY.test(key)) throw new Error('this is no key of the depot')
    return { Bucket, Key: `${root}${key}` }
  }

  return {
    async keep(key, path, { size, contentType }) {
      const name = nameOf(key)
      const Body = createReadStream(path, { highWaterMark: 256 * 1024 })
      try {
        await client.send(
          new PutObjectCommand({ ...name, Body, ContentLength: size, ContentType: contentType }),
        )
      } catch (cause) {
        throw storeAway(cause)
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
        throw absent ? new NotKept({ cause }) : storeAway(cause)
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(nameOf(key)))
    },
    async *all() {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: root })) {
        for (const { Key = '', LastModified } of page.Contents ?? []) {
          const key = Key.slice(root.length)
          if (KEY.test(key) && LastModified !== undefined) yield { key, keptAt: LastModified }
        }
      }
    },
    close: async () => client.destroy(),
  }
}

function storeAway(cause: unknown): Unready {
  return new Unready(
    'The store of media does not do its part at the moment. Nothing was changed; try again later.',
    {
      cause,
    },
  )
}

function mute(): void {}
