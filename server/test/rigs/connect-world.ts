import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { openNetworkClients } from '../../src/networks/channels/network-clients.ts'
import { openRefresh, type AuthorizationParts } from '../../src/networks/channels/refresh-authorization.ts'
import type { ConnectParts } from '../../src/accounts/connect/connect-account.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { Call } from '../../src/networks/providers/port/calls.ts'
import type { Providers } from '../../src/networks/providers/port/port.ts'
import { instagram } from '../../src/networks/providers/meta/instagram/instagram.ts'
import { x } from '../../src/networks/providers/x/x.ts'
import { exampleProvider, openExampleServer, type ExampleServer } from './example-network.ts'

export const baseUrl = 'https://postrider.example'

/** What connects accounts of the example network, on this database. */
export function connectParts(
  db: Db,
  {
    server = openExampleServer(),
    latencyMs = 0,
    keyring = makeKeyring([randomBytes(32)]),
    call,
  }: {
    server?: ExampleServer
    latencyMs?: number
    keyring?: AuthorizationParts['keyring']
    /** Instead of the example network. */
    call?: Call
  } = {},
) {
  const logged: string[] = []
  const providers: Providers = new Map([[exampleProvider.provider, exampleProvider]])
  const tools: ConnectParts['tools'] = {
    call:
      call ??
      (async (request) => {
        await sleep(latencyMs)
        return { arrived: true, response: server.answer(request), durationMs: latencyMs }
      }),
    wait: async () => undefined,
    readCard: async () => ({ card: null, lack: null, done: async () => undefined }),
  }
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  const clients = openNetworkClients({ db, keyring, tools, configured: new Map(), baseUrl })
  const parts = { db, keyring, providers, tools, clients, log }
  return {
    ...parts,
    recordAct,
    baseUrl,
    withoutApp: [instagram, x],
    refresh: openRefresh(parts),
    server,
    logged,
  }
}
