import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect, test } from 'vitest'
import { openWorld } from '../../../test/rigs/world.ts'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import { seedDatabase } from '../first-start/seed-database.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { followSandbox } from './follow-sandbox.ts'

const keyring = makeKeyring([randomBytes(32)])

async function openNetworkFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-moving-'))
  return { dataDir, [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }) }
}

async function addresses(db: Db): Promise<unknown[]> {
  const rows = await db<{ id: string; sealed: Buffer }[]>`
    select id, authorization_sealed as sealed from channel order by id`
  return rows.map(({ id, sealed }) => openAuthorization(keyring, id, sealed)['baseUrl'])
}

test('channels follow the sandbox network to a new address, and none goes to another network', async () => {
  await using world = await openWorld()
  await using folder = await openNetworkFolder()
  const { db } = world
  const before = await startSandboxNetwork({ dataDir: folder.dataDir })
  await seedDatabase({ db, keyring, sandbox: { url: before.url, own: true } })
  await db`update channel set provider_origin = ${before.url}`
  expect(await followSandbox(db, keyring, before.url)).toBe(0)
  await before.close()

  const other = await startSandboxNetwork({ memory: true })
  expect(await followSandbox(db, keyring, other.url)).toBe(0)
  expect(await addresses(db)).toEqual([before.url, before.url])
  await other.close()
  await expect(followSandbox(db, keyring, other.url)).rejects.toThrow('ECONNREFUSED')

  const after = await startSandboxNetwork({ dataDir: folder.dataDir })
  expect(after.url).not.toBe(before.url)
  expect(await followSandbox(db, keyring, after.url)).toBe(2)
  expect(await addresses(db)).toEqual([after.url, after.url])
  expect(await db`select distinct provider_origin as origin from channel`).toEqual([{ origin: null }])
  await after.close()
})
