import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import { codeOf } from '../../platform/process/error-code.ts'
import { BackupRefused, type Encrypt, openToRead } from './backup-file.ts'

/*
 * A backup that is encrypted for a key is a file of age (age-encryption.org/v1), which other programs open, too: whoever writes it has the
 * public key alone, and cannot read it. The library is loaded on first use.
 */

const BEGIN = 'age-encryption.org/v1\n'

/** What encrypts for these recipients (`age1…`), as a step of a pipeline. */
export async function encryptFor(recipients: readonly string[]): Promise<Encrypt> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch (cause) {
      throw new BackupRefused(
        `"${recipient}" is no public key of age, such as age1… Make a pair with \`age-keygen -o backup.key\`: it prints the public one.`,
        { cause },
      )
    }
  }
  return async function* encrypt(chunks) {
    yield* await encrypter.encrypt(ReadableStream.from(chunks))
  }
}

export async function isEncrypted(path: string): Promise<boolean> {
  const file = await openToRead(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGIN.length), 0, BEGIN.length, 0)
    return buffer.subarray(0, bytesRead).toString() === BEGIN
  } finally {
    await file.close()
  }
}

/** Decrypts a file into another one, which only this user can read, with the keys of a file as age writes it. */
export async function decryptFile(from: string, to: string, identityFile: string): Promise<void> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of await identitiesOf(identityFile)) decrypter.addIdentity(identity)
  const stream = createReadStream(from)
  try {
    const plain = await decrypter.decrypt(ReadableStream.from(stream)).catch((cause: unknown) => {
      throw new BackupRefused(`None of the keys in ${identityFile} opens ${from}, or it was changed.`, {
        cause,
      })
    })
    await pipeline(plain, createWriteStream(to, { mode: 0o600, flags: 'wx' }))
  } catch (cause) {
    if (cause instanceof BackupRefused || codeOf(cause) === 'ENOSPC') throw cause
    throw new BackupRefused(`${from} is no whole backup: it ends too early, or its bytes were changed.`, {
      cause,
    })
  } finally {
    stream.destroy()
  }
}

async function identitiesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BackupRefused(`${path} cannot be read: ${codeOf(cause) ?? String(cause)}.`, { cause })
  })
  const identities = text.split(/\s*\n/).filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0)
    throw new BackupRefused(`${path} has no key of age, which begins with AGE-SECRET-KEY-.`)
  return identities
}
