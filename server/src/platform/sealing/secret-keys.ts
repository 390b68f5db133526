import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../postgres/db.ts'
import { type Keyring, makeKeyring, parseSecretKeys, type Secret } from './sealing.ts'

/** Where the secret keys come from: SECRET_KEYS where given, else the file `secret-keys` of the data folder. */
export type SecretKeySource = { readonly secretKeys: Secret | null; readonly dataDir: string }

export function secretKeyFile({ dataDir }: Pick<SecretKeySource, 'dataDir'>): string {
  return join(dataDir, 'secret-keys')
}

/** The file of the keys is there and cannot be used. The message is for people. */
export class UnusableSecretKeys extends Error {
  override name = 'UnusableSecretKeys'

  constructor(what: string, options?: ErrorOptions) {
    super(
      `${what} Restore it from your backup, or set SECRET_KEYS to the keys that every process of this installation has.`,
      options,
    )
  }
}

/** The keys at hand; null when SECRET_KEYS is empty and there is no file. Throws UnusableSecretKeys when the file is unusable. */
export async function readKeyring(source: SecretKeySource): Promise<Keyring | null> {
  const text = await readSecretKeys(source)
  return text === null ? null : keyringOf(secretKeyFile(source), text)
}

/** The same, as they are written. */
export async function readSecretKeys(source: SecretKeySource): Promise<string | null> {
  return source.secretKeys?.reveal() ?? (await readIfThere(secretKeyFile(source)))
}

/**
 * Keeps the keys of another installation in the file. Where there are keys already nothing is changed: gives the ids of
 * those that these lack.
 */
export async function adoptSecretKeys(source: SecretKeySource, text: string): Promise<string[]> {
  const adopted = keyringOf('The file', text)
  const atHand = await readKeyring(source)
  if (atHand !== null) return adopted.keyIds.filter((keyId) => !atHand.keyIds.includes(keyId))
  await createKeyFile(secretKeyFile(source), text)
  return []
}

function keyringOf(place: string, text: string): Keyring {
  const keys = parseSecretKeys(text)
  if (keys !== null) return makeKeyring(keys)
  throw new UnusableSecretKeys(
    `${place} holds no usable keys: it must list base64 texts of 32 bytes each, separated by commas.`,
  )
}

/** Creates the file with one random key, and reads it: of two processes that start at once, one wins. */
export async function createKeyring({ dataDir }: Pick<SecretKeySource, 'dataDir'>): Promise<Keyring> {
  const path = secretKeyFile({ dataDir })
  await createKeyFile(path, randomBytes(32).toString('base64'))
  const keyring = await readKeyring({ dataDir, secretKeys: null })
  if (keyring === null) throw new Error(`${path} was removed while it was being created.`)
  return keyring
}

/** The file appears complete or not at all, and never replaces another. */
async function createKeyFile(path: string, text: string): Promise<void> {
  const draftDir = await mkdtemp(`${path}.new-`)
  const draft = join(draftDir, 'keys')
  try {
    await writeFile(draft, `${text.trim()}\n`, { mode: 0o600, flush: true })
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(draftDir, { recursive: true })
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return null
    throw new UnusableSecretKeys(`${path} cannot be read (${code}).`, { cause: error })
  }
}
