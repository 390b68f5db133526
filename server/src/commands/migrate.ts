import type { Command } from 'commander'
import { MIGRATIONS, openDatabase } from '../platform/database.ts'
import { migrate } from '../platform/migrate.ts'
import type { CommandLine } from './command-line.ts'

/** `postrider migrate` */
export function addMigrateCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('migrate')
    .description("bring the database to this release's schema; the server does so itself when it starts")
    .action(async (_options: object, command: Command) => {
      const database = await openDatabase(await config(), {
        applicationName: 'postrider migrate',
        connections: 1,
        creates: true,
      })
      try {
        const result = await migrate(database.db, MIGRATIONS)
        const what = result.applied.length === 0 ? 'Nothing to do' : `Applied ${result.applied.join(', ')}`
        output(command).answer(result, `${what}: the schema is at version ${result.version}.`)
      } finally {
        await database.close()
      }
    })
}
