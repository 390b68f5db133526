import type { Command } from 'commander'
import { MIGRATIONS, openDatabase } from '../../platform/embedded-postgres/database.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { explainLostSessions } from '../../platform/embedded-postgres/explain-lost-sessions.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'

/** `postrider migrate` */
export function addMigrateCommand(program: Command, { config, output, note }: CommandLine): void {
  program
    .command('migrate')
    .description('update the database schema; the server does this when it starts')
    .action(async (_options: object, command: Command) => {
      const settings = await config()
      const database = await openDatabase(settings, {
        applicationName: 'postrider migrate',
        connections: 2,
        creates: true,
      })
      try {
        const lost = await explainLostSessions(database, settings)
        if (lost !== null) throw new CommandFault(lost)
        const result = await migrate(database.db, MIGRATIONS, {
          onLocked: (migration) => note(`${migration} waits for tables that are in use, and tries again.`),
          onWait: () => note('Another process brings the schema up to date. Waiting for it…'),
        })
        const what = result.applied.length === 0 ? 'Nothing to do' : `Applied ${result.applied.join(', ')}`
        output(command).answer(result, `${what}: the schema is at version ${result.version}.`)
      } finally {
        await database.close()
      }
    })
}
