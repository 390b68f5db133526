// Takes up links, for tests that kill the process meanwhile.
import { randomBytes } from 'node:crypto'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { mailQueue } from '../../src/people/mail/mail-store.ts'
import { acceptAsNew } from '../../src/people/sign-in/link/accept-invitation.ts'
import { resetPassword } from '../../src/people/sign-in/password/reset-password.ts'
import { setUpOwner } from '../../src/people/sign-in/link/set-up-owner.ts'
import { credentialStopper } from '../../src/app/stop-credential.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { isRefusal } from '../../src/edge/operations/refusal.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { runLanes } from './killed-lanes.ts'
import type { EmailAddress } from '../../src/platform/text/email-address.ts'

/** A link, and the account that comes of it. */
export type TakenUp = { readonly secret: string; readonly email: EmailAddress; readonly password: string }

const keyring = makeKeyring([randomBytes(32)])
const partsOn = (db: Db) => ({
  db,
  keyring,
  recordAct,
  mail: mailQueue(keyring, 'https://postrider.test'),
  stopCredentials: credentialStopper(recordAct),
})
const client = { address: '192.0.2.7', userAgent: null }

runLanes({
  owner: (db, { secret, ...account }: TakenUp) =>
    done(setUpOwner(partsOn(db), secret, { name: 'Ada', ...account }, client)),
  invitation: (db, { secret, password }: TakenUp) =>
    done(acceptAsNew(partsOn(db), secret, { name: 'Ada', password }, client)),
  reset: (db, { secret, password }: TakenUp) => done(resetPassword(partsOn(db), secret, password, client)),
})

async function done(outcome: Promise<object>): Promise<void> {
  const came = await outcome
  if (isRefusal(came)) throw new Error(came.detail)
}
