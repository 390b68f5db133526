import { expect, test } from 'vitest'
import { aPerson, client, PASSWORD, peopleParts } from '../../../test/rigs/people-world.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { hashPassword } from './password/password.ts'
import { hashRecoveryCode } from './second-factor/recovery-codes.ts'
import { makeResetLink, resetPassword } from './password/reset-password.ts'
import { confirmTotp } from './second-factor/second-factor.ts'
import { offerTotp, replaceRecoveryCodes } from './second-factor/second-factor-store.ts'
import { endSessions, findSession, listSessions, pruneSignIn } from './session/session-store.ts'
import { type Entry, proveAgain, signInWithPassword, signInWithCode } from './sign-in.ts'
import { newTotpSecret, stepAt, totpCode } from './second-factor/totp.ts'
import { type EmailAddress, emailOf } from '../../platform/text/email-address.ts'

const { world } = await openFileWorld()
const { db } = world
const parts = peopleParts(db)

const signedIn = (entry: object) => entry as Extract<Entry, { is: 'signed_in' }>
const begun = (entry: object) => entry as Extract<Entry, { is: 'second_factor' }>

async function enrolled() {
  const person = await aPerson(db)
  const secret = newTotpSecret()
  const codes = ['aaaa-bbbb-cccc', 'dddd-eeee-ffff']
  await offerTotp(db, parts.keyring, person.personId, secret)
  const before = stepAt(new Date()) - 1
  await db.begin(async (tx) => {
    expect(await confirmTotp(tx, parts.keyring, person.personId, totpCode(secret, before))).toBe(true)
    await replaceRecoveryCodes(
      tx,
      person.personId,
      codes.map((code) => hashRecoveryCode(code)!),
    )
  })
  return { ...person, secret, codes }
}

test('the right password opens a session whose secret is in no column', async () => {
  const person = await aPerson(db, { email: 'Case@Example.com' })
  const { secret } = signedIn(
    await signInWithPassword(parts, { email: emailOf('case@EXAMPLE.com'), password: PASSWORD }, client),
  )

  expect(await findSession(db, secret)).toMatchObject({ ...person, fresh: true })
  expect(await listSessions(db, person.personId)).toMatchObject([{ address: '192.0.2.7', userAgent: 'Test' }])
  const [row] = await db<
    { text: string }[]
  >`select session::text as text from session where person_id = ${person.personId}`
  expect(row!.text).not.toContain(secret)
  const [entry] =
    await db`select action, workspace_id, address from audit_entry where person_id = ${person.personId}`
  expect(entry).toMatchObject({ action: 'signIn', workspace_id: null, address: '192.0.2.7' })
})

test('a wrong password, an address that nobody has and a person without a password are answered alike', async () => {
  const person = await aPerson(db)
  const without = await aPerson(db, { password: false })
  const answers = []
  for (const email of [person.email, without.email, emailOf('nobody@example.com')]) {
    answers.push(await signInWithPassword(parts, { email, password: 'not the password' }, client))
  }
  expect(answers[0]).toMatchObject({ refused: 'sign_in_failed' })
  expect(answers).toEqual([answers[0], answers[0], answers[0]])
  // Each is recorded, also what nobody can read of an address that nobody has: it costs the same.
  const [{ seq }] = (await db`select max(seq) as seq from audit_entry`) as unknown as [{ seq: string }]
  const last = await db`
    select person_id, after from audit_entry where action = 'refuseSignIn' and seq > ${seq}::bigint - 3 order by seq`
  const after = { by: 'password' }
  expect([...last]).toEqual(
    [person.personId, without.personId, null].map((person_id) => ({ person_id, after })),
  )
})

test('after ten failures an account rests, whether it exists or not, and from wherever they come', async () => {
  const person = await aPerson(db)
  for (const email of [person.email, emailOf('unknown@example.com')]) {
    for (let n = 0; n < 10; n++) {
      const from = { ...client, address: `198.51.100.${n}` }
      expect(await signInWithPassword(parts, { email, password: `wrong ${n}` }, from)).toMatchObject({
        refused: 'sign_in_failed',
      })
    }
    const late = await signInWithPassword(
      parts,
      { email: emailOf(email.toUpperCase()), password: PASSWORD },
      client,
    )
    expect(late).toMatchObject({
      refused: 'rate_limited',
      facts: { retryAfterSeconds: expect.any(Number) as unknown },
    })
  }
  await db`update throttle set ends_at = now()`
  expect(await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client)).toMatchObject({
    is: 'signed_in',
  })
})

test('an address that tries many accounts has to wait', async () => {
  const from = { ...client, address: '203.0.113.9' }
  await db`insert into throttle select encode(sha256(convert_to('address' || chr(10) || ${from.address}, 'UTF8')), 'hex'), 60, now() + interval '1 minute'`
  expect(
    await signInWithPassword(parts, { email: emailOf('someone@example.com'), password: 'x' }, from),
  ).toMatchObject({
    refused: 'rate_limited',
  })
})

test('what succeeds is not counted', async () => {
  const person = await aPerson(db)
  for (let n = 0; n < 12; n++) {
    expect(
      await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
    ).toMatchObject({
      is: 'signed_in',
    })
  }
})

/** Runs what hashes the person's password and waits for their row then, and replaces the password meanwhile. */
async function whilePasswordChanges<T>(personId: string, run: () => Promise<T>): Promise<T> {
  const other = await hashPassword('another password')
  const held = await openTransaction(db)
  await held.tx`select from person where id = ${personId} for update`
  const running = run()
  await untilBlocked(db)
  await held.tx`update person set password_hash = ${other} where id = ${personId}`
  await held.commit()
  return running
}

test('a password that is replaced while it is being checked opens nothing', async () => {
  const person = await aPerson(db)
  const signing = () => signInWithPassword(parts, { email: person.email, password: PASSWORD }, client)
  expect(await whilePasswordChanges(person.personId, signing)).toMatchObject({ refused: 'sign_in_failed' })
  expect(await listSessions(db, person.personId)).toEqual([])
  expect(await signing()).toMatchObject({ refused: 'sign_in_failed' })
})

test('a password that is replaced while it is being checked proves nothing', async () => {
  const person = await aPerson(db)
  const { secret } = signedIn(
    await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
  )
  const session = (await findSession(db, secret))!
  const proof = { password: PASSWORD, code: null }
  const proving = () => proveAgain(parts, session, proof)
  expect(await whilePasswordChanges(person.personId, proving)).toMatchObject({ refused: 'sign_in_failed' })
  expect(await findSession(db, secret)).not.toBeNull()
})

test('with an authenticator app the password alone opens nothing, and a code counts once', async () => {
  const person = await enrolled()
  const begin = async () =>
    begun(await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client))
  const first = await begin()
  expect(first.is).toBe('second_factor')
  expect(await findSession(db, first.secret)).toBeNull()
  expect(await listSessions(db, person.personId)).toEqual([])

  const wrong = await signInWithCode(parts, { step: first.secret, code: '000000' }, client)
  expect(wrong).toMatchObject({ refused: 'sign_in_failed' })
  const code = totpCode(person.secret, stepAt(new Date()))
  const both = await Promise.all(
    [first, await begin()].map(({ secret }) => signInWithCode(parts, { step: secret, code }, client)),
  )
  expect(both.map((entry) => ('is' in entry ? entry.is : entry.refused)).toSorted()).toEqual([
    'sign_in_failed',
    'signed_in',
  ])
  const again = await signInWithCode(parts, { step: (await begin()).secret, code }, client)
  expect(again).toMatchObject({ refused: 'sign_in_failed' })
})

test('a recovery code stands in for the app, once, however it is written', async () => {
  const person = await enrolled()
  const tries = []
  for (const code of ['AAAA bbbb-cccc', 'aaaabbbbcccc', 'dddd-eeee-ffff', 'x']) {
    const { secret } = begun(
      await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
    )
    const entry = await signInWithCode(parts, { step: secret, code }, client)
    tries.push('is' in entry ? entry.is : entry.refused)
  }
  expect(tries).toEqual(['signed_in', 'sign_in_failed', 'signed_in', 'sign_in_failed'])
})

test('codes are counted per person, over all their sign-ins', async () => {
  const person = await enrolled()
  for (let n = 0; n < 10; n++) {
    const { secret } = begun(
      await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
    )
    await signInWithCode(parts, { step: secret, code: `00000${n}` }, client)
  }
  const { secret } = begun(
    await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
  )
  const code = totpCode(person.secret, stepAt(new Date()))
  expect(await signInWithCode(parts, { step: secret, code }, client)).toMatchObject({
    refused: 'rate_limited',
  })
})

test('a sign-in that is not finished in time begins again', async () => {
  const person = await enrolled()
  const { secret } = begun(
    await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
  )
  await db`update ceremony set expires_at = now() where person_id = ${person.personId}`
  const code = totpCode(person.secret, stepAt(new Date()))
  const late = await signInWithCode(parts, { step: secret, code }, client)
  expect(late).toMatchObject({
    refused: 'sign_in_failed',
    detail: expect.stringContaining('Start over') as unknown,
  })
})

test('of two codes that come at once for one sign-in, one opens a session', async () => {
  const person = await enrolled()
  const { secret: step } = begun(
    await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
  )
  const held = await openTransaction(db)
  await held.tx`select from person where id = ${person.personId} for update`
  const entering = person.codes.map((code) => signInWithCode(parts, { step, code }, client))
  await untilBlocked(db, 2)
  await held.commit()
  const entries = await Promise.all(entering)
  expect(entries.filter((entry) => 'is' in entry)).toHaveLength(1)
  expect(await listSessions(db, person.personId)).toHaveLength(1)
})

test('a sign-in that waits for its code ends with the password by which it began', async () => {
  const person = await enrolled()
  const other = await enrolled()
  const begin = async ({ email }: { email: EmailAddress }) =>
    begun(await signInWithPassword(parts, { email, password: PASSWORD }, client)).secret
  const [thief, bystander] = [await begin(person), await begin(other)]
  const { secret } = (await makeResetLink(db, person.email, { byMail: false }))!
  expect(await resetPassword(parts, secret, 'a brand new password', client)).toMatchObject({
    email: person.email,
  })

  const late = await signInWithCode(parts, { step: thief, code: person.codes[0]! }, client)
  expect(late).toMatchObject({
    refused: 'sign_in_failed',
    detail: expect.stringContaining('Start over') as unknown,
  })
  expect(await listSessions(db, person.personId)).toEqual([])
  expect(await signInWithCode(parts, { step: bystander, code: other.codes[0]! }, client)).toMatchObject({
    is: 'signed_in',
  })
})

test('a session ends when it is not used, when it is old, and when it is ended elsewhere', async () => {
  const person = await aPerson(db)
  const open = async () =>
    signedIn(await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client)).secret
  const idle = await open()
  await db`update session set seen_at = now() - interval '7 days' where person_id = ${person.personId}`
  expect(await findSession(db, idle)).toBeNull()
  const old = await open()
  await db`update session set ends_at = now() where person_id = ${person.personId}`
  expect(await findSession(db, old)).toBeNull()
  const ended = await open()
  expect(await listSessions(db, person.personId)).toHaveLength(1)
  await pruneSignIn(db, 100)
  expect(await endSessions(db, person.personId)).toBe(1)
  expect(await findSession(db, ended)).toBeNull()
})

test('a proof is good for ten minutes, and gives the session another secret', async () => {
  const person = await enrolled()
  const { secret: step } = begun(
    await signInWithPassword(parts, { email: person.email, password: PASSWORD }, client),
  )
  const { secret } = signedIn(await signInWithCode(parts, { step, code: person.codes[0]! }, client))
  await db`update session set proved_at = now() - interval '10 minutes', seen_at = now() - interval '2 minutes'
           where person_id = ${person.personId}`
  const stale = (await findSession(db, secret))!
  expect(stale.fresh).toBe(false)

  for (const [password, code] of [
    ['wrong password', person.codes[1]!],
    [PASSWORD, null],
    [PASSWORD, '123'],
  ] as const) {
    expect(await proveAgain(parts, stale, { password, code })).toMatchObject({
      refused: 'sign_in_failed',
    })
  }
  const proved = await proveAgain(parts, stale, { password: PASSWORD, code: person.codes[1]! })
  expect(await findSession(db, secret)).toBeNull()
  expect(await findSession(db, (proved as { secret: string }).secret)).toMatchObject({ fresh: true })
})
