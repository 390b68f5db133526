import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aPerson, client, PASSWORD, peopleParts } from '../../../test/rigs/people-world.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { createWorkspace } from '../../people/members/workspace-store.ts'
import { claimMail } from '../../people/mail/mail-store.ts'
import { resetPassword } from '../../people/sign-in/password/reset-password.ts'
import { offerTotp, secondFactorOf } from '../../people/sign-in/second-factor/second-factor-store.ts'
import { listSessions, openSession } from '../../people/sign-in/session/session-store.ts'
import { setUpOwner } from '../../people/sign-in/link/set-up-owner.ts'
import { newTotpSecret } from '../../people/sign-in/second-factor/totp.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { emailOf } from '../../platform/text/email-address.ts'

async function openDesk(env: Record<string, string> = {}) {
  const world = await openWorld()
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-desk-'))
  const postrider = commandLineWith({
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEYS: randomBytes(32).toString('base64'),
    ...env,
  })
  return {
    db: world.db,
    postrider,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true })
    },
  }
}

test('owner link makes the first owner, and none beside one who can sign in', async () => {
  await using desk = await openDesk()
  const { db, postrider } = desk
  const owner = { name: 'Owner', email: emailOf('owner@localhost') }
  await createWorkspace(db, { name: 'Acme', timeZone: 'UTC', owner })

  const { exitCode, said } = await postrider('owner', 'link')
  const secret = /^http:\/\/localhost:4000\/set-up\/([\w-]{43})\n/.exec(said)?.[1]
  expect({ exitCode, found: secret !== undefined }).toEqual({ exitCode: 0, found: true })
  const ada = { name: 'Ada', email: emailOf('ada@example.com'), password: PASSWORD }
  expect(await setUpOwner(peopleParts(db), secret!, ada, client)).toHaveProperty('secret')

  const again = await postrider('owner', 'link')
  expect(again).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('postrider member reset') as unknown,
  })
  const acts = await db`select action, actor_type from audit_entry order by seq`
  expect(acts.map((act) => ({ ...act }))).toEqual([
    { action: 'ownerLink', actor_type: 'operator' },
    { action: 'setUpOwner', actor_type: 'person' },
  ])
})

test('member reset lets somebody in again, without the phone that was lost', async () => {
  await using desk = await openDesk()
  const { db, postrider } = desk
  const parts = peopleParts(db)
  const person = await aPerson(db)
  await offerTotp(db, parts.keyring, person.personId, newTotpSecret())
  await db`update totp set confirmed_at = now()`

  const plain = await postrider('member', 'reset', person.email)
  const secret = /reset-password\/([\w-]{43})\n/.exec(plain.said)?.[1]
  expect(await resetPassword(parts, secret!, 'a brand new password', client)).toMatchObject({
    email: person.email,
  })
  expect(await secondFactorOf(db, person.personId)).toMatchObject({ totp: true })

  expect((await postrider('member', 'reset', '--second-factor', person.email)).exitCode).toBe(0)
  expect(await secondFactorOf(db, person.personId)).toEqual({ totp: false, recoveryCodesLeft: 0 })
  const nobody = await postrider('member', 'reset', 'nobody@example.com')
  expect(nobody).toMatchObject({ exitCode: 1, errors: expect.stringContaining('No person has') as unknown })
})

test('whose second factors an operator forgets is signed out everywhere, and told by mail', async () => {
  const key = randomBytes(32)
  await using desk = await openDesk({
    SECRET_KEYS: key.toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'a@example.com',
  })
  const { db, postrider } = desk
  const [person, other] = [await aPerson(db), await aPerson(db)]
  for (const { personId } of [person, person, other]) await openSession(db, personId, client)

  await postrider('member', 'reset', person.email)
  expect(await listSessions(db, person.personId)).toHaveLength(2)
  expect(await claimMail(db, makeKeyring([key]), 60)).toBeNull()

  await postrider('member', 'reset', '--second-factor', person.email)
  expect(await listSessions(db, person.personId)).toHaveLength(0)
  expect(await listSessions(db, other.personId)).toHaveLength(1)
  const mail = await claimMail(db, makeKeyring([key]), 60)
  expect(mail).toMatchObject({ kind: 'notice', to: person.email })
  expect(mail?.message?.paragraphs.join(' ')).toMatch(
    /were removed\. All sessions were signed out\. .* command line/,
  )
  const [act] = await db`select after from audit_entry order by seq desc limit 1`
  expect(act).toEqual({ after: { secondFactorForgotten: true, sessionsEnded: 2 } })
})
