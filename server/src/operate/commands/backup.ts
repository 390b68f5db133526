import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { encryptFor } from '../backup/age-file.ts'
import { type BucketPlace, bucketPlaceOf, uploadFile } from '../backup/bucket-file.ts'
import { checkBackup } from '../backup/check-backup.ts'
import { keepNewest, nameAt } from '../backup/keep-newest.ts'
import { withBackup } from '../backup/open-backup.ts'
import { openOwnFolder } from '../backup/own-folder.ts'
import { type ThrowAway, type Verification, verifyBackup } from '../backup/verify-backup.ts'
import { writeBackup } from '../backup/write-backup.ts'
import type { Config } from '../../platform/config/config.ts'
import { openStorage } from '../../media/open-media.ts'
import { readInstallationId } from '../../media/place-store.ts'
import type { S3Access } from '../../media/s3-storage.ts'
import { MIGRATIONS, openDatabase } from '../../platform/embedded-postgres/database.ts'
import { openDb } from '../../platform/postgres/db.ts'
import { noteActivity } from '../../platform/postgres/activity-store.ts'
import { readSecretKeys } from '../../platform/sealing/secret-keys.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { parseWhole } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { counted } from './output.ts'
import { withDatabase } from './session.ts'

/** `postrider backup …`; without `verify` it writes one. */
export function addBackupCommand(program: Command, commandLine: CommandLine): void {
  const backup = program
    .command('backup')
    .description('backups of everything, and whether they can be restored')
  addCreate(backup, commandLine)
  addVerify(backup, commandLine)
}

function addCreate(backup: Command, { config, output }: CommandLine): void {
  backup
    .command('create', { isDefault: true })
    .description(
      'write the database, media and secret keys into one file while the server runs (`backup` alone does the same)',
    )
    .argument(
      '[target]',
      'a file that is not there yet, or a folder, where it is named postrider-<time>.backup (default: the folder backups of DATA_DIR); s3://<bucket>/<key>, or a key that ends in a slash, for a bucket',
    )
    .addOption(recipientOption())
    .addOption(identityOption())
    .option('--keep <count>', 'keep only this many of the backups in the folder that are named by their time')
    .addOption(
      new Option('--check <file>', 'read a backup to its end instead, and say what is in it').conflicts(
        'keep',
      ),
    )
    .action(
      async (
        target: string | undefined,
        { check, keep, recipient, identity }: CreateOptions,
        command: Command,
      ) => {
        if (check !== undefined) {
          if (target !== undefined) throw new UsageError('--check takes the one file, and writes none.')
          const file = pathOf(check)
          const facts = await withBackup(check, { identity, s3: s3Of(config) }, checkBackup)
          return output(command).answer(
            { file, ...facts },
            `${file} is whole: ${summaryOf(facts)}, of ${facts.createdAt}.`,
          )
        }
        const count = keep === undefined ? null : parseWhole('--keep', keep, 10_000)
        const done = await backUp(await config(), target, count, recipient)
        const { file, removed } = done
        const gone =
          removed.length === 0
            ? ''
            : ` ${removed.length} older ${removed.length === 1 ? 'one is' : 'ones are'} removed.`
        output(command).answer(
          done,
          `${file} has ${summaryOf(done)}, and the secret keys. ${recipient.length === 0 ? 'Keep it where only you can read it.' : 'Only the keys that it is encrypted for open it: keep those apart from it, and from this machine.'}${gone}`,
        )
        if (done.missing.length > 0)
          throw new CommandFault(
            `Missing or damaged in the storage, and not in the backup: ${counted(done.missing.length, 'media file')}. \`postrider doctor\` tells more.`,
          )
      },
    )
}

type CreateOptions = { check?: string; keep?: string; recipient: string[]; identity?: string }

/** For whom a file is encrypted. */
export function recipientOption(): Option {
  return new Option(
    '--recipient <key>',
    'encrypt the file for this public key of age (age1…), which may be given several times: no other opens it',
  )
    .argParser((key: string, before: string[]) => [...before, key])
    .default([], 'none')
}

/** What opens an encrypted file. */
export function identityOption(): Option {
  return new Option(
    '--identity <file>',
    'the file with the key of age (AGE-SECRET-KEY-…) that opens an encrypted backup',
  )
}

/** As a person has named it: an address in a bucket, or the whole path. */
function pathOf(target: string): string {
  return bucketPlaceOf(target) === null ? resolve(target) : target
}

export function s3Of(config: CommandLine['config']): () => Promise<S3Access> {
  return async () => (await config()).media.s3Access
}

function addVerify(backup: Command, { config, output }: CommandLine): void {
  backup
    .command('verify')
    .description(
      'restore a backup into a database that is removed afterwards, and compare it with the file: rows of each table, media, secrets, and what a restore would hold',
    )
    .argument('<file>', 'the backup')
    .option(
      '--server <url>',
      'a PostgreSQL whose user may create a database there (default: one of its own, for as long as it takes)',
    )
    .addOption(identityOption())
    .action(
      async (
        file: string,
        { server, identity }: { server?: string; identity?: string },
        command: Command,
      ) => {
        const open = server === undefined ? embedded : () => createdAt(server)
        const path = pathOf(file)
        const found = await withBackup(file, { identity, s3: s3Of(config) }, (plain) =>
          verifyBackup(plain, MIGRATIONS, open),
        )
        const faults = faultsOf(found)
        output(command).answer(
          { file: path, ...found, isGood: faults.length === 0 },
          [
            `${path}, of ${found.createdAt}, was restored and removed again: ${summaryOf(found)} in ${counted(found.tables, 'table')}.`,
            heldWords(found),
            ...faults,
          ].join('\n\n'),
        )
        if (faults.length > 0)
          throw new CommandFault(
            `${path} does not give back all that is in it. Make another backup, and verify that.`,
          )
      },
    )
}

/** A PostgreSQL of this command's own, in the folder that is removed. */
async function embedded(folder: string): Promise<ThrowAway> {
  const settings = {
    database: { url: null, listenUrl: null },
    dataDir: { path: join(folder, 'database'), chosen: true },
  }
  return openDatabase(settings, { applicationName: APPLICATION, connections: 2, creates: true })
}

const APPLICATION = 'postrider verify'

/** A database of its own on a server that is there. */
async function createdAt(url: string): Promise<ThrowAway> {
  const name = `postrider_verify_${randomBytes(6).toString('hex')}`
  const admin = openDb({ url, applicationName: APPLICATION, max: 1 })
  const drop = async () => {
    await admin.script(`drop database if exists ${name} with (force)`)
    await admin.end({ timeout: 5 })
  }
  try {
    await admin.script(`create database ${name} template template0 encoding 'UTF8'`)
    const at = new URL(url)
    at.pathname = `/${name}`
    const db = openDb({ url: at.href, applicationName: APPLICATION, max: 2 })
    return {
      db,
      async close() {
        await db.end({ timeout: 5 })
        await drop()
      },
    }
  } catch (fault) {
    await admin.end({ timeout: 5 })
    throw fault
  }
}

function heldWords({ heldChannels, suspended }: Verification): string {
  const posts = heldChannels.reduce((sum, { unfinished }) => sum + unfinished, 0)
  return `A restore would hold ${counted(posts, 'post')} on ${counted(heldChannels.length, 'channel')}, and suspend ${counted(suspended.members.length, 'member')} and ${counted(suspended.keys.length, 'agent key')}.`
}

function faultsOf({ differing, damagedMedia, damagedSecrets }: Verification): string[] {
  return [
    ...differing.map(
      ({ table, inFile, restored }) =>
        `${table}: ${counted(inFile, 'row')} in the file, and ${restored} in the restored database.`,
    ),
    ...damagedMedia.map((key) => `The media file ${key} is missing or has other bytes.`),
    ...damagedSecrets.map((which) => `The secret keys of the backup do not open secrets: ${which}.`),
  ]
}

function summaryOf({ rows, mediaFiles }: { rows: number; mediaFiles: number }): string {
  return `${counted(rows, 'row')} and ${counted(mediaFiles, 'media file')}`
}

function backUp(
  settings: Config,
  target: string | undefined,
  keep: number | null,
  recipients: readonly string[],
) {
  return withDatabase(settings, async ({ db, dataDir }) => {
    const source = { secretKeys: settings.secretKeys, dataDir }
    // A backup whose secrets cannot be decrypted would be worth little.
    await openSecrets(db, source)
    const encrypt = recipients.length === 0 ? null : await encryptFor(recipients)
    const bucket = bucketPlaceOf(target ?? '')
    if (bucket !== null && keep !== null)
      throw new UsageError(
        '--keep is for folders. In a bucket, a rule of its life cycle removes old backups, which this machine need not be allowed to.',
      )
    const place = bucket === null ? await placeOf(target, dataDir) : await placeOnTheWay(bucket, dataDir)
    const { folder, name } = place
    if (name !== null && keep !== null) throw new UsageError(explainNoFolder(join(folder, name)))
    const now = new Date()
    const encryptedOf = encrypt === null ? null : await readInstallationId(db)
    const nthPath = (nth: number) => join(folder, nameAt(now, nth, encryptedOf))
    const storage = await openStorage(dataDir, settings.media)
    try {
      const secretKeys = (await readSecretKeys(source)) ?? ''
      const parts = { db, storage, secretKeys }
      const summary =
        name === null
          ? await writeBackup(parts, nthPath(1), nthPath, encrypt)
          : await writeBackup(parts, join(folder, name), undefined, encrypt)
      if (bucket !== null) {
        const key = name === null ? `${bucket.key}${basename(summary.file)}` : bucket.key
        await uploadFile(settings.media.s3Access, { ...bucket, key }, summary.file)
        summary.file = `s3://${bucket.bucket}/${key}`
      }
      const { missing, ...after } = summary
      // An older backup may have what this one lacks.
      const removed =
        keep === null || missing.length > 0 ? [] : await keepNewest(folder, basename(summary.file), keep)
      await recordOperator(db, null, 'backup', {
        after: { ...after, missing: missing.length, removed: removed.length },
      })
      if (missing.length === 0) await noteActivity(db, 'backup')
      return { ...summary, removed }
    } finally {
      await storage.close()
      await place.remove?.()
    }
  })
}

/** The folder, which is removed, in which a file is written before it is brought to a bucket. */
async function placeOnTheWay({ key }: BucketPlace, dataDir: string): ReturnType<typeof placeOf> {
  const { path, remove } = await openOwnFolder(dataDir, 'backup-on-its-way')
  return { folder: path, name: key === '' || key.endsWith('/') ? null : basename(key), remove }
}

function explainNoFolder(path: string): string {
  const rule = '--keep is for backups that are named by their time: give a folder, and no file.'
  return existsSync(path) ? rule : `There is no folder ${path}. Create it first. ${rule}`
}

/** Where the backup goes; no `name` where no file was named. */
async function placeOf(
  target: string | undefined,
  dataDir: string,
): Promise<{ folder: string; name: string | null; remove?: () => Promise<void> }> {
  if (target === undefined) {
    const folder = join(dataDir, 'backups')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return { folder, name: null }
  }
  const path = resolve(target)
  const isFolder = target.endsWith('/') || (await stat(path).catch(() => null))?.isDirectory() === true
  return isFolder ? { folder: path, name: null } : { folder: dirname(path), name: basename(path) }
}
