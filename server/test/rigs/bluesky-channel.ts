import { connectByForm } from '../../src/accounts/connect/connect-by-form.ts'
import type { Connect } from '../../src/accounts/connect/open-connect.ts'
import { blueskyOn } from '../../src/networks/providers/bluesky/bluesky.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import { aWorkspace, type AWorkspace } from './fixtures.ts'
import type { Pds, PdsAccount } from './pds-rig.ts'
import { OPERATOR } from './publishing-rig.ts'

/* Accounts of a real Bluesky server, connected by app password. */

export type Connected = {
  readonly account: PdsAccount
  readonly workspace: AWorkspace
  readonly channelId: string
}

/** Bluesky as if this server and its directory were all of it. */
export function blueskyAt({ url, plcUrl }: Pds): Provider {
  return blueskyOn({ resolver: url, plc: plcUrl })
}

/** The origins of the server and its directory. */
export function trusted({ url, plcUrl }: Pds): string[] {
  return [url, plcUrl].map((address) => new URL(address).origin)
}

let names = 0

/** Makes an account, and connects it in a workspace of its own. */
export async function connectAnAccount(pds: Pds, provider: Provider, connect: Connect): Promise<Connected> {
  const account = await pds.account(`account${++names}`)
  const workspace = await aWorkspace(connect.db)
  const target = { workspaceId: workspace.workspaceId, channelId: null, actor: OPERATOR }
  const result = await connectByForm(connect, target, provider, {
    handle: account.handle,
    appPassword: account.appPassword,
  })
  if (result.is !== 'connected') throw new Error(result.detail)
  return { account, workspace, channelId: result.channelId }
}
