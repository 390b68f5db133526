import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { checkBackup } from '../backup/check-backup.ts'
import { keepNewest, nameAt } from '../backup/keep-newest.ts'
import { writeBackup } from '../backup/write-backup.ts'
import type { Config } from '../../platform/config/config.ts'
import { openStorage } from '../../media/open-media.ts'
import { noteActivity } from '../../platform/postgres/activity-store.ts'
import { readSecretKeys } from '../../platform/sealing/secret-keys.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { parseWhole } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { counted } from './output.ts'
import { withDatabase } from './session.ts'

/** `postrider backup` */
export function addBackupCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('backup')
    .description('write the database, media and secret keys into one file while the server runs')
    .argument(
      '[target]',
      'a file that is not there yet, or a folder, where it is named postrider-<time>.backup (default: the folder backups of DATA_DIR)',
    )
    .option('--keep <count>', 'keep only this many of the backups in the folder that are named by their time')
    .addOption(
      new Option('--check <file>', 'read a backup to its end instead, and say what is in it').conflicts(
        'keep',
      ),
    )
    .action(
      async (
        target: string | undefined,
        { check, keep }: { check?: string; keep?: string },
        command: Command,
      ) => {
        if (check !== undefined) {
          if (target !== undefined) throw new UsageError('--check takes the one file, and writes none.')
          const file = resolve(check)
          const facts = await checkBackup(file)
          return output(command).answer(
            { file, ...facts },
            `${file} is whole: ${summaryOf(facts)}, of ${facts.createdAt}.`,
          )
        }
        const count = keep === undefined ? null : parseWhole('--keep', keep, 10_000)
        const done = await backUp(await config(), target, count)
        const { file, removed } = done
        const gone =
          removed.length === 0
            ? ''
            : ` ${removed.length} older ${removed.length === 1 ? 'one is' : 'ones are'} removed.`
        output(command).answer(
          done,
          `${file} has ${summaryOf(done)}, and the secret keys. Keep it where only you can read it.${gone}`,
        )
        if (done.missing.length > 0)
          throw new CommandFault(
            `Missing or damaged in the storage, and not in the backup: ${counted(done.missing.length, 'media file')}. \`postrider doctor\` tells more.`,
          )
      },
    )
}

function summaryOf({ rows, mediaFiles }: { rows: number; mediaFiles: number }): string {
  return `${counted(rows, 'row')} and ${counted(mediaFiles, 'media file')}`
}

function backUp(settings: Config, target: string | undefined, keep: number | null) {
  return withDatabase(settings, async ({ db, dataDir }) => {
    const source = { secretKeys: settings.secretKeys, dataDir }
    // A backup whose secrets cannot be decrypted would be worth little.
    await openSecrets(db, source)
    const { folder, name } = await placeOf(target, dataDir)
    if (name !== null && keep !== null) throw new UsageError(explainNoFolder(join(folder, name)))
    const now = new Date()
    const nthPath = (nth: number) => join(folder, nameAt(now, nth))
    const storage = await openStorage(dataDir, settings.media)
    try {
      const secretKeys = (await readSecretKeys(source)) ?? ''
      const parts = { db, storage, secretKeys }
      const summary =
        name === null
          ? await writeBackup(parts, nthPath(1), nthPath)
          : await writeBackup(parts, join(folder, name))
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
    }
  })
}

function explainNoFolder(path: string): string {
  const rule = '--keep is for backups that are named by their time: give a folder, and no file.'
  return existsSync(path) ? rule : `There is no folder ${path}. Create it first. ${rule}`
}

/** Where the backup goes; no `name` where no file was named. */
async function placeOf(
  target: string | undefined,
  dataDir: string,
): Promise<{ folder: string; name: string | null }> {
  if (target === undefined) {
    const folder = join(dataDir, 'backups')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return { folder, name: null }
  }
  const path = resolve(target)
  const isFolder = target.endsWith('/') || (await stat(path).catch(() => null))?.isDirectory() === true
  return isFolder ? { folder: path, name: null } : { folder: dirname(path), name: basename(path) }
}
