import type { Command } from 'commander'
import type { Db } from '../platform/db.ts'
import type { CommandLine } from './command-line.ts'
import { type Columns, table } from './output.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

/** What a `list` lists. */
type Listing<Row> = {
  readonly description: string
  readonly read: (db: Db, workspaceId: string) => Promise<Row[]>
  readonly columns: Columns<Row>
  /** What it says where there is none. */
  readonly none: string
}

/** Adds `list`: all of one kind in a workspace, as a table. */
export function addListCommand<Row>(
  group: Command,
  { config, output }: CommandLine,
  { description, read, columns, none }: Listing<Row>,
): void {
  group
    .command('list')
    .description(description)
    .addOption(workspaceOption())
    .action(async (options: InWorkspace, command: Command) => {
      const rows = await inWorkspace(config, options, ({ db, workspaceId }) => read(db, workspaceId))
      output(command).answer(rows, rows.length === 0 ? none : table(columns, rows))
    })
}
