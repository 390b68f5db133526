import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { restoreBackup, type RestoreSummary } from '../backup/restore-backup.ts'
import { openStorage } from '../media/open-media.ts'
import { openTempFiles } from '../media/temp-files.ts'
import { MIGRATIONS, openDatabase } from '../platform/database.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { escapeControlCharacters, instantCell, table } from './output.ts'

/** `postrider restore` */
export function addRestoreCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('restore')
    .description('restore a file of `postrider backup` into an empty database')
    .argument('<file>', 'the backup')
    .option(
      '--server-was-stopped',
      'no server has worked on the old database since the backup: nothing is held, and nobody is signed out',
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
        output(command).answer(done, wordsOf(done, options))
      } finally {
        await database.close()
      }
    })
}

function wordsOf(
  { createdAt, rows, mediaFiles, heldChannels, activeKeys }: RestoreSummary,
  { serverWasStopped }: { serverWasStopped: boolean },
): string {
  const restored = `The backup of ${createdAt} is restored: ${rows} rows and ${mediaFiles} media files.`
  if (serverWasStopped) return restored
  return [restored, ...holdWords(heldChannels), keyWords(activeKeys)].join('\n\n')
}

function holdWords(channels: RestoreSummary['heldChannels']): string[] {
  if (channels.length === 0) return []
  const cells = channels.map(({ channelId, displayName, unfinished }) => [
    channelId,
    escapeControlCharacters(displayName),
    String(unfinished),
  ])
  return [
    'These posts are held as `checking`: if the old server went on after the backup, it may have published them. ' +
      'Nothing of them is sent until you have said what became of them. `postrider post list --restored` lists them, ' +
      '`postrider post resolve` settles one, and with --restored all of them at once.\n\n' +
      table(['CHANNEL', 'NAME', 'HELD'], cells),
  ]
}

function keyWords(keys: RestoreSummary['activeKeys']): string {
  const access =
    'All people are signed out, connected apps and open invitations are revoked, and unsent mail was dropped. ' +
    'Passwords, second factors and members are as they were in the backup.'
  if (keys.length === 0) return access
  const cells = keys.map(({ keyId, name, createdAt, lastUsedAt }) => [
    keyId,
    escapeControlCharacters(name),
    instantCell(createdAt, ''),
    instantCell(lastUsedAt, 'never'),
  ])
  return (
    `${access} These agent keys work: revoke those that were revoked since the backup, with \`postrider key revoke <keyId>\`.\n\n` +
    table(['KEY', 'NAME', 'MADE', 'LAST USED'], cells)
  )
}
