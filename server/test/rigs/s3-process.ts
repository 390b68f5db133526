import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { S3Options } from '../../src/media/s3-storage.ts'
import { Secret } from '../../src/platform/sealing/sealing.ts'
import { installPackages } from '../../../tools/installed-packages.ts'
import { freePort } from './free-port.ts'

export type S3Process = AsyncDisposable & {
  options: S3Options
  /** Ends it in the middle of whatever it does. */
  kill: () => Promise<void>
}

const BUCKET = 'media-test'
/** The one account that s3rver has. */
const ACCOUNT = 'S3RVER'

/** s3rver: an S3-compatible server in a process of its own, with its buckets in this folder. */
export async function startS3(folder: string): Promise<S3Process> {
  const packages = await installPackages(join(import.meta.dirname, 's3'))
  const program = join(packages, 'node_modules/s3rver/bin/s3rver.js')
  const port = await freePort()
  const where = ['--directory', join(folder, 'buckets'), '--address', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [program, '--silent', ...where, '--configure-bucket', BUCKET], {
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await ended
  }
  const endpoint = `http://127.0.0.1:${port}`
  try {
    const answers = async () => (await fetch(endpoint).catch(() => null)) !== null
    await expect.poll(answers, { timeout: 20_000, interval: 50 }).toBe(true)
  } catch (error) {
    await kill()
    throw error
  }
  const [accessKeyId, secretAccessKey] = [new Secret(ACCOUNT), new Secret(ACCOUNT)]
  const place = { bucket: BUCKET, endpoint, region: 'us-east-1', prefix: 'shared/', pathStyle: true }
  return { options: { ...place, accessKeyId, secretAccessKey }, kill, [Symbol.asyncDispose]: kill }
}
