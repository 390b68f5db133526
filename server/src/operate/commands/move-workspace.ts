import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openStorage, openTransit } from '../../media/open-media.ts'
import { readFreeze } from '../../networks/channels/freeze-store.ts'
import { encryptFor } from '../backup/age-file.ts'
import { withBackup } from '../backup/open-backup.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { countWorkspace, deleteWorkspace, type DeletionCounts } from '../workspaces/delete-workspace.ts'
import { exportWorkspace, type ExportSummary } from '../workspaces/export-workspace.ts'
import { unfreezeWorkspace } from '../workspaces/freeze-workspace.ts'
import { importWorkspace, type ImportSummary } from '../workspaces/import-workspace.ts'
import { identityOption, recipientOption, s3Of } from './backup.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { type Columns, counted, table } from './output.ts'
import { accessWords, holdWords } from './restore.ts'
import { inWorkspace, type Place, withDatabase } from './session.ts'

/** `postrider workspace export`, `import`, `delete` and `unfreeze` */
export function addMoveCommands(workspace: Command, line: CommandLine): void {
  addExport(workspace, line)
  addImport(workspace, line)
  addDelete(workspace, line)
  addUnfreeze(workspace, line)
}

const WORKSPACE = '<workspace>'

async function withStorage<T>(
  { dataDir, settings }: Pick<Place, 'dataDir' | 'settings'>,
  run: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(dataDir, settings.media)
  try {
    return await run(storage)
  } finally {
    await storage.close()
  }
}

function addExport(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('export')
    .description(
      'write one workspace with its media into a file, for `workspace import` of another installation',
    )
    .argument(WORKSPACE, 'its id or name')
    .argument('<file>', 'a file that is not there yet')
    .option(
      '--move',
      'freeze it first, so that it goes on where the file is imported, and nowhere else: nothing of it is published, told or changed here any more',
      false,
    )
    .addOption(recipientOption())
    .action(
      async (
        named: string,
        target: string,
        { move, recipient }: { move: boolean; recipient: string[] },
        command: Command,
      ) => {
        const path = resolve(target)
        const encrypt = recipient.length === 0 ? null : await encryptFor(recipient)
        const { name, workspaceId, ...done } = await inWorkspace(
          config,
          { workspace: named },
          async (place) => {
            const { db, dataDir, settings } = place
            const { keyring } = await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })
            const summary = await withStorage(place, (storage) =>
              exportWorkspace({ db, storage, keyring }, place.workspace, path, { moves: move, encrypt }),
            )
            await recordOperator(db, place.workspaceId, 'exportWorkspace', {
              after: { moved: summary.frozen },
            })
            return { ...summary, workspaceId: place.workspaceId, name: place.workspace.name }
          },
        )
        output(command).answer(
          { file: path, workspaceId, name, ...done },
          exportWords(path, { workspaceId, name }, done),
        )
        if (done.missing.length + done.unreadable > 0)
          throw new CommandFault(
            `Not in the file: ${counted(done.missing.length, 'media file')} and ${counted(done.unreadable, 'secret')}, which are missing or damaged here. \`postrider doctor\` tells more.`,
          )
      },
    )
}

function exportWords(
  path: string,
  { workspaceId, name }: { readonly workspaceId: string; readonly name: string },
  { rows, mediaFiles, frozen }: ExportSummary,
): string {
  const written = `${path} has the workspace "${name}": ${counted(sumOf(rows), 'row')} and ${counted(mediaFiles, 'media file')}. Anyone who has the file can publish in its name.`
  return frozen
    ? `${written}\n\nThe workspace is frozen here. Import the file into one other installation, then remove it here with \`postrider workspace delete ${workspaceId}\`. ` +
        `If it was imported nowhere and is to go on here: \`postrider workspace unfreeze ${workspaceId} --not-moved\`.`
    : `${written}\n\nThe workspace goes on here. Where the file is imported, everything unfinished is held as after a restore. To have it go on there instead, export it with --move.`
}

function sumOf(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

function addImport(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('import')
    .description(
      'import a file of `workspace export` beside the workspaces that are here, while the server runs',
    )
    .argument('<file>', 'the exported workspace')
    .option(
      '--access-unchanged',
      'no member was removed or given another role, and no agent key revoked or narrowed, since the export: they go on without being confirmed',
      false,
    )
    .addOption(identityOption())
    .action(
      async (file: string, options: { accessUnchanged: boolean; identity?: string }, command: Command) => {
        const settings = await config()
        const done = await withDatabase(
          settings,
          async ({ db, dataDir }) => {
            const source = { secretKeys: settings.secretKeys, dataDir }
            const openKeyring = async () => (await openSecrets(db, source)).keyring
            const tempFiles = await openTransit(dataDir)
            return withStorage({ dataDir, settings }, (storage) =>
              withBackup(file, { identity: options.identity, s3: s3Of(config) }, (path) =>
                importWorkspace({ db, storage, tempFiles, openKeyring }, path, options, (tx, summary) => {
                  const { workspaceId, createdAt, moved, wentOnBefore, rows, mediaFiles } = summary
                  const after = { createdAt, moved, wentOnBefore, rows, mediaFiles }
                  return recordOperator(tx, workspaceId, 'importWorkspace', { after })
                }),
              ),
            )
          },
          { creates: true },
        )
        output(command).answer(done, importWords(done))
      },
    )
}

const PEOPLE =
  'People who are new here have no password yet: `postrider member reset <email address>` makes a link for each, or they use “Forgot password”. Connected apps have to be connected anew. Agent keys are good at the address of this installation.'

const WENT_ON =
  'It went on here before, after the same move or a later one: what the file has as unfinished may have been published since. So it is held as after a restore.'

function importWords({
  workspaceId,
  name,
  createdAt,
  rows,
  mediaFiles,
  moved,
  wentOnBefore,
  heldChannels,
  suspended,
}: ImportSummary): string {
  const imported = `The workspace "${name}", as it was at ${createdAt}, is imported: ${counted(rows, 'row')} and ${counted(mediaFiles, 'media file')}.`
  if (moved)
    return `${imported}\n\nIt goes on here, where it was stopped there. ${PEOPLE}\n\nRemove it there: \`postrider workspace delete ${workspaceId}\`.`
  const again = wentOnBefore ? [WENT_ON] : []
  return [imported, ...again, ...holdWords(heldChannels), ...accessWords(suspended), PEOPLE].join('\n\n')
}

function addDelete(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('delete')
    .description('say what a workspace has; with --yes, delete all of it for good, with its media')
    .argument(WORKSPACE, 'its id or name')
    .option('--yes <workspace>', 'the id or name once more')
    .action(async (named: string, { yes }: { yes?: string }, command: Command) => {
      if (yes !== undefined && yes !== named)
        throw new UsageError(`--yes has to name the workspace once more: --yes ${JSON.stringify(named)}.`)
      await inWorkspace(config, { workspace: named }, async (place) => {
        const { db, dataDir, workspaceId, workspace: found, settings } = place
        const { name } = found
        const streams = settings.auditStream !== null
        if (yes === undefined) {
          const counts = await countWorkspace(db, workspaceId)
          return output(command).answer(
            { workspaceId, name, ...counts, deleted: false },
            `${whatGoes(name, counts)}\n\nNothing was deleted. To delete all of it for good: \`postrider workspace delete ${workspaceId} --yes ${workspaceId}\`. Its people stay.`,
          )
        }
        const done = await withStorage(place, (storage) =>
          deleteWorkspace(
            { db, storage, dataDir, streams },
            workspaceId,
            (tx, { rows, mediaFiles, trashed }) =>
              recordOperator(tx, null, 'deleteWorkspace', {
                subject: { workspaceId },
                before: { name, rows: sumOf(rows), mediaFiles },
                after: { trashed },
              }),
          ),
        )
        const files = done.trashed
          ? ' Another installation uses the media storage: the files are in its trash for a week.'
          : ''
        output(command).answer(
          { workspaceId, name, ...done, deleted: true },
          `The workspace "${name}" is deleted: ${counted(sumOf(done.rows), 'row')} and ${counted(done.mediaFiles, 'media file')}.${files}`,
        )
      })
    })
}

function whatGoes(name: string, { rows, mediaFiles }: DeletionCounts): string {
  const columns: Columns<[string, number]> = { OF: ([of]) => of, COUNT: ([, count]) => String(count) }
  return `The workspace "${name}" has:\n\n${table(columns, [...Object.entries(rows), ['media files', mediaFiles]])}`
}

function addUnfreeze(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('unfreeze')
    .description('have a workspace go on here that was exported with --move, and imported nowhere')
    .argument(WORKSPACE, 'its id or name')
    .requiredOption(
      '--not-moved',
      'no other installation has imported it, nor will: else its posts are published twice',
    )
    .action(async (named: string, _options: object, command: Command) => {
      const { name, workspaceId } = await inWorkspace(config, { workspace: named }, async (place) => {
        await place.db.begin(
          async (tx) => {
            const freeze = await readFreeze(tx, place.workspaceId)
            if (freeze === null)
              throw new CommandFault(`The workspace "${place.workspace.name}" is not frozen.`)
            if (freeze.deleting)
              throw new CommandFault(
                `The workspace "${place.workspace.name}" is being deleted, and not whole any more. Repeat \`postrider workspace delete ${place.workspaceId} --yes ${place.workspaceId}\`.`,
              )
            await unfreezeWorkspace(tx, place.workspaceId)
            await recordOperator(tx, place.workspaceId, 'unfreezeWorkspace')
          },
          { statementTimeoutMs: 0 },
        )
        return place.workspace
      })
      output(command).answer({ workspaceId, name }, `The workspace "${name}" goes on here.`)
    })
}
