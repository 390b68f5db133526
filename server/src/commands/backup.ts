import { resolve } from 'node:path'
import type { Command } from 'commander'
import { writeBackup } from '../backup/write-backup.ts'
import { openStorage } from '../media/open-media.ts'
import { noteActivity } from '../platform/activity-store.ts'
import { readSecretKeys } from '../platform/secret-keys.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { withDatabase } from './session.ts'

/** `postrider backup` */
export function addBackupCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('backup')
    .description('write database, media and secret keys into one file, while the server runs')
    .argument('[file]', 'a file that is not there yet (default: postrider-<time>.backup)')
    .action(async (file: string | undefined, _options: object, command: Command) => {
      const settings = await config()
      const path = resolve(file ?? defaultName(new Date()))
      const done = await withDatabase(settings, async ({ db, dataDir }) => {
        const source = { secretKeys: settings.secretKeys, dataDir }
        // A backup whose secrets nobody can decrypt would be worth little.
        await openSecrets(db, source)
        const storage = await openStorage(dataDir, settings.media)
        try {
          const secretKeys = (await readSecretKeys(source)) ?? ''
          const summary = await writeBackup({ db, storage, secretKeys }, path)
          const { missing, ...after } = summary
          await recordOperator(db, null, 'backup', {
            after: { file: path, ...after, missing: missing.length },
          })
          if (missing.length === 0) await noteActivity(db, 'backup')
          return { file: path, ...summary }
        } finally {
          await storage.close()
        }
      })
      output(command).answer(
        done,
        `${path} has ${done.rows} rows of ${done.tables} tables, ${done.mediaFiles} media files and the secret keys. ` +
          'Keep it where nobody else can read it.',
      )
      if (done.missing.length > 0)
        throw new CommandFault(
          `${done.missing.length} media files are missing or damaged in the storage, and not in the backup. \`postrider doctor\` tells more.`,
        )
    })
}

function defaultName(now: Date): string {
  return `postrider-${now.toISOString().slice(0, 19).replaceAll(':', '-')}.backup`
}
