import { sharedRateLimit } from '../../src/edge/api/http/rate-limits.ts'
import { noCounts } from './no-counts.ts'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import type { OAuthSettings } from '../../src/people/apps/authorization-server.ts'
import { mountOAuth } from '../../src/people/apps/mount-oauth.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { openOutbound, type OutboundOptions } from '../../src/platform/outbound/outbound-http.ts'
import { openEdge } from './edge.ts'

export type OAuthServerOptions = {
  /** How clients become known: all ways, unless said otherwise. */
  settings?: Partial<OAuthSettings>
  /** Registrations, and metadata documents that are fetched. */
  registrationsPerMinute?: number
  authorizationsPerMinute?: number
  /** How metadata documents are fetched; from public addresses only, unless said otherwise. */
  outbound?: Partial<OutboundOptions>
}

/**
 * The authorization server over a database, on the loopback address. `baseUrl` is the address that clients know, on
 * whatever port it listens; `served` is the Agent API beside it, if any.
 */
export async function openOAuthServer(
  db: Db,
  { baseUrl, port, settings, outbound, ...options }: OAuthServerOptions & Address,
  served: Parameters<typeof openEdge>[0] = { routes: [], operations: [] },
): Promise<{ url: string } & AsyncDisposable> {
  const guarded = openOutbound({
    connectMs: 2_000,
    totalMs: 5_000,
    bodyMaxBytes: 16_384,
    userAgent: 'test',
    rules: { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] },
    ...outbound,
  })
  const parts = {
    db,
    log: createLog({ level: 'silent' }),
    outbound: guarded,
    baseUrl,
    recordAct,
    settings: { registration: true, clientMetadata: true, ...settings },
    limits: {
      registrations: sharedRateLimit('registrations', options.registrationsPerMinute ?? 1_000, noCounts),
      authorizations: sharedRateLimit('authorizations', options.authorizationsPerMinute ?? 1_000, noCounts),
    },
  }
  const edge = await openEdge({
    ...served,
    db,
    config: { baseUrl },
    mounts: [...(served.mounts ?? []), (app) => mountOAuth(app, parts)],
  })
  const url = await edge.app.listen({ host: '127.0.0.1', port })
  return {
    url,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      await guarded.close()
    },
  }
}

type Address = { baseUrl: string; port: number }
