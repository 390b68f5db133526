import { type Command, Option } from 'commander'
import {
  type AdoptedFiles,
  adoptedFiles,
  adoptStorage,
  type StorageView,
  viewStorage,
} from '../../media/adopt-storage.ts'
import { openStorage } from '../../media/open-media.ts'
import type { User } from '../../media/storage-marks.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { type Columns, counted, instantCell, table } from './output.ts'
import { withDatabase } from './session.ts'

type AdoptOptions = { label?: string; files: AdoptedFiles }

/** `postrider media adopt`; what else begins with `media` goes over the API. */
export function addMediaCommands(program: Command, { config, output }: CommandLine): void {
  program
    .command('media')
    .description('the storage that media are in')
    .command('adopt')
    .description(
      'show what is in the media storage: how many files, the newest, which installations use it. With --label, use it for this database, which gets an id of its own there',
    )
    .option('--label <id>', 'the id that the storage carries, as shown; `none` where it carries none')
    .addOption(
      new Option(
        '--files <which>',
        'which files it may remove once no item refers to them: those that it has stored itself, those of its own items, too (no other database has these workspaces), or all that are there (nobody else uses the storage any more)',
      )
        .choices([...adoptedFiles])
        .default('own'),
    )
    .action(async ({ label, files }: AdoptOptions, command: Command) => {
      const settings = await config()
      const answer = output(command)
      await withDatabase(
        settings,
        async ({ db, dataDir }) => {
          const storage = await openStorage(dataDir, settings.media)
          try {
            if (label === undefined) {
              const view = await viewStorage(db, storage)
              return answer.answer(view, textOf(view))
            }
            const wanted = { label: label === 'none' ? null : label, files }
            const done = await adoptStorage(db, storage, wanted, (tx, after) =>
              recordOperator(tx, null, 'adoptMedia', { after: { ...wanted, ...after } }),
            )
            if ('why' in done) throw new CommandFault(done.why)
            answer.answer(
              done,
              `This database uses the storage at ${storage.location} under the id ${done.installationId}. ${counted(done.adopted, 'file')} there became its own.`,
            )
          } finally {
            await storage.close()
          }
        },
        { creates: true },
      )
    })
}

function textOf(view: StorageView): string {
  const { location, label, storageId, files, bytes, newest, ofItems, own } = view
  const carries = label === null ? 'carries no id' : `carries the id ${label}`
  const known =
    storageId === null
      ? 'this database has none yet'
      : storageId === label
        ? 'this database has the same'
        : `this database has ${storageId}`
  return [
    `The media storage at ${location} ${carries}, and ${known}.`,
    `${counted(files, 'file')}, ${Math.ceil(bytes / 1_000_000)} MB, the newest stored at ${instantCell(newest, 'no time')}. ` +
      `Media items of this database refer to ${ofItems} of them; it has stored ${own} of them itself.`,
    usersText(view),
    `Nothing was changed. To use this storage: \`postrider media adopt --label ${label ?? 'none'}\`. Files that are not this installation's own are left alone; --help says of --files which can become its own.`,
  ].join('\n\n')
}

function usersText({ users }: StorageView): string {
  if (users.length === 0)
    return 'No installation has noted that it uses the storage; releases before this one did not note it.'
  const columns: Columns<User> = {
    INSTALLATION: ({ installationId, isThis }) => (isThis ? `${installationId} (this one)` : installationId),
    ADDRESS: ({ address }) => address,
    HOST: ({ host }) => host,
    'LAST SEEN': ({ at }) => instantCell(at, ''),
  }
  return table(columns, users)
}
