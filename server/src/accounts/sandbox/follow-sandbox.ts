import Type from 'typebox'
import { Check } from 'typebox/value'
import { openAuthorization, sealAuthorization } from '../../networks/channels/authorization.ts'
import {
  authorizationsOfProvider,
  replaceAuthorization,
} from '../../networks/channels/authorization-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { SandboxAuthorization } from '../../networks/providers/sandbox/authorization.ts'
import { askSandbox } from './ask-sandbox.ts'
import { sandboxProfiles } from './sandbox-accounts.ts'

const Me = Type.Object({ id: Type.String() })

/**
 * Leads the channels of the sandbox network to the address that it has now. A channel follows when the network there
 * knows its account by its token: then it is the same network, whatever its address was. Returns how many did.
 */
export async function followSandbox(db: Db, keyring: Keyring, networkUrl: string): Promise<number> {
  let followed = 0
  for (const profile of sandboxProfiles) {
    for (const row of await authorizationsOfProvider(db, `sandbox-${profile}`)) {
      const authorization = openAuthorization(keyring, row.channelId, row.authorizationSealed)
      if (!Check(SandboxAuthorization, authorization) || authorization.baseUrl === networkUrl) continue
      if (!(await isAccountOf(networkUrl, authorization))) continue
      const moved = sealAuthorization(keyring, row.channelId, { ...authorization, baseUrl: networkUrl })
      if (await replaceAuthorization(db, row, moved)) followed += 1
    }
  }
  return followed
}

async function isAccountOf(
  networkUrl: string,
  { accessToken, accountId }: SandboxAuthorization,
): Promise<boolean> {
  const { httpStatus, body } = await askSandbox(new URL('/api/v1/accounts/me', networkUrl), {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  return httpStatus === 200 && Check(Me, body) && body.id === accountId
}
