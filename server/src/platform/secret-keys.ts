import { randomBytes } from 'node:crypto'
import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './db.ts'
import { type Keyring, makeKeyring, parseSecretKeys, type Secret } from './sealing.ts'

/** Where the secret keys come from: SECRET_KEYS where given, else the file `secret-keys` of the data folder. */
export type SecretKeySource = { readonly secretKeys: Secret | null; readonly dataDir: string }

export function secretKeyFile({ dataDir }: Pick<SecretKeySource, 'dataDir'>): string {
  return join(dataDir, 'secret-keys')
}

/** The keys at hand; null when SECRET_KEYS is empty and there is no file. Throws when the file is unusable. */
export async function readKeyring(source: SecretKeySource): Promise<Keyring | null> {
  const path = secretKeyFile(source)
  const text = source.secretKeys?.reveal() ?? (await readIfThere(path))
  if (text === null) return null
  const keys = parseSecretKeys(text)
  if (keys === null)
    throw new Error(`${path} holds no usable keys: it must list base64 texts of 32 bytes each.`)
  return makeKeyring(keys)
}

/**
 * Creates the file with one random key, and reads it. It appears complete or not at all, and never replaces another: of
 * two processes that start at once, one wins.
 */
export async function createKeyring({ dataDir }: Pick<SecretKeySource, 'dataDir'>): Promise<Keyring> {
  const path = secretKeyFile({ dataDir })
  const draftDir = await mkdtemp(`${path}.new-`)
  const draft = join(draftDir, 'keys')
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(draftDir, { recursive: true })
  }
  const keyring = await readKeyring({ dataDir, secretKeys: null })
  if (keyring === null) throw new Error(`${path} was removed while it was being created.`)
  return keyring
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
