// A sender of mail in a process of its own, for tests that kill it: its arguments are a database address, a key of the
// keyring and the address of a mail server.
import { sendDueMail } from '../../src/people/mail/send-mail.ts'
import { rewriteNotice } from '../../src/attention/notices/mail-notices.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { makeKeyring, Secret } from '../../src/platform/sealing/sealing.ts'

const [url = '', secretKey = '', smtpUrl = ''] = process.argv.slice(2)
const db = openDb({ url, applicationName: 'mail', max: 2 })
await sendDueMail({
  db,
  keyring: makeKeyring([Buffer.from(secretKey, 'base64')]),
  log: createLog({ level: 'silent' }),
  smtp: { url: new Secret(smtpUrl), from: 'post@rider.test' },
  rewrites: { attention: rewriteNotice(db, 'https://postrider.test', []) },
})
process.exit()
