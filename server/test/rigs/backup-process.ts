import { once } from 'node:events'
import { headerOf, writeBackupFile, type BackupEntry } from '../../src/operate/backup/backup-file.ts'

/*
 * A process that writes one backup, for tests that run several at once and kill them. It says `begun` once its file is open
 * and some of it is written, and goes on when it is told anything.
 */

const [path = '', filling = ''] = process.argv.slice(2)

async function* entries(): AsyncGenerator<BackupEntry> {
  const createdAt = new Date().toISOString()
  yield headerOf({
    release: '0',
    createdAt,
    migrations: [],
    mediaStorageId: null,
    secretKeys: `secret ${filling}`,
  })
  for (let n = 0; n < 2_000; n++) {
    yield { table: filling, rows: [`(${n},${Math.random()})`.repeat(50)] }
    if (n !== 1_000) continue
    process.send?.('begun')
    await once(process, 'message')
  }
}

try {
  await writeBackupFile(path, entries())
  process.send?.('done')
} catch (error) {
  process.send?.(error instanceof Error ? error.message : 'failed')
} finally {
  process.disconnect?.()
}
