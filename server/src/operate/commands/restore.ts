import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { withBackup } from '../backup/open-backup.ts'
import {
  forgetOldProcesses,
  holdRestoredDatabase,
  restoreBackup,
  type RestoreSummary,
  type SinceBackup,
  type Suspended,
} from '../backup/restore-backup.ts'
import type { Config } from '../../platform/config/config.ts'
import { openStorage } from '../../media/open-media.ts'
import { disownFiles } from '../../media/own-files.ts'
import { openTempFiles } from '../../media/temp-files.ts'
import { MIGRATIONS, openDatabase } from '../../platform/embedded-postgres/database.ts'
import { awaitReconnections, isAnyWorkerAlive, lockWorkers } from '../../platform/postgres/worker-store.ts'
import { identityOption, s3Of } from './backup.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { type Columns, counted, table } from './output.ts'
import { suspendedTable } from './access.ts'
import { withDatabase } from './session.ts'

type RestoreOptions = SinceBackup & { hold?: true; identity?: string }

/** `postrider restore` */
export function addRestoreCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('restore')
    .description('restore a file of `postrider backup` into an empty database')
    .argument('[file]', 'the backup; left out with --hold')
    .option(
      '--server-was-stopped',
      'no server has worked on the old database since the backup: nothing is held, and sessions go on',
      false,
    )
    .option(
      '--access-unchanged',
      'no member was removed or given another role, and no agent key revoked or narrowed, since the backup: they go on without being confirmed',
      false,
    )
    .addOption(identityOption())
    .addOption(
      new Option(
        '--hold',
        'the database was restored by other means, and no server has worked on it yet: only hold what is unfinished, and end sessions',
      ).conflicts('serverWasStopped'),
    )
    .action(async (file: string | undefined, options: RestoreOptions, command: Command) => {
      if ((file === undefined) !== (options.hold === true))
        throw new UsageError('Name the file of a backup, or say --hold and name none.')
      const settings = await config()
      if (file === undefined) {
        const held = await holdOnly(settings, options)
        const words = [...holdWords(held.heldChannels), ...accessWords(held.suspended)].join('\n\n')
        return output(command).answer(held, words)
      }
      const opening = { identity: options.identity, s3: s3Of(config) }
      const done = await withBackup(file, opening, (path) => restoreFile(settings, path, options))
      output(command).answer(done, summaryOf(done, options))
    })
}

async function restoreFile(settings: Config, file: string, options: SinceBackup): Promise<RestoreSummary> {
  const database = await openDatabase(settings, {
    applicationName: 'postrider restore',
    connections: 2,
    creates: true,
  })
  const { db, dataDir } = database
  try {
    const storage = await openStorage(dataDir, settings.media)
    const done = await restoreBackup(
      {
        db,
        storage,
        migrations: MIGRATIONS,
        secretKeys: { secretKeys: settings.secretKeys, dataDir },
        tempFiles: await openTempFiles(join(dataDir, 'media', 'incoming')),
      },
      file,
      options,
    ).finally(() => storage.close())
    await recordOperator(db, null, 'restore', { after: { createdAt: done.createdAt } })
    return done
  } finally {
    await database.close()
  }
}

/** For a dump, or a copy of a point in time, that PostgreSQL's own means have restored. */
function holdOnly(settings: Config, options: SinceBackup) {
  return withDatabase(settings, async ({ db }) => {
    // A PostgreSQL of this command's own was started just now.
    await awaitReconnections(db)
    return db.begin(
      async (tx) => {
        // A server that starts meanwhile waits with its first heartbeat until all is held.
        await lockWorkers(tx)
        if (await isAnyWorkerAlive(tx))
          throw new CommandFault(
            'A server works on this database, and may have published what is unfinished. Stop it first. Nothing was changed.',
          )
        await forgetOldProcesses(tx)
        await disownFiles(tx)
        const held = await holdRestoredDatabase(tx, null, options)
        await recordOperator(tx, null, 'restore', { after: { heldChannels: held.heldChannels.length } })
        return held
      },
      { statementTimeoutMs: 0 },
    )
  })
}

function summaryOf(
  { createdAt, rows, mediaFiles, sharesMedia, heldChannels, suspended }: RestoreSummary,
  { serverWasStopped }: { serverWasStopped: boolean },
): string {
  const restored = `The backup of ${createdAt} is restored: ${counted(rows, 'row')} and ${counted(mediaFiles, 'media file')}.`
  if (serverWasStopped) return restored
  const media = sharesMedia ? [SHARED_MEDIA] : []
  return [restored, ...media, ...holdWords(heldChannels), ...accessWords(suspended)].join('\n\n')
}

const SHARED_MEDIA =
  'The media storage is the one of the installation that the backup is of. Its files are read there, and left alone: what is deleted here stays there. ' +
  "For a drill, restore with an S3_PREFIX or a DATA_DIR of its own instead. If that installation is gone for good, `postrider media adopt` makes its files this one's."

export function holdWords(channels: RestoreSummary['heldChannels']): string[] {
  if (channels.length === 0) return []
  return [
    'These posts are held as `checking`: if the old server went on after the backup, it may have published them, and they may ' +
      'have been cancelled, edited or moved there, which is not known here. ' +
      'Nothing of them is sent until you have said what became of them. `postrider restored list` lists them, ' +
      '`postrider restored resolve` settles them.\n\n' +
      table(heldColumns, channels),
  ]
}

const heldColumns: Columns<RestoreSummary['heldChannels'][number]> = {
  CHANNEL: ({ channelId }) => channelId,
  NAME: ({ displayName }) => displayName,
  HELD: ({ unfinished }) => String(unfinished),
}

export function accessWords({ members, keys }: Suspended): string[] {
  const access =
    'All people are signed out, connected apps and open invitations are revoked, and unsent mail was dropped. ' +
    'Approval policies and webhook endpoints are as they were in the backup: look at those that were changed since.'
  if (members.length + keys.length === 0) return [access]
  return [
    access,
    'These members, owners too, and agent keys are suspended, since they may have been removed, revoked or narrowed after the backup. ' +
      'No person can sign in until then: passwords and second factors are those of the backup. ' +
      'Where one was changed since, have a new one set first (`postrider member reset <email address>`). ' +
      'Look at roles and limits, then run `postrider access confirm <id> …` for those that are right, or `postrider access confirm --all`. ' +
      '`postrider access deny` leaves the others out for good.\n\n' +
      suspendedTable({ members, keys }),
  ]
}
