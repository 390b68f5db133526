import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type * as Sdk from '@aws-sdk/client-s3'
import { openS3Client, type S3Access } from '../../media/s3-storage.ts'
import { BackupRefused } from './backup-file.ts'

/** A place in a bucket, as `s3://bucket/key`. */
export type BucketPlace = { readonly bucket: string; readonly key: string }

/** Null for what names no bucket. */
export function bucketPlaceOf(target: string): BucketPlace | null {
  const [, bucket, key = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(target) ?? []
  return bucket === undefined ? null : { bucket, key }
}

const PART_BYTES = 64 * 1_024 * 1_024

/** Stores a file under the key: there whole or not at all, and no other is replaced. */
export async function uploadFile(
  access: S3Access,
  { bucket, key }: BucketPlace,
  path: string,
  partBytes = PART_BYTES,
): Promise<void> {
  await withStore(access, `s3://${bucket}/${key}`, async ({ sdk, client }) => {
    const place = { Bucket: bucket, Key: key }
    const isThere = await client.send(new sdk.HeadObjectCommand(place)).then(
      () => true,
      (fault: unknown) => {
        if (fault instanceof sdk.S3ServiceException && fault.$metadata.httpStatusCode === 404) return false
        throw fault
      },
    )
    if (isThere) throw new BackupRefused(`s3://${bucket}/${key} is there already. Name a key that is not.`)
    const { size } = await stat(path)
    if (size <= partBytes) {
      const Body = createReadStream(path)
      await client
        .send(new sdk.PutObjectCommand({ ...place, Body, ContentLength: size }))
        .finally(() => Body.destroy())
      return
    }
    await uploadInParts({ sdk, client }, place, path, { size, partBytes })
  })
}

type Store = { readonly sdk: typeof Sdk; readonly client: Sdk.S3Client }

/** One part after the other; the store joins them at the end, and what was given up is removed there. */
async function uploadInParts(
  { sdk, client }: Store,
  place: { readonly Bucket: string; readonly Key: string },
  path: string,
  { size, partBytes }: { readonly size: number; readonly partBytes: number },
): Promise<void> {
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(place))
  const upload = { ...place, UploadId }
  try {
    const Parts: Sdk.CompletedPart[] = []
    for (let from = 0; from < size; from += partBytes) {
      const end = Math.min(size, from + partBytes) - 1
      const PartNumber = Parts.length + 1
      const Body = createReadStream(path, { start: from, end })
      const { ETag } = await client
        .send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: end - from + 1 }))
        .finally(() => Body.destroy())
      Parts.push({ PartNumber, ETag })
    }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  } catch (fault) {
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw fault
  }
}

/** Fetches what is under the key into a file that only this user can read. */
export async function downloadFile(
  access: S3Access,
  { bucket, key }: BucketPlace,
  to: string,
): Promise<void> {
  await withStore(access, `s3://${bucket}/${key}`, async ({ sdk, client }) => {
    const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }))
    if (!(Body instanceof Readable)) throw new Error('the store answered without a body')
    await pipeline(Body, createWriteStream(to, { mode: 0o600, flags: 'wx' }))
  })
}

async function withStore(
  access: S3Access,
  place: string,
  run: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openS3Client(access)
  try {
    await run(store)
  } catch (cause) {
    if (cause instanceof BackupRefused) throw cause
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause))
    const why = message === '' || message === name ? name : `${name}, ${message.replace(/\.$/, '')}`
    throw new BackupRefused(
      `The store does not take or give ${place}: ${why}. It is reached as S3_ENDPOINT and S3_ACCESS_KEY_ID say.`,
      { cause },
    )
  } finally {
    store.client.destroy()
  }
}
