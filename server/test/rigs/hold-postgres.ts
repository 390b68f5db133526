// A process that uses the embedded PostgreSQL of a data folder until its standard input ends, for tests that kill it.
// With 'insert' it writes rows as fast as it can, and says the number of each once it is acknowledged; with 'fill' it writes many at
// once, and says when they are.
import { openDb } from '../../src/platform/postgres/db.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { MUCH_WORK } from './much-work.ts'

const [dataDir = '', task] = process.argv.slice(2)
const postgres = await startEmbeddedPostgres({ dataDir })
const db = openDb({ ...postgres.connection, applicationName: 'holder', max: 1 })
console.log(JSON.stringify({ pid: postgres.pid, alreadyRunning: postgres.alreadyRunning }))

process.stdin.resume().once('end', async () => {
  await db.end()
  await postgres.stop()
})

if (task === 'insert') {
  await db`create table kept (n int primary key)`
  for (let n = 0; ; n += 1) {
    await db`insert into kept values (${n})`
    console.log(n)
  }
}
if (task === 'fill') {
  await db.script(MUCH_WORK)
  console.log('filled')
}
