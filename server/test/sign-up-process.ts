// Takes up one link in a process of its own, for tests that kill it: its arguments are a database address, what the link
// is for, its secret and the password to set.
import { randomBytes } from 'node:crypto'
import { recordAct } from '../src/audit/audit-store.ts'
import { mailQueue } from '../src/mail/mail-store.ts'
import { acceptAsNew } from '../src/people/accept-invitation.ts'
import { resetPassword } from '../src/people/reset-password.ts'
import { setUpOwner } from '../src/people/set-up-owner.ts'
import { openDb } from '../src/platform/db.ts'
import { isRefusal } from '../src/platform/refusal.ts'
import { makeKeyring } from '../src/platform/sealing.ts'

const [url = '', what = '', secret = '', password = '', email = ''] = process.argv.slice(2)
const keyring = makeKeyring([randomBytes(32)])
const db = openDb({ url, applicationName: 'sign-up', max: 1 })
const parts = { db, keyring, recordAct, mail: mailQueue(keyring, 'https://postrider.test') }
const client = { address: '192.0.2.7', userAgent: null }

const ways: Record<string, () => Promise<object>> = {
  owner: () => setUpOwner(parts, secret, { name: 'Ada', email, password }, client),
  invitation: () => acceptAsNew(parts, secret, { name: 'Ada', password }, client),
  reset: () => resetPassword(parts, secret, password, client),
}
const outcome = await ways[what]!()
if (isRefusal(outcome)) throw new Error(outcome.detail)
process.exit()
