// Migrates a database by the files of a folder, for tests that kill it meanwhile.
import { openDb } from '../../src/platform/postgres/db.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'

const [url = '', dir = ''] = process.argv.slice(2)
await migrate(openDb({ url, applicationName: 'migrating' }), dir)
