import { openNetworkClients, type ConfiguredClient } from '../../networks/channels/network-clients.ts'
import { openRefresh, type RefreshAuthorization } from '../../networks/channels/refresh-authorization.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { TargetRules } from '../../platform/outbound/outbound-guard.ts'
import { openOutbound } from '../../platform/outbound/outbound-http.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import type { Provider, Providers } from '../../networks/providers/port/port.ts'
import { recorded, type CallRecorder } from '../../networks/providers/port/record-call.ts'
import { openSender } from '../../networks/providers/port/send-request.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectParts } from './connect-account.ts'

export type ConnectOptions = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>
  readonly providers: Providers
  readonly log: Log
  readonly recordAct: RecordAct
  readonly rules: TargetRules
  readonly configuredClients: ReadonlyMap<string, ConfiguredClient>
  /** The networks that lack such an app, and can be connected once there is one. */
  readonly withoutApp?: readonly Provider[]
  readonly baseUrl: string
  /** Notes each call to a network. */
  readonly recorder?: CallRecorder | null
}

/** What connects accounts and keeps their authorizations, with an outbound client of its own. */
export type Connect = ConnectParts & {
  readonly baseUrl: string
  readonly withoutApp: readonly Provider[]
  readonly refresh: RefreshAuthorization
  readonly close: () => Promise<void>
}

const CONNECT_MS = 5_000
const CALL_MS = 20_000
const ANSWER_MAX_BYTES = 1024 * 1024

/** Opens what connects accounts and keeps their authorizations. */
export function openConnect(options: ConnectOptions): Connect {
  const { db, keyring, providers, log, recordAct, rules, baseUrl, withoutApp = [] } = options
  const outbound = openOutbound({
    connectMs: CONNECT_MS,
    totalMs: CALL_MS,
    bodyMaxBytes: ANSWER_MAX_BYTES,
    rules,
    userAgent: 'Postrider/1',
  })
  const tools = {
    call: recorded(
      openSender({ call: outbound.call, talk: outbound.talk, totalMs: CALL_MS, serverAddress: baseUrl }),
      options.recorder ?? null,
    ),
    wait: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    // No page of another site is needed to connect an account.
    readCard: () => Promise.resolve({ card: null, lack: null, done: () => Promise.resolve() }),
  }
  const configured = options.configuredClients
  const clients = openNetworkClients({ db, keyring, tools, configured, baseUrl })
  const parts = { db, keyring, providers, tools, clients, log }
  return { ...parts, recordAct, baseUrl, withoutApp, refresh: openRefresh(parts), close: outbound.close }
}
