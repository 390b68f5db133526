import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { restoreBackup, type RestoreSummary } from '../backup/restore-backup.ts'
import { openStorage } from '../media/open-media.ts'
import { openTempFiles } from '../media/temp-files.ts'
import { MIGRATIONS, openDatabase } from '../platform/database.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { table } from './output.ts'

/** `postrider restore` */
export function addRestoreCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('restore')
    .description('restore a file of `postrider backup` into an empty database')
    .argument('<file>', 'the backup')
    .option(
      '--server-was-stopped',
      'no server has worked on the old database since the backup: what is scheduled can go out without a look at it',
      false,
    )
    .action(async (file: string, options: { serverWasStopped: boolean }, command: Command) => {
      const settings = await config()
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
            ...{ db, storage, migrations: MIGRATIONS },
            secretKeys: { secretKeys: settings.secretKeys, dataDir },
            tempFiles: await openTempFiles(join(dataDir, 'media', 'incoming')),
          },
          resolve(file),
          options,
        ).finally(() => storage.close())
        await recordOperator(db, null, 'restore', { after: { createdAt: done.createdAt } })
        output(command).answer(done, wordsOf(done))
      } finally {
        await database.close()
      }
    })
}

function wordsOf({ createdAt, rows, mediaFiles, heldChannels }: RestoreSummary): string {
  const restored = `The backup of ${createdAt} is restored: ${rows} rows and ${mediaFiles} media files.`
  if (heldChannels.length === 0) return restored
  const cells = heldChannels.map(({ channelId, displayName, unfinished }) => [
    channelId,
    displayName,
    String(unfinished),
  ])
  return (
    `${restored}\n\nThese channels are disabled: if the old server went on after the backup, it may have published what is unfinished here, ` +
    'and it must not go out twice. Compare their posts with what is out, cancel what is, then `postrider channel enable <channelId>`.\n\n' +
    table(['CHANNEL', 'NAME', 'UNFINISHED'], cells)
  )
}
