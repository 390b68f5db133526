import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { codeOf } from '../../platform/process/error-code.ts'
import type { AppliedMigration } from '../../platform/postgres/migrate.ts'
import { partialPath, putInPlace, sweepPartials } from './partial-file.ts'

/*
 * A backup is gzip-compressed JSON lines in UTF-8: the header, the rows of each table, the sequences, the media files,
 * and at the end the SHA-256 of all lines before. `zcat` shows it; nothing else is needed to get at what is in it. An exported workspace
 * is written in the same way.
 */

/** What a file is of, as its header says it and as people call it. */
export type FileKind = { readonly format: string; readonly version: number; readonly noun: string }

const BACKUP: FileKind = { format: 'postrider-backup', version: 1, noun: 'backup' }

type Known = {
  readonly format: string
  readonly version: number
  /** The release that wrote it. */
  readonly release: string
  readonly createdAt: string
}

export type BackupHeader = Known & {
  /** What the schema of its rows was made by. */
  readonly migrations: readonly AppliedMigration[]
  /** The id of the media storage; null before the first start. */
  readonly mediaStorageId: string | null
  /** The id of the installation; left out by earlier releases, where the id of the storage stood for it. */
  readonly installationId?: string
  /** The secret keys, as SECRET_KEYS takes them. */
  readonly secretKeys: string
}

export type BackupEntry = FileEntry<BackupHeader>

export type FileEntry<Header> =
  | { readonly header: Header }
  /** Rows as PostgreSQL writes them: each the text of one composite value. */
  | { readonly table: string; readonly rows: readonly string[] }
  | { readonly sequence: string; readonly value: string; readonly called: boolean }
  /** A file of the media storage; its bytes follow, in base64. */
  | {
      readonly media: string
      readonly size: number
      readonly contentType: string
      /** Of its bytes, in hexadecimal; left out by earlier releases. */
      readonly sha256?: string
    }
  | { readonly bytes: string }
  /** In an exported workspace: who its members are. */
  | { readonly people: readonly { readonly id: string; readonly name: string; readonly email: string }[] }
  /** In an exported workspace: a secret of a row, sealed with the key of the file. */
  | {
      readonly sealedKind: string
      readonly id: string
      readonly context: string
      readonly sealed: string
    }

type End = { readonly end: { readonly lines: number; readonly sha256: string } }

/** Far more than a line of ours has: what has no line ends is no backup, and must not fill the memory. */
const LINE_MAX_BYTES = 256 * 1_024 * 1_024

/** The file is no backup that can be restored here, or cannot be written. The message is for people. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

export function headerOf(facts: Omit<BackupHeader, 'format' | 'version'>): BackupEntry {
  return { header: { format: BACKUP.format, version: BACKUP.version, ...facts } }
}

/**
 * Writes a file that only this user can read, and gives its path. It appears complete or not at all, once it was read back and found
 * whole, and replaces none: where there is one of its name, it gets another from `otherPath`, or is refused where that is left out.
 * What killed backups have left in the folder goes.
 */
export async function writeBackupFile(
  path: string,
  entries: AsyncIterable<FileEntry<Known>>,
  otherPath?: (nth: number) => string,
  { kind = BACKUP, encrypt = null }: { readonly kind?: FileKind; readonly encrypt?: Encrypt | null } = {},
): Promise<string> {
  await sweepPartials(dirname(path))
  if (existsSync(path) && otherPath === undefined) throw isThere(path)
  const partial = partialPath(path)
  const file = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    throw new BackupRefused(`${path} cannot be written: ${codeOf(cause) ?? String(cause)}.`, { cause })
  })
  try {
    const written = createHash('sha256')
    await pipeline(
      linesOf(entries),
      createGzip({ level: 1 }),
      encrypt ?? unchanged,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          written.update(chunk)
          yield chunk
        }
      },
      file.createWriteStream({ flush: true }),
    )
    // What is encrypted for others can only be compared.
    if (encrypt === null) await readFileOf(kind, partial, () => {})
    else await compareBytes({ path: partial, kind }, written)
    if (await putInPlace(partial, path)) return path
    if (otherPath === undefined) throw isThere(path)
    for (let nth = 2; ; nth += 1) if (await putInPlace(partial, otherPath(nth))) return otherPath(nth)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** A step of a pipeline that encrypts. */
export type Encrypt = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

async function* unchanged(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function compareBytes(place: Place, written: Hash): Promise<void> {
  const read = createHash('sha256')
  await pipeline(createReadStream(place.path), read)
  if (read.digest('hex') !== written.digest('hex')) throw damaged(place, 'other bytes were read back')
}

function isThere(path: string): BackupRefused {
  return new BackupRefused(`${path} is there already. Name a file that is not.`)
}

async function* linesOf(entries: AsyncIterable<FileEntry<Known>>): AsyncGenerator<string> {
  const hash = createHash('sha256')
  let lines = 0
  for await (const entry of entries) {
    const line = `${JSON.stringify(entry)}\n`
    hash.update(line)
    lines += 1
    yield line
  }
  const end: End = { end: { lines, sha256: hash.digest('hex') } }
  yield `${JSON.stringify(end)}\n`
}

/** Reads a backup from its begin to its end. Throws BackupRefused for what is none, is damaged, or comes from a newer release. */
export function readBackupFile(
  path: string,
  take: (entry: BackupEntry) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<void> {
  return readFileOf(BACKUP, path, take, signal)
}

/** The same for a file of any kind. */
export async function readFileOf<Header extends Known>(
  kind: FileKind,
  path: string,
  take: (entry: FileEntry<Header>) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<void> {
  const place = { path, kind }
  const file = await openToRead(path)
  try {
    await pipeline(
      file.createReadStream(),
      createGunzip(),
      (chunks: AsyncIterable<Buffer>) => takeLines(place, chunks, take),
      signal === undefined ? {} : { signal },
    )
  } catch (cause) {
    const code = codeOf(cause) ?? ''
    if (code === 'Z_BUF_ERROR') throw damaged(place, 'it ends too early', cause)
    if (code === 'Z_DATA_ERROR') throw damaged(place, 'it is no gzip file, or its bytes were changed', cause)
    throw cause
  }
}

/** Opens a file, and nothing else: the begin of a pipe would be waited for, for ever, and it can be read only once. */
export async function openToRead(path: string): Promise<FileHandle> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new BackupRefused(`${path} is no file, but a folder.`)
    if (!found.isFile()) throw new BackupRefused(`${path} is no regular file.`)
    return await open(path)
  } catch (cause) {
    if (cause instanceof BackupRefused) throw cause
    throw new BackupRefused(`${path} cannot be read: ${codeOf(cause) ?? String(cause)}.`, { cause })
  }
}

/** The header alone, of a file that need not be whole. */
export async function readBackupHeader(path: string): Promise<BackupHeader> {
  const stop = new AbortController()
  let header: BackupHeader | null = null
  await readBackupFile(
    path,
    (entry) => {
      if ('header' in entry) header = entry.header
      stop.abort()
    },
    stop.signal,
  ).catch((fault: unknown) => {
    if (!stop.signal.aborted) throw fault
  })
  if (header === null) throw notOurs({ path, kind: BACKUP })
  return header
}

/** A file, and what it has to be. */
type Place = { readonly path: string; readonly kind: FileKind }

async function takeLines<Header extends Known>(
  path: Place,
  chunks: AsyncIterable<Buffer>,
  take: (entry: FileEntry<Header>) => Promise<void> | void,
): Promise<void> {
  const hash = createHash('sha256')
  let lines = 0
  let ended = false
  for await (const line of splitLines(path, chunks)) {
    if (ended) throw damaged(path, 'something follows its end')
    const entry = parse(path, line)
    if (lines === 0) checkHeader(path, entry)
    if ('end' in entry) {
      checkEnd(path, entry, lines, hash)
      ended = true
      continue
    }
    hash.update(line).update('\n')
    lines += 1
    await take(entry as FileEntry<Header>)
  }
  if (!ended) throw damaged(path, 'it ends too early')
}

async function* splitLines(path: Place, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)])
      parts = []
      size = 0
      from = at + 1
    }
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > LINE_MAX_BYTES) throw notOurs(path)
  }
  if (size > 0) throw damaged(path, 'it ends in the middle of a line')
}

function parse(path: Place, line: Buffer): FileEntry<Known> | End {
  try {
    const value: unknown = JSON.parse(line.toString())
    if (typeof value === 'object' && value !== null) return value as FileEntry<Known> | End
  } catch {
    // What is no JSON is none of ours.
  }
  throw notOurs(path)
}

function checkHeader({ path, kind }: Place, entry: FileEntry<Known> | End): void {
  if (!('header' in entry) || entry.header.format !== kind.format) throw notOurs({ path, kind })
  if (entry.header.version > kind.version)
    throw new BackupRefused(`${path} was written by the newer release ${entry.header.release}. Use that one.`)
}

function checkEnd(path: Place, { end }: End, lines: number, hash: Hash): void {
  if (end.lines !== lines || end.sha256 !== hash.digest('hex'))
    throw damaged(path, 'its checksum is another one')
}

function notOurs({ path, kind }: Place): BackupRefused {
  return new BackupRefused(`${path} is no ${kind.noun} of Postrider.`)
}

function damaged({ path, kind }: Place, why: string, cause?: unknown): BackupRefused {
  return new BackupRefused(`${path} is no whole ${kind.noun}: ${why}.`, { cause })
}
