import Type from 'typebox'
import { Check } from 'typebox/value'
import { openGrant, sealGrant } from '../channels/grant.ts'
import { grantsOfProvider, replaceGrant } from '../channels/grant-store.ts'
import type { Db } from '../platform/db.ts'
import type { Keyring } from '../platform/sealing.ts'
import { SandboxGrant } from '../providers/sandbox/sandbox.ts'
import { sandboxProfiles } from './sandbox-accounts.ts'

const Me = Type.Object({ id: Type.String() })

/**
 * Leads the channels of the sandbox network to the address that it has now. A channel follows when the network there
 * knows its account by its token: then it is the same network, whatever its address was. Returns how many did.
 */
export async function followSandbox(db: Db, keyring: Keyring, networkUrl: string): Promise<number> {
  let followed = 0
  for (const profile of sandboxProfiles) {
    for (const row of await grantsOfProvider(db, `sandbox-${profile}`)) {
      const grant = openGrant(keyring, row.channelId, row.grantSealed)
      if (!Check(SandboxGrant, grant) || grant.baseUrl === networkUrl) continue
      if (!(await isAccountOf(networkUrl, grant))) continue
      const moved = sealGrant(keyring, row.channelId, { ...grant, baseUrl: networkUrl })
      if (await replaceGrant(db, row, moved)) followed += 1
    }
  }
  return followed
}

async function isAccountOf(networkUrl: string, { accessToken, accountId }: SandboxGrant): Promise<boolean> {
  const response = await fetch(new URL('/api/v1/accounts/me', networkUrl), {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
  })
  const body: unknown = await response.json()
  return response.ok && Check(Me, body) && body.id === accountId
}
