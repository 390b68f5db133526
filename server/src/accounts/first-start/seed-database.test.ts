import { randomBytes } from 'node:crypto'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect, test } from 'vitest'
import { openWorld } from '../../../test/rigs/world.ts'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import { greeting } from './greeting.ts'
import { renewOwnerLink, seedDatabase } from './seed-database.ts'
import { agentKeys } from '../../people/keys/authenticate.ts'
import { listWorkspaces } from '../../people/members/workspace-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'

const keyring = makeKeyring([randomBytes(32)])

async function openInstallation() {
  const world = await openWorld()
  const network = await startSandboxNetwork({ memory: true })
  return {
    db: world.db,
    sandbox: { url: network.url, own: true },
    async [Symbol.asyncDispose]() {
      await network.close()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** The HTTP status with which the sandbox network meets each stored authorization. */
async function authorizationsAnswer(db: Db): Promise<number[]> {
  const rows = await db<
    { id: string; sealed: Buffer }[]
  >`select id, authorization_sealed as sealed from channel order by id`
  return Promise.all(
    rows.map(async ({ id, sealed }) => {
      const { baseUrl, accessToken } = openAuthorization(keyring, id, sealed)
      const headers = { authorization: `Bearer ${String(accessToken)}` }
      return (await fetch(`${String(baseUrl)}/api/v1/accounts/me`, { headers })).status
    }),
  )
}

test('an empty database gets a workspace, a channel of each kind and a key that opens it', async () => {
  await using installation = await openInstallation()
  const { db, sandbox } = installation
  const first = await seedDatabase({ db, keyring, sandbox })

  const caller = await agentKeys.find(db, first!.key)
  expect(caller).toMatchObject({ member: { name: 'Owner', email: 'owner@localhost' } })
  expect(caller!.credential.permissions).toHaveLength(7)
  expect(await db`select name from workspace where allowed_time = interval '24 hours'`).toHaveLength(1)
  const providers = await db`select provider from channel order by id`
  expect(providers.map(({ provider }) => provider as string)).toEqual([
    'sandbox-short',
    'sandbox-professional',
  ])
  expect(await authorizationsAnswer(db)).toEqual([200, 200])
  expect((await fetch(first!.channel!.pageUrl)).status).toBe(200)
})

test('of several processes that start at once, one seeds it', async () => {
  await using installation = await openInstallation()
  const { db, sandbox } = installation
  const starts = await Promise.all(Array.from({ length: 5 }, () => seedDatabase({ db, keyring, sandbox })))

  expect(starts.filter((first) => first !== null)).toHaveLength(1)
  expect(await listWorkspaces(db)).toHaveLength(1)
  expect(await authorizationsAnswer(db)).toEqual([200, 200])
})

test('a start that died between the accounts and the rows is completed by the next one', async () => {
  await using installation = await openInstallation()
  const { db, sandbox } = installation
  const dying = { ...keyring, seal: () => expect.unreachable('died') }
  await expect(seedDatabase({ db, keyring: dying, sandbox })).rejects.toThrow('died')
  expect(await listWorkspaces(db)).toEqual([])

  expect(await seedDatabase({ db, keyring, sandbox })).not.toBeNull()
  expect(await authorizationsAnswer(db)).toEqual([200, 200])
  const { items } = (await (await fetch(`${sandbox.url}/control/accounts`)).json()) as { items: unknown[] }
  expect(items).toHaveLength(2)
})

test('later starts make another link for the owner, until a person is the owner', async () => {
  await using installation = await openInstallation()
  const { db, sandbox } = installation
  expect(await renewOwnerLink(db)).toBeNull()
  const first = await seedDatabase({ db, keyring, sandbox })

  const link = await renewOwnerLink(db)
  expect(link).toMatch(/^[\w-]{43}$/)
  expect(link).not.toBe(first!.ownerLink)
  const addresses = { api: 'http://localhost:4000', sandbox: null }
  expect(greeting(addresses, null, link)).toContain(`http://localhost:4000/set-up/${link}\n`)

  await db`update person set password_hash = 'x'`
  expect(await renewOwnerLink(db)).toBeNull()
  expect(greeting(addresses, null, null)).not.toContain('set-up')
})

test('two installations on one sandbox network leave each other alone', async () => {
  await using one = await openInstallation()
  await using other = await openWorld()
  const sandbox = { ...one.sandbox, own: false }
  await seedDatabase({ db: one.db, keyring, sandbox })
  await seedDatabase({ db: other.db, keyring, sandbox })

  expect(await authorizationsAnswer(one.db)).toEqual([200, 200])
  expect(await authorizationsAnswer(other.db)).toEqual([200, 200])
})

test('without a sandbox network there is a key and no channel', async () => {
  await using world = await openWorld()
  const first = await seedDatabase({ db: world.db, keyring, sandbox: null })
  expect(first).toMatchObject({ channel: null })
})
