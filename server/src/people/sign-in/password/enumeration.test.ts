import { hashes } from '../../../../test/rigs/counted-hashes.ts'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aBrowser,
  aPerson,
  client,
  openSite,
  PASSWORD,
  peopleParts,
} from '../../../../test/rigs/people-world.ts'
import { signInWithPassword } from '../sign-in.ts'
import { emailOf } from '../../../platform/text/email-address.ts'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const parts = peopleParts(db)
beforeEach(async () => {
  await db`delete from throttle`
})

/** The hashes that were made meanwhile. */
async function hashesOf(run: () => Promise<unknown>): Promise<object[]> {
  hashes.splice(0)
  await run()
  return hashes.splice(0)
}

test('a wrong password, an unknown address and a person without a password cost the same hash, and one', async () => {
  const person = await aPerson(db)
  const without = await aPerson(db, { password: false })
  const costs = []
  for (const email of [person.email, without.email, emailOf('nobody@example.com')]) {
    costs.push(
      await hashesOf(() => signInWithPassword(parts, { email, password: 'not the password' }, client)),
    )
    const entry = { email, password: 'not the password' }
    costs.push(await hashesOf(() => aBrowser(site.app).post('/sign-in', entry)))
  }
  const [first] = costs
  expect(first).toHaveLength(1)
  expect(first).toMatchObject([{ algorithm: 'argon2id', memory: 19_456, passes: 2 }])
  expect(costs).toEqual(costs.map(() => first))
})

test('the right password costs no more, nor does one that is not a password', async () => {
  const person = await aPerson(db)
  for (const password of [PASSWORD, '', 'x'.repeat(1_000)])
    expect(
      await hashesOf(() => signInWithPassword(parts, { email: person.email, password }, client)),
    ).toHaveLength(1)
})

test('an account that has to wait costs no hash, whether it exists or not', async () => {
  const person = await aPerson(db)
  for (const email of [person.email, emailOf('unknown@example.com')]) {
    for (let n = 0; n < 10; n++) await signInWithPassword(parts, { email, password: 'wrong' }, client)
    expect(await hashesOf(() => signInWithPassword(parts, { email, password: PASSWORD }, client))).toEqual([])
  }
})
