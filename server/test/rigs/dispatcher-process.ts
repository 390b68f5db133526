// A dispatcher in a process of its own, for tests that kill or measure it: its arguments are a database address, a key of the
// keyring, and the milliseconds of a lease.
import { flushCompileCache } from 'node:module'
import { Registry } from 'prom-client'
import { openDb } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { startWebhooks } from '../../src/engine/webhooks/start-webhooks.ts'

// A killed process writes no compile cache at its end.
flushCompileCache()
const [url = '', secretKey = '', leaseMs = ''] = process.argv.slice(2)
const dispatcher = await startWebhooks({
  db: openDb({ url, applicationName: 'dispatcher', max: 4 }),
  keyring: makeKeyring([Buffer.from(secretKey, 'base64')]),
  log: createLog({ level: 'silent' }),
  registry: new Registry(),
  rules: { httpsOnly: true, trustedOrigins: 'any', trustedNetworks: [] },
  concurrency: 64,
  standardHeaders: false,
  leaseMs: Number(leaseMs),
})
console.log('ready')
// The end of standard input is the death of the test: nobody is left to kill us.
process.stdin.resume().once('end', async () => {
  await dispatcher.stop(0)
  process.exit()
})
